//! Times and heads as whole numbers.
//!
//! What goes on by itself, the age of a state and its head, is a sum over steps. Whole numbers add up to the same sum however time was
//! cut into steps, so a character may be brought from one moment to a later one at once, with the bits of one who made every step.

use lissom::track::{Playhead, Repeat, TimeError};

/// A time, in 2⁻³² of a second. A step is rounded once, by at most 0.12 ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ticks(pub(crate) i64);

/// How fast a head moves, in 2⁻⁶⁴ of a lap a tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rate(i64);

/// A way of a head, in 2⁻⁶⁴ of a lap; negative: backward.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Laps(pub(crate) i128);

/// Where a head is: a lap, and how far into it. Played once, lap 0 is the clip, and lap 1 is its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Head {
    pub(crate) lap: i64,
    /// In 2⁻⁶⁴ of a lap.
    pub(crate) part: u64,
}

const TICKS_PER_S: f64 = (1_u64 << 32) as f64;
/// Parts of a lap.
const PARTS: f64 = (1_u128 << 64) as f64;

impl Ticks {
    pub(crate) const ZERO: Self = Self(0);
    /// Later than anything.
    pub(crate) const NEVER: Self = Self(i64::MAX);
    /// The longest step, 34 years: a longer one counts as this.
    pub(crate) const LONGEST: Self = Self(1 << 62);

    /// The nearest to a time in seconds; at most [`Ticks::LONGEST`].
    pub(crate) fn of(seconds: f64) -> Self {
        // A conversion stays within the type.
        let ticks = libm::floor(seconds * TICKS_PER_S + 0.5) as i64;
        if ticks < Self::LONGEST.0 { Self(ticks) } else { Self::LONGEST }
    }

    /// A step of an update.
    pub(crate) fn of_step(dt_s: f64) -> Result<Self, TimeError> {
        if dt_s.is_finite() && dt_s >= 0.0 {
            return Ok(Self::of(dt_s));
        }
        let allowed = "finite, at least 0; a negative speed plays backward";
        Err(TimeError { field: "dt_s", value: dt_s, allowed })
    }

    pub(crate) fn seconds(self) -> f64 {
        self.0 as f64 / TICKS_PER_S
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Rate {
    /// The nearest; no more than 2³¹ laps a second.
    pub(crate) fn of(laps_per_s: f64) -> Self {
        Self(libm::floor(laps_per_s * (PARTS / TICKS_PER_S) + 0.5) as i64)
    }

    /// The way in so many ticks.
    pub(crate) fn over(self, ticks: Ticks) -> Laps {
        Laps(i128::from(self.0) * i128::from(ticks.0))
    }
}

impl Laps {
    pub(crate) const NONE: Self = Self(0);

    pub(crate) fn of(laps: f64) -> Self {
        Self((laps * PARTS) as i128)
    }

    pub(crate) fn to_f64(self) -> f64 {
        self.0 as f64 / PARTS
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// As far the other way.
    pub(crate) fn back(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl Head {
    /// Where playing forward starts.
    pub(crate) const START: Self = Self { lap: 0, part: 0 };
    /// Where playing backward starts.
    pub(crate) const END: Self = Self { lap: 1, part: 0 };

    /// The most laps that a head goes forward or backward. Saved states are read up to the same limit.
    pub(crate) const MAX_LAP: i64 = 1 << 50;

    /// So many laps from the start.
    pub(crate) fn at(laps: f64, repeat: Repeat) -> Self {
        Self::START.gone(Laps::of(laps), repeat)
    }

    /// From here, so many laps.
    pub(crate) fn gone(self, by: Laps, repeat: Repeat) -> Self {
        let to = self.parts().saturating_add(by.0);
        match repeat {
            Repeat::Once if to <= Self::START.parts() => Self::START,
            Repeat::Once if to >= Self::END.parts() => Self::END,
            _ => {
                let most = i128::from(Self::MAX_LAP) << 64;
                let to = to.clamp(-most, most);
                Self { lap: (to >> 64) as i64, part: to as u64 }
            }
        }
    }

    /// The way from here to a later place; none to an earlier one.
    pub(crate) fn until(self, to: Self) -> Laps {
        if to > self { Laps(to.parts().saturating_sub(self.parts())) } else { Laps::NONE }
    }

    /// From the start.
    fn parts(self) -> i128 {
        i128::from(self.lap) << 64 | i128::from(self.part)
    }

    /// How far into its lap, in [0, 1): with 53 bits.
    pub(crate) fn share(self) -> f64 {
        (self.part >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In the same lap, at a share of it; at 1 the next one begins.
    pub(crate) fn seek(self, share: f64) -> Self {
        Self { part: 0, ..self }.gone(Laps::of(share), Repeat::Loop)
    }

    /// In laps from the start, as far as a number can say it.
    pub(crate) fn laps(self) -> f64 {
        self.lap as f64 + self.share()
    }

    /// On a time line whose laps have the length 1. It never falls while this one rises.
    pub(crate) fn playhead(self) -> Playhead {
        // A share is never negative.
        Playhead::new(self.lap, self.share()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_testkit::rng::Rng;

    const ALL: [Repeat; 3] = [Repeat::Once, Repeat::Loop, Repeat::PingPong];

    #[test]
    fn any_steps_lead_to_where_one_step_leads() {
        let mut rng = Rng::new(1);
        for _ in 0..2000 {
            let repeat = ALL[rng.below(3)];
            let rate = Rate::of(rng.range_f64(-3.0, 3.0));
            let start = Head::at(rng.range_f64(-2.0, 2.0), repeat);
            let (mut head, mut age) = (start, Ticks::ZERO);
            for _ in 0..rng.below(50) {
                let step = Ticks::of(rng.range_f64(0.0, 0.1));
                head = head.gone(rate.over(step), repeat);
                age = age.plus(step);
            }
            assert_eq!(head, start.gone(rate.over(age), repeat));
        }
    }

    #[test]
    fn laps_are_counted_in_both_directions_and_once_ends() {
        let quarter = Laps::of(0.25);
        let back = Laps(-quarter.0);
        assert_eq!(Head::START.gone(back, Repeat::Loop), Head { lap: -1, part: 3 << 62 });
        assert_eq!(Head::START.gone(back, Repeat::Once), Head::START);
        assert_eq!(Head::END.gone(quarter, Repeat::Once), Head::END);
        assert_eq!(Head::END.gone(back, Repeat::Once), Head { lap: 0, part: 3 << 62 });
        assert_eq!(Head::at(2.5, Repeat::PingPong), Head { lap: 2, part: 1 << 63 });
        assert_eq!(Head::at(2.5, Repeat::Loop).seek(1.0), Head { lap: 3, part: 0 });
        assert_eq!(Head { lap: -1, part: u64::MAX }.laps(), 0.0 - f64::EPSILON / 2.0);
    }

    #[test]
    fn the_fastest_goes_no_further_than_may_be_saved() {
        let far = Rate::of(1.0e300).over(Ticks::LONGEST);
        let end = Head { lap: Head::MAX_LAP, part: 0 };
        assert_eq!(Head::START.gone(far, Repeat::Loop), end);
        assert_eq!(end.gone(far, Repeat::PingPong), end);
        assert_eq!(end.gone(far.back(), Repeat::Loop).gone(far.back(), Repeat::Loop).lap, -Head::MAX_LAP);
        assert_eq!(end.gone(Laps::of(-0.5), Repeat::Loop), Head { lap: Head::MAX_LAP - 1, part: 1 << 63 });
    }

    #[test]
    fn a_head_as_a_number_is_below_one_and_never_falls() {
        let mut rng = Rng::new(2);
        assert!(Head { lap: 0, part: u64::MAX }.share() < 1.0);
        for _ in 0..2000 {
            let head = Head { lap: rng.below(5) as i64 - 2, part: rng.next_u64() };
            let next = head.gone(Laps(i128::from(rng.next_u64() >> rng.below(64))), Repeat::Loop);
            assert!(head.playhead() <= next.playhead(), "{head:?} {next:?}");
            assert_eq!(head.playhead().lap(), head.lap);
        }
    }

    #[test]
    fn seconds_are_rounded_to_the_nearest_tick() {
        for (seconds, ticks) in [(0.0, 0), (1.0, 1 << 32), (0.5 / TICKS_PER_S, 1), (0.49 / TICKS_PER_S, 0)] {
            assert_eq!(Ticks::of(seconds), Ticks(ticks));
        }
        assert_eq!(Ticks::of(f64::INFINITY), Ticks::LONGEST);
        assert_eq!(Ticks::of_step(f64::MAX), Ok(Ticks::LONGEST));
        for wrong in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Ticks::of_step(wrong).is_err(), "{wrong}");
        }
    }
}
