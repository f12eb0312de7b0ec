//! A clip that exists already.

use super::{
    builder::ClipBuilder,
    error::CookError,
    proof::Playback,
    report::{CookReport, CookedClip},
};
use crate::{BuiltSkeleton, raw::RawAnimation};

impl ClipBuilder {
    /// Measures a clip of this animation that exists already: it is taken as it is, if it is for this skeleton and
    /// within the precision.
    ///
    /// # Errors
    ///
    /// What is wrong with the animation, the options or the clip.
    pub fn keep(
        &self,
        skeleton: &BuiltSkeleton,
        animation: &RawAnimation,
        bytes: &[u8],
    ) -> Result<Option<CookedClip>, CookError> {
        let (_, precision) = self.check(skeleton, animation)?;
        let metric = self.metric(skeleton, animation)?;
        let mut played = Playback::new(bytes.to_vec(), skeleton)?;
        let identity = skeleton.skeleton.identity();
        if played.clip.view().skeleton_identity() != identity {
            return Ok(None);
        }
        let times: Vec<f64> = {
            let view = played.clip.view();
            (0..view.row_count()).map(|row| view.row_time_s(row)).collect()
        };
        let error = metric.measure(&times, |time_s, out| played.pose(time_s, out))?;
        // NaN is not within anything.
        let within = error.joints.iter().zip(&precision).all(|(found, allowed)| found.worst() <= *allowed);
        let view = played.clip.view();
        let keys = view.key_count() + view.constant_count() as u64;
        let report = CookReport::new(animation, metric.source(), view, keys, (error, within), 0);
        Ok(within.then_some(CookedClip { bytes: played.bytes, report }))
    }
}
