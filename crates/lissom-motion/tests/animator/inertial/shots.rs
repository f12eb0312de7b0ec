//! One-shots that come, jump and go by inertia: nothing jumps, on layers with states and without.

use super::{ARCHIVE, BOUND_M_S, STEP_S, bits, parts, places, velocity_changes};
use lissom_build::exact::larger;
use lissom_motion::{
    AnimateError, Animator, Graph, StateError,
    frame::What,
    graph::{LayerParts, MontageParts, Next, TransitionParts},
    state::ShotKey,
};
use lissom_testkit::rng::Rng;
use std::sync::Arc;

/// The graph of the other tests, a montage, and a layer without states.
fn hero() -> Animator {
    let gesture = MontageParts::new("gesture", "crouch").section("up", 0.0).section("hold", 0.3);
    let gesture = gesture.then(Next::Section("hold".into())).section("down", 0.7);
    let mut parts = parts(TransitionParts::inertial).clip("wave").montage(gesture);
    // Arms that run change so fast that nothing could be compared with them.
    parts.layers[1].states.iter_mut().for_each(|state| state.speed = 0.25);
    let parts = parts.layer(LayerParts::new("over").masked("arms"));
    Animator::new(&ARCHIVE, Arc::new(Graph::of_archive(&parts, &ARCHIVE).unwrap())).unwrap()
}

/// One that shows it, one that cuts, and the one-shot of both.
struct Pair {
    shown: Animator,
    cut: Animator,
    keys: Option<[ShotKey; 2]>,
}

impl Pair {
    /// Plays, lets jump or stops.
    fn act(&mut self, layer: &str, inertial: bool, rng: &mut Rng) {
        let Self { shown, cut, keys } = self;
        let alive = keys.filter(|keys| shown.shot(keys[0]).is_some_and(|shot| !shot.is_stopping));
        *keys = match alive {
            None => {
                let own = shown.play("gesture").on(layer).fade(0.3);
                let own = if inertial { own.by_inertia() } else { own.fade(0.0) };
                Some([own.start().unwrap(), cut.play("gesture").on(layer).fade(0.0).start().unwrap()])
            }
            Some(keys) if rng.one_in(2) => {
                let section = ["up", "hold", "down"][rng.below(3)];
                for (animator, key) in [shown, cut].into_iter().zip(keys) {
                    assert!(animator.jump_shot(key, section).unwrap());
                }
                Some(keys)
            }
            Some(keys) => {
                assert!(shown.stop_shot(keys[0]) && cut.stop_shot(keys[1]));
                None
            }
        };
    }
}

/// The largest change of any joint's velocity from one step to the next that neither the old motion nor the new one makes by itself.
fn largest_jump(layer: &str, inertial: bool) -> f64 {
    let mut pair = Pair { shown: hero(), cut: hero(), keys: None };
    // The states alone.
    let mut base = hero();
    let (mut rng, mut largest) = (Rng::new(5), 0.0);
    for _ in 0..60 {
        let mut old = pair.shown.clone();
        pair.act(layer, inertial, &mut rng);
        let mut seen = [&pair.shown, &old, &pair.cut, &base].map(|animator| vec![places(animator)]);
        for _ in 0..3 {
            let all = [&mut pair.shown, &mut old, &mut pair.cut, &mut base];
            for (animator, seen) in all.into_iter().zip(&mut seen) {
                animator.update(STEP_S).unwrap();
                seen.push(places(animator));
            }
        }
        let [shown, old, new, base_seen] = &seen;
        let own = [&old[..3], &old[1..], &new[1..], &base_seen[..3], &base_seen[1..]].map(velocity_changes);
        for three in shown.windows(3) {
            for (joint, change) in velocity_changes(three).into_iter().enumerate() {
                let own = own.iter().map(|own| own[joint]).fold(0.0, larger);
                largest = larger(largest, change - own);
            }
        }
        for _ in 0..rng.below(60) {
            pair.shown.update(STEP_S).unwrap();
            pair.cut.update(STEP_S).unwrap();
            base.update(STEP_S).unwrap();
        }
    }
    largest
}

#[test]
#[allow(clippy::print_stdout, reason = "the figures beside the bounds")]
fn a_one_shot_by_inertia_comes_jumps_and_goes_without_a_jump_of_velocity() {
    for layer in ["body", "arms", "over"] {
        let [inertial, cut] = [true, false].map(|inertial| largest_jump(layer, inertial));
        println!("one-shots over {layer:?}: {inertial:.3} m/s by inertia, {cut:.3} cut");
        assert!(inertial < BOUND_M_S, "{layer}: {inertial} m/s");
        assert!(cut > 5.0 * BOUND_M_S, "the test can fail: {layer}, {cut} m/s");
    }
}

/// At its own end it goes as one that is stopped does: places do not jump.
#[test]
fn at_its_end_it_leaves_the_layer_at_once_and_nothing_jumps() {
    for inertial in [true, false] {
        let mut hero = hero();
        hero.update(STEP_S).unwrap();
        let shot = hero.play("wave").on("over").at(0.25).fade(0.3);
        let shot = if inertial { shot.by_inertia() } else { shot.fade(0.0) };
        let key = shot.start().unwrap();
        let (mut before, mut largest, mut ended) = (places(&hero), 0.0, false);
        for _ in 0..600 {
            hero.update(STEP_S).unwrap();
            let now = places(&hero);
            let ways = before.iter().zip(&now).map(|(a, b)| {
                let [x, y, z] = [0, 1, 2].map(|i| b[i] - a[i]);
                (x * x + y * y + z * z).sqrt()
            });
            largest = ways.fold(largest, larger);
            before = now;
            if hero.events().any(|event| matches!(event.what, What::ShotEnded(_))) {
                assert_eq!(hero.frame().layers()[2].weight, 0.0);
                assert_eq!(hero.memory().is_running(), inertial);
                ended = true;
            }
        }
        assert!(ended && hero.shot(key).is_none());
        // A hundredth of a second at 3 m/s.
        assert_eq!(largest < 0.03, inertial, "{largest} m in a step");
    }
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let mut hero = hero();
    let unknown =
        |error: AnimateError| assert!(matches!(error, AnimateError::State(StateError::Unknown { .. })));
    unknown(hero.play("gestures").start().unwrap_err());
    unknown(hero.play("gesture").section("middle").start().unwrap_err());
    let other = |error: AnimateError| assert_eq!(error, AnimateError::State(StateError::OtherSection));
    other(hero.play("wave").section("up").start().unwrap_err());
    let clip = hero.play("wave").start().unwrap();
    other(hero.jump_shot(clip, "up").unwrap_err());
    let montage = hero.play("gesture").section("hold").start().unwrap();
    unknown(hero.jump_shot(montage, "middle").unwrap_err());
    assert!(hero.set_next_section(montage, Some("down")).unwrap());
    assert!(hero.set_shot_speed(montage, 0.0).is_err());
    assert!(hero.set_shot_speed(montage, 2.0).unwrap());
    hero.update(STEP_S).unwrap();
    let shot = hero.shot(montage).unwrap();
    assert_eq!((hero.graph().section_name(shot.section.unwrap()), shot.speed), (Some("hold"), 2.0));
    // A graph without inertia has no room for it.
    let parts = parts(|way| way).clip("wave");
    let graph = Arc::new(Graph::of_archive(&parts, &ARCHIVE).unwrap());
    let error = Animator::new(&ARCHIVE, graph).unwrap().play("wave").by_inertia().start().unwrap_err();
    assert_eq!(error, AnimateError::State(StateError::NoInertia));
}

/// Another version of the graph goes on with it if the montage has the same sections.
#[test]
fn a_montage_goes_on_in_another_version_of_its_graph() {
    let mut hero = hero();
    hero.play("gesture").on("over").by_inertia().start().unwrap();
    (0..30).for_each(|_| hero.update(STEP_S).unwrap());
    let models = bits(hero.models());
    let graph = |sections: [&str; 2]| {
        let [a, b] = sections;
        let other = MontageParts::new("other", "crouch").section("whole", 0.0);
        let gesture =
            MontageParts::new("gesture", "crouch").section("up", 0.0).section(a, 0.3).section(b, 0.7);
        let parts = parts(TransitionParts::inertial).montage(other).montage(gesture);
        let parts = parts.layer(LayerParts::new("over").masked("arms"));
        Arc::new(Graph::of_archive(&parts, &ARCHIVE).unwrap())
    };
    let mut same = hero.clone();
    same.reload(graph(["hold", "down"])).unwrap();
    assert_eq!(same.frame().entries().len(), hero.frame().entries().len());
    same.update(0.0).unwrap();
    assert!(bits(same.models()) == models);
    hero.reload(graph(["hold", "off"])).unwrap();
    assert_eq!(hero.frame().entries().len() + 1, same.frame().entries().len());
}
