//! Whole clips at once: every frame of every joint, in one array.
//!
//! What is authored is evaluated in f64, with one place a channel that moves along with the times; what is cooked is
//! played by the runtime. Model-space matrices are the runtime's in both cases, so they are those that games see.

use crate::{arrays::on_all_cores, errors::argument, places::places, skeleton::Body};
use lissom::{
    Cursor,
    job::{JobError, LocalToModelJob, SampleJob, SampleTime},
    math::{
        Mat4,
        soa::{self, GROUP, SoaTransform},
    },
};
use lissom_build::{
    exact::{M34, Trs, larger, smaller},
    raw::{RawAnimation, TrackPlace},
};
use pyo3::prelude::*;

/// The order that joints stand in.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// As the file has them.
    Raw,
    /// Parents first.
    Built,
}

impl Order {
    pub(crate) fn of(word: &str) -> PyResult<Self> {
        match word {
            "raw" => Ok(Self::Raw),
            "built" => Ok(Self::Built),
            other => Err(argument("order", format!("{other:?}"), "\"built\" or \"raw\"")),
        }
    }

    /// The slot of the output that each joint, in built order, goes to.
    fn slots(self, body: &Body) -> Vec<usize> {
        match self {
            Self::Raw => body.built.raw_of_joint.clone(),
            Self::Built => (0..body.joint_count()).collect(),
        }
    }
}

/// What is wanted of each joint.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Ten numbers in the parent's space.
    Local,
    /// 4×4, row by row, in the parent's space.
    LocalMatrix,
    /// 4×4, row by row, in model space.
    ModelMatrix,
    /// Where it stands in model space.
    Position,
}

impl Wanted {
    /// Numbers a joint.
    fn width(self) -> usize {
        match self {
            Self::Local => 10,
            Self::LocalMatrix | Self::ModelMatrix => 16,
            Self::Position => 3,
        }
    }

    /// The shape of one joint.
    pub(crate) fn shape(self) -> &'static [usize] {
        match self {
            Self::Local => &[10],
            Self::LocalMatrix | Self::ModelMatrix => &[4, 4],
            Self::Position => &[3],
        }
    }
}

/// Numbers of one type or the other.
pub(crate) enum Poses {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Translation, rotation (x, y, z, w), scale.
pub(crate) fn trs_numbers(t: &Trs) -> [f64; 10] {
    let (p, q, s) = (t.translation, t.rotation, t.scale);
    [p.x, p.y, p.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z]
}

fn exact_rows(m: &M34) -> [f64; 16] {
    let [x, y, z, t] = m.columns;
    [x.x, y.x, z.x, t.x, x.y, y.y, z.y, t.y, x.z, y.z, z.z, t.z, 0.0, 0.0, 0.0, 1.0]
}

pub(crate) fn rows(m: &Mat4) -> [f32; 16] {
    let c = m.to_cols_array();
    std::array::from_fn(|i| c[4 * (i % 4) + i / 4])
}

/// A motion as authored, at these times, which are finite.
pub(crate) fn authored(
    body: &Body,
    motion: &RawAnimation,
    times: &[f64],
    order: Order,
    wanted: Wanted,
) -> Result<Poses, JobError> {
    let (joints, width) = (body.joint_count(), wanted.width());
    let (slots, raw_of_joint) = (order.slots(body), &body.built.raw_of_joint);
    let skeleton = &body.built.skeleton;
    let frame = joints * width;
    // Times outside of the clip are its ends.
    let local = |joint: usize, time_s: f64, places: &mut [TrackPlace]| {
        let raw = raw_of_joint[joint];
        let time_s = smaller(larger(time_s, 0.0), motion.duration_s);
        let t = motion.tracks[raw].sample_onward(time_s, body.raw.joints[raw].rest, &mut places[raw]);
        // What is authored may have any length; what is played has unit length.
        Trs { rotation: t.rotation.normalize(), ..t }
    };
    if wanted == Wanted::Position {
        return Ok(Poses::F64(places(body, motion, times, &slots)));
    }
    if wanted == Wanted::ModelMatrix {
        let mut out = vec![0.0_f32; times.len() * frame];
        on_all_cores(&mut out, frame, times.len(), |first, out| {
            let mut places = vec![TrackPlace::default(); joints];
            let mut pose = skeleton.rest_pose().to_vec();
            let mut models = vec![Mat4::IDENTITY; joints];
            for (out, time_s) in out.chunks_exact_mut(frame).zip(&times[first..]) {
                for joint in 0..joints {
                    let t = local(joint, *time_s, &mut places).to_f32();
                    pose[joint / GROUP].set_lane(joint % GROUP, t);
                }
                model_matrices(skeleton, &pose, &mut models, &slots, out)?;
            }
            Ok::<(), JobError>(())
        })?;
        return Ok(Poses::F32(out));
    }
    let mut out = vec![0.0_f64; times.len() * frame];
    on_all_cores(&mut out, frame, times.len(), |first, out| {
        let mut places = vec![TrackPlace::default(); joints];
        for (out, time_s) in out.chunks_exact_mut(frame).zip(&times[first..]) {
            for joint in 0..joints {
                let t = local(joint, *time_s, &mut places);
                let out = &mut out[slots[joint] * width..][..width];
                if wanted == Wanted::Local {
                    out.copy_from_slice(&trs_numbers(&t));
                } else {
                    out.copy_from_slice(&exact_rows(&t.to_m34()));
                }
            }
        }
        Ok::<(), JobError>(())
    })?;
    Ok(Poses::F64(out))
}

/// A cooked clip at these times, which are finite.
pub(crate) fn cooked(
    body: &Body,
    clip: &lissom::Clip,
    times: &[f64],
    order: Order,
    wanted: Wanted,
) -> Result<Poses, JobError> {
    let (joints, width) = (body.joint_count(), wanted.width());
    let slots = order.slots(body);
    let skeleton = &body.built.skeleton;
    let frame = joints * width;
    let mut out = vec![0.0_f32; times.len() * frame];
    on_all_cores(&mut out, frame, times.len(), |first, out| {
        let mut cursor = Cursor::with_room_for(clip.view());
        let mut pose = skeleton.rest_pose().to_vec();
        let mut models = vec![Mat4::IDENTITY; joints];
        for (out, time_s) in out.chunks_exact_mut(frame).zip(&times[first..]) {
            let time = SampleTime::Clamped(*time_s);
            SampleJob::new(skeleton, clip.view(), &mut cursor, &mut pose).at(time).run()?;
            match wanted {
                Wanted::Local => {
                    for (joint, slot) in slots.iter().enumerate() {
                        out[slot * width..][..width].copy_from_slice(&soa::lane(&pose, joint).to_array());
                    }
                }
                Wanted::LocalMatrix => {
                    for (joint, slot) in slots.iter().enumerate() {
                        let own = soa::lane(&pose, joint).to_mat34().to_mat4();
                        out[slot * width..][..width].copy_from_slice(&rows(&own));
                    }
                }
                Wanted::ModelMatrix => model_matrices(skeleton, &pose, &mut models, &slots, out)?,
                Wanted::Position => {
                    LocalToModelJob::new(skeleton, &pose, &mut models).run()?;
                    for (model, slot) in models.iter().zip(&slots) {
                        out[slot * width..][..width].copy_from_slice(&model.to_cols_array()[12..15]);
                    }
                }
            }
        }
        Ok::<(), JobError>(())
    })?;
    Ok(Poses::F32(out))
}

/// The matrices that the runtime computes of a pose, row by row.
fn model_matrices(
    skeleton: &lissom::Skeleton,
    pose: &[SoaTransform],
    models: &mut [Mat4],
    slots: &[usize],
    out: &mut [f32],
) -> Result<(), JobError> {
    LocalToModelJob::new(skeleton, pose, &mut *models).run()?;
    for (model, slot) in models.iter().zip(slots) {
        out[slot * 16..][..16].copy_from_slice(&rows(model));
    }
    Ok(())
}
