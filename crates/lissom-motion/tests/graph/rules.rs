//! Rules of rules: what a transition asks beside its parameters.

use super::{Played, seconds};
use lissom_motion::{
    Graph, GraphParts, GraphState,
    decide::Verdict,
    graph::{ConditionParts, LayerParts, Problem, StateParts, Test, TransitionParts},
    state::OneShot,
};
use lissom_testkit::{alloc::assert_no_alloc, rng::Rng};

const DT: f64 = 1.0 / 16.0;
/// A lap takes a second.
const LAP_STEPS: i32 = 15;

/// `a` goes to `b` by a rule; beside it an arm that goes from `arm/low` to `arm/high` when `raise` is on.
fn parts(rule: ConditionParts) -> GraphParts {
    let clip = |name: &str| StateParts::clip(name, "clip");
    let arm = LayerParts::new("arms")
        .state(clip("arm/low"))
        .state(clip("arm/high"))
        .state(clip("rest"))
        .transition(TransitionParts::new("arm/low", "arm/high").when("raise", Test::On))
        .transition(TransitionParts::new("arm/high", "rest").when("raise", Test::Off));
    let body = LayerParts::new("body").state(clip("a")).state(clip("b"));
    let ways = body.transition(TransitionParts::new("a", "b").only_if(rule));
    GraphParts::new()
        .float("speed", 0.0)
        .int("gait", 0)
        .bool("on", false)
        .bool("raise", false)
        .trigger("go")
        .clip("wave")
        .layer(ways)
        .layer(arm)
}

fn playing(rule: ConditionParts) -> Played {
    Played::new(seconds(&parts(rule)))
}

fn any_rule(rng: &mut Rng, deeper: usize) -> ConditionParts {
    let several = |rng: &mut Rng| (0..rng.below(4)).map(|_| any_rule(rng, deeper - 1)).collect();
    match rng.below(if deeper > 0 { 10 } else { 7 }) {
        0 => ConditionParts::parameter("speed", Test::Above(0.5)),
        1 => ConditionParts::parameter("gait", Test::Is(1)),
        2 => ConditionParts::parameter("on", [Test::On, Test::Off][rng.below(2)]),
        3 => ConditionParts::AfterSeconds(rng.below(5) as f32 * 0.5),
        4 => ConditionParts::AfterLaps(rng.below(5) as f32 * 0.5),
        5 => ConditionParts::state("arms", ["arm", "arm/low", "arm/high", "rest"][rng.below(4)]),
        6 => ConditionParts::one_shot("arms", [None, Some("wave"), Some("clip")][rng.below(3)]),
        7 => ConditionParts::All(several(rng)),
        8 => ConditionParts::Any(several(rng)),
        _ => any_rule(rng, deeper - 1).negated(),
    }
}

/// What a step finds: written apart from the graph.
struct Seen {
    speed: f32,
    gait: i32,
    on: bool,
    /// Of the state that is left, at the end of the step; a lap takes a second.
    age_s: f64,
    /// Before the step.
    arm: String,
    /// The clips that the arms play as one-shots.
    shots: Vec<&'static str>,
}

impl Seen {
    fn holds(&self, rule: &ConditionParts) -> bool {
        match rule {
            ConditionParts::Parameter(_, Test::Above(than)) => self.speed > *than,
            ConditionParts::Parameter(_, Test::Is(this)) => self.gait == *this,
            ConditionParts::Parameter(_, test) => self.on == (*test == Test::On),
            ConditionParts::AfterSeconds(least) | ConditionParts::AfterLaps(least) => {
                self.age_s >= f64::from(*least)
            }
            ConditionParts::State { state, .. } => {
                self.arm == *state || self.arm.starts_with(&format!("{state}/"))
            }
            ConditionParts::OneShot { clip, .. } => {
                self.shots.iter().any(|own| clip.as_ref().is_none_or(|clip| clip == own))
            }
            ConditionParts::All(rules) => rules.iter().all(|rule| self.holds(rule)),
            ConditionParts::Any(rules) => rules.iter().any(|rule| self.holds(rule)),
            ConditionParts::Not(rule) => !self.holds(rule),
        }
    }
}

#[test]
fn random_rules_hold_as_a_plain_model_says_and_are_read_back() {
    let mut rng = Rng::new(31);
    let (mut taken, mut late) = (0, 0);
    for _ in 0..400 {
        let rule = any_rule(&mut rng, 4);
        let description = parts(rule.clone());
        assert_eq!(GraphParts::read(&description.to_bytes()).as_ref(), Ok(&description));
        let mut played = Played::new(seconds(&description));
        let [on, raise] = ["on", "raise"].map(|name| played.graph.bool(name).unwrap());
        let (speed, gait) = (played.graph.float("speed").unwrap(), played.graph.int("gait").unwrap());
        let arms = played.graph.layer("arms").unwrap();
        // Each clip as a one-shot: the step before which it starts. It plays for a second, and is then stopped or ends.
        let mut started = [("wave", None), ("clip", None)];
        for step in 1..=40 {
            for (clip, since) in &mut started {
                *since = since.filter(|since| step - *since <= LAP_STEPS);
                if since.is_none() && rng.one_in(12) {
                    *since = Some(step);
                    let key = played.graph.clip(clip).unwrap();
                    played.state.play(&played.graph, arms, key, OneShot::default()).unwrap();
                }
            }
            if rng.one_in(20) {
                played.state.stop(arms).unwrap();
                started.iter_mut().for_each(|(_, since)| *since = None);
            }
            let mut seen = Seen {
                speed: rng.below(2) as f32,
                gait: rng.below(2) as i32,
                on: rng.below(2) > 0,
                age_s: f64::from(step) * DT,
                arm: played.leading(1).into(),
                shots: started.iter().filter_map(|(clip, since)| since.map(|_| *clip)).collect(),
            };
            played.state.set(speed, seen.speed).unwrap();
            played.state.set(gait, seen.gait).unwrap();
            played.state.set(on, seen.on).unwrap();
            played.state.set(raise, (8..24).contains(&step)).unwrap();
            // What was saved decides the same.
            played.state = GraphState::read(&played.graph, &played.state.to_bytes()).unwrap();
            assert_no_alloc(|| played.update(DT));
            seen.speed = played.state.get(speed).unwrap();
            let expected = if seen.holds(&rule) { "b" } else { "a" };
            assert_eq!(played.leading(0), expected, "{rule:?} in step {step}");
            if expected == "b" {
                (taken, late) = (taken + 1, late + usize::from(step > 1));
                break;
            }
        }
    }
    assert!(taken > 100 && late > 50, "{taken} were taken, {late} not at once");
}

#[test]
fn a_trigger_in_a_rule_is_taken_away() {
    let go = ConditionParts::parameter("go", Test::On);
    let mut played = playing(ConditionParts::Any(vec![go, ConditionParts::AfterLaps(2.0)]));
    let go = played.graph.trigger("go").unwrap();
    played.state.set(go, true).unwrap();
    played.update(DT);
    assert_eq!((played.leading(0), played.state.get(go)), ("b", Some(false)));
}

#[test]
fn a_record_says_that_the_rule_does_not_hold() {
    let played = playing(ConditionParts::AfterSeconds(1.0));
    let why = played.graph.why(&played.state, DT, 0).unwrap();
    assert_eq!(why[0].verdict, Verdict::Condition { number: 0, parameter: "" });
    let why = played.graph.why(&played.state, 1.0, 0).unwrap();
    assert_eq!(why[0].verdict, Verdict::Taken);
}

#[test]
fn rules_that_cannot_be_meant_are_refused() {
    let refused = |rule: ConditionParts| Graph::new(&parts(rule), |_| Some(1.0)).unwrap_err().problem;
    let deep = |levels: usize| {
        (1..levels).fold(ConditionParts::AfterSeconds(1.0), |rule, _| ConditionParts::All(vec![rule]))
    };
    assert!(Graph::new(&parts(deep(ConditionParts::DEEPEST)), |_| Some(1.0)).is_ok());
    let too_deep = deep(ConditionParts::DEEPEST + 1);
    assert!(GraphParts::read(&parts(too_deep.clone()).to_bytes()).is_err());
    assert!(matches!(refused(too_deep), Problem::Limit { .. }));
    assert!(matches!(refused(ConditionParts::state("legs", "a")), Problem::Unknown { what: "layer", .. }));
    assert!(matches!(refused(ConditionParts::state("arms", "ar")), Problem::Unknown { what: "state", .. }));
    let one_shot = |layer, clip| refused(ConditionParts::one_shot(layer, clip));
    assert!(matches!(one_shot("legs", None), Problem::Unknown { what: "layer", .. }));
    for rule in [ConditionParts::AfterSeconds(-1.0), ConditionParts::AfterLaps(f32::NAN)] {
        assert!(matches!(refused(rule), Problem::Value { .. }));
    }
    let wrong_kind = ConditionParts::parameter("on", Test::Above(1.0)).negated();
    assert!(matches!(refused(wrong_kind), Problem::Kind { .. }));
}
