//! The crowd of the test kit has what its documentation says: otherwise the other tests here would compare little.

use super::{ARCHIVE, GRAPH, INERTIAL};
use lissom::{
    clip::DecodedClip,
    job::{Mix, MixEntry, SampleTime},
    math::soa::SoaTransform,
    player::Body,
    track::Repeat,
};
use lissom_motion::Animator;
use std::sync::Arc;

const CLIPS: [&str; 7] = ["idle", "walk", "run", "wave", "breathe", "lean_left", "lean_right"];

#[test]
fn clips_of_every_kind_move_joints_of_every_group() {
    let mut body = Body::new(&ARCHIVE, 4).unwrap();
    let groups = body.skeleton().group_count();
    assert_eq!(groups, 4, "more than 48 joints");
    let mut moved = [[0; 3]; 4];
    for name in CLIPS {
        let clip = body.clip(name).unwrap();
        let cubic = DecodedClip::bytes_of(ARCHIVE.clip(name).unwrap().view()).is_none();
        assert_eq!(cubic, ["idle", "breathe"].contains(&name), "{name}");
        let mut pose_at = |ratio: f64| -> Vec<SoaTransform> {
            let mut mix = Mix::EMPTY;
            assert!(mix.push(MixEntry::new(clip, SampleTime::Ratio(ratio), 1.0)));
            let mut pose = vec![SoaTransform::IDENTITY; groups];
            body.pose_of(&mix, &[], &mut pose).unwrap();
            pose
        };
        let poses = [pose_at(0.1), pose_at(0.6)];
        for group in 0..groups {
            let [a, b] = [&poses[0][group], &poses[1][group]];
            assert!(a.rotation != b.rotation, "{name} does not turn group {group}");
            let changes = [a.translation != b.translation, a.rotation != b.rotation, a.scale != b.scale];
            moved[group].iter_mut().zip(changes).for_each(|(moved, change)| *moved += usize::from(change));
        }
    }
    assert!(
        moved[1][2] > 0 && moved[3][0] > 0,
        "a scale and a translation beyond the first group: {moved:?}"
    );
}

#[test]
fn graphs_have_layers_markers_in_step_curves_and_laps_of_all_kinds() {
    for graph in [&GRAPH, &INERTIAL] {
        let mut animator = Animator::new(&ARCHIVE, Arc::clone(graph)).unwrap();
        let float = |name: &str| graph.float(name).unwrap();
        let in_step =
            |name: &str| graph.is_in_step(graph.clips().iter().position(|c| *c.name == *name).unwrap());
        assert_eq!(["walk", "run", "idle"].map(in_step), [Some(true), Some(true), Some(false)]);
        animator.set(float("speed"), 2.0).unwrap();
        animator.set(float("lean"), 0.5).unwrap();
        animator.set(float("leaning"), 1.0).unwrap();
        animator.play("wave").on("upper").fade(0.1).start().unwrap();
        animator.update(0.5).unwrap();
        let layers = animator.frame().layers();
        assert_eq!(
            layers.iter().map(|l| (l.mask.is_some(), l.additive)).collect::<Vec<_>>(),
            [(false, false), (true, false), (false, true)]
        );
        assert!(layers.iter().all(|layer| layer.weight > 0.0), "{layers:?}");
        // The curve of the clips grows while it breathes, and lets it sway.
        animator.trigger(graph.trigger("stop").unwrap()).unwrap();
        let (mut states, mut repeats) = (Vec::new(), Vec::new());
        for _ in 0..60 {
            animator.update(0.05).unwrap();
            states.push(animator.state().leading(graph, 0).unwrap());
            repeats.extend(animator.frame().entries().iter().map(|entry| entry.repeat));
        }
        states.dedup();
        assert_eq!(states, ["rest", "sway", "move"]);
        for repeat in [Repeat::Loop, Repeat::Once, Repeat::PingPong] {
            assert!(repeats.contains(&repeat), "{repeat:?}");
        }
    }
}
