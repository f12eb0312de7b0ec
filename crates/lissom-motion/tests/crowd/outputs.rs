//! Palettes: whose buffers, which format, which space, and those of the frame before.

use super::{ARCHIVE, GRAPH, crowd};
use lissom::{
    job::Attachment,
    math::{Mat34, Transform, Vec3},
    mesh::{Aabb, JointBounds, Strided},
};
use lissom_motion::{
    Animator, RootStep,
    crowd::{
        BoundsScratch, Crowd, CrowdError, Member, Outputs, PaletteFormat, PaletteRows, Palettes, PalettesMut,
        Rayon, Role, Serial, Space,
    },
};
use std::sync::Arc;

fn made(outputs: Outputs) -> (Crowd, Vec<Member>) {
    let mut crowd = crowd();
    crowd.set_grain(2);
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let place = |x: f64| RootStep { translation: [x, 0.0, 100.0], rotation: [0.0, 0.6, 0.0, 0.8] };
    let members: Vec<Member> =
        (0..9).map(|i| crowd.add(Role::Graph(by), place(f64::from(i))).unwrap()).collect();
    crowd.set_outputs(outputs);
    crowd.set_each(&members, GRAPH.float("speed").unwrap(), &[2.0; 9]).unwrap();
    (crowd, members)
}

fn floats(palettes: Option<Palettes<'_>>) -> Vec<PaletteRows> {
    match palettes {
        Some(Palettes::F32(rows)) => rows.to_vec(),
        other => panic!("{other:?}"),
    }
}

fn model_palettes() -> Outputs {
    Outputs { palettes: Some(PaletteFormat::F32), ..Outputs::default() }
}

#[test]
fn a_buffer_of_the_callers_gets_what_the_crowds_own_has() {
    let (mut own, _) = made(model_palettes());
    let (mut other, _) = made(Outputs { models: false, ..Outputs::default() });
    let joints = own.skeleton().joint_count();
    // Larger than needed: the rest is left alone.
    let mut buffer = vec![[[7.0; 4]; 3]; 10 * joints];
    for frame in 0..10 {
        own.update(0.05).unwrap();
        if frame % 2 == 0 {
            other.update_into(0.05, &Serial, PalettesMut::F32(&mut buffer)).unwrap();
        } else {
            other.update_into(0.05, &Rayon, PalettesMut::F32(&mut buffer)).unwrap();
        }
        assert_eq!(floats(own.palettes()), buffer[..9 * joints]);
        assert_eq!(other.palettes(), None);
        assert!(other.all_models().is_empty());
    }
    assert!(buffer[9 * joints..].iter().all(|rows| *rows == [[7.0; 4]; 3]));
}

#[test]
fn half_floats_are_within_a_half_floats_reach() {
    let (mut full, members) = made(model_palettes());
    let (mut half, _) = made(Outputs { palettes: Some(PaletteFormat::F16), ..Outputs::default() });
    full.update(0.3).unwrap();
    half.update(0.3).unwrap();
    for member in members {
        let Some(Palettes::F16(halves)) = half.palette(member).unwrap() else { panic!("no halves") };
        for (rows, halves) in floats(full.palette(member).unwrap()).iter().zip(halves) {
            for (v, bits) in rows.as_flattened().iter().zip(halves.as_flattened()) {
                let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 0x3ff));
                let size = if exponent == 0 {
                    fraction * libm::exp2(-24.0)
                } else {
                    (1024.0 + fraction) * libm::exp2(f64::from(exponent) - 25.0)
                };
                let found = if bits & 0x8000 == 0 { size } else { -size };
                assert!((found - f64::from(*v)).abs() <= f64::from(v.abs()) * libm::exp2(-11.0) + 1e-7);
            }
        }
    }
}

#[test]
fn palettes_of_the_world_are_those_of_the_model_at_their_place_held_poses_too() {
    let origin = [3.0, 0.0, 99.0];
    let (mut model, members) = made(model_palettes());
    let (mut world, _) = made(Outputs { space: Space::World { origin }, ..model_palettes() });
    model.set_rate(&members[..4], 2).unwrap();
    world.set_rate(&members[..4], 2).unwrap();
    for _ in 0..9 {
        model.update(0.07).unwrap();
        world.update(0.07).unwrap();
        for member in &members {
            let RootStep { translation: [x, y, z], rotation } = *world.place(*member).unwrap();
            let at = Transform {
                translation: Vec3::new((x - 3.0) as f32, y as f32, (z - 99.0) as f32),
                rotation: lissom::math::Quat::from_array(rotation.map(|v| v as f32)),
                scale: Vec3::ONE,
            }
            .to_mat34();
            let own = floats(model.palette(*member).unwrap());
            for (rows, own) in floats(world.palette(*member).unwrap()).iter().zip(own) {
                let columns = std::array::from_fn(|c| std::array::from_fn(|r| own[r][c]));
                let expected = at.mul(&Mat34 { columns });
                let found = Mat34 { columns: std::array::from_fn(|c| std::array::from_fn(|r| rows[r][c])) };
                assert_eq!(found, expected);
            }
        }
    }
}

#[test]
fn palettes_of_the_frame_before_are_kept_on_request_of_the_held_and_the_unseen_too() {
    let (mut crowd, members) = made(Outputs { before: true, ..model_palettes() });
    crowd.set_rate(&members[..3], 2).unwrap();
    crowd.set_seen(&members[3..4], false).unwrap();
    let (mut alone, _) = made(model_palettes());
    alone.set_rate(&members[..3], 2).unwrap();
    alone.set_seen(&members[3..4], false).unwrap();
    let mut before = floats(alone.palettes());
    for frame in 0..10 {
        crowd.update(0.06).unwrap();
        alone.update(0.06).unwrap();
        assert_eq!(floats(crowd.palettes()), floats(alone.palettes()), "frame {frame}");
        assert_eq!(floats(crowd.palettes_before()), before, "frame {frame}");
        before = floats(alone.palettes());
    }
}

#[test]
fn what_members_carry_is_where_their_joints_are() {
    let (mut crowd, members) = made(Outputs::default());
    crowd.update(0.3).unwrap();
    let thing = |joint| Attachment {
        joint,
        offset: Transform::from_translation(Vec3::new(0.0, 0.1, 0.0)).to_mat34(),
    };
    let things: Vec<(Member, Attachment)> =
        members.iter().zip(3..).map(|(member, joint)| (*member, thing(joint))).collect();
    let mut places = vec![Mat34::IDENTITY; things.len()];
    crowd.attach(&things, &mut places).unwrap();
    for ((member, thing), found) in things.iter().zip(&places) {
        assert_eq!(*found, crowd.joint(*member, thing.joint).unwrap().unwrap().mul(&thing.offset));
    }
    let before = places.clone();
    crowd.update(0.1).unwrap();
    let unknown = [things[0], (members[1], thing(999))];
    assert!(matches!(crowd.attach(&unknown, &mut places[..2]), Err(CrowdError::Value(_))));
    assert!(matches!(crowd.attach(&things, &mut places[..2]), Err(CrowdError::Length { .. })));
    crowd.remove(members[8]).unwrap();
    assert!(matches!(crowd.attach(&things, &mut places), Err(CrowdError::Unknown { .. })));
    assert_eq!(places, before);
    crowd.set_outputs(Outputs { models: false, ..Outputs::default() });
    assert!(matches!(crowd.attach(&things[..1], &mut places[..1]), Err(CrowdError::NotWritten { .. })));
}

#[test]
fn no_vertex_of_a_member_is_outside_of_its_box() {
    let mesh = ARCHIVE.mesh("body").unwrap();
    let view = mesh.view();
    let bounds = JointBounds::new(&mesh.influences(), Strided::packed(view.positions), None).unwrap();
    let mut animator = Animator::new(&ARCHIVE, Arc::clone(&GRAPH)).unwrap();
    animator.set(GRAPH.float("speed").unwrap(), 2.0).unwrap();
    let (mut crowd, members) = made(Outputs::default());
    let mut world =
        made(Outputs { space: Space::World { origin: [2.0, 0.0, 90.0] }, ..Outputs::default() }).0;
    let (mut scratch, mut boxes) = (BoundsScratch::default(), [None; 9]);
    for _ in 0..12 {
        animator.update(0.07).unwrap();
        crowd.update(0.07).unwrap();
        world.update(0.07).unwrap();
        crowd.bounds(&members, 0, &bounds, &mut scratch, &mut boxes).unwrap();
        let palette = animator.palette("body").unwrap().to_vec();
        assert_eq!(boxes[4], bounds.linear(&palette, &[]).unwrap());
        let inside =
            |around: &Aabb, p: [f32; 3]| (0..3).all(|i| around.min[i] <= p[i] && p[i] <= around.max[i]);
        let positions = animator.body_mut().skin_mesh("body").unwrap().positions.to_vec();
        assert!(positions.iter().all(|p| inside(&boxes[4].unwrap(), *p)));
        // In the world: where the member stands, about the origin.
        world.bounds(&members, 0, &bounds, &mut scratch, &mut boxes).unwrap();
        let mut place = *world.place(members[4]).unwrap();
        (place.translation[0], place.translation[2]) =
            (place.translation[0] - 2.0, place.translation[2] - 90.0);
        let place = place.to_transform().to_mat34();
        let around = boxes[4].unwrap();
        let slack = Aabb { min: around.min.map(|v| v - 1e-4), max: around.max.map(|v| v + 1e-4) };
        assert!(positions.iter().all(|p| inside(&slack, place.mul_point(*p))));
    }
    assert!(crowd.bounds(&members, 0, &bounds, &mut scratch, &mut boxes[..2]).is_err());
    crowd.set_outputs(Outputs { models: false, ..Outputs::default() });
    assert!(matches!(
        crowd.bounds(&members, 0, &bounds, &mut scratch, &mut boxes),
        Err(CrowdError::NotWritten { .. })
    ));
}
