//! What moves, what is constant and what rests; how far each channel reaches; what moves along with it.

use super::samples::Samples;
use crate::exact::{Q4, SMALLEST, Trs, V3, clamp, larger, smaller};
use lissom::clip::format::rows as format;

/// What a channel does in the clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Class {
    /// The skeleton's rest pose.
    Rest,
    /// One value, as integers of [`Constants`].
    Constant([i32; 3]),
    /// A channel, by its place in [`RowsChannels::moving`].
    Moving(usize),
}

/// A moving channel.
#[derive(Clone, Debug)]
pub(super) struct MovingChannel {
    pub joint: usize,
    /// Translation 0, rotation 1, scale 2.
    pub kind: usize,
    /// For rotations: which of 1, i, j, k they are about.
    pub centre: usize,
    /// How far, in model space and in precisions, a step of 1 moves what depends on this channel alone.
    pub reach: f64,
}

/// A point that moves rigidly with a joint: where, whose error it is, and what it is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// In the joint's own space.
    pub at: V3,
    pub joint: usize,
    /// In the space of the joint whose error it is; `None` for its origin, which turns on with its own rotation.
    pub own: Option<V3>,
}

/// How constants of a kind are stored.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Constants {
    pub bytes: usize,
    pub step: f32,
}

/// Every channel of the clip.
pub(super) struct RowsChannels {
    /// Translation, rotation, scale of each joint.
    pub class: Vec<[Class; 3]>,
    pub constants: [Constants; 3],
    /// The local transform where channels do not move: the rest pose and the constants as they decode.
    pub fixed: Vec<Trs>,
    /// Translations in joint order, then rotations, then scales.
    pub moving: Vec<MovingChannel>,
    /// For each joint what follows its rotation without a rotation of its own in between.
    pub rigid: Vec<Vec<Point>>,
}

/// Sums over the rows of one joint.
struct Extent {
    /// The largest distance from each channel's first value.
    spread: [f64; 3],
    stretch: f64,
    /// To the farthest point of anything below.
    lever: f64,
    mean: Q4,
}

fn angle(a: Q4, b: Q4) -> f64 {
    let d = b.near(a).plus(a.scaled(-1.0));
    2.0 * d.dot(d).sqrt()
}

/// The rotation's parameters about a centre: axis · tan(angle / 4).
pub(super) fn parameters(centre: usize, q: Q4) -> V3 {
    let r = CENTRES[centre].conjugate() * q;
    let k = 1.0 / (1.0 + r.w);
    V3::new(r.x * k, r.y * k, r.z * k)
}

/// The rotation with these parameters about a centre.
pub(super) fn rotation(centre: usize, m: V3) -> Q4 {
    let s = m.dot(m);
    let k = 1.0 / (1.0 + s);
    CENTRES[centre] * Q4::new(2.0 * m.x * k, 2.0 * m.y * k, 2.0 * m.z * k, (1.0 - s) * k)
}

pub(super) const CENTRES: [Q4; 4] = [
    Q4::new(0.0, 0.0, 0.0, 1.0),
    Q4::new(1.0, 0.0, 0.0, 0.0),
    Q4::new(0.0, 1.0, 0.0, 0.0),
    Q4::new(0.0, 0.0, 1.0, 0.0),
];

impl RowsChannels {
    /// A channel that moves by less than `still` of what the precision allows is a constant.
    pub fn new(samples: &Samples<'_>, precision: &[f64], still: f64) -> Self {
        let source = samples.metric.source();
        let points = samples.metric.points();
        let extents = extents(samples);
        let n = samples.joints();
        let above = |j: usize| source.parents[j].map_or(1.0, |p| extents[p].stretch);

        // The finest precision of a joint and everything below it.
        let mut finest = precision.to_vec();
        for j in (0..n).rev() {
            if let Some(p) = source.parents[j] {
                finest[p] = smaller(finest[p], finest[j]);
            }
        }
        let first = first_pose(samples);
        let mut tolerances = vec![[0.0; 3]; n];
        let mut class = vec![[Class::Rest; 3]; n];
        let mut held: Vec<Trs> = source.joints.iter().map(|j| j.rest).collect();
        for j in 0..n {
            let (joint, e) = (&source.joints[j], &extents[j]);
            let lever = larger(larger(e.lever, points[j].reach() * e.stretch), 1e-30);
            let fine = still * finest[j];
            tolerances[j] = [fine / larger(above(j), 1e-30), fine / lever, fine / lever];
            let rest_off = [
                (first[j].translation - joint.rest.translation).length(),
                angle(first[j].rotation, joint.rest.rotation),
                (first[j].scale - joint.rest.scale).length(),
            ];
            for kind in 0..3 {
                class[j][kind] = if e.spread[kind] > tolerances[j][kind] {
                    Class::Moving(0)
                } else if rest_off[kind] <= tolerances[j][kind] {
                    Class::Rest
                } else {
                    Class::Constant([0; 3])
                };
            }
            if class[j][0] != Class::Rest {
                held[j].translation = first[j].translation;
            }
            if class[j][1] != Class::Rest {
                held[j].rotation = first[j].rotation;
            }
            if class[j][2] != Class::Rest {
                held[j].scale = first[j].scale;
            }
        }
        let mut channels =
            Self { class, constants: Default::default(), fixed: held, moving: Vec::new(), rigid: Vec::new() };
        for kind in 0..3 {
            channels.quantise_constants(kind, &tolerances);
        }
        channels.find_rigid(samples);
        channels.find_moving(samples, precision, &extents);
        channels
    }

    /// Chooses the fewest bytes that keep every constant of a kind within its tolerance.
    fn quantise_constants(&mut self, kind: usize, tolerances: &[[f64; 3]]) {
        let is_constant = |c: &[Class; 3]| matches!(c[kind], Class::Constant(_));
        let joints: Vec<usize> = (0..self.class.len()).filter(|j| is_constant(&self.class[*j])).collect();
        if joints.is_empty() {
            return;
        }
        let value = |t: &Trs| match kind {
            0 => t.translation,
            1 => parameters(0, t.rotation.near(Q4::IDENTITY)),
            _ => t.scale,
        };
        let largest = joints
            .iter()
            .map(|j| value(&self.fixed[*j]))
            .fold(0.0, |a, v| larger(larger(larger(a, v.x.abs()), v.y.abs()), v.z.abs()));
        for bytes in 2..=4 {
            let top = ((1_i64 << (8 * bytes - 1)) - 1) as f64;
            let step = if kind == 1 {
                format::rotation_constant_step(bytes)
            } else {
                // Rounded up, so that the largest fits; never so fine that a value could be too near to 0.
                let step = (largest / top) as f32;
                let step = f32::from_bits(step.to_bits() + 1);
                if step < SMALLEST { SMALLEST } else { step }
            };
            let wide = f64::from(step);
            let ints = |v: V3| [v.x, v.y, v.z].map(|c| clamp(libm::round(c / wide), -top, top) as i32);
            let decoded = |n: [i32; 3]| {
                // In f32, as the player does it, up to its last operation.
                let [x, y, z] = n.map(|c| f64::from(c as f32 * step));
                V3::new(x, y, z)
            };
            let off = |j: usize| {
                let (own, v) = (&self.fixed[j], value(&self.fixed[j]));
                match kind {
                    1 => angle(own.rotation, rotation(0, decoded(ints(v)))),
                    _ => (decoded(ints(v)) - v).length(),
                }
            };
            // A constant may use as much again as a channel that hardly moves.
            if bytes < 4 && joints.iter().any(|j| off(*j) > 2.0 * tolerances[*j][kind]) {
                continue;
            }
            self.constants[kind] = Constants { bytes, step };
            for j in joints {
                let n = ints(value(&self.fixed[j]));
                self.class[j][kind] = Class::Constant(n);
                let v = decoded(n);
                match kind {
                    0 => self.fixed[j].translation = v,
                    1 => self.fixed[j].rotation = rotation(0, v),
                    _ => self.fixed[j].scale = v,
                }
            }
            return;
        }
    }

    fn is_moving(&self, joint: usize, kind: usize) -> bool {
        matches!(self.class[joint][kind], Class::Moving(_))
    }

    /// Children before parents, so that a child's own points can be carried over.
    fn find_rigid(&mut self, samples: &Samples<'_>) {
        let source = samples.metric.source();
        let n = samples.joints();
        self.rigid = vec![Vec::new(); n];
        for j in (0..n).rev() {
            let Some(p) = source.parents[j].filter(|_| !self.is_moving(j, 0)) else { continue };
            let local = source.joints[j].seen(self.fixed[j]).to_m34();
            let mut points = vec![Point { at: local.columns[3], joint: j, own: None }];
            if !self.is_moving(j, 1) && !self.is_moving(j, 2) {
                let own = samples.metric.points()[j].few().iter();
                points.extend(own.map(|p| Point { at: local.mul_point(*p), joint: j, own: Some(*p) }));
                let below = &self.rigid[j];
                points.extend(below.iter().map(|b| Point { at: local.mul_point(b.at), ..*b }));
                // A tree of fixed joints below a moving one: the farthest points say it all.
                if points.len() > RIGID_POINTS {
                    points.sort_by(|a, b| b.at.length().total_cmp(&a.at.length()));
                    points.truncate(RIGID_POINTS);
                }
            }
            self.rigid[p].extend(points);
        }
    }

    fn find_moving(&mut self, samples: &Samples<'_>, precision: &[f64], extents: &[Extent]) {
        let source = samples.metric.source();
        let points = samples.metric.points();
        for kind in 0..3 {
            for j in 0..samples.joints() {
                if !self.is_moving(j, kind) {
                    continue;
                }
                let above = source.parents[j].map_or(1.0, |p| extents[p].stretch);
                let (e, wide) = (&extents[j], above * source.joints[j].scale_of_one());
                // What one unit moves: the joint and what is rigid with it, each against its own precision.
                let own = match kind {
                    0 => above / precision[j],
                    1 => points[j].reach() * e.stretch / precision[j],
                    _ => points[j].reach() * wide / precision[j],
                };
                let reach = self.rigid[j].iter().fold(own, |reach, p| {
                    let far = match kind {
                        0 => above,
                        1 => p.at.length() * e.stretch,
                        _ => p.at.length() * wide,
                    };
                    larger(reach, far / precision[p.joint])
                });
                let m = e.mean;
                let parts = [m.w.abs(), m.x.abs(), m.y.abs(), m.z.abs()];
                let centre = (0..4).max_by(|a, b| parts[*a].total_cmp(&parts[*b])).unwrap_or(0);
                self.class[j][kind] = Class::Moving(self.moving.len());
                self.moving.push(MovingChannel {
                    joint: j,
                    kind,
                    centre: if kind == 1 { centre } else { 0 },
                    reach: larger(reach, 1e-30),
                });
            }
        }
    }
}

/// Points that are kept of a tree that moves as one.
const RIGID_POINTS: usize = 64;

fn first_pose(samples: &Samples<'_>) -> Vec<Trs> {
    let joints = &samples.metric.source().joints;
    joints
        .iter()
        .map(|j| Trs {
            translation: j.translation.sample(0.0),
            rotation: j.rotation.sample(0.0).normalize(),
            scale: j.scale.sample(0.0),
        })
        .collect()
}

fn extents(samples: &Samples<'_>) -> Vec<Extent> {
    let source = samples.metric.source();
    let points = samples.metric.points();
    let n = samples.joints();
    let first = first_pose(samples);
    let zero = Q4::new(0.0, 0.0, 0.0, 0.0);
    let mut all: Vec<Extent> =
        (0..n).map(|_| Extent { spread: [0.0; 3], stretch: 0.0, lever: 0.0, mean: zero }).collect();
    for piece in samples.pieces() {
        let rows = piece.rows;
        for j in 0..n {
            let (e, joint) = (&mut all[j], &source.joints[j]);
            let moves = [
                joint.translation.moving().is_some(),
                joint.rotation.moving().is_some(),
                joint.scale.moving().is_some(),
            ];
            for row in 0..rows {
                let (local, model) = (&piece.locals[j * rows + row], &piece.models[j * rows + row]);
                e.stretch = larger(e.stretch, model.stretch());
                if moves[0] {
                    e.spread[0] = larger(e.spread[0], (local.translation - first[j].translation).length());
                }
                if moves[1] {
                    e.spread[1] = larger(e.spread[1], angle(first[j].rotation, local.rotation));
                    e.mean = e.mean.plus(local.rotation.near(first[j].rotation));
                }
                if moves[2] {
                    e.spread[2] = larger(e.spread[2], (local.scale - first[j].scale).length());
                }
            }
        }
        // The distance to everything below, at a few rows: exact enough for a tolerance.
        for row in (0..rows).step_by((rows / 16).max(1)) {
            let mut far = vec![0.0_f64; n];
            for j in (0..n).rev() {
                let own = larger(far[j], points[j].reach() * piece.models[j * rows + row].stretch());
                all[j].lever = larger(all[j].lever, own);
                if let Some(p) = source.parents[j] {
                    let bone =
                        piece.models[j * rows + row].columns[3] - piece.models[p * rows + row].columns[3];
                    far[p] = larger(far[p], own + bone.length());
                }
            }
        }
    }
    all
}
