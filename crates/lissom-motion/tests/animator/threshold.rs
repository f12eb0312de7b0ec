//! The least weight of a joint, said by a graph: where clips have less together, the rest pose fills in.

use lissom::{archive::Archive, math::soa::SoaTransform};
use lissom_motion::{
    Animator, Graph, GraphParts, RootStep,
    crowd::{Crowd, Role},
    graph::{LayerParts, StateParts},
};
use lissom_testkit::crowds;
use std::sync::{Arc, LazyLock};

static ARCHIVE: LazyLock<Archive> = LazyLock::new(crowds::archive);

fn parts(weight: f32, least: Option<f32>) -> GraphParts {
    let clip = crowds::inertial_graph(&ARCHIVE).clips()[0].name.to_string();
    let mut body = LayerParts::new("body").state(StateParts::clip("own", &clip));
    body.weight = weight;
    GraphParts { blend_threshold: least, ..GraphParts::new().layer(body) }
}

/// The pose, and the matrices of a member of a crowd beside those of an animator.
fn shown(parts: &GraphParts) -> Vec<SoaTransform> {
    let graph = Arc::new(Graph::of_archive(parts, &ARCHIVE).unwrap());
    let mut hero = Animator::new(&ARCHIVE, Arc::clone(&graph)).unwrap();
    let mut crowd = Crowd::new(&ARCHIVE).unwrap();
    let id = crowd.add_graph(graph).unwrap();
    let member = crowd.add(Role::Graph(id), RootStep::IDENTITY).unwrap();
    hero.update(0.3).unwrap();
    crowd.update(0.3).unwrap();
    assert!(crowd.models(member).unwrap().unwrap() == hero.models());
    hero.pose().to_vec()
}

#[test]
fn a_graph_says_below_which_weight_the_rest_pose_fills_in() {
    let whole = shown(&parts(1.0, None));
    let near = |a: &[SoaTransform], b: &[SoaTransform]| {
        let pairs = a.iter().zip(b).flat_map(|(a, b)| a.translation.y.0.into_iter().zip(b.translation.y.0));
        pairs.fold(0.0_f32, |most, (a, b)| if (a - b).abs() > most { (a - b).abs() } else { most })
    };
    let turned = |a: &[SoaTransform], b: &[SoaTransform]| {
        let pairs = a.iter().zip(b).flat_map(|(a, b)| a.rotation.x.0.into_iter().zip(b.rotation.x.0));
        near(a, b)
            + pairs.fold(0.0_f32, |most, (a, b)| if (a - b).abs() > most { (a - b).abs() } else { most })
    };
    let rest =
        ARCHIVE.skeleton(ARCHIVE.names(lissom::archive::SectionKind::Skeleton).next().unwrap()).unwrap();
    let rest = rest.rest_pose();
    let far = turned(&whole, rest);
    assert!(far > 0.05, "{far}");
    // Above the threshold weights are relative: all of the clip is seen.
    assert!(turned(&shown(&parts(0.3, None)), &whole) < 1e-5);
    assert!(turned(&shown(&parts(0.3, Some(0.25))), &whole) < 1e-5);
    // At 1 a layer of weight 0.3 leaves the rest to the rest pose.
    let third = shown(&parts(0.3, Some(1.0)));
    assert!(turned(&third, &whole) > 0.3 * far && turned(&third, rest) > 0.1 * far);

    let said = parts(0.3, Some(0.25));
    assert_eq!(GraphParts::read(&said.to_bytes()).unwrap(), said);
    for least in [0.0, -0.1, 1.5, f32::NAN] {
        let error = Graph::of_archive(&parts(1.0, Some(least)), &ARCHIVE).unwrap_err().to_string();
        assert!(error.contains("blend_threshold"), "{error}");
    }
}
