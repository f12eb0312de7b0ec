//! What of a clip does not move: its constants over the rest pose, made once and shared by all who play it.
//!
//! It is a pose, so sampling copies it and puts the moving channels over the copy. Without it (a [`lean`
//! view](super::ClipView::lean), a `no_std` build, a skeleton of so few joints that whole groups would be more than
//! 48 bytes a joint) the same kernel writes the same pose into the output, in every frame.

use lissom_math::soa::SoaTransform;
#[cfg(feature = "std")]
use {
    alloc::boxed::Box,
    lissom_math::soa::group_count,
    std::sync::{Mutex, OnceLock},
};

/// The most it takes, in bytes a joint.
#[cfg(feature = "std")]
const MOST_BYTES: usize = 48;

/// The pose, once somebody has sampled the clip.
#[derive(Debug, Default)]
pub(crate) struct Still {
    #[cfg(feature = "std")]
    pose: OnceLock<Box<[SoaTransform]>>,
    /// Room for it that was made ahead: the first sample is to allocate nothing.
    #[cfg(feature = "std")]
    room: Mutex<Option<Box<[SoaTransform]>>>,
}

/// Room for the pose of so many joints, if it may be kept.
#[cfg(feature = "std")]
fn room_for(joints: usize) -> Option<Box<[SoaTransform]>> {
    let groups = group_count(joints);
    (groups * size_of::<SoaTransform>() <= MOST_BYTES * joints)
        .then(|| alloc::vec![SoaTransform::IDENTITY; groups].into())
}

#[cfg(feature = "std")]
impl Still {
    /// Makes room for a clip of so many joints.
    pub fn reserve(&self, joints: usize) {
        if self.pose.get().is_none()
            && let Ok(mut room) = self.room.lock()
            && room.is_none()
        {
            *room = room_for(joints);
        }
    }

    /// The pose; `make` writes it at the first call.
    #[inline]
    pub fn pose(&self, joints: usize, make: impl FnOnce(&mut [SoaTransform])) -> Option<&[SoaTransform]> {
        match self.pose.get() {
            Some(pose) => Some(pose),
            None => self.make(joints, make),
        }
    }

    #[cold]
    fn make(&self, joints: usize, make: impl FnOnce(&mut [SoaTransform])) -> Option<&[SoaTransform]> {
        let reserved = self.room.lock().ok().and_then(|mut room| room.take());
        let mut pose = reserved.or_else(|| room_for(joints))?;
        make(&mut pose);
        // Who came second has made the same.
        Some(self.pose.get_or_init(|| pose))
    }

    /// Bytes that are kept now.
    pub fn memory_bytes(&self) -> usize {
        self.pose.get().map_or(0, |pose| size_of_val::<[SoaTransform]>(pose))
    }
}

#[cfg(not(feature = "std"))]
impl Still {
    pub fn reserve(&self, _: usize) {}

    #[inline]
    pub fn pose(&self, _: usize, _: impl FnOnce(&mut [SoaTransform])) -> Option<&[SoaTransform]> {
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
