//! What makes no sense is refused, and the crowd is as it was.

use super::{ARCHIVE, GRAPH, bits, crowd};
use lissom::{job::JobError, math::Quat, player::PlayError};
use lissom_motion::{
    Graph, GraphParts, GraphState, RootStep, StateError,
    crowd::{Crowd, CrowdError, Member, Outputs, PaletteFormat, PalettesMut, PlayedClip, Role, Serial},
};
use std::sync::Arc;

/// All that can be asked of a crowd, as text.
fn all(crowd: &Crowd) -> String {
    let of = |member: Member| {
        let state = crowd.state(member).map(GraphState::to_bytes);
        let parts = crowd.played_clips(member).map(|parts| parts.collect::<Vec<_>>());
        let models = bits(crowd.models(member).unwrap().unwrap());
        (member, state, parts, models, *crowd.place(member).unwrap(), *crowd.root_step(member).unwrap())
    };
    let members: Vec<_> = crowd.members().map(of).collect();
    format!("{members:?} {} {}", crowd.len(), crowd.slots())
}

#[test]
fn bad_input_gives_a_typed_error_and_leaves_the_crowd_as_it_was() {
    let mut crowd = crowd();
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let [a, b, gone] = [0; 3].map(|_| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap());
    let walk = crowd.clip("walk").unwrap();
    let plain = crowd.add(Role::Clips(&[PlayedClip::new(walk, 1.0)]), RootStep::IDENTITY).unwrap();
    crowd.remove(gone).unwrap();
    let (speed, stop) = (GRAPH.float("speed").unwrap(), GRAPH.trigger("stop").unwrap());
    crowd.set(a, speed, 1.0).unwrap();
    crowd.update(0.1).unwrap();
    let before = all(&crowd);
    let unknown = Err(CrowdError::Unknown { member: gone });
    let nan = RootStep { translation: [0.0, f64::NAN, 0.0], ..RootStep::IDENTITY };

    assert_eq!(crowd.remove(gone), unknown);
    assert_eq!(crowd.remove_each(&[a, b, gone]), unknown);
    assert_eq!(crowd.remove_each(&[a, b, a]), Err(CrowdError::Unknown { member: a }));
    assert_eq!(crowd.set(gone, speed, 1.0), unknown);
    assert_eq!(crowd.set_each(&[a, gone], speed, &[2.0, 2.0]), unknown);
    assert!(matches!(
        crowd.set_each(&[a, b], speed, &[2.0, f32::NAN]),
        Err(CrowdError::State(StateError::Value(_)))
    ));
    assert!(matches!(crowd.set_each(&[a, b], speed, &[2.0]), Err(CrowdError::Length { needed: 2, .. })));
    assert_eq!(crowd.trigger_each(&[a, gone], stop), unknown);
    assert!(matches!(crowd.set(plain, speed, 1.0), Err(CrowdError::OtherMind { .. })));
    assert!(matches!(crowd.set_played_clips(a, &[]), Err(CrowdError::OtherMind { .. })));
    assert_eq!(crowd.set_places(&[a, gone], &[RootStep::IDENTITY; 2]), unknown);
    assert!(matches!(crowd.set_places(&[a, b], &[RootStep::IDENTITY, nan]), Err(CrowdError::Value(_))));
    assert_eq!(crowd.set_seen(&[a, gone], false), unknown);
    assert_eq!(crowd.set_travels(&[a, gone], false), unknown);
    assert_eq!(crowd.set_rate(&[a, gone], 2), unknown);
    assert!(matches!(crowd.set_rate(&[a], 0), Err(CrowdError::Value(_))));
    assert_eq!(crowd.set_pace(&[a, gone], 0.0), unknown);
    for pace in [-1.0, f32::NAN, f32::INFINITY] {
        assert!(matches!(crowd.set_pace(&[a], pace), Err(CrowdError::Value(_))));
    }
    assert!(matches!(crowd.add(Role::Graph(by), nan), Err(CrowdError::Value(_))));
    let part = PlayedClip::new(walk, 1.0);
    for part in [
        PlayedClip { weight: f32::NAN, ..part },
        PlayedClip { weight: -1.0, ..part },
        PlayedClip { speed: f32::INFINITY, ..part },
        PlayedClip { laps: f64::NAN, ..part },
        PlayedClip { clip: 999, ..part },
    ] {
        assert!(crowd.add(Role::Clips(&[part]), RootStep::IDENTITY).is_err(), "{part:?}");
        assert!(crowd.set_played_clips(plain, &[part]).is_err(), "{part:?}");
    }
    let many = [part; 5];
    assert_eq!(crowd.set_played_clips(plain, &many), Err(CrowdError::TooManyClips { found: 5, allowed: 4 }));
    for dt_s in [f64::NAN, f64::INFINITY, -0.1] {
        assert!(matches!(crowd.update(dt_s), Err(CrowdError::Value(_))), "{dt_s}");
    }
    let mut short = vec![[[0.0; 4]; 3]; crowd.slots() * crowd.skeleton().joint_count() - 1];
    let result = crowd.update_into(0.1, &Serial, PalettesMut::F32(&mut short));
    assert!(matches!(result, Err(CrowdError::Length { field: "palettes", .. })), "{result:?}");
    assert!(short.iter().all(|rows| *rows == [[0.0; 4]; 3]));
    assert!(matches!(crowd.set_inverse_binds(&[]), Err(CrowdError::Length { .. })));
    let other = Graph::new(&GraphParts::new().float("speed", 0.0), |_| None::<f64>).unwrap();
    let result = crowd.set_state(a, &GraphState::new(&other));
    assert_eq!(result, Err(CrowdError::State(StateError::OtherGraph)));
    let foreign = Graph::new(&GraphParts::new().clip("fly"), |_| Some(1.0)).unwrap();
    let error = crowd.add_graph(Arc::new(foreign)).unwrap_err();
    assert!(error.to_string().contains("\"fly\""), "{error}");
    let mut larger = Crowd::new(&ARCHIVE).unwrap();
    let elsewhere = (0..2).map(|_| larger.add_graph(Arc::clone(&GRAPH)).unwrap()).last().unwrap();
    let result = crowd.add(Role::Graph(elsewhere), RootStep::IDENTITY);
    assert_eq!(result, Err(CrowdError::NoSuchGraph { found: 1, graphs: 1 }));

    assert_eq!(all(&crowd), before);
}

#[test]
fn a_member_that_went_is_not_taken_for_who_came_after_it() {
    let mut crowd = crowd();
    crowd.set_outputs(Outputs { palettes: Some(PaletteFormat::F32), ..Outputs::default() });
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let old = crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap();
    crowd.set(old, GRAPH.float("speed").unwrap(), 3.0).unwrap();
    crowd.set_seen(&[old], false).unwrap();
    crowd.update(0.5).unwrap();
    crowd.remove(old).unwrap();
    assert!(crowd.is_empty() && crowd.slots() == 1);
    let new = crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap();
    assert_eq!(new.index(), old.index());
    assert!(crowd.contains(new) && !crowd.contains(old));
    assert!(crowd.palette(old).is_err());
    // It starts as anybody does.
    let mut fresh = super::crowd();
    let by = fresh.add_graph(Arc::clone(&GRAPH)).unwrap();
    let first = fresh.add(Role::Graph(by), RootStep::IDENTITY).unwrap();
    let models = |crowd: &Crowd, member| bits(crowd.models(member).unwrap().unwrap());
    assert_eq!(models(&crowd, new), models(&fresh, first));
    crowd.update(0.2).unwrap();
    fresh.update(0.2).unwrap();
    assert_eq!(models(&crowd, new), models(&fresh, first));
}

#[test]
fn a_hook_that_fails_stops_nobody_else_and_is_told() {
    let mut crowd = crowd();
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let members: Vec<Member> =
        (0..20).map(|_| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap()).collect();
    let mut alone = crowd.clone();
    let place = RootStep { translation: [3.0, 0.0, 0.0], ..RootStep::IDENTITY };
    crowd.set_place(members[5], place).unwrap();
    crowd.set_rate(&members[7..8], 4).unwrap();
    let called = std::sync::Mutex::new(Vec::new());
    for frame in 0..4 {
        let told = crowd.update_with(0.05, &Serial, None, &|member, place, pose| {
            called.lock().unwrap().push((member, place.translation));
            pose.turn(pose.skeleton().joint_count() * usize::from(member == members[3]), Quat::IDENTITY)
        });
        let error = told.unwrap_err();
        assert!(matches!(error, CrowdError::Play(PlayError::Job(JobError::NoSuchJoint { .. }))), "{error:?}");
        alone.update(0.05).unwrap();
        for member in members.iter().enumerate().filter(|(i, _)| *i != 7).map(|(_, member)| *member) {
            let models = |crowd: &Crowd| bits(crowd.models(member).unwrap().unwrap());
            assert_eq!(models(&crowd), models(&alone), "frame {frame}");
        }
    }
    let called = called.into_inner().unwrap();
    let of = |member: Member| called.iter().filter(|(who, _)| *who == member).count();
    assert_eq!((of(members[0]), of(members[7])), (4, 1), "who is held is not asked");
    assert!(called.iter().filter(|(who, _)| *who == members[5]).all(|(_, place)| place[0] >= 2.0));
}
