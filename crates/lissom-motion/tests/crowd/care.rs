//! Members that are not seen, or not posed in every update; and members without a graph.

use super::{ARCHIVE, GRAPH, bits, crowd};
use lissom::{
    JointLod,
    job::{LocalToModelJob, Mix, MixEntry, MixJob, MixScratch, SampleTime},
    math::{Mat4, Mat34},
    track::Repeat,
};
use lissom_motion::{
    RootStep,
    crowd::{Crowd, Detail, DetailStep, Member, Outputs, PaletteFormat, Palettes, PlayedClip, Role},
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
        for event in crowd.events().filter(|event| event.marker().is_some()) {
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

/// Steps in seconds and rates in laps a second are rounded to 2⁻³²: by at most half of that. A bit more for the test's own arithmetic.
const ROUNDED: f64 = 1.001 / (1_u64 << 33) as f64;

#[test]
fn parts_play_by_themselves_as_their_mix_says() {
    let mut crowd = crowd();
    let [walk, run] = ["walk", "run"].map(|name| crowd.clip(name).unwrap());
    let parts =
        [PlayedClip::new(walk, 1.0).at(0.25), PlayedClip { speed: -0.5, ..PlayedClip::new(run, 3.0) }];
    let member = crowd.add(Role::Clips(&parts), RootStep::IDENTITY).unwrap();
    let clips: Vec<_> = ["walk", "run"].map(|name| ARCHIVE.clip(name).unwrap()).into();
    let seconds = [0, 1].map(|i: usize| clips[i].view().duration_s());
    let skeleton = crowd.skeleton().clone();
    let mut scratch = MixScratch::with_room_for(&skeleton, &clips, 2);
    let (mut pose, mut expected) =
        (skeleton.rest_pose().to_vec(), vec![Mat4::IDENTITY; skeleton.joint_count()]);
    for frame in 1..40 {
        crowd.update(0.0625).unwrap();
        let way = 0.0625 * f64::from(frame);
        let laps: Vec<f64> = crowd.played_clips(member).unwrap().map(|part| part.laps).collect();
        assert!((laps[0] - (0.25 + way / seconds[0])).abs() < way * ROUNDED, "{laps:?}");
        assert!((laps[1] + 0.5 * way / seconds[1]).abs() < way * ROUNDED, "{laps:?}");
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
    let parts = [PlayedClip::new(walk, 1.0).at(0.5), PlayedClip::new(run, 1.0).at(0.5)];
    let member = crowd.add(Role::InStep(&parts), RootStep::IDENTITY).unwrap();
    let [a, b] = ["walk", "run"].map(|name| 1.0 / ARCHIVE.clip(name).unwrap().view().duration_s());
    for _ in 0..50 {
        crowd.update(0.1).unwrap();
    }
    let laps: Vec<f64> = crowd.played_clips(member).unwrap().map(|part| part.laps).collect();
    assert_eq!(laps[0], laps[1]);
    let pace = 0.5 * (a + b);
    assert!((laps[0] - 0.5 - 5.0 * pace).abs() < 5.0 * ROUNDED + 50.0 * ROUNDED * pace);
    // Elsewhere, once, and only one of them.
    crowd
        .set_played_clips(member, &[PlayedClip { repeat: Repeat::Once, ..PlayedClip::new(run, 1.0).at(0.9) }])
        .unwrap();
    crowd.update(10.0).unwrap();
    assert_eq!(crowd.played_clips(member).unwrap().map(|part| part.laps).collect::<Vec<_>>(), [1.0]);
    let told: Vec<_> = crowd.events().filter_map(|event| Some(event.marker()?.name)).collect();
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

#[test]
fn at_a_level_of_detail_its_joints_are_the_same_and_the_others_move_with_them() {
    let mut crowd = crowd();
    crowd.set_outputs(Outputs { palettes: Some(PaletteFormat::F32), ..Outputs::default() });
    let [full, coarse, again] = three(&mut crowd);
    let (skeleton, lod) = (crowd.skeleton().clone(), JointLod::prefix(20));
    let level = crowd.add_level(lod.clone()).unwrap();
    crowd.set_level(&[coarse, again], level).unwrap();
    crowd.set_level(&[again], 0).unwrap();
    for _ in 0..10 {
        crowd.update(0.06).unwrap();
        let rows = |member| match crowd.palette(member).unwrap() {
            Some(Palettes::F32(rows)) => rows.to_vec(),
            other => panic!("{other:?}"),
        };
        assert_eq!(rows(again), rows(full));
        let (all, few) = (rows(full), rows(coarse));
        for joint in 0..skeleton.joint_count() {
            assert_eq!(few[joint], all[lod.nearest(&skeleton, joint).unwrap()], "joint {joint}");
        }
        assert_ne!(few, all);
        for joint in 0..20 {
            assert_eq!(crowd.joint(coarse, joint).unwrap(), crowd.joint(full, joint).unwrap());
        }
    }
    let carried = crowd.joint(full, 5).unwrap().unwrap();
    let place = crowd.place(full).unwrap().to_transform().to_mat34();
    assert_eq!(carried, place.mul(&Mat34::from_mat4(&crowd.models(full).unwrap().unwrap()[5])));
    assert_eq!(crowd.joint(full, 999), Ok(None));
    assert!(crowd.set_level(&[full], 2).is_err());
}

#[test]
fn detail_follows_size_and_who_is_too_small_is_not_seen() {
    let mut crowd = crowd();
    let [near, far, away] = three(&mut crowd);
    let level = crowd.add_level(JointLod::prefix(20)).unwrap();
    let detail = Detail::new(&[
        DetailStep { share: 0.2, level: 0, every: 1 },
        DetailStep { share: 0.02, level, every: 2 },
    ])
    .unwrap();
    let shares = [0.5, 0.1, 0.001];
    let mut changed = [0; 3];
    let mut before = [near, far, away].map(|member| models(&crowd, member));
    for _ in 0..8 {
        crowd.set_detail(&[near, far, away], &shares, &detail).unwrap();
        crowd.update(0.05).unwrap();
        for (at, member) in [near, far, away].into_iter().enumerate() {
            let now = models(&crowd, member);
            changed[at] += usize::from(now != before[at]);
            before[at] = now;
        }
    }
    // The second has its turn in every second update, and once when it came.
    assert_eq!(changed, [8, 5, 0]);
    assert!(crowd.set_detail(&[near], &[], &detail).is_err());
    let unknown = Detail::new(&[DetailStep { share: 0.0, level: 9, every: 1 }]).unwrap();
    assert!(crowd.set_detail(&[near], &[1.0], &unknown).is_err());
}

#[test]
fn at_half_the_pace_a_member_is_where_half_the_steps_lead() {
    let mut crowd = crowd();
    let [slow, full, _] = three(&mut crowd);
    crowd.set_pace(&[slow], 0.5).unwrap();
    let mut halves = Vec::new();
    for _ in 0..80 {
        crowd.update(0.0625).unwrap();
        halves.push((models(&crowd, slow), crowd.state(slow).unwrap().clone()));
    }
    // Another crowd at half the steps is there, bit for bit.
    let mut alone = super::crowd();
    let [same, ..] = three(&mut alone);
    for (frame, (models_slow, state)) in halves.iter().enumerate() {
        alone.update(0.03125).unwrap();
        assert_eq!(&models(&alone, same), models_slow, "frame {frame}");
        assert_eq!(alone.state(same).unwrap(), state);
    }
    assert_ne!(models(&crowd, full), models(&crowd, slow));
}

#[test]
fn who_stands_still_is_not_touched_and_shows_what_is_put_back() {
    let mut crowd = crowd();
    let [still, goes, _] = three(&mut crowd);
    let [walk, run] = ["walk", "run"].map(|name| crowd.clip(name).unwrap());
    let plain = crowd.add(Role::Clips(&[PlayedClip::new(walk, 1.0)]), RootStep::IDENTITY).unwrap();
    // Whoever comes is posed once, standing still or not.
    crowd.set_pace(&[still, plain], 0.0).unwrap();
    crowd.update(0.1).unwrap();
    let posed = |crowd: &Crowd, member| crowd.posed_in(member).unwrap();
    let once = posed(&crowd, still);
    assert!(once > 0 && once == posed(&crowd, goes));
    let (pose, state) = (models(&crowd, still), crowd.state(still).unwrap().clone());
    assert_ne!(pose, models(&crowd, goes));
    for _ in 0..40 {
        let before = posed(&crowd, goes);
        crowd.update(0.1).unwrap();
        assert!(posed(&crowd, still) == once && posed(&crowd, goes) > before);
        assert!(crowd.events().all(|event| event.member != still && event.member != plain));
        assert_eq!(crowd.root_step(still).unwrap(), &RootStep::IDENTITY);
    }
    assert_eq!((models(&crowd, still), crowd.state(still).unwrap()), (pose, &state));
    assert_eq!(crowd.place(still).unwrap(), &RootStep::IDENTITY);
    // A state and parts that are put there are shown; what is shown is what who goes showed.
    let (there, shown) = (crowd.state(goes).unwrap().clone(), models(&crowd, goes));
    crowd.set_state(still, &there).unwrap();
    let before = models(&crowd, plain);
    crowd.set_played_clips(plain, &[PlayedClip::new(run, 1.0).at(0.3)]).unwrap();
    crowd.update(0.1).unwrap();
    assert_eq!(models(&crowd, still), shown);
    assert_ne!(models(&crowd, plain), before);
    // A restored crowd shows the poses of then, those that stand still too.
    let saved = crowd.snapshot();
    crowd.set_state(still, &state).unwrap();
    crowd.update(0.1).unwrap();
    let seen = posed(&crowd, still);
    crowd.restore(&saved).unwrap();
    crowd.update(0.1).unwrap();
    assert_eq!(models(&crowd, still), shown);
    assert!(posed(&crowd, still) > seen);
    // And it goes on from there.
    crowd.set_pace(&[still], 1.0).unwrap();
    crowd.update(0.1).unwrap();
    assert_ne!(models(&crowd, still), shown);
}
