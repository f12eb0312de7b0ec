//! Curves of joints: what the player gives, and the keys that were authored.

use crate::source::{Motion, Tape};
use crate::stage::{Stage, StageClip};
use anyhow::Result;
use lissom::job::LocalToModelJob;
use lissom::math::{
    Mat4, Quat, Transform,
    scalar::{quat_conjugate, quat_mul},
    soa,
};
use lissom_build::exact::{Trs, larger, smaller};
use lissom_draw::chart::{Anchor, Ink, Panel, Sketch, legend, nice};

/// Times that a curve is sampled at.
const SAMPLES: usize = 360;
/// More keys than this would be a smear.
const MOST_KEYS: usize = 90;

/// What a column shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Rotation,
    Translation,
    Scale,
}

impl What {
    const ALL: [Self; 3] = [Self::Rotation, Self::Translation, Self::Scale];

    fn title(self) -> &'static str {
        match self {
            Self::Rotation => "rotation from rest, degrees about x, y, z",
            Self::Translation => "translation, metres",
            Self::Scale => "scale",
        }
    }

    fn of(self, t: Transform, Frame { rest, metres }: &Frame) -> [f64; 3] {
        match self {
            Self::Rotation => degrees(quat_mul(quat_conjugate(rest.rotation), t.rotation)),
            Self::Translation => {
                let local = t.translation.to_array().map(f64::from);
                core::array::from_fn(|i| local[i] * metres[i])
            }
            Self::Scale => t.scale.to_array().map(f64::from),
        }
    }
}

/// What a joint's transform is shown against.
struct Frame {
    /// The joint at rest.
    rest: Transform,
    /// How long a local unit along each axis is in the model, at rest: under an armature that is scaled by 100, a unit is 100 m.
    metres: [f64; 3],
}

/// Of every joint.
fn frames(stage: &Stage) -> Result<Vec<Frame>> {
    let skeleton = &stage.skeleton;
    let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
    LocalToModelJob::new(skeleton, skeleton.rest_pose(), &mut models).run()?;
    let length = |axis: [f32; 4]| axis[..3].iter().map(|v| f64::from(*v) * f64::from(*v)).sum::<f64>().sqrt();
    let frame = |joint: usize| {
        let parent = skeleton.parent(joint).map_or(Mat4::IDENTITY, |parent| models[parent]);
        let metres = [parent.x_axis, parent.y_axis, parent.z_axis].map(|axis| length(axis.to_array()));
        Frame { rest: skeleton.rest(joint), metres }
    };
    Ok((0..skeleton.joint_count()).map(frame).collect())
}

/// Axis times angle, the short way round.
fn degrees(q: Quat) -> [f64; 3] {
    let [x, y, z, w] = q.to_array().map(f64::from);
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    let sine = (x * x + y * y + z * z).sqrt();
    let angle = 2.0 * libm::atan2(sine, w * sign).to_degrees();
    let k = if sine > 1e-9 { sign * angle / sine } else { 0.0 };
    [x * k, y * k, z * k]
}

/// The transform of every joint at evenly spread times: `times` and, time by time, joints.
fn sampled(stage: &Stage, clip: &StageClip) -> Result<(Vec<f64>, Vec<Vec<Transform>>)> {
    let duration = clip.clip.view().duration_s();
    let times: Vec<f64> = (0..SAMPLES).map(|i| duration * i as f64 / (SAMPLES - 1) as f64).collect();
    let tape = Tape::Clip(clip.clip.clone());
    let mut motion = Motion::cooked(clip.name.clone(), stage.skeleton.clone(), tape);
    let joints = stage.skeleton.joint_count();
    let mut poses = Vec::with_capacity(times.len());
    for t in &times {
        let pose = motion.pose(*t)?;
        poses.push((0..joints).map(|j| soa::lane(pose, j)).collect());
    }
    Ok((times, poses))
}

/// The joints that turn most, in the skeleton's order.
pub fn liveliest(stage: &Stage, clip: &StageClip, count: usize) -> Result<Vec<usize>> {
    let (_, poses) = sampled(stage, clip)?;
    let frames = frames(stage)?;
    let turn = |j: usize| {
        let values = poses.iter().map(|p| What::Rotation.of(p[j], &frames[j]));
        let (low, high) = range(values);
        (0..3).map(|c| high[c] - low[c]).sum::<f64>()
    };
    let mut joints: Vec<(f64, usize)> = (0..stage.skeleton.joint_count()).map(|j| (turn(j), j)).collect();
    joints.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut best: Vec<usize> = joints.into_iter().take(count).map(|j| j.1).collect();
    best.sort_unstable();
    Ok(best)
}

fn range(values: impl Iterator<Item = [f64; 3]>) -> ([f64; 3], [f64; 3]) {
    let mut out = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for v in values {
        out.0 = core::array::from_fn(|c| if v[c] < out.0[c] { v[c] } else { out.0[c] });
        out.1 = core::array::from_fn(|c| if v[c] > out.1[c] { v[c] } else { out.1[c] });
    }
    out
}

/// A row a joint; a column for rotation, and more for translation and scale where any of the joints has them.
pub fn draw(stage: &Stage, clip: &StageClip, joints: &[usize]) -> Result<Sketch> {
    let (times, poses) = sampled(stage, clip)?;
    let frames = frames(stage)?;
    let frames = &frames;
    let values = |what: What, j: usize| poses.iter().map(move |p| what.of(p[j], &frames[j]));
    let moves = |what: What| {
        joints.iter().any(|j| {
            let (low, high) = range(values(what, *j));
            (0..3).any(|c| high[c] - low[c] > 1e-4)
        })
    };
    let columns: Vec<What> = What::ALL.into_iter().filter(|w| *w == What::Rotation || moves(*w)).collect();
    let (cell, high, head) = (if columns.len() == 1 { 760.0 } else { 440.0 }, 130.0, 66.0);
    let width = cell * columns.len() as f64 + 20.0;
    let title = format!("{}: {}", stage.name, clip.name);
    let mut sketch = Sketch::new(width, head + high * joints.len() as f64 + 34.0, &title);
    sketch.heading((16.0, 26.0), title);
    legend(
        &mut sketch,
        width - 16.0,
        26.0,
        &[("x", Ink::Series(0)), ("y", Ink::Series(1)), ("z", Ink::Series(2))],
    );
    let duration = clip.clip.view().duration_s();
    for (column, what) in columns.iter().enumerate() {
        let left = 62.0 + cell * column as f64;
        sketch.text((left, 50.0), what.title(), Anchor::Start, Ink::Soft);
        for (row, joint) in joints.iter().enumerate() {
            let (low, top) = range(values(*what, *joint));
            let (mut low, mut top) = (
                low.into_iter().fold(f64::INFINITY, smaller),
                top.into_iter().fold(f64::NEG_INFINITY, larger),
            );
            // What does not move is a straight line, not noise under a lens.
            let least = match what {
                What::Rotation => 2.0,
                What::Translation | What::Scale => 0.01,
            };
            if top - low < least {
                let middle = (top + low) * 0.5;
                (low, top) = (middle - least * 0.5, middle + least * 0.5);
            }
            let panel = Panel {
                left,
                top: head + high * row as f64 + 22.0,
                width: cell - 72.0,
                height: high - 44.0,
                x: (0.0, duration),
                y: nice((low, top), 3),
            };
            panel.grid(&mut sketch, row + 1 == joints.len());
            if column == 0 {
                sketch.text((left, panel.top - 7.0), stage.skeleton.name(*joint), Anchor::Start, Ink::Text);
            }
            for c in 0..3 {
                let line: Vec<_> = times.iter().copied().zip(values(*what, *joint).map(|v| v[c])).collect();
                panel.curve(&mut sketch, &line, Ink::Series(c));
                panel.dots(
                    &mut sketch,
                    &keys(stage, clip, *what, (*joint, &frames[*joint]), c),
                    1.9,
                    Ink::Series(c),
                );
            }
        }
    }
    let foot = sketch.height - 6.0;
    let note = if clip.source.is_some() {
        "seconds; lines: the cooked clip, dots: keys of the source"
    } else {
        "seconds"
    };
    sketch.text((62.0, foot), note, Anchor::Start, Ink::Soft);
    Ok(sketch)
}

/// Keys of the source as (time, component).
fn keys(
    stage: &Stage,
    clip: &StageClip,
    what: What,
    (joint, frame): (usize, &Frame),
    c: usize,
) -> Vec<(f64, f64)> {
    let Some((source, how)) = clip.source.as_ref().zip(stage.cooked()) else { return Vec::new() };
    let raw = &how.skeleton;
    let at = raw.depth_first()[joint];
    let track = &source.animation.tracks[at];
    let times: Vec<f64> = match what {
        What::Rotation => track.rotation.keys.iter().map(|k| k.time_s).collect(),
        What::Translation => track.translation.keys.iter().map(|k| k.time_s).collect(),
        What::Scale => track.scale.keys.iter().map(|k| k.time_s).collect(),
    };
    if times.len() > MOST_KEYS {
        return Vec::new();
    }
    let rest: Trs = raw.joints[at].rest;
    let value = |t: f64| what.of(track.sample(t, rest).to_f32(), frame)[c];
    times.into_iter().map(|t| (t, value(t))).collect()
}
