//! A document beside what it was cooked from.

use crate::{document::Document, failure::Failure, settings::CompareSettings};
use lissom::{
    math::{Mat4, Vec3},
    player::Player,
};

/// Points this far from a joint count, too: what it moves is about there.
const SHELL_M: f32 = 0.03;
/// Times a curve is measured at.
const TIMES: u32 = 160;

/// The clip that plays, as it was at the moment that is shown.
pub(crate) struct Comparison {
    models: Vec<Mat4>,
    /// Errors are to be seen as colours.
    pub colors: bool,
    pub larger: f32,
    /// The error that has the last colour, in metres.
    pub worst_m: f32,
}

impl Comparison {
    /// `None` if nothing plays, or what it was cooked from is not known.
    pub fn new(document: &Document, settings: CompareSettings) -> Result<Option<Self>, Failure> {
        let Some(clip) = document.compared() else { return Ok(None) };
        let mut models = Vec::new();
        let (origin, time_s) = (document.origin.as_ref(), document.player.time_s());
        let skeleton = document.player.skeleton();
        let there = origin.map_or(Ok(false), |o| o.models(&clip.name, time_s, skeleton, &mut models));
        if !there.map_err(|e| Failure(e.to_string()))? {
            return Ok(None);
        }
        let worst_m = clip.cooked.as_ref().map_or(0.0, |cooked| cooked.worst_m as f32);
        let CompareSettings { colors, larger, .. } = settings;
        Ok(Some(Self { models, colors, larger, worst_m }))
    }

    /// Where joints were.
    pub fn models(&self) -> &[Mat4] {
        &self.models
    }

    /// Where a point is drawn that is at `cooked` and was at `source`.
    pub fn drawn(&self, source: Vec3, cooked: Vec3) -> Vec3 {
        source + (cooked - source) * self.larger
    }

    /// From 0, no error, to 1.
    pub fn share(&self, source: Vec3, cooked: Vec3) -> f32 {
        if self.worst_m > 0.0 { ((cooked - source).length() / self.worst_m).min(1.0) } else { 0.0 }
    }

    /// The document's matrices, drawn as [`Self::drawn`] says.
    pub fn drawn_models(&self, cooked: &[Mat4]) -> Vec<Mat4> {
        let both = self.models.iter().zip(cooked);
        let moved = both.map(|(source, cooked)| {
            let at = self.drawn(source.w_axis.truncate(), cooked.w_axis.truncate());
            Mat4::from_cols(cooked.x_axis, cooked.y_axis, cooked.z_axis, at.extend(1.0))
        });
        moved.collect()
    }
}

/// How far off a clip is, over time.
pub(crate) struct ErrorCurve {
    pub clip: String,
    /// Seconds, millimetres.
    pub points: Vec<[f64; 2]>,
    /// Whose points are farthest off, where and when.
    pub worst_joint: usize,
    pub worst: [f64; 2],
}

impl ErrorCurve {
    /// Of the clip that plays; `None` as [`Comparison::new`] says.
    pub fn new(document: &Document) -> Result<Option<Self>, Failure> {
        let (Some(clip), Some(origin)) = (document.compared(), &document.origin) else { return Ok(None) };
        let mut player: Player = document.player.clone();
        player.play(&clip.name)?;
        let skeleton = document.player.skeleton().clone();
        let mut source = Vec::new();
        let mut curve = Self { clip: clip.name.clone(), points: Vec::new(), worst_joint: 0, worst: [0.0; 2] };
        for step in 0..=TIMES {
            // The end of a lap is the start of the next.
            let time_s = clip.duration_s * f64::from(step) / f64::from(TIMES) * (1.0 - 1e-9);
            player.scrub(time_s)?;
            let done = origin.models(&clip.name, time_s, &skeleton, &mut source);
            done.map_err(|e| Failure(e.to_string()))?;
            let errors = source.iter().zip(player.models()).map(|(a, b)| apart(a, b)).enumerate();
            let worst = errors.max_by(|a, b| a.1.total_cmp(&b.1));
            let Some((joint, far_m)) = worst else { return Ok(None) };
            let point = [time_s, f64::from(far_m) * 1e3];
            if point[1] > curve.worst[1] {
                (curve.worst_joint, curve.worst) = (joint, point);
            }
            curve.points.push(point);
        }
        Ok(Some(curve))
    }
}

/// The farthest that a joint, or a point along one of its axes, is from where it was: the points that the cooker looks at.
fn apart(source: &Mat4, cooked: &Mat4) -> f32 {
    let off = |point: Vec3| source.transform_point3(point).distance(cooked.transform_point3(point));
    let axes = [(Vec3::X, source.x_axis), (Vec3::Y, source.y_axis), (Vec3::Z, source.z_axis)];
    let near = axes.map(|(axis, column)| off(axis * (SHELL_M / column.truncate().length().max(1e-6))));
    near.into_iter().fold(off(Vec3::ZERO), f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_here_is_what_the_cooker_promised() {
        let mut document = Document::mannequin().unwrap();
        for clip in ["walk", "wave", "idle"] {
            document.player.play(clip).unwrap();
            let curve = ErrorCurve::new(&document).unwrap().expect("it was cooked here");
            let promised = document.clips.iter().find(|c| c.name == clip).unwrap().cooked.as_ref().unwrap();
            let (worst_mm, promised_mm) = (curve.worst[1], promised.worst_m * 1e3);
            // Fewer times and points than the cooker looks at: not above, and not far below.
            assert!(
                worst_mm <= promised_mm * 1.01 && worst_mm > promised_mm * 0.2,
                "{worst_mm} {promised_mm}"
            );
        }
    }

    #[test]
    fn errors_are_drawn_larger_than_they_are() {
        let comparison = Comparison { models: Vec::new(), colors: true, larger: 100.0, worst_m: 1e-4 };
        let (source, cooked) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 2.00005, 3.0));
        assert!((comparison.drawn(source, cooked).y - 2.005).abs() < 1e-4);
        assert!((comparison.share(source, cooked) - 0.5).abs() < 2e-3);
        assert_eq!(comparison.share(source, source), 0.0);
    }
}
