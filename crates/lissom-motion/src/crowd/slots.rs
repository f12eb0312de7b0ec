//! The members of one task: a slice of every list of the crowd.

use super::{
    Member,
    members::{Care, Mind},
    mixes::{MixHead, MixedClip, MixedLayer, SlotMix},
    palette::PalettesMut,
};
use crate::{RootStep, decide::Decisions};
use core::mem;
use lissom::math::Mat4;

/// Some members: a slice of every list, all of them disjoint from those of other pieces.
pub(super) struct Slots<'a> {
    /// The index of the first.
    pub first: usize,
    pub joints: usize,
    pub generations: &'a [u32],
    pub minds: &'a mut [Mind],
    pub places: &'a mut [RootStep],
    pub cares: &'a mut [Care],
    pub steps: &'a mut [RootStep],
    /// As many a member as there are joints, or none at all.
    pub models: &'a mut [Mat4],
    /// Likewise: what members at a divided rate move to.
    pub targets: &'a mut [Mat4],
    /// Weights of morph targets: the same number per member, or none at all.
    pub morphs: &'a mut [f32],
    pub morphs_each: usize,
    pub mix_heads: &'a mut [MixHead],
    pub mix_clips: &'a mut [MixedClip],
    pub mix_layers: &'a mut [MixedLayer],
    /// Entries and layers a slot.
    pub mix_each: (usize, usize),
    pub palettes: Option<PalettesMut<'a>>,
    /// One a member, or none at all.
    pub decisions: &'a mut [Option<(Member, Decisions)>],
    /// One a member, or none at all: for who is recorded, a hash of what it is mixed from.
    pub recorded_mixes: &'a mut [Option<u32>],
}

impl<'a> Slots<'a> {
    /// What is written of the mix of the i-th; `None` where mixes are not written.
    pub fn mix(&mut self, i: usize) -> Option<SlotMix<'_>> {
        Some(self.mix_and_minds(i)?.0)
    }

    /// The same beside the members' minds.
    pub fn mix_and_minds(&mut self, i: usize) -> Option<(SlotMix<'_>, &[Mind])> {
        let (clips, layers) = self.mix_each;
        let mix = SlotMix {
            head: self.mix_heads.get_mut(i)?,
            clips: self.mix_clips.get_mut(i * clips..(i + 1) * clips)?,
            layers: self.mix_layers.get_mut(i * layers..(i + 1) * layers)?,
        };
        Some((mix, self.minds))
    }

    /// Cuts the first `count` off.
    pub fn cut(&mut self, count: usize) -> Self {
        fn cut<'a, T>(all: &mut &'a mut [T], at: usize) -> &'a mut [T] {
            let (head, tail) = mem::take(all).split_at_mut(at);
            *all = tail;
            head
        }
        let joints = self.joints;
        let (generations, others) = self.generations.split_at(count);
        self.generations = others;
        let matrices = if self.models.is_empty() { 0 } else { count * joints };
        let targets = if self.targets.is_empty() { 0 } else { count * joints };
        let morphs = if self.morphs.is_empty() { 0 } else { count * self.morphs_each };
        let mixes = if self.mix_heads.is_empty() { 0 } else { count };
        let (clips_each, layers_each) = self.mix_each;
        let palettes = self.palettes.take().map(|palettes| {
            let (head, tail) = palettes.split_at(count * joints);
            self.palettes = Some(tail);
            head
        });
        let remembered = if self.decisions.is_empty() { 0 } else { count };
        let recorded = if self.recorded_mixes.is_empty() { 0 } else { count };
        let first = self.first;
        self.first += count;
        Self {
            first,
            joints,
            generations,
            minds: cut(&mut self.minds, count),
            places: cut(&mut self.places, count),
            cares: cut(&mut self.cares, count),
            steps: cut(&mut self.steps, count),
            models: cut(&mut self.models, matrices),
            targets: cut(&mut self.targets, targets),
            morphs: cut(&mut self.morphs, morphs),
            morphs_each: self.morphs_each,
            mix_heads: cut(&mut self.mix_heads, mixes),
            mix_clips: cut(&mut self.mix_clips, mixes * clips_each),
            mix_layers: cut(&mut self.mix_layers, mixes * layers_each),
            mix_each: self.mix_each,
            palettes,
            decisions: cut(&mut self.decisions, remembered),
            recorded_mixes: cut(&mut self.recorded_mixes, recorded),
        }
    }
}
