//! The mannequin goes where it is told: as fast as asked, in every direction, on feet that stand.

use super::mannequin::played;
use lissom::{archive::Archive, math::Mat4};
use lissom_build::exact::{V3, larger};
use lissom_build::mannequin::{self, Motion};
use lissom_motion::{Animator, RootStep};

const DT_S: f64 = 1.0 / 60.0;
/// What is set is followed little by little.
const UNTIL_STEADY: usize = 90;
const MEASURED: usize = 120;

/// How fast it can be asked to go in a direction: to the outline of its gaits.
fn fastest(direction: V3) -> f64 {
    let gaits = if direction.z > -1.0e-9 {
        [Motion::JogLeft.velocity().x, Motion::Run.velocity().z]
    } else {
        [Motion::StrafeLeft.velocity().x, -Motion::Back.velocity().z]
    };
    1.0 / (direction.x.abs() / gaits[0] + direction.z.abs() / gaits[1])
}

/// When a foot lands and how long it stands, in laps of a clip, as its markers say; `None` if it does not step.
fn stance(archive: &Archive, clip: &str, duration_s: f64, word: &str) -> Option<(f64, f64)> {
    let markers = archive.markers(clip).unwrap();
    let all = || markers.view().iter();
    let (step, contact) = (format!("step_{word}"), format!("contact_{word}"));
    let landing_s = all().find(|marker| marker.name == step)?.time_s;
    let stands_s: f64 = all().filter(|marker| marker.name == contact).map(|marker| marker.duration_s).sum();
    Some((landing_s / duration_s, stands_s / duration_s))
}

/// Whether a foot stands in what the graph plays: from its landing, as long as the clips let it stand, by their weights. A clip that
/// does not step, as the idle, has no say.
fn stands(archive: &Archive, hero: &Animator, word: &str) -> bool {
    let (mut since, mut stand, mut total) = (0.0, 0.0, 0.0);
    for entry in hero.frame().entries().iter().filter(|entry| entry.layer == 0 && entry.weight > 0.0) {
        let clip = &hero.graph().clips()[usize::from(entry.clip)];
        if let Some((landing, share)) = stance(archive, &clip.name, clip.duration_s, word) {
            // All gaits land in step.
            since = (entry.ratio() - landing).rem_euclid(1.0);
            stand += share * f64::from(entry.weight);
            total += f64::from(entry.weight);
        }
    }
    total <= 0.0 || since * total <= stand
}

/// Heel, ball and tip of a foot.
struct Sole {
    word: &'static str,
    points: [(usize, V3); 3],
    before: Option<[V3; 3]>,
    /// From where it landed.
    slid: V3,
    steps: usize,
}

impl Sole {
    fn of(hero: &Animator, side: &str, word: &'static str) -> Self {
        let joint = |name: &str| hero.body().skeleton().find(&format!("{name}_{side}")).unwrap();
        let (foot, toes) = (joint("foot"), joint("toes"));
        let points = [
            (foot, V3::new(0.0, -0.085, -0.055)),
            (toes, V3::new(0.0, -0.022, 0.0)),
            (toes, V3::new(0.0, -0.022, 0.07)),
        ];
        Self { word, points, before: None, slid: V3::ZERO, steps: 0 }
    }

    /// How far it is from where it landed, if it stands. What carries the foot is its lowest point.
    fn follow(&mut self, archive: &Archive, hero: &Animator, place: &RootStep) -> f64 {
        if !stands(archive, hero, self.word) {
            self.steps += usize::from(self.before.is_some());
            (self.before, self.slid) = (None, V3::ZERO);
            return 0.0;
        }
        let [x, y, z] = place.translation;
        let at = self.points.map(|(joint, p)| V3::new(x, y, z) + point(&hero.body().models()[joint], p));
        if let Some(before) = self.before.replace(at) {
            let height = |i: &usize| before[*i].y + at[*i].y;
            let lowest = (0..3).min_by(|a, b| height(a).total_cmp(&height(b))).unwrap();
            let way = at[lowest] - before[lowest];
            self.slid = self.slid + V3::new(way.x, 0.0, way.z);
        }
        self.slid.length()
    }
}

fn point(matrix: &Mat4, p: V3) -> V3 {
    let m = matrix.to_cols_array().map(f64::from);
    let row = |i: usize| m[i] * p.x + m[4 + i] * p.y + m[8 + i] * p.z + m[12 + i];
    V3::new(row(0), row(1), row(2))
}

fn ask(hero: &mut Animator, velocity: V3) {
    let graph = hero.graph().clone();
    hero.set(graph.float("left").unwrap(), velocity.x as f32).unwrap();
    hero.set(graph.float("ahead").unwrap(), velocity.z as f32).unwrap();
}

/// In sixteen directions, from nearly standing still to the fastest gait and back: the root goes as fast as asked, in the direction
/// asked, and no foot gets farther than 2 cm from where it landed until it is lifted.
#[test]
fn it_goes_where_it_is_told_on_feet_that_stand() {
    let archive = played();
    let mut hero = Animator::new(&archive, mannequin::GRAPH).unwrap();
    let (mut most_slid, mut fewest_steps) = (0.0, usize::MAX);
    for direction in 0..16 {
        let angle = f64::from(direction) * std::f64::consts::TAU / 16.0;
        let direction = V3::new(libm::sin(angle), 0.0, libm::cos(angle));
        for share in [0.05, 0.2, 0.4, 0.7, 1.0, 0.85, 0.55, 0.3] {
            let asked = direction * (fastest(direction) * share);
            ask(&mut hero, asked);
            (0..UNTIL_STEADY).for_each(|_| hero.update(DT_S).unwrap());
            let mut feet = [Sole::of(&hero, "l", "left"), Sole::of(&hero, "r", "right")];
            let mut place = RootStep::IDENTITY;
            for _ in 0..MEASURED {
                hero.update(DT_S).unwrap();
                place = place.then(&hero.root_delta());
                for foot in &mut feet {
                    let slid = foot.follow(&archive, &hero, &place);
                    assert!(slid < 0.02, "at {asked:?} m/s the {} foot slides {slid} m", foot.word);
                    most_slid = larger(most_slid, slid);
                }
            }
            fewest_steps = fewest_steps.min(feet[0].steps).min(feet[1].steps);
            let [x, _, z] = place.translation;
            let made = V3::new(x, 0.0, z) * (1.0 / (DT_S * MEASURED as f64));
            let off = made.distance(asked);
            // Well within 5 % or 0.05 m/s.
            let allowed = larger(0.01 * asked.length(), 0.01);
            assert!(off < allowed, "{asked:?} was asked for, {made:?} made");
        }
    }
    // It was measured.
    assert!(fewest_steps > 0 && most_slid > 0.005, "{fewest_steps} steps, {most_slid} m");
}

/// Turns and the crouch are for who stands: while it steps sideways they wait.
#[test]
fn it_does_not_turn_while_it_goes() {
    let archive = played();
    for asked in [V3::new(0.4, 0.0, 0.0), V3::new(-0.75, 0.0, 0.0), V3::new(1.6, 0.0, 0.0), V3::Z * -0.5] {
        for trigger in ["turn_left", "turn_right", "crouch"] {
            let mut hero = Animator::new(&archive, mannequin::GRAPH).unwrap();
            let graph = hero.graph().clone();
            ask(&mut hero, asked);
            (0..UNTIL_STEADY).for_each(|_| hero.update(DT_S).unwrap());
            hero.trigger(graph.trigger(trigger).unwrap()).unwrap();
            for _ in 0..MEASURED {
                hero.update(DT_S).unwrap();
                let leading = hero.state().leading(&graph, 0).unwrap();
                assert!(["move", "run"].contains(&leading), "{trigger} at {asked:?}: {leading}");
                let turned = hero.root_delta().rotation;
                assert!(turned[1].abs() < 1.0e-9, "{trigger} at {asked:?}: {turned:?}");
            }
            ask(&mut hero, V3::ZERO);
            (0..40).for_each(|_| hero.update(DT_S).unwrap());
            assert_eq!(hero.state().leading(&graph, 0), Some(trigger), "when it stands");
        }
    }
}
