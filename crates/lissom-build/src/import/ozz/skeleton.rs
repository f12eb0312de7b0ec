//! `ozz-skeleton`, version 2: joint count, length of the names, zero-terminated names, parents (i16, negative
//! for a root), then the rest pose in groups of four joints: translations x x x x y y y y z z z z, rotations,
//! scales.

use super::{ImportError, OzzObject, text};
use crate::{
    exact::{Q4, Trs, V3},
    import::bytes::Bytes,
    raw::{RawJoint, RawSkeleton},
};

/// Joints of a group.
const LANES: usize = 4;
/// Floats of a joint.
const FLOATS: usize = 10;

pub(super) fn read(bytes: &mut Bytes<'_>) -> Result<OzzObject, ImportError> {
    let start = bytes.place();
    // A joint has at least the end of its name, its parent and its floats.
    let count = bytes.count(43, "the count of joints")?;
    let chars = bytes.count(1, "the length of the names")?;
    let names_at = bytes.place();
    let names = text(bytes, chars, "the names of the joints")?;
    // Every name ends with a zero, the last too.
    let mut names: Vec<_> = names.split('\0').collect();
    if names.pop() != Some("") && count > 0 || names.len() != count {
        let reason = format!("{} zero-terminated names for {count} joints", names.len());
        return Err(ImportError::Format { place: names_at, reason });
    }
    let parents = bytes.many(count, |b| b.u16("a joint's parent"))?;
    let mut joints = Vec::with_capacity(count);
    let mut of_joint = names.iter().zip(&parents);
    for _ in 0..count.div_ceil(LANES) {
        let floats: [[f32; LANES]; FLOATS] = {
            let mut floats = [[0.0; LANES]; FLOATS];
            for four in &mut floats {
                *four = bytes.f32s("the rest pose")?;
            }
            floats
        };
        for lane in 0..LANES {
            let Some((name, parent)) = of_joint.next() else { break };
            let [tx, ty, tz, qx, qy, qz, qw, sx, sy, sz] =
                floats.map(|four| f64::from(four.get(lane).copied().unwrap_or_default()));
            let rest = Trs {
                translation: V3::new(tx, ty, tz),
                rotation: Q4::new(qx, qy, qz, qw),
                scale: V3::new(sx, sy, sz),
            };
            // i16: negative means "none".
            let parent = (*parent < 0x8000).then_some(usize::from(*parent));
            joints.push(RawJoint { name: (*name).into(), parent, rest });
        }
    }
    let skeleton = RawSkeleton { joints };
    skeleton.validate().map_err(|source| ImportError::Skeleton { place: start, source })?;
    Ok(OzzObject::Skeleton(skeleton))
}
