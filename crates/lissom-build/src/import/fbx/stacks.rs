//! Animation stacks, baked by `ufbx`.

use super::{BAKED, TEMP, allocator, refused};
use crate::import::{ImportError, ImportLimits, names};
use ufbx::{BakeOpts, BakeStepHandling};

/// Frames a second where the file says nothing sensible.
const RATE_HZ: f64 = 30.0;

/// An animation stack, baked.
pub(super) struct Stack {
    pub(super) place: String,
    pub(super) name: String,
    pub(super) baked: ufbx::BakedAnimRoot,
}

/// Bakes every stack: straight lines as they are, everything else at the file's frame rate.
pub(super) fn bake(file: &ufbx::Scene, all: u64) -> Result<Vec<Stack>, ImportError> {
    let mut out = Vec::new();
    let mut spent = 0;
    for (index, stack) in file.anim_stacks.into_iter().enumerate() {
        let options = BakeOpts {
            temp_allocator: allocator(all, TEMP, 0),
            // All stacks together have one share.
            result_allocator: allocator(all, BAKED, spent),
            trim_start_time: true,
            resample_rate: rate_hz(file),
            // A jump among straight lines takes a millisecond: keys closer than f32 can tell apart cannot be cooked.
            step_handling: BakeStepHandling::Default,
            ..BakeOpts::default()
        };
        let baked = ufbx::bake_anim(file, &stack.anim, options)
            .map_err(|error| refused(&error, &[], &ImportLimits::default(), all))?;
        spent = (baked.metadata.result_memory_used as u64).saturating_add(spent);
        let name = stack.element.name.to_string();
        out.push(Stack { place: names::place("animation stack", index, Some(&name)), name, baked });
    }
    Ok(out)
}

pub(super) fn rate_hz(file: &ufbx::Scene) -> f64 {
    let rate = file.settings.frames_per_second;
    if (1.0..=1000.0).contains(&rate) { rate } else { RATE_HZ }
}
