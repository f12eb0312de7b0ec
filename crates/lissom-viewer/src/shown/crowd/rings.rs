//! Where everybody goes: round the middle, a ring behind the other. Who shares a ring goes at one speed, so nobody meets anybody.

use lissom_build::mannequin::Motion;
use lissom_motion::RootStep;

/// What they do, slowest first.
pub(super) const GAITS: [Motion; 4] = [Motion::Idle, Motion::Walk, Motion::Jog, Motion::Run];

/// Linear.
pub(super) const COATS: [[f32; 3]; 6] = [
    [0.69, 0.64, 0.56],
    [0.42, 0.51, 0.41],
    [0.63, 0.37, 0.25],
    [0.33, 0.43, 0.56],
    [0.68, 0.51, 0.24],
    [0.46, 0.34, 0.42],
];

/// Metres from ring to ring, and from one to the next on it.
const APART_M: f64 = 1.6;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ringed {
    radius_m: f64,
    /// Where it starts, in radians.
    angle: f64,
    /// Metres a second.
    speed: f64,
    phase: f64,
}

/// The radius of a ring, and how many are on it.
fn ring(number: usize) -> (f64, usize) {
    let radius_m = APART_M * (number as f64 + 1.0);
    (radius_m, (core::f64::consts::TAU * radius_m / APART_M) as usize)
}

/// The ring of the i-th, and its place there.
fn place(mut i: usize) -> (usize, usize) {
    let mut number = 0;
    while i >= ring(number).1 {
        i -= ring(number).1;
        number += 1;
    }
    (number, i)
}

/// How far a crowd of this size reaches, in metres.
pub(super) fn radius(count: usize) -> f32 {
    ring(place(count.saturating_sub(1)).0).0 as f32
}

/// The i-th.
pub(super) fn ringed(i: usize) -> Ringed {
    let golden = |n: usize| (n as f64 * 0.618_033_988_749_895).fract();
    let (number, at) = place(i);
    let (radius_m, all) = ring(number);
    let angle = core::f64::consts::TAU * (at as f64 / all as f64 + golden(number));
    // The innermost stand and look.
    let speed = GAITS[3].speed() * if number == 0 { 0.0 } else { golden(number) };
    Ringed { radius_m, angle, speed, phase: golden(i) }
}

impl Ringed {
    /// Where it is in its steps at first, in laps.
    pub fn phase(&self) -> f64 {
        self.phase
    }

    /// Which two gaits make its speed, and how much of each.
    pub fn gaits(&self) -> [(usize, f32); 2] {
        let above = (1..GAITS.len() - 1).find(|g| self.speed <= GAITS[*g].speed()).unwrap_or(GAITS.len() - 1);
        let (low, high) = (GAITS[above - 1].speed(), GAITS[above].speed());
        let share = ((self.speed - low) / (high - low)) as f32;
        [(above - 1, 1.0 - share), (above, share)]
    }

    /// Where it stands and looks at a time in seconds.
    pub fn place(&self, time_s: f64) -> RootStep {
        let angle = self.angle + time_s * self.speed / self.radius_m;
        // Who stands looks at the middle, who goes looks ahead.
        let heading = if self.speed > 0.0 { -angle } else { -angle - core::f64::consts::FRAC_PI_2 };
        let (x, z) = (libm::cos(angle) * self.radius_m, libm::sin(angle) * self.radius_m);
        RootStep {
            translation: [x, 0.0, z],
            rotation: [0.0, libm::sin(heading * 0.5), 0.0, libm::cos(heading * 0.5)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_stands_on_anybody_at_any_time() {
        for time_s in [0.0, 3.3, 1e4] {
            let places: Vec<[f64; 3]> = (0..400).map(|i| ringed(i).place(time_s).translation).collect();
            for (i, a) in places.iter().enumerate() {
                for b in &places[..i] {
                    let apart = libm::hypot(a[0] - b[0], a[2] - b[2]);
                    assert!(apart > 0.9 * APART_M, "{apart} m");
                }
            }
        }
    }

    #[test]
    fn they_look_where_they_go() {
        for i in (0..3000).step_by(7) {
            let one = ringed(i);
            let (a, b) = (one.place(1.0), one.place(1.001));
            let way = [b.translation[0] - a.translation[0], b.translation[2] - a.translation[2]];
            let [_, s, _, c] = a.rotation;
            let look = [2.0 * s * c, c * c - s * s];
            let moved = libm::hypot(way[0], way[1]);
            assert!((moved - one.speed * 0.001).abs() < 1e-6);
            if one.speed > 0.0 {
                assert!((way[0] * look[0] + way[1] * look[1]) / moved > 0.999, "{i}");
            }
            let [(low, a), (high, b)] = one.gaits();
            let speed = GAITS[low].speed() * f64::from(a) + GAITS[high].speed() * f64::from(b);
            assert!((speed - one.speed).abs() < 1e-5 && a >= 0.0 && b >= 0.0);
        }
        assert!((radius(10_000) - 85.0).abs() < 10.0, "{}", radius(10_000));
    }
}
