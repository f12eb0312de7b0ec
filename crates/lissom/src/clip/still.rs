//! What of a clip does not move: its constants over the rest pose, made once and shared by all who play it.
//!
//! It is a pose, so sampling copies it and puts the moving channels over the copy. Without it (a [`lean`
//! view](super::ClipView::lean), a `no_std` build, a skeleton of so few joints that whole groups would be
//! more than 48 bytes a joint) the same kernel writes the same pose into the output, in every frame.

use super::lanes::{PoseMut, Under, contains};
use crate::JointLod;
use alloc::boxed::Box;
use lissom_math::{
    simd::Simd,
    soa::{Lanes, SoaQuat, SoaTransform, SoaVec3},
};
#[cfg(feature = "std")]
use {
    alloc::vec,
    lissom_math::soa::group_count,
    std::sync::{Mutex, OnceLock},
};

/// The most it takes, in bytes a joint.
#[cfg(feature = "std")]
const MOST_BYTES: usize = 48;

/// Sixteen joints that are neither larger nor smaller.
const ONES: SoaVec3 = SoaVec3 { x: Lanes::splat(1.0), y: Lanes::splat(1.0), z: Lanes::splat(1.0) };

/// The pose.
#[derive(Debug)]
pub(crate) struct StillPose {
    rigid: Box<[(SoaVec3, SoaQuat)]>,
    /// `None` where all are 1, as they mostly are.
    scales: Option<Box<[SoaVec3]>>,
}

impl Under for &StillPose {
    #[inline(always)]
    fn translation(&self, group: usize) -> &SoaVec3 {
        &self.rigid[group].0
    }

    #[inline(always)]
    fn rotation(&self, group: usize) -> &SoaQuat {
        &self.rigid[group].1
    }

    #[inline(always)]
    fn scale(&self, group: usize) -> &SoaVec3 {
        match &self.scales {
            Some(scales) => &scales[group],
            None => &ONES,
        }
    }
}

/// The pose, once somebody has sampled the clip.
#[derive(Debug, Default)]
pub(crate) struct Still {
    /// `None` in it: it would be too large.
    #[cfg(feature = "std")]
    pose: OnceLock<Option<StillPose>>,
    /// Room for it that was made ahead: the first sample is to allocate nothing.
    #[cfg(feature = "std")]
    room: Mutex<Option<Room>>,
}

/// Where it is written: it has all scales.
#[derive(Debug)]
pub(crate) struct Room {
    rigid: Box<[(SoaVec3, SoaQuat)]>,
    scales: Box<[SoaVec3]>,
}

impl PoseMut for Room {
    #[inline(always)]
    fn groups(&self) -> usize {
        self.rigid.len()
    }

    #[inline(always)]
    fn group_mut(&mut self, group: usize) -> (&mut SoaVec3, &mut SoaQuat, &mut SoaVec3) {
        let (translation, rotation) = &mut self.rigid[group];
        (translation, rotation, &mut self.scales[group])
    }
}

#[cfg(feature = "std")]
impl Room {
    /// Room for this number of joints, if a pose without scales may be kept.
    fn new(joints: usize) -> Option<Self> {
        let (groups, one) = (group_count(joints), SoaTransform::IDENTITY);
        (groups * size_of::<(SoaVec3, SoaQuat)>() <= MOST_BYTES * joints).then(|| Self {
            rigid: vec![(one.translation, one.rotation); groups].into(),
            scales: vec![ONES; groups].into(),
        })
    }

    /// The pose that was written, if it may be kept.
    fn into_pose(self, joints: usize) -> Option<StillPose> {
        let Self { rigid, scales } = self;
        let pose = StillPose { rigid, scales: scales.iter().any(|s| *s != ONES).then_some(scales) };
        (pose.bytes() <= MOST_BYTES * joints).then_some(pose)
    }
}

#[cfg(feature = "std")]
impl StillPose {
    fn bytes(&self) -> usize {
        size_of_val::<[_]>(&self.rigid) + self.scales.as_deref().map_or(0, size_of_val::<[_]>)
    }
}

#[cfg(feature = "std")]
impl Still {
    /// Makes room for a clip of this number of joints.
    pub fn reserve(&self, joints: usize) {
        if self.pose.get().is_none()
            && let Ok(mut room) = self.room.lock()
            && room.is_none()
        {
            *room = Room::new(joints);
        }
    }

    /// The pose; `make` writes it at the first call.
    #[inline]
    pub fn pose(&self, joints: usize, make: impl FnOnce(&mut Room)) -> Option<&StillPose> {
        match self.pose.get() {
            Some(pose) => pose.as_ref(),
            None => self.make(joints, make),
        }
    }

    #[cold]
    fn make(&self, joints: usize, make: impl FnOnce(&mut Room)) -> Option<&StillPose> {
        let reserved = self.room.lock().ok().and_then(|mut room| room.take());
        let pose = reserved.or_else(|| Room::new(joints)).and_then(|mut room| {
            make(&mut room);
            room.into_pose(joints)
        });
        // Who came second has made the same.
        self.pose.get_or_init(|| pose).as_ref()
    }

    /// Bytes that are kept now.
    pub fn memory_bytes(&self) -> usize {
        self.pose.get().and_then(Option::as_ref).map_or(0, StillPose::bytes)
    }
}

#[cfg(not(feature = "std"))]
impl Still {
    pub fn reserve(&self, _: usize) {}

    #[inline]
    pub fn pose(&self, _: usize, _: impl FnOnce(&mut Room)) -> Option<&StillPose> {
        None
    }

    pub fn memory_bytes(&self) -> usize {
        0
    }
}

impl Clone for Still {
    /// A copy starts without: it is made again where it is needed.
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The constants of one kind of channel, taken group after group. Each form stores them in its own way.
pub(super) trait Constants {
    /// Passes the constants of a group.
    fn skip(&mut self, group: usize);

    /// The vectors of a group: its constants over the rest pose.
    fn vectors<S: Simd>(&mut self, s: S, group: usize, rest: &SoaVec3, out: &mut SoaVec3);

    /// The rotations of a group: its constants over the rest pose.
    fn rotations<S: Simd>(&mut self, s: S, group: usize, rest: &SoaQuat, out: &mut SoaQuat);
}

/// Writes every group that the level of detail asks for, moving channels at rest. `kinds` are translations,
/// rotations and scales.
#[inline(always)]
pub(super) fn write_still<S: Simd>(
    s: S,
    mut kinds: [impl Constants; 3],
    rest: &[SoaTransform],
    lod: Option<&JointLod>,
    out: &mut (impl PoseMut + ?Sized),
) {
    for (group, rest) in rest[..rest.len().min(out.groups())].iter().enumerate() {
        let [t, r, k] = &mut kinds;
        if lod.is_some_and(|lod| !contains(lod, group)) {
            t.skip(group);
            r.skip(group);
            k.skip(group);
            continue;
        }
        let (translation, rotation, scale) = out.group_mut(group);
        t.vectors(s, group, &rest.translation, translation);
        r.rotations(s, group, &rest.rotation, rotation);
        k.vectors(s, group, &rest.scale, scale);
    }
}
