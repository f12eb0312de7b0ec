//! Members that are not seen, or not posed in every update; and members without a graph.

use super::{ARCHIVE, GRAPH, bits, crowd};
use lissom::{
    job::{LocalToModelJob, Mix, MixEntry, MixJob, MixScratch, SampleTime},
    math::Mat4,
    track::Repeat,
};
use lissom_motion::{
    RootStep,
    crowd::{Crowd, Member, Part, Role},
};
use std::sync::Arc;

fn three(crowd: &mut Crowd) -> [Member; 3] {
    let by = crowd.add_graph(Arc::clone(&GRAPH)).unwrap();
    let members = [0; 3].map(|_| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap());
    crowd.set_each(&members, GRAPH.float("speed").unwrap(), &[1.5; 3]).unwrap();
    members
}

fn models(crowd: &Crowd, member: Member) -> Vec<u32> {
    bits(crowd.models(member).unwrap().unwrap())
}

#[test]
fn who_is_not_seen_keeps_time_events_and_way_and_comes_back_as_if_nothing_had_been() {
    let mut crowd = crowd();
    let [seen, unseen, _] = three(&mut crowd);
    crowd.update(0.1).unwrap();
    let before = models(&crowd, unseen);
    crowd.set_seen(&[unseen], false).unwrap();
    let mut told = [0, 0];
    for _ in 0..60 {
        crowd.update(0.04).unwrap();
        for event in crowd.events() {
            told[0] += usize::from(event.member == seen);
            told[1] += usize::from(event.member == unseen);
        }
        assert_eq!(models(&crowd, unseen), before);
        assert_eq!(crowd.place(seen).unwrap(), crowd.place(unseen).unwrap());
        assert_eq!(crowd.state(seen).unwrap(), crowd.state(unseen).unwrap());
    }
    assert!(told[0] > 4 && told[0] == told[1], "{told:?}");
    assert!(crowd.place(seen).unwrap().translation[2] > 1.0);
    crowd.set_seen(&[unseen], true).unwrap();
    crowd.update(0.04).unwrap();
    assert_eq!(models(&crowd, unseen), models(&crowd, seen));
}

#[test]
fn at_a_third_of_the_rate_every_third_pose_is_the_right_one_and_is_held() {
    let mut crowd = crowd();
    let [full, slow, slower] = three(&mut crowd);
    crowd.set_rate(&[slow, slower], 3).unwrap();
    let mut right = [Vec::new(), Vec::new()];
    for frame in 0..30 {
        crowd.update(0.04).unwrap();
        for (at, member) in [slow, slower].into_iter().enumerate() {
            // The second of the list has its turn one update later.
            if frame % 3 == at {
                right[at] = models(&crowd, full);
                assert_eq!(models(&crowd, member), right[at], "frame {frame}");
            } else if !right[at].is_empty() {
                assert_eq!(models(&crowd, member), right[at], "frame {frame}");
                assert_ne!(models(&crowd, full), right[at]);
            }
            assert_eq!(crowd.place(member).unwrap(), crowd.place(full).unwrap());
        }
    }
    // A step of 0 shows everybody, and is nobody's turn.
    crowd.update(0.0).unwrap();
    assert_eq!(models(&crowd, slow), models(&crowd, full));
    crowd.update(0.04).unwrap();
    assert_eq!(models(&crowd, slow), models(&crowd, full), "its turn");
}

#[test]
fn parts_play_by_themselves_as_their_mix_says() {
    let mut crowd = crowd();
    let [walk, run] = ["walk", "run"].map(|name| crowd.clip(name).unwrap());
    let parts = [Part::new(walk, 1.0).at(0.25), Part { speed: -0.5, ..Part::new(run, 3.0) }];
    let member = crowd.add(Role::Parts(&parts), RootStep::IDENTITY).unwrap();
    let clips: Vec<_> = ["walk", "run"].map(|name| ARCHIVE.clip(name).unwrap()).into();
    let seconds = [0, 1].map(|i: usize| clips[i].view().duration_s());
    let skeleton = crowd.skeleton().clone();
    let mut scratch = MixScratch::with_room_for(&skeleton, &clips, 2);
    let (mut pose, mut expected) =
        (skeleton.rest_pose().to_vec(), vec![Mat4::IDENTITY; skeleton.joint_count()]);
    for frame in 1..40 {
        crowd.update(0.0625).unwrap();
        let way = 0.0625 * f64::from(frame);
        let laps: Vec<f64> = crowd.parts(member).unwrap().map(|part| part.laps).collect();
        assert!((laps[0] - (0.25 + way / seconds[0])).abs() < 1e-12, "{laps:?}");
        assert!((laps[1] + 0.5 * way / seconds[1]).abs() < 1e-12, "{laps:?}");
        let mut mix = Mix::EMPTY;
        let ratio = |at: usize| SampleTime::Ratio(laps[at] - laps[at].floor());
        assert!(mix.push(MixEntry::new(0, ratio(0), 0.25)) && mix.push(MixEntry::new(1, ratio(1), 0.75)));
        MixJob::new(&skeleton, &clips, &mix, &mut scratch, &mut pose).run().unwrap();
        LocalToModelJob::new(&skeleton, &pose, &mut expected).run().unwrap();
        for (a, b) in crowd.models(member).unwrap().unwrap().iter().zip(&expected) {
            for (a, b) in a.to_cols_array().iter().zip(b.to_cols_array()) {
                assert!((a - b).abs() < 1e-5, "{a} {b}");
            }
        }
    }
}

#[test]
fn parts_in_step_stay_in_step_at_the_pace_between() {
    let mut crowd = crowd();
    let [walk, run] = ["walk", "run"].map(|name| crowd.clip(name).unwrap());
    let parts = [Part::new(walk, 1.0).at(0.5), Part::new(run, 1.0).at(0.5)];
    let member = crowd.add(Role::InStep(&parts), RootStep::IDENTITY).unwrap();
    let [a, b] = ["walk", "run"].map(|name| 1.0 / ARCHIVE.clip(name).unwrap().view().duration_s());
    for _ in 0..50 {
        crowd.update(0.1).unwrap();
    }
    let laps: Vec<f64> = crowd.parts(member).unwrap().map(|part| part.laps).collect();
    assert_eq!(laps[0], laps[1]);
    assert!((laps[0] - 0.5 - 5.0 * 0.5 * (a + b)).abs() < 1e-9);
    // Elsewhere, once, and only one of them.
    crowd.set_parts(member, &[Part { repeat: Repeat::Once, ..Part::new(run, 1.0).at(0.9) }]).unwrap();
    crowd.update(10.0).unwrap();
    assert_eq!(crowd.parts(member).unwrap().map(|part| part.laps).collect::<Vec<_>>(), [1.0]);
    let told: Vec<_> = crowd.events().map(|event| event.marker.name).collect();
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn who_does_not_travel_stays_and_still_says_how_far_it_would_have_gone() {
    let mut crowd = crowd();
    let [travels, stays, _] = three(&mut crowd);
    crowd.set_travels(&[stays], false).unwrap();
    for _ in 0..30 {
        crowd.update(0.05).unwrap();
        assert_eq!(crowd.root_step(stays).unwrap(), crowd.root_step(travels).unwrap());
    }
    assert_eq!(*crowd.place(stays).unwrap(), RootStep::IDENTITY);
    assert!(crowd.place(travels).unwrap().translation[2] > 0.5);
}
