//! What a measurement found: the worst of each joint, the mean, and what 99 of 100 errors are within.

use crate::exact::{larger, smaller};

/// What was found. Distances are in the unit of the animation's translations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorReport {
    /// The largest error at a key time.
    pub worst_at_keys: f64,
    /// The largest error between key times.
    pub worst_between: f64,
    /// The joint with the largest error of all.
    pub worst_joint: usize,
    /// When that was, in seconds.
    pub worst_time_s: f64,
    /// 99 of 100 errors, over all joints and times, are not above this (rounded up by at most 1.6 %).
    pub p99: f64,
    /// The mean over all joints and times.
    pub mean: f64,
    /// The largest errors of each joint, in skeleton order.
    pub joints: Vec<JointError>,
    /// The largest error where the source's own path is ambiguous: between two rotation keys within a
    /// degree of 180 degrees apart, for that joint and those below it. Not part of the figures above.
    pub worst_ambiguous: f64,
    /// How many errors were counted there.
    pub ambiguous_count: u64,
    /// How many times were measured.
    pub times: usize,
}

/// The largest errors of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointError {
    /// At key times.
    pub at_keys: f64,
    /// Between key times.
    pub between: f64,
}

impl JointError {
    /// The larger of the two.
    #[must_use]
    pub fn worst(self) -> f64 {
        larger(self.at_keys, self.between)
    }
}

impl ErrorReport {
    /// The largest error at any time.
    #[must_use]
    pub fn worst(&self) -> f64 {
        larger(self.worst_at_keys, self.worst_between)
    }
}

/// Octaves of the histogram: errors from 2^-60 to 2^68.
const OCTAVES: i32 = 128;
const LOWEST: i32 = -60;
/// Bins an octave: a bin is at most 1.6 % wide.
const BINS: usize = 64;

/// Adds errors up.
pub(super) struct Tally {
    report: ErrorReport,
    histogram: Vec<u64>,
    sum: f64,
    count: u64,
}

impl Tally {
    pub(super) fn new(joints: usize) -> Self {
        let report = ErrorReport { joints: vec![JointError::default(); joints], ..Default::default() };
        Self { report, histogram: vec![0; OCTAVES as usize * BINS], sum: 0.0, count: 0 }
    }

    pub(super) fn add(&mut self, time_s: f64, is_key: bool, errors: &[f64], doubtful: Option<&[bool]>) {
        let r = &mut self.report;
        r.times += 1;
        for (j, error) in errors.iter().enumerate() {
            if doubtful.is_some_and(|d| d[j]) {
                r.worst_ambiguous = larger(*error, r.worst_ambiguous);
                r.ambiguous_count += 1;
                continue;
            }
            self.sum += error;
            self.count += 1;
            self.histogram[bin_of(*error)] += 1;
            let before = larger(r.worst_at_keys, r.worst_between);
            if error.is_nan() || *error > before {
                (r.worst_joint, r.worst_time_s) = (j, time_s);
            }
            let joint = &mut r.joints[j];
            let (of_joint, of_all) = if is_key {
                (&mut joint.at_keys, &mut r.worst_at_keys)
            } else {
                (&mut joint.between, &mut r.worst_between)
            };
            *of_joint = larger(*error, *of_joint);
            *of_all = larger(*error, *of_all);
        }
    }

    pub(super) fn finish(mut self) -> ErrorReport {
        let r = &mut self.report;
        if self.count == 0 {
            return self.report;
        }
        r.mean = self.sum / self.count as f64;
        let wanted = self.count - self.count / 100;
        let mut seen = 0;
        let bin = self.histogram.iter().position(|n| {
            seen += n;
            seen >= wanted
        });
        let worst = larger(r.worst_at_keys, r.worst_between);
        let edge = bin.map_or(worst, upper_edge);
        r.p99 = smaller(edge, worst);
        self.report
    }
}

/// The bin of an error; a NaN goes to the last.
fn bin_of(error: f64) -> usize {
    let (mantissa, exponent) = libm::frexp(error);
    if error == 0.0 || exponent <= LOWEST {
        return 0;
    }
    let octave = (exponent - LOWEST - 1) as usize;
    let within = ((mantissa * 2.0 - 1.0) * BINS as f64) as usize;
    let last = OCTAVES as usize * BINS - 1;
    if error.is_finite() && octave < OCTAVES as usize { (octave * BINS + within).min(last) } else { last }
}

fn upper_edge(bin: usize) -> f64 {
    let octave = (bin / BINS) as i32 + LOWEST;
    libm::ldexp(1.0 + (bin % BINS + 1) as f64 / BINS as f64, octave)
}
