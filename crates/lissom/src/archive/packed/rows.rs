//! Clips of rows: their integers, each as its difference from what those before lead to expect.
//!
//! A key is expected where five simple predictions meet (the key holds, goes on, bends on, and two in
//! between), each weighed by how near it was lately. What is left is not noise: a joint is cooked against its
//! decoded parent and makes up for its rounding, so it hangs together with what was left of the components
//! and channels before. A small filter learns how, from row to row. All of it is additions, products and
//! quotients of f64, which are the same everywhere.

use super::{
    numbers::{Plain, Scaled},
    range::{Chance, Coder},
};
use crate::clip::{HeldIntegers, LaneIntegers, RowsIntegers, most_numbers};
use alloc::{string::String, vec, vec::Vec};

/// Predictions of a key.
const GUESSES: usize = 5;
/// What the filter of a component looks at.
const TAPS: usize = 9;
/// How fast it learns.
const RATE: f64 = 0.2;
/// No weight of a filter is larger.
const HEAVIEST: f64 = 4.0;

/// What was learnt from the clips before.
pub(super) struct RowsModel {
    flags: [Chance; 6],
    counts: Plain,
    letters: Plain,
    /// By kind, by what the joint before has, by what this joint has of the kind before, by what it had in
    /// the clip before: does it move; is it constant.
    classes: Vec<[Chance; 2]>,
    same_constant: [Chance; 3],
    constants: [Plain; 3],
    codes: Scaled,
    centres: [[Chance; 2]; 2],
    firsts: [Plain; 3],
    keys: Scaled,
    before: Option<Before>,
}

/// Of the clip before.
struct Before {
    skeleton: u64,
    rate: f64,
    /// Of each joint and kind.
    classes: Vec<[u8; 3]>,
    constants: Vec<[Option<[i32; 3]>; 3]>,
}

/// A joint's channel of a kind.
const REST: u8 = 0;
const CONSTANT: u8 = 1;
const MOVING: u8 = 2;
/// There is no clip before.
const UNKNOWN: u8 = 3;

impl RowsModel {
    pub fn new() -> Self {
        Self {
            flags: [Chance::EVEN; 6],
            counts: Plain::NEW,
            letters: Plain::NEW,
            classes: vec![[Chance::EVEN; 2]; 3 * 3 * 3 * 4],
            same_constant: [Chance::EVEN; 3],
            constants: [Plain::NEW; 3],
            codes: Scaled::new(),
            centres: [[Chance::EVEN; 2]; 2],
            firsts: [Plain::NEW; 3],
            keys: Scaled::new(),
            before: None,
        }
    }

    /// Writes the clip, or reads it: then all that `clip` says is replaced. `bytes` are those of the clip,
    /// `section` what its section is called. `None` if what was read makes no clip of this size.
    pub fn code<C: Coder>(
        &mut self,
        coder: &mut C,
        clip: &mut RowsIntegers,
        bytes: usize,
        section: &str,
    ) -> Option<()> {
        self.facts(coder, clip, section)?;
        self.channels(coder, clip, bytes)?;
        self.held(coder, clip);
        self.lanes(coder, clip);
        keys(&mut self.keys, coder, &mut clip.lanes, clip.rows.saturating_sub(usize::from(clip.round)));
        self.before = Some(Before::of(clip));
        Some(())
    }

    fn flag<C: Coder>(&mut self, coder: &mut C, which: usize, flag: bool) -> bool {
        self.flags.get_mut(which).is_some_and(|chance| coder.bit(chance, flag))
    }

    fn facts<C: Coder>(&mut self, coder: &mut C, clip: &mut RowsIntegers, section: &str) -> Option<()> {
        clip.looping = self.flag(coder, 0, clip.looping);
        clip.round = self.flag(coder, 1, clip.round);
        clip.joints = self.counts.code(coder, clip.joints as u32) as usize;
        clip.rows = self.counts.code(coder, clip.rows as u32) as usize;
        if !(1..=crate::MAX_JOINTS).contains(&clip.joints) || !(2..=i32::MAX as usize).contains(&clip.rows) {
            return None;
        }
        let (skeleton, rate) = self.before.as_ref().map_or((0, 30.0), |b| (b.skeleton, b.rate));
        if self.flag(coder, 2, clip.skeleton == skeleton) {
            clip.skeleton = skeleton;
        } else {
            clip.skeleton = long(coder, clip.skeleton);
        }
        let alike = clip.rate.to_bits() == rate.to_bits();
        clip.rate =
            if self.flag(coder, 3, alike) { rate } else { f64::from_bits(long(coder, clip.rate.to_bits())) };
        let ends = clip.rows.saturating_sub(1) as f64 / clip.rate;
        let alike = clip.duration_s.to_bits() == ends.to_bits();
        clip.duration_s = if self.flag(coder, 4, alike) {
            ends
        } else {
            f64::from_bits(long(coder, clip.duration_s.to_bits()))
        };
        if self.flag(coder, 5, clip.name == section) {
            clip.name = section.into();
            return Some(());
        }
        let mut name = core::mem::take(&mut clip.name).into_bytes();
        let length = self.letters.code(coder, name.len() as u32) as usize;
        if length > 0xffff {
            return None;
        }
        name.resize(length, 0);
        for letter in &mut name {
            *letter = coder.even(8, u32::from(*letter)) as u8;
        }
        clip.name = String::from_utf8(name).ok()?;
        Some(())
    }

    /// Which channels there are.
    fn channels<C: Coder>(&mut self, coder: &mut C, clip: &mut RowsIntegers, bytes: usize) -> Option<()> {
        // A joint takes two bits of a mask at least: what is reserved is a multiple of the bytes.
        if clip.joints > bytes.saturating_mul(8) || clip.starts_bytes() > bytes {
            return None;
        }
        let mut classes = classes_of(clip);
        let before = self.before.as_ref().map(|b| &b.classes).filter(|b| b.len() == clip.joints);
        let (mut moving, mut constant) = (0_u64, 0_u64);
        for kind in 0..3_usize {
            let mut last = REST;
            for (joint, classes) in classes.iter_mut().enumerate() {
                let other = kind.checked_sub(1).and_then(|k| classes.get(k)).copied().unwrap_or(REST);
                let known = before.and_then(|b| b.get(joint)?.get(kind)).copied().unwrap_or(UNKNOWN);
                // Numbers below 3, 3, 3 and 4: a place in the table.
                let place = kind.wrapping_mul(3).wrapping_add(last.into()).wrapping_mul(3);
                let place = place.wrapping_add(other.into()).wrapping_mul(4).wrapping_add(known.into());
                let [moves, holds] = self.classes.get_mut(place)?;
                let class = classes.get_mut(kind)?;
                *class = if coder.bit(moves, *class == MOVING) {
                    MOVING
                } else if coder.bit(holds, *class == CONSTANT) {
                    CONSTANT
                } else {
                    REST
                };
                last = *class;
                moving = moving.saturating_add(u64::from(last == MOVING));
                constant = constant.saturating_add(u64::from(last == CONSTANT));
            }
        }
        // A constant is three numbers of a byte at least.
        if constant.saturating_mul(3) > bytes as u64 {
            return None;
        }
        // Three numbers for each stored row, and at least four bytes for each channel.
        let stored = clip.stored();
        if moving.saturating_mul(3).saturating_mul(stored as u64) > most_numbers(bytes)
            || moving.saturating_mul(4) > bytes as u64
        {
            return None;
        }
        let of = |kind: usize, class: u8| {
            let all = classes.iter().enumerate();
            all.filter(move |(_, classes)| classes.get(kind) == Some(&class)).map(|(joint, _)| joint)
        };
        for (kind, held) in clip.constants.iter_mut().enumerate() {
            if of(kind, CONSTANT).count() != held.values.len() {
                *held = HeldIntegers::default();
                held.values = of(kind, CONSTANT).map(|joint| (joint, [0; 3])).collect();
            }
        }
        if moving != clip.lanes.len() as u64 {
            let lane = |(kind, joint)| LaneIntegers {
                joint,
                kind,
                keys: vec![[0; 3]; stored],
                ..LaneIntegers::default()
            };
            clip.lanes =
                (0..3).flat_map(|kind| of(kind, MOVING).map(move |joint| lane((kind, joint)))).collect();
        }
        Some(())
    }

    fn held<C: Coder>(&mut self, coder: &mut C, clip: &mut RowsIntegers) {
        let learnt = self.same_constant.iter_mut().zip(&mut self.constants);
        for ((kind, held), (same, constants)) in clip.constants.iter_mut().enumerate().zip(learnt) {
            if held.values.is_empty() {
                continue;
            }
            held.bytes = (coder.even(2, (held.bytes as u32).wrapping_sub(1)) as usize).wrapping_add(1);
            if kind != 1 {
                held.step = f32::from_bits(coder.even(32, held.step.to_bits()));
            }
            for (joint, numbers) in &mut held.values {
                let before = self.before.as_ref().and_then(|b| *b.constants.get(*joint)?.get(kind)?);
                if let Some(before) = before
                    && coder.bit(same, *numbers == before)
                {
                    *numbers = before;
                    continue;
                }
                for n in numbers {
                    *n = constants.code_signed(coder, *n);
                }
            }
        }
    }

    /// What each channel's record says.
    fn lanes<C: Coder>(&mut self, coder: &mut C, clip: &mut RowsIntegers) {
        let (mut last, mut kind) = (128_i32, 3);
        let [[high, _], [after_low, after_high]] = &mut self.centres;
        for lane in &mut clip.lanes {
            // The first of a kind is farther from the one before.
            let scale = if lane.kind == kind { 4.0 } else { 32.0 };
            kind = lane.kind;
            let step = self.codes.code(coder, scale, 0, i32::from(lane.code).wrapping_sub(last));
            lane.code = last.wrapping_add(step) as u8;
            last = i32::from(lane.code);
            if kind == 1 {
                let high = coder.bit(high, lane.centre & 2 != 0);
                let low =
                    coder.bit(if high { &mut *after_high } else { &mut *after_low }, lane.centre & 1 != 0);
                lane.centre = u32::from(high) << 1 | u32::from(low);
            }
            let Some(first) = self.firsts.get_mut(kind) else { continue };
            for n in lane.keys.first_mut().into_iter().flatten() {
                *n = first.code_signed(coder, *n);
            }
        }
    }
}

fn long<C: Coder>(coder: &mut C, v: u64) -> u64 {
    let low = coder.even(32, v as u32);
    u64::from(coder.even(32, (v >> 32) as u32)) << 32 | u64::from(low)
}

/// What each joint has of each kind.
fn classes_of(clip: &RowsIntegers) -> Vec<[u8; 3]> {
    let mut classes = vec![[REST; 3]; clip.joints];
    let mut set = |joint: usize, kind: usize, class: u8| {
        if let Some(found) = classes.get_mut(joint).and_then(|kinds| kinds.get_mut(kind)) {
            *found = class;
        }
    };
    for (kind, held) in clip.constants.iter().enumerate() {
        held.values.iter().for_each(|(joint, _)| set(*joint, kind, CONSTANT));
    }
    clip.lanes.iter().for_each(|lane| set(lane.joint, lane.kind, MOVING));
    classes
}

impl Before {
    fn of(clip: &RowsIntegers) -> Self {
        let mut constants = vec![[None; 3]; clip.joints];
        for (kind, held) in clip.constants.iter().enumerate() {
            for (joint, numbers) in &held.values {
                if let Some(found) = constants.get_mut(*joint).and_then(|kinds| kinds.get_mut(kind)) {
                    *found = Some(*numbers);
                }
            }
        }
        Self { skeleton: clip.skeleton, rate: clip.rate, classes: classes_of(clip), constants }
    }
}

/// What is known of a component of a channel.
#[derive(Clone, Copy)]
struct Component {
    /// How far each prediction was off lately.
    off: [f64; GUESSES],
    /// How large what was coded was, lately and on the whole.
    lately: f64,
    on_the_whole: f64,
    /// What the predictions left, the last three rows.
    left: [f64; 3],
    weights: [f64; TAPS],
}

/// All keys but the first of each channel, row by row.
fn keys<C: Coder>(model: &mut Scaled, coder: &mut C, lanes: &mut [LaneIntegers], rows: usize) {
    let new = Component {
        off: [4.0; GUESSES],
        lately: 2.0,
        on_the_whole: 2.0,
        left: [0.0; 3],
        weights: [0.0; TAPS],
    };
    let mut states = vec![[new; 3]; lanes.len()];
    // A clip without channels may have any number of rows.
    let rows = if lanes.is_empty() { 0 } else { rows };
    for row in 1..rows {
        // What was left of the two channels before, in this row.
        let (mut one, mut two) = ([0.0; 3], [0.0; 3]);
        let mut size = 2.0;
        for (lane, states) in lanes.iter_mut().zip(&mut states) {
            // A channel has a key for every row.
            let Some((past, [key, ..])) = lane.keys.split_at_mut_checked(row) else { continue };
            let before = |rows: usize| past.get(row.saturating_sub(rows)).copied().unwrap_or_default();
            let past = before(1).into_iter().zip(before(2)).zip(before(3));
            let mut own = [0.0; 3];
            for (c, (((key, state), ((k1, k2), k3)), two)) in
                key.iter_mut().zip(states).zip(past).zip(two).enumerate()
            {
                let guesses = guess(f64::from(k1), f64::from(k2), f64::from(k3));
                let expected = state.expected(&guesses);
                let looks = [
                    state.left[0],
                    state.left[1],
                    state.left[2],
                    own[0],
                    own[1],
                    one[0],
                    one[1],
                    one[2],
                    two,
                ];
                let refined = expected + state.filtered(&looks);
                let nearest = round(refined);
                let lean = match refined - nearest {
                    part if part > 0.15 => 1,
                    part if part < -0.15 => 2,
                    _ => 0,
                };
                if row == 1 {
                    (state.lately, state.on_the_whole) = (size, size);
                }
                let scale = 0.5 * (state.lately + state.on_the_whole);
                let nearest = nearest as i32;
                let rest = model.code(coder, scale, lean, key.wrapping_sub(nearest));
                *key = nearest.wrapping_add(rest);

                let (key, rest) = (f64::from(*key), f64::from(rest.unsigned_abs()));
                state.learn_size(row, rest, size);
                if row == 1 {
                    size = 0.5 * (size + rest);
                }
                state.learn_filter(&looks, key - refined);
                let left = key - expected;
                if let Some(own) = own.get_mut(c) {
                    *own = left;
                }
                state.left = [left, state.left[0], state.left[1]];
                for (off, guess) in state.off.iter_mut().zip(guesses) {
                    let far = key - guess;
                    *off += 0.15 * (if far < 0.0 { -far } else { far } - *off);
                }
            }
            (one, two) = (own, one);
        }
    }
}

/// Where the next key may be, after these: the last one first.
fn guess(one: f64, two: f64, three: f64) -> [f64; GUESSES] {
    let step = one - two;
    let bend = step - (two - three);
    [one, one + 0.5 * step, one + step, one + step + 0.5 * bend, one + step + bend]
}

impl Component {
    /// The predictions' mean, the nearer ones weighed more: by the fifth power.
    fn expected(&self, guesses: &[f64; GUESSES]) -> f64 {
        let (mut sum, mut weights) = (0.0, 0.0);
        for (guess, off) in guesses.iter().zip(&self.off) {
            let near = 1.0 / (off + 0.3);
            let square = near * near;
            let weight = square * square * near;
            sum += weight * guess;
            weights += weight;
        }
        sum / weights
    }

    fn filtered(&self, looks: &[f64; TAPS]) -> f64 {
        looks.iter().zip(&self.weights).fold(0.0, |sum, (look, weight)| sum + look * weight)
    }

    #[allow(
        clippy::manual_clamp,
        reason = "written out, as everywhere: what a clamp makes of NaN is its own affair"
    )]
    fn learn_filter(&mut self, looks: &[f64; TAPS], missed: f64) {
        let power = looks.iter().fold(1.0, |sum, look| sum + look * look);
        let step = RATE * missed / power;
        for (weight, look) in self.weights.iter_mut().zip(looks) {
            *weight += step * look;
            if *weight > HEAVIEST {
                *weight = HEAVIEST;
            }
            if *weight < -HEAVIEST {
                *weight = -HEAVIEST;
            }
        }
    }

    fn learn_size(&mut self, row: usize, rest: f64, expected: f64) {
        if row == 1 {
            self.lately = 0.7 * rest + 0.3 * expected;
            self.on_the_whole = self.lately;
        } else {
            self.lately += 0.35 * (rest - self.lately);
            let share = if row < 12 { 1.0 / row as f64 } else { 0.08 };
            self.on_the_whole += share * (rest - self.on_the_whole);
        }
    }
}

/// The nearest whole number that an integer of 32 bits holds.
fn round(v: f64) -> f64 {
    let half = if v < 0.0 { -0.5 } else { 0.5 };
    f64::from((v + half) as i32)
}

#[cfg(test)]
mod tests {
    use super::{
        super::range::{Decoder, Encoder},
        *,
    };

    /// What comes back from what was coded, where the section is said to have this size.
    fn read_back(clip: &RowsIntegers, bytes: usize) -> Option<RowsIntegers> {
        let mut coder = Encoder::new();
        RowsModel::new().code(&mut coder, &mut clip.clone(), usize::MAX, "clip")?;
        let coded = coder.finish();
        let mut read = RowsIntegers::default();
        RowsModel::new().code(&mut Decoder::new(&coded), &mut read, bytes, "clip").map(|()| read)
    }

    /// A few coded bytes say how many rows or constants there are. Nothing is reserved for more than the section can hold.
    #[test]
    fn more_than_a_section_can_hold_is_refused_before_it_is_reserved() {
        let clip =
            RowsIntegers { name: "clip".into(), joints: 1, rows: 1600, rate: 30.0, ..Default::default() };
        let starts = clip.starts_bytes();
        assert_eq!(starts, 99 * 4);
        assert_eq!(read_back(&clip, starts).map(|clip| clip.rows), Some(1600));
        assert_eq!(read_back(&clip, starts - 1), None);
        let endless = RowsIntegers { rows: i32::MAX as usize, ..clip.clone() };
        assert_eq!(read_back(&endless, 1 << 20), None, "half a gigabyte of starts");
        let mut held = RowsIntegers { joints: 900, rows: 2, ..clip };
        held.constants[1] = HeldIntegers {
            bytes: 1,
            values: (0..900).map(|joint| (joint, [1; 3])).collect(),
            ..Default::default()
        };
        assert!(read_back(&held, 2700).is_some() && read_back(&held, 2699).is_none());
    }
}
