//! One pass over the clip: every key becomes integers, root to leaf, against what was decoded above it.
//!
//! A joint is quantised so that it ends up in the right place in *model* space, whatever rounding did to its
//! parents: their error does not pile up along the chain. Where a joint's own position is fixed to a parent that
//! turned a little too far, its rotation turns back so that the joints below come out right.

use super::{
    block::{BLOCK, KeyTarget, nearest},
    channels::{CENTRES, Class, Point, RowsChannels, parameters, rotation},
    samples::{Piece, Samples},
    squeeze::Squeeze,
};
use crate::exact::{M34, Q4, Trs, V3, larger};
use lissom::clip::format::rows as format;

/// How exactly, and how hard to try.
#[derive(Clone, Copy, Debug)]
pub(super) struct PassLimits {
    /// Of the precision, what a joint's shell may use, and what its origin may use before it turns.
    pub shell: f64,
    pub origin: f64,
    /// Look for integers that need fewer bits and stay within the limits.
    pub squeeze: bool,
}

/// What a pass gives.
pub(super) struct QuantisedRows {
    /// How many there are.
    pub count: usize,
    /// The keys of each moving channel.
    pub keys: Vec<Vec<[i32; 3]>>,
    /// The worst error of each joint at the rows, in precisions.
    pub worst: Vec<f64>,
}

/// The state of a pass.
pub(super) struct Pass<'a> {
    pub samples: &'a Samples<'a>,
    pub channels: &'a RowsChannels,
    pub precision: &'a [f64],
    /// The step code of each moving channel.
    pub codes: &'a [u8],
    pub limits: PassLimits,
}

impl Pass<'_> {
    pub fn run(&self) -> QuantisedRows {
        let joints = self.samples.joints();
        let mut out = QuantisedRows {
            count: self.samples.rows,
            keys: vec![Vec::with_capacity(self.samples.rows); self.channels.moving.len()],
            worst: vec![0.0; joints],
        };
        let mut signs: Vec<Option<Q4>> = vec![None; joints];
        for piece in self.samples.pieces() {
            let mut models: Vec<M34> = Vec::with_capacity(joints * piece.rows);
            for (j, sign) in signs.iter_mut().enumerate() {
                self.joint(&piece, j, &mut models, sign, &mut out);
            }
        }
        out
    }

    fn step(&self, channel: usize) -> f64 {
        f64::from(format::step(self.channels.moving[channel].kind, self.codes[channel]))
    }

    /// All rows of one joint; `models` has those of all joints before it.
    fn joint(
        &self,
        piece: &Piece,
        j: usize,
        models: &mut Vec<M34>,
        sign: &mut Option<Q4>,
        out: &mut QuantisedRows,
    ) {
        let rows = piece.rows;
        let class = &self.channels.class[j];
        let source = &piece.models[j * rows..][..rows];
        let locals = &piece.locals[j * rows..][..rows];
        let source_joint = &self.samples.metric.source().joints[j];
        let parent = self.samples.metric.source().parents[j];
        let above: Vec<Above> = (0..rows)
            .map(|r| match parent {
                Some(p) => Above::new(models[p * rows + r], &piece.models[p * rows + r]),
                None => Above::new(M34::IDENTITY, &M34::IDENTITY),
            })
            .collect();
        let mut decoded = vec![self.channels.fixed[j]; rows];

        if let Class::Moving(channel) = class[0] {
            let step = self.step(channel);
            let targets: Vec<KeyTarget> = (0..rows)
                .map(|r| {
                    let to = above[r].point(source[r].columns[3]);
                    let to = to.map_or(locals[r].translation, |to| source_joint.unseen_translation(to));
                    [to.x / step, to.y / step, to.z / step]
                })
                .collect();
            let limit = self.limits.origin * self.precision[j];
            let fits = |r: usize, n: [i32; 3]| {
                let local = Trs::from_translation(vector(n, step));
                let at = above[r].decoded.mul_point(source_joint.seen(local).translation);
                (at - source[r].columns[3]).length() <= limit
            };
            let keys = self.keys(&targets, fits);
            for (decoded, key) in decoded.iter_mut().zip(&keys) {
                decoded.translation = vector(*key, step);
            }
            out.keys[channel].extend(keys);
        }
        if let Class::Moving(channel) = class[2] {
            let step = self.step(channel);
            let targets: Vec<KeyTarget> =
                locals.iter().map(|l| [l.scale.x / step, l.scale.y / step, l.scale.z / step]).collect();
            // What a scale does shows only with the rotation: no choice here.
            let keys: Vec<[i32; 3]> = targets.iter().map(|t| t.map(nearest)).collect();
            for (decoded, key) in decoded.iter_mut().zip(&keys) {
                decoded.scale = vector(*key, step);
            }
            out.keys[channel].extend(keys);
        }
        let points = Points {
            own: j,
            few: self.samples.metric.points()[j].few(),
            rigid: &self.channels.rigid[j],
            precision: self.precision,
            limits: self.limits,
            piece,
        };
        if let Class::Moving(channel) = class[1] {
            let (step, centre) = (self.step(channel), self.channels.moving[channel].centre);
            let targets: Vec<KeyTarget> = (0..rows)
                .map(|r| {
                    let at = source_joint.seen(decoded[r]).translation;
                    let q = self.turned(&points, &above[r], r, at, locals[r].rotation, &source[r]);
                    let q = settle(q, centre, sign);
                    let m = parameters(centre, q);
                    [m.x / step, m.y / step, m.z / step]
                })
                .collect();
            let fits = |r: usize, n: [i32; 3]| {
                let local = Trs { rotation: rotation(centre, vector(n, step)), ..decoded[r] };
                points.fit(r, &above[r].decoded.mul(&source_joint.seen(local).to_m34()))
            };
            let keys = self.keys(&targets, fits);
            for (decoded, key) in decoded.iter_mut().zip(&keys) {
                decoded.rotation = rotation(centre, vector(*key, step));
            }
            out.keys[channel].extend(keys);
        }
        let worst = &mut out.worst[j];
        for r in 0..rows {
            let model = above[r].decoded.mul(&source_joint.seen(decoded[r]).to_m34());
            *worst = larger(*worst, points.own_error(r, &model));
            models.push(model);
        }
    }

    /// The integers of a channel: the nearest, or others that `fits` and that need fewer bits.
    fn keys(&self, targets: &[KeyTarget], fits: impl Fn(usize, [i32; 3]) -> bool) -> Vec<[i32; 3]> {
        let mut keys: Vec<[i32; 3]> = targets.iter().map(|t| t.map(nearest)).collect();
        for (r, (key, target)) in keys.iter_mut().zip(targets).enumerate() {
            if !fits(r, *key)
                && let Some(other) = neighbours(target).find(|n| fits(r, *n))
            {
                *key = other;
            }
        }
        if self.limits.squeeze {
            for (block, (keys, targets)) in keys.chunks_mut(BLOCK).zip(targets.chunks(BLOCK)).enumerate() {
                Squeeze::new(keys, targets).run(|r, n| fits(block * BLOCK + r, n));
            }
        }
        keys
    }

    /// The local rotation that turns the joint, under its decoded parent, to where the source has it, and a little
    /// further where that brings what hangs on it nearer to its place.
    fn turned(&self, points: &Points<'_>, above: &Above, r: usize, at: V3, q: Q4, source: &M34) -> Q4 {
        let off = above.decoded.mul_point(at) - source.columns[3];
        let turn = points.turn(r, off, source);
        above.rotation(turn, q).unwrap_or(q)
    }
}

/// The parent of a joint at a row: as decoded, and what leads from it to the source.
struct Above {
    decoded: M34,
    inverse: Option<M34>,
    /// The source's parent, in the decoded one's space.
    source: M34,
}

impl Above {
    fn new(decoded: M34, source: &M34) -> Self {
        let inverse = decoded.inverse();
        Self { decoded, inverse, source: *source }
    }

    /// A point of model space, in the decoded parent's space.
    fn point(&self, p: V3) -> Option<V3> {
        self.inverse.as_ref().map(|i| i.mul_point(p))
    }

    /// The local rotation `q` of the source, turned by a small `turn` in model space, under the decoded parent.
    fn rotation(&self, turn: V3, q: Q4) -> Option<Q4> {
        let inverse = self.inverse.as_ref()?;
        // decoded⁻¹ · turn · source, which is nearly the identity: its turning part is what is not symmetric.
        let c = self.source.columns.map(|c| inverse.mul_vector(c + turn.cross(c)));
        let w = V3::new(c[1].z - c[2].y, c[2].x - c[0].z, c[0].y - c[1].x) * 0.5;
        // Parents of little size in one direction can make this anything.
        if !w.is_finite() || w.length() > 0.5 {
            return None;
        }
        let turn = Q4::new(w.x * 0.5, w.y * 0.5, w.z * 0.5, 1.0).normalize();
        Some((turn * q).normalize())
    }
}

/// What shows a joint's rotation: its own points, and what is rigid with it.
struct Points<'a> {
    own: usize,
    few: &'a [V3],
    rigid: &'a [Point],
    precision: &'a [f64],
    limits: PassLimits,
    piece: &'a Piece,
}

impl Points<'_> {
    fn source(&self, r: usize, joint: usize) -> &M34 {
        &self.piece.models[joint * self.piece.rows + r]
    }

    /// The error of the joint itself, in precisions.
    fn own_error(&self, r: usize, model: &M34) -> f64 {
        let off = model.minus(self.source(r, self.own));
        let worst = self.few.iter().fold(0.0, |worst, p| larger(off.mul_point(*p).length(), worst));
        worst / self.precision[self.own]
    }

    /// True if everything that depends on this model matrix is within its limit.
    fn fit(&self, r: usize, model: &M34) -> bool {
        let off = model.minus(self.source(r, self.own));
        let own = self.limits.shell * self.precision[self.own];
        self.few.iter().all(|p| off.mul_point(*p).length() <= own)
            && self.rigid.iter().all(|p| {
                let at = model.mul_point(p.at);
                let source = self.source(r, p.joint);
                let (to, share) = match p.own {
                    None => (source.columns[3], self.limits.origin),
                    Some(own) => (source.mul_point(own), self.limits.shell),
                };
                (at - to).length() <= share * self.precision[p.joint]
            })
    }

    /// The small rotation that brings rigid origins nearest to their places when the joint's own is off.
    fn turn(&self, r: usize, off: V3, source: &M34) -> V3 {
        if self.rigid.is_empty() {
            return V3::ZERO;
        }
        // Least squares: the sum of |off + turn × arm|² over the points. The joint's own points resist turning.
        let squares: f64 = self.few.iter().map(|p| p.dot(*p)).sum();
        let own = 2.0 * squares * source.stretch() * source.stretch();
        let (mut xx, mut yy, mut zz) = (own, own, own);
        let (mut xy, mut xz, mut yz) = (0.0, 0.0, 0.0);
        let mut b = V3::ZERO;
        for p in self.rigid.iter().filter(|p| p.own.is_none()) {
            let arm = self.source(r, p.joint).columns[3] - source.columns[3];
            let squared = arm.dot(arm);
            xx += squared - arm.x * arm.x;
            yy += squared - arm.y * arm.y;
            zz += squared - arm.z * arm.z;
            xy -= arm.x * arm.y;
            xz -= arm.x * arm.z;
            yz -= arm.y * arm.z;
            b = b - arm.cross(off);
        }
        let m = M34 { columns: [V3::new(xx, xy, xz), V3::new(xy, yy, yz), V3::new(xz, yz, zz), V3::ZERO] };
        m.inverse().map_or(V3::ZERO, |i| i.mul_vector(b))
    }
}

fn vector(n: [i32; 3], step: f64) -> V3 {
    V3::new(f64::from(n[0]) * step, f64::from(n[1]) * step, f64::from(n[2]) * step)
}

/// The integers around a target, the nearest first, which is left out.
fn neighbours(target: &KeyTarget) -> impl Iterator<Item = [i32; 3]> {
    let middle = target.map(nearest);
    let distance = |n: &[i32; 3]| -> f64 { (0..3).map(|c| f64::from(n[c]) - target[c]).map(|d| d * d).sum() };
    let mut all: [[i32; 3]; 27] = core::array::from_fn(|i| [i / 9, i / 3 % 3, i % 3])
        .map(|d| core::array::from_fn(|c| middle[c] + d[c] as i32 - 1));
    all.sort_by(|a, b| distance(a).total_cmp(&distance(b)));
    all.into_iter().skip(1)
}

/// The sign of a quaternion that goes on from the key before, unless that would lead too far round.
fn settle(q: Q4, centre: usize, before: &mut Option<Q4>) -> Q4 {
    let about = CENTRES[centre];
    let mut q = match before {
        Some(b) => q.near(*b),
        None => q.near(about),
    };
    // Parameters grow without bound towards a full turn from the centre.
    if about.dot(q) < -0.5 {
        q = q.scaled(-1.0);
    }
    *before = Some(q);
    q
}
