//! How coarse the steps may be: passes at several scales, then the real player and the full measurement.

use super::{
    bits,
    channels::RowsChannels,
    quantise::{Pass, PassLimits, QuantisedRows},
    samples::Samples,
};
use crate::{
    BuiltSkeleton,
    cook::{
        builder::Effort,
        error::CookError,
        proof::{ErrorMetric, ErrorReport, JointPoints, Playback},
    },
    exact::{M34, larger},
};
use lissom::clip::format::rows::Facts;

/// What is cooked, and on which rows.
pub(in crate::cook) struct RowsSearch<'a> {
    pub skeleton: &'a BuiltSkeleton,
    pub metric: &'a ErrorMetric<'a>,
    pub precision: &'a [f64],
    pub name: &'a str,
    pub looping: bool,
    pub rate: f64,
    pub rows: usize,
    pub effort: Effort,
}

/// A clip within the bound, and what was measured on it.
pub(in crate::cook) struct RowsClip {
    pub bytes: Vec<u8>,
    pub error: ErrorReport,
    pub rounds: u32,
}

/// A pass and what it would cost.
struct RowsTrial {
    scale: f64,
    codes: Vec<u8>,
    rows: QuantisedRows,
    size: usize,
    worst: f64,
}

/// Of the precision, what a channel may move by and still count as a constant.
const STILL: f64 = 0.2;
/// Of the precision, what a pass may use: the rest is for times between rows and for the player's f32. A joint's origin
/// gets less, before its own rotation adds to it.
const LIMITS: PassLimits = PassLimits { shell: 0.985, origin: 0.8, squeeze: true };

impl RowsSearch<'_> {
    /// `None` if rows cannot hold the clip: steps or integers would be beyond the format.
    pub fn cook(&self) -> Result<Option<RowsClip>, CookError> {
        // A loop ends where it began: its last row need not be stored, if the source keeps that promise.
        if self.looping && self.rows > 2 {
            let round = self.cook_rows(self.rows - 1)?;
            if round.is_some() {
                return Ok(round);
            }
        }
        self.cook_rows(self.rows)
    }

    fn cook_rows(&self, stored: usize) -> Result<Option<RowsClip>, CookError> {
        if stored < self.rows && !self.ends_as_it_began() {
            return Ok(None);
        }
        let samples = Samples::new(self.metric, self.rate, stored);
        let channels = RowsChannels::new(&samples, self.precision, STILL);
        let mut search = StepSearch { clip: self, samples: &samples, channels: &channels, rounds: 0 };
        let Some(mut best) = search.run() else { return Ok(None) };
        let mut limits = LIMITS;
        let (mut nearest, mut stuck) = (f64::INFINITY, 0);
        for _ in 0..ROUNDS {
            let Some(bytes) = self.write(&channels, &best) else { return Ok(None) };
            let (error, ratio) = self.measure(&bytes)?;
            if ratio <= 1.0 {
                return Ok(Some(RowsClip { bytes, error, rounds: search.rounds }));
            }
            // What finer steps do not bring nearer lies between the rows.
            if ratio > nearest * 0.97 {
                stuck += 1;
                if stuck == STUCK {
                    return Ok(None);
                }
            } else {
                (nearest, stuck) = (ratio, 0);
            }
            let shrink = if ratio.is_finite() { larger(0.995 / ratio, 0.5) } else { 0.5 };
            limits.shell *= shrink;
            limits.origin *= shrink;
            let Some(next) = search.trial(best.scale * shrink, limits) else { return Ok(None) };
            best = next;
        }
        Ok(None)
    }

    /// True if the last pose is the first one again, to a small part of the precision.
    fn ends_as_it_began(&self) -> bool {
        let n = self.precision.len();
        let (mut first, mut last) = (vec![M34::IDENTITY; n], vec![M34::IDENTITY; n]);
        self.metric.source_models(0.0, &mut first);
        self.metric.source_models(self.metric.source().duration_s, &mut last);
        let near = |((a, b), (points, precision)): ((&M34, &M34), (&JointPoints, &f64))| {
            let origin = (a.columns[3] - b.columns[3]).length();
            let off = a.minus(b);
            let turned = points.few().iter().map(|p| off.mul_vector(*p).length()).fold(0.0, larger);
            origin + turned <= 0.1 * precision
        };
        first.iter().zip(&last).zip(self.metric.points().iter().zip(self.precision)).all(near)
    }

    fn write(&self, channels: &RowsChannels, trial: &RowsTrial) -> Option<Vec<u8>> {
        let facts = Facts {
            name: self.name,
            looping: self.looping,
            skeleton: self.skeleton.skeleton.identity(),
            joints: self.precision.len(),
            rows: self.rows,
            round: trial.rows.count < self.rows,
            rate: self.rate,
            duration_s: self.metric.source().duration_s,
            constants: Default::default(),
        };
        let bytes = bits::write(channels, &trial.rows.keys, &trial.codes, facts)?;
        debug_assert!(bytes.len() >= trial.size);
        Some(bytes)
    }

    /// The full measurement of what the player decodes, and the worst error in precisions.
    fn measure(&self, bytes: &[u8]) -> Result<(ErrorReport, f64), CookError> {
        let mut played = Playback::new(bytes.to_vec(), self.skeleton)?;
        let times: Vec<f64> = (0..self.rows).map(|r| r as f64 / self.rate).collect();
        let error = self.metric.measure(&times, |t, out| played.pose(t, out))?;
        let ratios = error.joints.iter().zip(self.precision).map(|(e, p)| e.worst() / p);
        let ratio = ratios.fold(0.0, larger);
        Ok((error, ratio))
    }
}

/// Measurements after which a bound that still does not hold cannot be held.
const ROUNDS: u32 = 24;
/// The same, where none was better than those before it.
const STUCK: u32 = 3;

/// The search for the coarsest steps.
struct StepSearch<'a> {
    clip: &'a RowsSearch<'a>,
    samples: &'a Samples<'a>,
    channels: &'a RowsChannels,
    rounds: u32,
}

impl StepSearch<'_> {
    /// The best that was found; `None` if even the finest steps are too coarse.
    fn run(&mut self) -> Option<RowsTrial> {
        let plain = PassLimits { squeeze: false, ..LIMITS };
        let aim = plain.shell;
        // The largest scale at which plain rounding is good enough.
        let (mut low, mut high): (Option<RowsTrial>, f64) = (None, f64::INFINITY);
        let near = if self.clip.effort == Effort::Fast { 1.25 } else { 1.06 };
        let mut scale = 0.75;
        for _ in 0..40 {
            let trial = self.trial(scale, plain)?;
            if trial.worst <= aim {
                low = Some(trial);
            } else {
                high = scale;
            }
            scale = match &low {
                Some(l) if high.is_finite() && high / l.scale < near => break,
                Some(l) if high.is_finite() => (l.scale * high).sqrt(),
                Some(l) if l.scale > 1e3 => break,
                Some(l) => l.scale * 1.25,
                None => scale * 0.8,
            };
        }
        let mut best = low?;
        let top = best.scale;
        let factors: &[f64] = match self.clip.effort {
            Effort::Fast => &[0.65],
            Effort::Default => &[0.95, 0.85, 0.75, 0.65],
            Effort::Max => &[1.0, 0.9, 0.8, 0.7, 0.6],
        };
        for factor in factors {
            let trial = self.trial(top * factor, LIMITS)?;
            if trial.worst <= 1.0 && trial.size < best.size {
                best = trial;
            }
        }
        Some(best)
    }

    /// One pass at a scale; `None` if the format cannot hold it.
    fn trial(&mut self, scale: f64, limits: PassLimits) -> Option<RowsTrial> {
        self.rounds += 1;
        let codes: Option<Vec<u8>> =
            self.channels.moving.iter().map(|c| code(c.kind, scale, c.reach)).collect();
        let codes = codes?;
        let pass = Pass {
            samples: self.samples,
            channels: self.channels,
            precision: self.clip.precision,
            codes: &codes,
            limits,
        };
        let rows = pass.run();
        let size = bits::size(self.channels, &rows.keys, &codes)?;
        let worst = rows.worst.iter().copied().fold(0.0, larger);
        Some(RowsTrial { scale, codes, rows, size, worst })
    }
}

/// The code of the step at which rounding moves a channel's points by `scale` precisions at most.
fn code(kind: usize, scale: f64, reach: f64) -> Option<u8> {
    let cube = 3_f64.sqrt();
    // Rounding is off by half a step in each of three directions; an angle is four times its parameter.
    let step = if kind == 1 { scale * 0.5 / cube } else { scale * 2.0 / cube } / reach;
    let from = if kind == 1 { 0.0 } else { 64.0 };
    let code = libm::round(from - 8.0 * libm::log2(step));
    (code <= 255.0).then_some(if code > 0.0 { code as u8 } else { 0 })
}
