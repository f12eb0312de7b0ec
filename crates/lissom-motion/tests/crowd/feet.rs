//! Feet that a matched state holds: they stay where they stand, in an animator and a crowd to the bit, through saves, rates and recordings.

use super::{
    bits,
    matched::{ARCHIVE, DT, Reversed, Steered, gaits, matched_state, sticks},
};
use lissom::{
    JointLod,
    bones::Side,
    job::{FootLock, FootLockRule},
    math::{Mat4, Vec3, scalar},
    pose::Limb,
    track::MarkerView,
};
use lissom_build::{
    SkeletonBuilder,
    exact::{Trs, larger},
    raw::{RawJoint, RawSkeleton},
};
use lissom_motion::{
    AnimateError, Animator, Graph, GraphParts, PoseMemory, RootStep, StateError,
    crowd::{Crowd, Executor, Role, Serial},
    graph::{FeetParts, GraphError, MatchedParts, Problem},
    recording::Replay,
};
use lissom_testkit::alloc::assert_no_alloc;
use std::sync::Arc;

fn holding() -> GraphParts {
    matched_state(gaits().holding_feet())
}

fn legs(hero: &Animator) -> [Limb; 2] {
    let skeleton = hero.body().skeleton();
    [Side::Left, Side::Right].map(|side| Limb::leg(skeleton, side).unwrap())
}

/// Heel and ball of each foot, in the world.
fn soles(steered: &Steered) -> [[Vec3; 2]; 2] {
    let world = steered.place.to_transform().to_mat34();
    let point = |m: &Mat4, v: Vec3| {
        let c = m.to_cols_array_2d();
        core::array::from_fn(|i| c[0][i] * v.x + c[1][i] * v.y + c[2][i] * v.z + c[3][i])
    };
    legs(&steered.hero).map(|leg| {
        let ankle = steered.hero.models()[leg.joints[2]];
        leg.sole.map(|own| Vec3::from_array(world.mul_point(point(&ankle, own))))
    })
}

/// How far the end of a standing foot goes that moves less: centimetres per stance, and of all steps of stances the share of those in
/// which it moves by less than a millimetre.
fn slide(parts: &GraphParts, sticks: &[[f64; 2]]) -> (f64, f64) {
    let mut steered = Steered::new(parts);
    let mut before = [None; 2];
    let (mut slid, mut stances, mut steps, mut still) = (0.0, 0.0, 0.0, 0.0);
    for wanted in sticks {
        steered.update(*wanted, DT);
        let names = ["contact_left", "contact_right"];
        for ((before, sole), name) in before.iter_mut().zip(soles(&steered)).zip(names) {
            let stands = steered.hero.is_in(name);
            match before.replace(sole).filter(|_| stands) {
                Some(was) => {
                    let [heel, ball] =
                        [0, 1].map(|i| f64::from(scalar::length(scalar::sub(sole[i], was[i]))));
                    let by = if heel < ball { heel } else { ball };
                    (slid, steps) = (slid + 100.0 * by, steps + 1.0);
                    still += f64::from(by < 1.0e-3);
                }
                None => stances += f64::from(stands),
            }
            if !stands {
                *before = None;
            }
        }
    }
    (slid / larger(stances, 1.0), still / larger(steps, 1.0))
}

#[test]
#[allow(clippy::print_stdout, reason = "the figures beside the bounds")]
fn feet_stay_where_they_stand() {
    let sticks = sticks(5, 60 * 60);
    let (free, held) = (slide(&matched_state(gaits()), &sticks), slide(&holding(), &sticks));
    println!("cm of slide per stance, share of steps that stand still: free {free:.2?}, held {held:.2?}");
    // A stick like this spins people round, and stops them in the middle of a step: then a foot must move, and is torn off.
    assert!(held.0 < 3.5 && held.1 > 0.7, "{held:?}");
    assert!(free.0 > 1.6 * held.0 && free.1 < 0.4, "the test can fail: {free:?}");
}

#[test]
fn it_is_what_a_game_does_with_the_place_of_its_character() {
    let (mut own, mut game) = (Steered::new(&holding()), Steered::new(&matched_state(gaits())));
    let legs = legs(&own.hero);
    let (mut locks, rule) = ([FootLock::default(); 2], FootLockRule::default());
    let (mut furthest, mut moved, mut jumps) = (Vec::new(), 0.0_f64, 0);
    let (mut before, mut steps, mut still) = ([None; 2], 0, 0);
    for wanted in sticks(6, 60 * 40) {
        own.update(wanted, DT);
        let seen = ["aside", "ahead"].map(|name| own.graph.float(name).unwrap());
        for key in seen {
            game.hero.set(key, own.hero.state().get(key).unwrap()).unwrap();
        }
        let (held, place) = (&mut locks, &mut game.place);
        game.hero
            .update_deciding(DT, |hero| {
                *place = place.then(&hero.root_delta());
                let world = place.to_transform().to_mat34();
                let now = hero.state().matched(hero.graph(), 0).unwrap();
                let jumped = core::mem::replace(&mut jumps, now.jumps) != now.jumps;
                let markers = ARCHIVE.markers(now.clip).unwrap();
                let stand = ["contact_left", "contact_right"].map(|name| {
                    // Where a search has led just now, markers begin with the next update; feet stand at once.
                    let holds = |m: &MarkerView<'_>| {
                        let into_s = now.time_s - m.time_s;
                        m.name == name && into_s > 1.0e-9 && into_s <= m.duration_s + 1.0e-9
                    };
                    if jumped { markers.view().lasting().any(|(_, m)| holds(&m)) } else { hero.is_in(name) }
                });
                move |pose| {
                    for ((leg, lock), stands) in legs.iter().zip(held).zip(stand) {
                        pose.plant(leg, lock, &rule, stands, &world, DT as f32)?;
                    }
                    Ok(())
                }
            })
            .unwrap();
        assert_eq!(own.hero.state(), game.hero.state(), "feet decide nothing");
        let off = |(own, game): (&Mat4, &Mat4)| {
            let off = (own.w_axis - game.w_axis).to_array();
            off.into_iter().fold(0.0, |most, v| larger(most, f64::from(v.abs())))
        };
        furthest.push(own.hero.models().iter().zip(game.hero.models()).map(off).fold(0.0, larger));
        for ((before, sole), lock) in before.iter_mut().zip(soles(&own)).zip(&locks) {
            let was = before.replace(sole).filter(|_| lock.held);
            if let Some(was) = was {
                let [heel, ball] = [0, 1].map(|i| scalar::length(scalar::sub(sole[i], was[i])));
                (steps, still) = (steps + 1, still + usize::from(heel < 1.0e-3 || ball < 1.0e-3));
            }
            if !lock.held {
                *before = None;
            }
        }
        moved = locks.iter().map(|lock| f64::from(scalar::length(lock.offset))).fold(moved, larger);
    }
    // A place in the world has seven digits, so what is held there is rounded to micrometres. A lock of the game remembers through a
    // swing which end of the foot was held last: of a foot that comes down flat that may be the other one.
    let most = furthest.iter().copied().fold(0.0, larger);
    // What is held stands still, as far as a leg reaches: who is spun round in a run gets further than that.
    assert!(steps > 1000 && still * 10 > steps * 9, "{still} of {steps}");
    let other = furthest.iter().filter(|off| **off > 2.0e-4).count();
    assert!(other * 20 < furthest.len() && most < 0.1 && moved > 0.02, "{other} {most} {moved}");
}

/// At any rate, and at a level without toes and hands.
#[test]
fn members_are_animators_at_any_rate_and_go_on_from_saves_and_snapshots() {
    const RATES: [u8; 6] = [1, 2, 3, 1, 8, 12];
    let graph = Arc::new(Graph::of_archive(&holding(), &ARCHIVE).unwrap());
    let [aside, ahead] = ["aside", "ahead"].map(|name| graph.float(name).unwrap());
    let mut crowd = Crowd::new(&ARCHIVE).unwrap();
    crowd.set_grain(2);
    let by = crowd.add_graph(Arc::clone(&graph)).unwrap();
    let members: Vec<_> =
        RATES.iter().map(|_| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap()).collect();
    let mut heroes: Vec<_> =
        RATES.iter().map(|_| Animator::new(&ARCHIVE, Arc::clone(&graph)).unwrap()).collect();
    for (i, rate) in RATES.into_iter().enumerate() {
        crowd.set_rate(&members[i..=i], rate).unwrap();
        heroes[i].set_rate(rate, 0).unwrap();
    }
    crowd.update(0.0).unwrap();
    heroes.iter_mut().for_each(|hero| hero.update(0.0).unwrap());
    members.iter().for_each(|member| crowd.record(*member).unwrap());
    let sticks = sticks(3, 600);
    let tell = |crowd: &mut Crowd, heroes: &mut [Animator], update: usize| {
        for (i, member) in members.iter().enumerate() {
            let [x, z] = sticks[(update + 40 * i) % 600].map(|v| v as f32);
            for (key, value) in [(aside, x), (ahead, z)] {
                crowd.set(*member, key, value).unwrap();
                heroes[i].set(key, value).unwrap();
            }
            heroes[i].update(DT).unwrap();
        }
        let executor: &dyn Executor = if update.is_multiple_of(2) { &Serial } else { &Reversed };
        crowd.update_on(DT, executor).unwrap();
        for (i, member) in members.iter().enumerate() {
            assert_eq!(crowd.memory(*member).unwrap(), heroes[i].memory(), "member {i}, update {update}");
            let models = crowd.models(*member).unwrap().map(bits);
            assert_eq!(models, Some(bits(heroes[i].models())), "member {i}, update {update}");
        }
    };
    let skeleton = heroes[0].body().skeleton().clone();
    let mut in_a_hold = 0;
    for update in 0..400 {
        tell(&mut crowd, &mut heroes, update);
        for hero in &mut heroes {
            let bytes = hero.memory().to_bytes();
            let read = PoseMemory::read(&graph, &skeleton, &bytes).unwrap();
            assert_eq!((&read, read.to_bytes()), (hero.memory(), bytes));
            let new = PoseMemory::new(&graph, &skeleton);
            in_a_hold += usize::from(!hero.memory().is_running() && *hero.memory() != new);
        }
        if update % 90 == 89 {
            // Saved in the middle of holds, and 25 updates later restored: all goes on as it went.
            let (saves, snapshot) = (heroes.iter().map(Animator::save).collect::<Vec<_>>(), crowd.snapshot());
            let recorded: Vec<_> = members.iter().map(|m| crowd.stop_recording(*m).unwrap()).collect();
            for (i, recording) in recorded.into_iter().enumerate() {
                let frames = recording.len();
                let mut replay = Replay::with_graph(&ARCHIVE, Arc::clone(&graph), recording).unwrap();
                let mut played = 0;
                while let Some(frame) = replay.step().unwrap() {
                    assert_eq!(frame.difference, None, "member {i}, {frame:?}");
                    played += 1;
                }
                assert_eq!((played, replay.animator().memory()), (frames, heroes[i].memory()), "member {i}");
            }
            (1..25).for_each(|later| tell(&mut crowd, &mut heroes, update + later));
            let then: Vec<_> =
                heroes.iter().map(|hero| (bits(hero.models()), hero.memory().clone())).collect();
            crowd.restore(&snapshot).unwrap();
            heroes.iter_mut().zip(&saves).for_each(|(hero, save)| hero.restore(save).unwrap());
            // One by one, too.
            crowd.restore_member(members[2], &saves[2]).unwrap();
            (1..25).for_each(|later| tell(&mut crowd, &mut heroes, update + later));
            let again: Vec<_> =
                heroes.iter().map(|hero| (bits(hero.models()), hero.memory().clone())).collect();
            assert!(then == again, "update {update}");
            crowd.restore(&snapshot).unwrap();
            heroes.iter_mut().zip(&saves).for_each(|(hero, save)| hero.restore(save).unwrap());
            members.iter().for_each(|member| crowd.record(*member).unwrap());
        }
    }
    assert!(in_a_hold > 500, "{in_a_hold}");
}

#[test]
fn who_is_hidden_or_lacks_legs_at_its_level_holds_nothing_and_is_replayed() {
    let graph = Arc::new(Graph::of_archive(&holding(), &ARCHIVE).unwrap());
    let ahead = graph.float("ahead").unwrap();
    let mut crowd = Crowd::new(&ARCHIVE).unwrap();
    let by = crowd.add_graph(Arc::clone(&graph)).unwrap();
    let level = crowd.add_level(JointLod::prefix(3)).unwrap();
    let members: Vec<_> = (0..3).map(|_| crowd.add(Role::Graph(by), RootStep::IDENTITY).unwrap()).collect();
    members.iter().for_each(|member| crowd.record(*member).unwrap());
    crowd.set_seen(&members[1..2], false).unwrap();
    crowd.set_level(&members[2..], level).unwrap();
    let mut differ = 0;
    for update in 0..300 {
        if update == 200 {
            crowd.set_seen(&members[1..2], true).unwrap();
            crowd.set_level(&members[2..], 0).unwrap();
        }
        members.iter().for_each(|member| crowd.set(*member, ahead, 1.3).unwrap());
        crowd.update(DT).unwrap();
        let [seen, hidden, low] = [0, 1, 2].map(|i| crowd.memory(members[i]).unwrap().to_bytes());
        assert_eq!(hidden, low, "update {update}");
        differ += usize::from(seen != hidden);
    }
    assert!((200..290).contains(&differ), "{differ}");
    for member in members {
        let recording = crowd.stop_recording(member).unwrap();
        let mut replay = Replay::with_graph(&ARCHIVE, Arc::clone(&graph), recording).unwrap();
        while let Some(frame) = replay.step().unwrap() {
            assert_eq!(frame.difference, None, "{frame:?}");
        }
    }
}

#[test]
fn holding_feet_allocates_nothing() {
    let mut steered = Steered::new(&holding());
    let sticks = sticks(8, 1200);
    let mut save = steered.hero.save();
    let (now, later) = sticks.split_at(200);
    now.iter().for_each(|wanted| steered.update(*wanted, DT));
    assert_no_alloc(|| {
        for (update, wanted) in later.iter().enumerate() {
            steered.update(*wanted, DT);
            if update % 100 == 50 {
                steered.hero.restore(&save).unwrap();
            } else if update % 100 == 20 {
                steered.hero.save_to(&mut save);
            }
        }
    });
}

#[test]
fn what_forgets_lets_go_and_another_graph_has_another_memory() {
    let mut steered = Steered::new(&holding());
    sticks(1, 400).into_iter().for_each(|wanted| steered.update(wanted, DT));
    let skeleton = steered.hero.body().skeleton().clone();
    let mut memory = steered.hero.memory().clone();
    let new = PoseMemory::new(&steered.graph, &skeleton);
    assert!(memory != new && memory.fits(&steered.graph, &skeleton));
    memory.forget();
    assert_eq!(memory, new);
    // A gap: nobody knows where the feet would be.
    steered.hero.update(0.5).unwrap();
    steered.hero.update(0.5).unwrap();
    let free = Graph::of_archive(&matched_state(gaits()), &ARCHIVE).unwrap();
    assert!(
        !memory.fits(&free, &skeleton) && !PoseMemory::new(&free, &skeleton).fits(&steered.graph, &skeleton)
    );
    let bytes = PoseMemory::new(&free, &skeleton).to_bytes();
    assert!(PoseMemory::read(&steered.graph, &skeleton, &bytes).is_err());
    let good = steered.hero.memory().to_bytes();
    let feet = good.len() - 66;
    for (at, wrong) in [
        (feet, f32::NAN.to_le_bytes().to_vec()),
        (feet + 12, 1.0e30_f32.to_le_bytes().to_vec()),
        (feet + 24, 1.5_f32.to_le_bytes().to_vec()),
        (feet + 28, vec![8]),
        (feet + 28, vec![3]),
        (feet + 58, 1.0_f64.to_le_bytes().to_vec()),
        (feet + 58, f64::NAN.to_le_bytes().to_vec()),
    ] {
        let mut bytes = good.clone();
        bytes[at..at + wrong.len()].copy_from_slice(&wrong);
        assert!(PoseMemory::read(&steered.graph, &skeleton, &bytes).is_err(), "{at} {wrong:?}");
    }
}

#[test]
fn a_marker_or_a_leg_that_is_not_there_is_an_error() {
    let spelled = |left: &str| {
        let contacts = [left.to_owned(), "contact_right".into()];
        matched_state(MatchedParts { feet: Some(FeetParts { contacts, ..FeetParts::default() }), ..gaits() })
    };
    let GraphError { name, problem, .. } = Graph::of_archive(&spelled("contact_lft"), &ARCHIVE).unwrap_err();
    assert_eq!(name, r#"layer "body", state "move""#);
    assert_eq!(problem, Problem::Unknown { what: "marker", name: "contact_lft".into() });
    // A moment: only who plays it knows that it does not last.
    let moment = Arc::new(Graph::of_archive(&spelled("step_left"), &ARCHIVE).unwrap());
    let wrong = StateError::NoContact { database: "gaits".into(), marker: "step_left".into() };
    assert_eq!(Animator::new(&ARCHIVE, moment.clone()).unwrap_err(), AnimateError::State(wrong));
    assert!(Crowd::new(&ARCHIVE).unwrap().add_graph(moment).is_err());
    let joint = |name: &str, parent| RawJoint { name: name.into(), parent, rest: Trs::IDENTITY };
    let tail = RawSkeleton { joints: vec![joint("root", None), joint("tail", Some(0))] };
    let tail = SkeletonBuilder::build(&tail).unwrap().skeleton;
    let GraphError { name, problem, .. } = holding().check_legs(&tail).unwrap_err();
    assert_eq!(name, r#"layer "body", state "move""#);
    assert!(matches!(&problem, Problem::Legs(_)) && problem.to_string().contains("upper"), "{problem}");
    assert!(matched_state(gaits()).check_legs(&tail).is_ok());
}
