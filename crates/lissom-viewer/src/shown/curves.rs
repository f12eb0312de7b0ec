//! What a joint does in a clip, and where its keys are.

use lissom::{
    Skeleton,
    clip::{ChannelKind, Clip, Cursor, SampleTime},
    job::{JobError, SampleJob},
    math::soa,
};
use std::ops::ControlFlow;

/// Curves of one joint in one clip.
pub(crate) struct Curves {
    clip: u64,
    joint: usize,
    /// Rotation x, y, z, w; translation x, y, z; scale x, y, z.
    pub lines: [Vec<[f64; 2]>; 10],
    /// Keys of rotation, translation, scale.
    pub keys: [Vec<f64>; 3],
}

/// Times a curve is sampled at, at most.
const SAMPLES: usize = 400;

impl Curves {
    pub fn new(skeleton: &Skeleton, clip: &Clip, joint: usize) -> Result<Self, JobError> {
        let view = clip.view();
        let mut keys: [Vec<f64>; 3] = Default::default();
        // A stream that is not whole does not come here: documents are.
        let _ = view.visit_keys(&mut |key| {
            if key.joint == joint {
                let kind = match key.kind {
                    ChannelKind::Rotation => 0,
                    ChannelKind::Translation => 1,
                    ChannelKind::Scale => 2,
                };
                keys[kind].push(view.row_time_s(key.row));
            }
            ControlFlow::Continue(())
        });
        let mut cursor = Cursor::with_room_for(view);
        let mut pose = skeleton.rest_pose().to_vec();
        let mut lines: [Vec<[f64; 2]>; 10] = Default::default();
        for step in 0..=SAMPLES {
            let time_s = view.duration_s() * step as f64 / SAMPLES as f64;
            SampleJob::new(skeleton, view, &mut cursor, &mut pose).at(SampleTime::Clamped(time_s)).run()?;
            let local = soa::lane(&pose, joint);
            let (r, t, s) = (local.rotation, local.translation, local.scale);
            for (line, value) in lines.iter_mut().zip([r.x, r.y, r.z, r.w, t.x, t.y, t.z, s.x, s.y, s.z]) {
                line.push([time_s, f64::from(value)]);
            }
        }
        Ok(Self { clip: view.identity(), joint, lines, keys })
    }

    /// True if they are of this joint in this clip.
    pub fn are_of(&self, clip: &Clip, joint: usize) -> bool {
        (self.clip, self.joint) == (clip.view().identity(), joint)
    }

    /// The value of a curve between its samples.
    pub fn value_at(&self, line: usize, time_s: f64) -> f64 {
        value_at(&self.lines[line], time_s)
    }
}

/// A curve between its samples.
fn value_at(line: &[[f64; 2]], time_s: f64) -> f64 {
    let after = line.partition_point(|p| p[0] < time_s).min(line.len() - 1);
    let (a, b) = (line[after.saturating_sub(1)], line[after]);
    let share = if b[0] > a[0] { ((time_s - a[0]) / (b[0] - a[0])).clamp(0.0, 1.0) } else { 1.0 };
    a[1] + (b[1] - a[1]) * share
}
