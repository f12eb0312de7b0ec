//! Keys of a sampler: times that rise, and as many values as they need.

use super::{
    super::{ImportError, Place},
    accessor::{Source, Values},
    budget::Budget,
    document::{Interpolation, Kind, Sampler},
};
use crate::{
    raw::{Channel, Curve, Key, Tangents, Value},
    scene::Scene,
};

/// What was odd about the channels of one animation, told once for all of them; and how far their keys go.
#[derive(Default)]
pub(super) struct Odd {
    pub(super) aimless: usize,
    pub(super) unknown: usize,
    doubled: usize,
    pub(super) unfinished: usize,
    guessed: usize,
    pub(super) last_key_s: f64,
}

impl Odd {
    pub(super) fn warn(&self, here: &str, scene: &mut Scene) {
        let texts = [
            (self.aimless, "channels have no target node; they were left out"),
            (
                self.unknown,
                "channels move something other than nodes and morph weights (KHR_animation_pointer); they were left out",
            ),
            (self.doubled, "keys have the time of the key before them; of such keys the last counts"),
            (self.unfinished, "channels have more values than their keys need; the rest was left out"),
            (self.guessed, "channels have an unknown interpolation; they were taken as LINEAR"),
        ];
        for (count, text) in texts.into_iter().filter(|(count, _)| *count > 0) {
            scene.warn(here, format!("{count} {text}"));
        }
    }
}

/// Reads the keys of one sampler.
pub(super) struct Reader<'r, 'a> {
    pub(super) source: &'r Source<'a>,
    pub(super) sampler: &'r Sampler,
    pub(super) at: &'r dyn Fn() -> String,
    pub(super) budget: &'r mut Budget,
    pub(super) odd: &'r mut Odd,
}

impl<'a> Reader<'_, 'a> {
    pub(super) fn fail(&self, reason: String) -> ImportError {
        ImportError::Format { place: Place::Path((self.at)()), reason }
    }

    /// Which keys count, and when: (index, seconds), strictly rising. Of keys at one time the last counts.
    pub(super) fn times(&mut self) -> Result<Vec<(usize, f64)>, ImportError> {
        let input = self.source.open(self.sampler.input, &[Kind::Scalar], self.budget)?;
        let at = self.at;
        self.budget.take(input.len() as u64, size_of::<(usize, f64)>(), || Place::Path(at()))?;
        let mut times: Vec<(usize, f64)> = Vec::with_capacity(input.len());
        for key in 0..input.len() {
            let [time_s] = input.get::<1>(key);
            if !time_s.is_finite() || time_s < 0.0 {
                return Err(self
                    .fail(format!("the time of key {key} is {time_s}; it must be finite and not negative")));
            }
            let before = times.last().map_or(-1.0, |(_, t)| *t);
            if time_s < before {
                return Err(self.fail(format!("the time of key {key} is {time_s}, after a key at {before}")));
            }
            if time_s == before {
                times.pop();
                self.odd.doubled = self.odd.doubled.saturating_add(1);
            }
            times.push((key, time_s));
        }
        let Some((_, last)) = times.last() else { return Err(self.fail("it has no keys".into())) };
        if *last > self.odd.last_key_s {
            self.odd.last_key_s = *last;
        }
        Ok(times)
    }

    /// The values, of which each key has `each` (three times as many for a cubic).
    pub(super) fn values(&mut self, kind: Kind, keys: usize, each: usize) -> Result<Values<'a>, ImportError> {
        let values = self.source.open(self.sampler.output, &[kind], self.budget)?;
        let factor = if self.sampler.interpolation == Interpolation::Cubic { 3 } else { 1 };
        let needed = keys.saturating_mul(each).saturating_mul(factor);
        if values.len() < needed {
            return Err(self.fail(format!("its keys need {needed} values, but there are {}", values.len())));
        }
        if values.len() > needed {
            self.odd.unfinished = self.odd.unfinished.saturating_add(1);
        }
        if self.sampler.interpolation == Interpolation::Unknown {
            self.odd.guessed = self.odd.guessed.saturating_add(1);
        }
        Ok(values)
    }

    /// A channel of a joint.
    pub(super) fn channel<V: Value>(
        &mut self,
        kind: Kind,
        make: fn([f64; 4]) -> V,
        linear: Curve,
    ) -> Result<Channel<V>, ImportError> {
        let stored = self.source.open(self.sampler.input, &[Kind::Scalar], self.budget)?.len();
        let times = self.times()?;
        let values = self.values(kind, stored, 1)?;
        // A cubic with one key is a constant: its tangents lead nowhere.
        let cubic = self.sampler.interpolation == Interpolation::Cubic && times.len() > 1;
        let each = size_of::<Key<V>>().saturating_add(if cubic { size_of::<Tangents<V>>() } else { 0 });
        let at = self.at;
        self.budget.take(times.len() as u64, each, || Place::Path(at()))?;
        let three = |key: usize| key.saturating_mul(3);
        let in_three = self.sampler.interpolation == Interpolation::Cubic;
        let mut keys = Vec::with_capacity(times.len());
        let mut tangents = Vec::with_capacity(if cubic { times.len() } else { 0 });
        for (key, time_s) in times {
            let place = if in_three { three(key).saturating_add(1) } else { key };
            let value = make(values.get::<4>(place));
            if !value.is_finite() || !value.is_valid() {
                let numbers = values.get::<4>(place);
                return Err(
                    self.fail(format!("the value of key {key} is {numbers:?}, which is no {}", what(kind)))
                );
            }
            keys.push(Key { time_s, value });
            if cubic {
                let slopes = Tangents {
                    into: make(values.get::<4>(three(key))),
                    out: make(values.get::<4>(place.saturating_add(1))),
                };
                if !slopes.into.is_finite() || !slopes.out.is_finite() {
                    return Err(self.fail(format!("a tangent of key {key} is not finite")));
                }
                tangents.push(slopes);
            }
        }
        let curve = match self.sampler.interpolation {
            Interpolation::Step => Curve::Step,
            Interpolation::Cubic if cubic => Curve::Cubic,
            Interpolation::Cubic => Curve::Step,
            Interpolation::Linear | Interpolation::Unknown => linear,
        };
        Ok(Channel { curve, keys, tangents })
    }
}

fn what(kind: Kind) -> &'static str {
    if kind == Kind::Vec4 { "rotation" } else { "vector" }
}
