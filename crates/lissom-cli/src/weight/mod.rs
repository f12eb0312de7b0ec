//! What each joint costs in a clip, counted from the clip's own bytes as `FORMAT.md` describes them.

mod keys;
mod rows;

use anyhow::{Result, bail};
use lissom::Clip;
use lissom::clip::format::{keys as format, rows as rows_format};

/// Bytes of one joint. Fractions, because records do not end at bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct JointBytes {
    /// Translation, rotation, scale: keys in the stream.
    pub(crate) stream: [f64; 3],
    /// Its part of the jump frames.
    pub(crate) jumps: f64,
    /// Constants, and how its keys are to be decoded.
    pub(crate) tables: f64,
}

impl JointBytes {
    pub(crate) fn total(&self) -> f64 {
        self.stream.iter().sum::<f64>() + self.jumps + self.tables
    }
}

/// What each joint costs, in the skeleton's order. Header, name, masks, the places of blocks and padding belong to
/// nobody.
pub(crate) fn by_joint(clip: &Clip) -> Result<Vec<JointBytes>> {
    let bytes = clip.as_bytes();
    let words: Vec<u32> =
        bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect();
    match words[format::word::VERSION_FLAGS] as u16 {
        format::VERSION => keys::by_joint(bytes, &words),
        rows_format::VERSION => rows::by_joint(bytes, &words),
        version => bail!("bytes by joint are known for clips of versions 1 and 2; this is version {version}"),
    }
}

/// The next bits of a run of bytes, lowest first; past the end they are 0.
fn take(bytes: &[u8], at: &mut u64, bits: u32) -> u32 {
    let mut value = 0;
    for i in 0..u64::from(bits) {
        let place = *at + i;
        let byte = bytes.get((place / 8) as usize).copied().unwrap_or(0);
        value |= u32::from(byte >> (place % 8) & 1) << i;
    }
    *at += u64::from(bits);
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Stage;
    use lissom_build::{
        cook::{ClipBuilder, Effort, Form},
        mannequin::{Detail, Motion},
    };

    /// Clips of both forms, with their skeleton's names.
    fn clips(form: Form) -> Stage {
        let detail = Detail { body_m: 0.04, hand_m: 0.012 };
        let builder = ClipBuilder { effort: Effort::Fast, form, ..ClipBuilder::default() };
        Stage::mannequin(&[Motion::Walk, Motion::Wave], &detail, &builder, || {}).unwrap()
    }

    fn sum(joints: &[JointBytes], part: fn(&JointBytes) -> f64) -> f64 {
        joints.iter().map(part).sum()
    }

    #[test]
    fn every_bit_of_the_keys_has_an_owner() {
        let stage = clips(Form::Keys);
        for clip in &stage.clips {
            // `by_joint` refuses a block whose bits do not add up.
            let joints = by_joint(&clip.clip).unwrap();
            let view = clip.clip.view();
            assert_eq!(clip.clip.as_bytes()[4], 1);
            let padding = view.stream_bytes() as f64 - sum(&joints, |j| j.stream.iter().sum());
            assert!((0.0..=view.block_count() as f64 + 8.0).contains(&padding), "{padding}");
            let padding = view.jump_bytes() as f64 - sum(&joints, |j| j.jumps);
            assert!((0.0..=view.block_count() as f64 + 8.0).contains(&padding), "{padding}");
            let groups = view.joint_count().div_ceil(16);
            let nobodys = 128 + view.name().len().div_ceil(4) * 4 + groups * 24 + view.block_count() * 32;
            let padding = view.memory_bytes() as f64 - nobodys as f64 - sum(&joints, JointBytes::total);
            assert!((0.0..=2.0 * view.block_count() as f64 + 16.0).contains(&padding), "{padding}");
        }
    }

    #[test]
    fn every_bit_of_the_rows_has_an_owner() {
        let stage = clips(Form::Rows);
        for clip in &stage.clips {
            // `by_joint` refuses blocks that do not end where the next one starts, or the clip ends.
            let joints = by_joint(&clip.clip).unwrap();
            let view = clip.clip.view();
            assert_eq!(clip.clip.as_bytes()[4], 2);
            assert!(view.block_count() > 1);
            let flags = u16::from_le_bytes([clip.clip.as_bytes()[6], clip.clip.as_bytes()[7]]);
            let masks = (flags >> 3 & 63).count_ones() as usize * view.joint_count().div_ceil(16) * 2;
            let duration = if flags & rows_format::FLAG_DURATION != 0 { 8 } else { 0 };
            let steps =
                [0, 2].iter().filter(|kind| flags & rows_format::flag_constant(**kind) != 0).count() * 4;
            let first = (0..3).filter(|kind| flags & rows_format::flag_moving(*kind) != 0).count();
            let starts = (view.block_count() - 1) * 4;
            let nobodys = 44 + view.name().len() + masks + duration + steps + first + starts;
            // A byte's end for the records, two a block, and two ends of words.
            let padding = view.memory_bytes() as f64 - nobodys as f64 - sum(&joints, JointBytes::total);
            assert!((0.0..2.0 * view.block_count() as f64 + 7.0).contains(&padding), "{padding}");
            // The mannequin's hips move and turn; no joint of it grows.
            let hips = stage.skeleton.find("hips").unwrap();
            assert!(joints[hips].stream[0] > 0.0 && joints[hips].stream[1] > 0.0 && joints[hips].jumps > 0.0);
            assert!(joints.iter().all(|j| j.stream[2] == 0.0));
        }
    }

    #[test]
    fn a_joint_that_rests_costs_nothing() {
        for form in [Form::Keys, Form::Rows] {
            let stage = clips(form);
            for clip in &stage.clips {
                let joints = by_joint(&clip.clip).unwrap();
                let silent = joints.iter().filter(|j| j.total() == 0.0).count();
                let view = clip.clip.view();
                assert!(silent < joints.len());
                let moving = joints.iter().flat_map(|j| j.stream).filter(|bytes| *bytes > 0.0).count();
                assert!(moving <= view.channel_count(), "{moving} of {}", view.channel_count());
            }
        }
    }
}
