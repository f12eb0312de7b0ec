//! How a character goes that is played by motion matching, on sticks that are pushed as people push them; beside the
//! mannequin's blend graph.

use crate::files;
use anyhow::{Context, Result, ensure};
use lissom::{
    archive::Archive,
    bones::Side,
    job::{FootLock, FootLockRule},
    math::{
        Mat4, Vec3,
        scalar::{length, scale, sub},
        trig,
    },
    pose::Limb,
};
use lissom_build::{
    cook::ClipBuilder,
    exact::larger,
    mannequin::{self, Detail, Motion},
    matching::{MatchedClips, MatchingRule},
    pipeline::{self, Input, Options, Plan},
    recipe,
};
use lissom_motion::{
    Animator, Graph, GraphParts, RootStep,
    graph::{LayerParts, MatchedParts, StateParts},
};
use std::{path::Path, sync::Arc};

/// Of the reference library; fewer are no check.
const FILES: usize = 50;
/// The first frame of CMU's files is a T-pose.
const EDITS: &str =
    "[clips.'*']\ntrim = '0.02..'\nrate = 30\nroot-motion = { reference = 'rest' }\ncontacts = true\n";
const DT_S: f64 = 1.0 / 60.0;
const DT: f32 = DT_S as f32;
/// By how much a joint's velocity may jump at a change beyond what the clips do themselves.
const JUMP_MPS: f64 = 0.2;
/// How fast whoever plays the blend graph is turned, in radians per second.
const TURN: f32 = 5.0;

/// What a stick says at a time: a velocity in the world, x and z, in metres per second.
type Stick = fn(f32) -> [f32; 2];

/// A way to go.
struct Script {
    name: &'static str,
    seconds: f32,
    stick: Stick,
    /// When the stick is turned for good: how long it takes from there to go that way.
    turned_s: Option<f32>,
    /// It always faces along z.
    strafes: bool,
    bound: Bound,
}

/// The most that is allowed on the reference library: what holds today, with some room.
struct Bound {
    off_m: f64,
    to_direction_s: f64,
    held_cm: f64,
    changes: f64,
}

/// Nothing is asked: the stick is not turned for good, or the library has no such motion.
const NEVER: f64 = f64::INFINITY;

const SCRIPTS: [Script; 6] = [
    Script {
        name: "start",
        seconds: 5.0,
        stick: |t| [0.0, if t < 1.0 { 0.0 } else { 1.3 }],
        turned_s: Some(1.0),
        strafes: false,
        bound: Bound { off_m: 0.5, to_direction_s: 0.8, held_cm: 1.0, changes: 3.0 },
    },
    Script {
        name: "stop",
        seconds: 6.0,
        stick: |t| [0.0, if t < 3.0 { 1.3 } else { 0.0 }],
        turned_s: None,
        strafes: false,
        bound: Bound { off_m: 0.7, to_direction_s: NEVER, held_cm: 0.5, changes: 4.0 },
    },
    Script {
        name: "turn round",
        seconds: 8.0,
        stick: |t| [0.0, if t < 3.0 { 1.3 } else { -1.3 }],
        turned_s: Some(3.0),
        strafes: false,
        bound: Bound { off_m: 2.3, to_direction_s: 2.8, held_cm: 4.5, changes: 6.0 },
    },
    Script {
        name: "circle",
        seconds: 12.0,
        stick: |t| {
            let (sin, cos) = trig::sin_cos(0.6 * t);
            [1.3 * sin, 1.3 * cos]
        },
        turned_s: None,
        strafes: false,
        bound: Bound { off_m: 1.4, to_direction_s: NEVER, held_cm: 4.0, changes: 12.0 },
    },
    Script {
        name: "zigzag",
        seconds: 12.0,
        stick: |t| [if trig::floor(t / 2.0) % 2.0 == 0.0 { 0.9 } else { -0.9 }, 0.9],
        turned_s: Some(8.0),
        strafes: false,
        bound: Bound { off_m: 2.3, to_direction_s: 1.2, held_cm: 3.0, changes: 7.0 },
    },
    Script {
        name: "strafe",
        seconds: 8.0,
        stick: |t| if t < 3.0 { [0.0, 1.3] } else { [1.0, 0.0] },
        turned_s: Some(3.0),
        strafes: true,
        bound: Bound { off_m: 2.2, to_direction_s: NEVER, held_cm: 0.5, changes: 6.0 },
    },
];

/// What a script showed.
#[derive(Default)]
struct Measured {
    /// The mean distance from where the stick would have led.
    off_m: f64,
    /// From the last turn of the stick until it goes within 20 degrees of it.
    to_direction_s: Option<f64>,
    /// How far the end of a foot that moves less goes in a stance, on average.
    slide_cm: f64,
    stances: usize,
    /// Changes of the frame that plays, per second.
    changes: f64,
    /// The largest change of a joint's velocity from one step to the next, after a change and in all other steps.
    jumps_mps: [f64; 2],
}

pub fn run(folder: &Path) -> Result<()> {
    let reference = folder.join("mocap");
    let is_reference = reference.is_dir();
    let found = files::below_named(if is_reference { &reference } else { folder }, &["bvh"])?;
    let least = if is_reference { FILES } else { 1 };
    ensure!(found.len() >= least, "{} holds {} BVH files, fewer than {least}", folder.display(), found.len());
    let scene = mannequin::game_scene(&Motion::ALL, &Detail::default())?;
    let own = pipeline::cook_scene(&scene, &ClipBuilder::default(), &files::tasks)?.archive;
    let clips = vec![MatchedClips { clips: "*".into(), ..MatchedClips::default() }];
    let plan = Plan::new(Options {
        retarget: Some(Input::bytes("mannequin.lsm", &own)),
        rules: recipe::read(EDITS.as_bytes())?.rules,
        matching: vec![MatchingRule { clips, mirrored: true, ..MatchingRule::new("mocap") }],
        ..Options::default()
    })?;
    let inputs: Vec<Input<'_>> = found.iter().map(Input::file).collect();
    let cooked = plan.cook(&inputs, &files::tasks, &mut pipeline::unwatched)?;
    for (input, file) in cooked.inputs.into_iter().zip(&found) {
        input.with_context(|| file.display().to_string())?;
    }
    for report in cooked.matching {
        let report = report?;
        println!(
            "matching: {} files, {} frames, {:.0} s, {} features, {} bytes",
            found.len(),
            report.frames,
            report.seconds,
            report.features,
            report.bytes
        );
    }
    let matched = Archive::read(&cooked.archive.context("an archive was asked for")?)?;
    let blended = Archive::read(&own)?;
    println!(
        "matching: {:10} {:8} m off  s to it  slide cm  stances  changes/s  jump m/s  else",
        "way", "by"
    );
    let mut failures = Vec::new();
    for script in &SCRIPTS {
        let free = script.run(&mut Walker::matched(&matched, script.strafes, false)?)?;
        let held = script.run(&mut Walker::matched(&matched, script.strafes, true)?)?;
        let blend = script.run(&mut Walker::blended(&blended)?)?;
        for (by, measured) in [("matching", &free), ("and held", &held), ("blends", &blend)] {
            measured.print(script.name, by);
        }
        if is_reference {
            failures.extend(
                script.bound.broken(&held).into_iter().map(|what| format!("{}: {what}", script.name)),
            );
        }
    }
    ensure!(failures.is_empty(), "{}", failures.join("; "));
    Ok(())
}

/// Who walks.
struct Walker {
    animator: Animator,
    /// Its graph has a parameter for where it faces.
    facing: bool,
    /// Played by motion matching: its root motion turns it. Else this program does.
    matched: bool,
    held: bool,
    legs: [Limb; 2],
    locks: [FootLock; 2],
    place: RootStep,
    heading: f32,
}

impl Walker {
    fn matched(archive: &Archive, strafes: bool, held: bool) -> Result<Self> {
        let facing = strafes.then(|| "facing".to_owned());
        let state = MatchedParts { facing, ..MatchedParts::new("mocap", ["left", "ahead"]) };
        let layer = LayerParts::new("body").state(StateParts::matched("move", state));
        let parts =
            GraphParts::new().float("left", 0.0).float("ahead", 0.0).float("facing", 0.0).layer(layer);
        let graph = Arc::new(Graph::of_archive(&parts, archive)?);
        Self::new(Animator::new(archive, graph)?, strafes, true, held)
    }

    fn blended(archive: &Archive) -> Result<Self> {
        Self::new(Animator::new(archive, mannequin::GRAPH)?, false, false, false)
    }

    fn new(animator: Animator, facing: bool, matched: bool, held: bool) -> Result<Self> {
        let skeleton = animator.body().skeleton();
        let legs = [Limb::leg(skeleton, Side::Left)?, Limb::leg(skeleton, Side::Right)?];
        let (locks, place) = ([FootLock::default(); 2], RootStep::IDENTITY);
        Ok(Self { animator, facing, matched, held, legs, locks, place, heading: 0.0 })
    }

    fn at(&self) -> [f64; 2] {
        [self.place.translation[0], self.place.translation[2]]
    }

    /// A step with this velocity of the world and this direction to face, in radians from z to x.
    fn step(&mut self, wanted: [f32; 2], face: f32) -> Result<()> {
        if self.matched {
            let [_, y, _, w] = self.place.rotation.map(|v| v as f32);
            self.heading = 2.0 * trig::atan2(y, w);
        } else {
            let most = TURN * DT;
            let off = wrapped(face - self.heading);
            self.heading += if off > most {
                most
            } else if off < -most {
                -most
            } else {
                off
            };
            let (sin, cos) = trig::sin_cos(self.heading * 0.5);
            self.place.rotation = [0.0, sin.into(), 0.0, cos.into()];
        }
        let (sin, cos) = trig::sin_cos(self.heading);
        let [x, z] = wanted;
        let own = [x * cos - z * sin, x * sin + z * cos];
        for (name, value) in ["left", "ahead"].into_iter().zip(own) {
            self.animator.set_value(name, value)?;
        }
        if self.facing {
            self.animator.set_value("facing", wrapped(face - self.heading))?;
        }
        let Self { animator, legs, locks, place, held, .. } = self;
        let rule = FootLockRule::default();
        animator.update_deciding(DT_S, |hero| {
            *place = place.then(&hero.root_delta());
            let (world, stand) = (place.to_transform().to_mat34(), stands(hero));
            move |pose| {
                for ((leg, lock), stands) in legs.iter().zip(locks).zip(stand).filter(|_| *held) {
                    pose.plant(leg, lock, &rule, stands, &world, DT)?;
                }
                Ok(())
            }
        })?;
        Ok(())
    }

    /// Heel and ball of each foot, in the world.
    fn soles(&self) -> [[Vec3; 2]; 2] {
        let world = self.place.to_transform().to_mat34();
        self.legs.map(|leg| {
            let ankle = self.animator.models()[leg.joints[2]];
            leg.sole.map(|own| Vec3::from_array(world.mul_point(point(&ankle, own))))
        })
    }

    /// Where its joints are, as it sees them.
    fn joints(&self) -> Vec<Vec3> {
        self.animator.models().iter().map(|m| Vec3::from_array(point(m, Vec3::ZERO))).collect()
    }

    fn changes(&self) -> u32 {
        self.animator.state().matched(self.animator.graph(), 0).map_or(0, |now| now.jumps)
    }
}

/// The feet that stand, in more than half of what is blended, by markers of the clips.
fn stands(hero: &Animator) -> [bool; 2] {
    ["contact_left", "contact_right"].map(|name| {
        let standing = hero.active_markers().filter(|active| active.marker.name == name);
        let share = |clip: u16| {
            let entries = hero.frame().entries().iter().filter(move |entry| entry.clip == clip);
            entries.map(|entry| entry.weight).sum::<f32>()
        };
        standing.map(|active| share(active.clip)).sum::<f32>() > 0.5
    })
}

fn point(m: &Mat4, v: Vec3) -> [f32; 3] {
    let c = m.to_cols_array_2d();
    core::array::from_fn(|i| c[0][i] * v.x + c[1][i] * v.y + c[2][i] * v.z + c[3][i])
}

/// The same angle, from -π to π.
fn wrapped(angle: f32) -> f32 {
    let whole = 2.0 * core::f32::consts::PI;
    angle - whole * trig::floor(angle / whole + 0.5)
}

impl Script {
    fn run(&self, walker: &mut Walker) -> Result<Measured> {
        let frames = (self.seconds / DT) as usize;
        let (mut wish, mut off_m, mut face) = ([0.0; 2], 0.0, 0.0);
        let mut out = Measured::default();
        let mut before = [None; 2];
        let (mut joints, mut speeds) = (walker.joints(), Vec::new());
        let (mut way, mut changes) = (Vec::with_capacity(frames), walker.changes());
        for frame in 0..frames {
            let stick = (self.stick)(frame as f32 * DT);
            if !self.strafes && stick != [0.0; 2] {
                face = trig::atan2(stick[0], stick[1]);
            }
            walker.step(stick, face)?;
            wish = [wish[0] + f64::from(stick[0]) * DT_S, wish[1] + f64::from(stick[1]) * DT_S];
            let at = walker.at();
            off_m += libm::hypot(at[0] - wish[0], at[1] - wish[1]);
            way.push(at);
            for ((before, sole), stands) in
                before.iter_mut().zip(walker.soles()).zip(stands(&walker.animator))
            {
                match *before {
                    Some(before) if stands => out.slide_cm += 100.0 * moved(before, sole),
                    None if stands => out.stances += 1,
                    _ => {}
                }
                *before = stands.then_some(sole);
            }
            let now = walker.joints();
            let speed = |(now, before): (&Vec3, &Vec3)| scale(sub(*now, *before), 1.0 / DT);
            let own: Vec<Vec3> = now.iter().zip(&joints).map(speed).collect();
            let jumps = own.iter().zip(&speeds).map(|(a, b)| f64::from(length(sub(*a, *b))));
            let most = &mut out.jumps_mps[usize::from(walker.changes() == changes)];
            *most = larger(*most, jumps.fold(0.0, larger));
            (joints, speeds, changes) = (now, own, walker.changes());
        }
        out.slide_cm /= larger(out.stances as f64, 1.0);
        out.off_m = off_m / frames as f64;
        out.changes = f64::from(changes) / f64::from(self.seconds);
        out.to_direction_s = self.turned_s.and_then(|turned_s| self.reached(turned_s, &way));
        Ok(out)
    }

    /// Seconds from the turn of the stick until it goes that way, with half of the speed at least, over a fifth of a second.
    fn reached(&self, turned_s: f32, way: &[[f64; 2]]) -> Option<f64> {
        const SPAN: usize = 12;
        let first = (turned_s / DT) as usize;
        let goes_there = |frame: &usize| {
            let [x, z] = (self.stick)(*frame as f32 * DT).map(f64::from);
            let (from, to) = (way[frame - SPAN], way[*frame]);
            let own = [to[0] - from[0], to[1] - from[1]].map(|v| v / (SPAN as f64 * DT_S));
            let (fast, asked) = (libm::hypot(own[0], own[1]), libm::hypot(x, z));
            fast > 0.5 * asked && own[0] * x + own[1] * z > 0.94 * fast * asked
        };
        let frame = (first + SPAN..way.len()).find(goes_there)?;
        Some((frame - first) as f64 * DT_S)
    }
}

/// How far the end of a foot went that moved less.
fn moved(before: [Vec3; 2], now: [Vec3; 2]) -> f64 {
    let [heel, ball] = [0, 1].map(|end| f64::from(length(sub(now[end], before[end]))));
    if heel < ball { heel } else { ball }
}

impl Measured {
    fn print(&self, way: &str, by: &str) {
        let Self { off_m, slide_cm, stances, changes, jumps_mps: [jump, other], .. } = self;
        let to_direction = self.to_direction_s.map_or("-".into(), |s| format!("{s:.2}"));
        println!(
            "matching: {way:10} {by:8} {off_m:5.2}  {to_direction:>7}  {slide_cm:8.1}  {stances:7}  {changes:9.1}  {jump:8.2}  {other:4.2}"
        );
    }
}

impl Bound {
    fn broken(&self, found: &Measured) -> Vec<String> {
        // The bound of the jump is that of the clips themselves: where nothing changes, they alone are seen.
        let [jump, other] = found.jumps_mps;
        let all = [
            ("m off", found.off_m, self.off_m),
            ("s to the new direction", found.to_direction_s.unwrap_or(NEVER), self.to_direction_s),
            ("cm of slide per stance", found.slide_cm, self.held_cm),
            ("changes per second", found.changes, self.changes),
            ("m/s of jump at a change", jump, other + JUMP_MPS),
        ];
        let told = |(what, found, most): (_, f64, f64)| {
            (found.is_nan() || found > most).then(|| format!("{found:.2} {what}, more than {most:.2}"))
        };
        all.into_iter().filter_map(told).collect()
    }
}
