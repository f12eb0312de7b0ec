//! QVVS products 16 at a time, for equal trees that stand side by side in lanes.
//!
//! They give, lane by lane, the bits of [`Qvvs::mul`]. The child's stretch and user word stay as they are
//! in the output, so a product reads and writes only what changes.

use crate::{
    Qvs, Qvvs,
    simd::{LEN, Simd, WideQuat, WideVec3, load, store},
    soa::{GROUP, Lanes, SoaQuat, SoaVec3},
};
use bytemuck::{Pod, Zeroable};

/// 16 user words.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Words(pub [u32; GROUP]);

/// 16 local transforms: rotation, position, scale, each component its own run of lanes. 512 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SoaQvs {
    /// Unit quaternions.
    pub rotation: SoaQuat,
    /// In the parents' spaces.
    pub position: SoaVec3,
    /// Uniform scales.
    pub scale: Lanes,
}

/// 16 world transforms. 768 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SoaQvvs {
    /// Unit quaternions.
    pub rotation: SoaQuat,
    /// In the world.
    pub position: SoaVec3,
    /// The caller's own words.
    pub user: Words,
    /// Per axis, not inherited.
    pub stretch: SoaVec3,
    /// Uniform scales.
    pub scale: Lanes,
}

impl SoaQvs {
    /// The identity in every lane.
    pub const IDENTITY: Self =
        Self { rotation: SoaQuat::IDENTITY, position: SoaVec3::ZERO, scale: Lanes::splat(1.0) };

    /// The transform in lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    #[must_use]
    pub fn lane(&self, i: usize) -> Qvs {
        Qvs { rotation: self.rotation.lane(i), position: self.position.lane(i), scale: self.scale.0[i] }
    }

    /// Writes lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    pub fn set_lane(&mut self, i: usize, t: &Qvs) {
        self.rotation.set_lane(i, t.rotation);
        self.position.set_lane(i, t.position);
        self.scale.0[i] = t.scale;
    }
}

impl SoaQvvs {
    /// The identity in every lane.
    pub const IDENTITY: Self = Self {
        rotation: SoaQuat::IDENTITY,
        position: SoaVec3::ZERO,
        user: Words([0; GROUP]),
        stretch: SoaVec3::ONE,
        scale: Lanes::splat(1.0),
    };

    /// The transform in lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    #[must_use]
    pub fn lane(&self, i: usize) -> Qvvs {
        Qvvs {
            rotation: self.rotation.lane(i),
            position: self.position.lane(i),
            user: self.user.0[i],
            stretch: self.stretch.lane(i),
            scale: self.scale.0[i],
        }
    }

    /// Writes lane `i`. Panics if `i` ≥ [`GROUP`].
    #[inline]
    pub fn set_lane(&mut self, i: usize, t: &Qvvs) {
        self.rotation.set_lane(i, t.rotation);
        self.position.set_lane(i, t.position);
        self.user.0[i] = t.user;
        self.stretch.set_lane(i, t.stretch);
        self.scale.0[i] = t.scale;
    }

    /// As if the parent were the world's origin; stretch and user word stay.
    #[inline]
    pub fn copy_local(&mut self, local: &SoaQvs) {
        self.rotation = local.rotation;
        self.position = local.position;
        self.scale = local.scale;
    }

    /// `self` = `parent` · `local`, lane by lane; stretch and user word stay.
    #[inline(always)]
    pub fn set_mul<S: Simd>(&mut self, s: S, parent: &Self, local: &SoaQvs) {
        let mut at = 0;
        while at < GROUP {
            let p_rotation = WideQuat::load(s, &parent.rotation, at);
            let p_scale = load(s, &parent.scale, at);
            let reach = (WideVec3::load(s, &local.position, at) * WideVec3::load(s, &parent.stretch, at))
                .scale(p_scale);
            let position = WideVec3::load(s, &parent.position, at) + p_rotation.rotate(reach);
            let rotation = (p_rotation * WideQuat::load(s, &local.rotation, at)).normalize(s);
            rotation.store(&mut self.rotation, at);
            position.store(&mut self.position, at);
            store(p_scale * load(s, &local.scale, at), &mut self.scale, at);
            at += LEN::<S>();
        }
    }
}

impl Default for SoaQvs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Default for SoaQvvs {
    fn default() -> Self {
        Self::IDENTITY
    }
}

const _: () = assert!(size_of::<SoaQvs>() == 512 && size_of::<SoaQvvs>() == 768);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{dispatch, simd::Backend};

    /// The lane kernel on every backend against plain code, one bit off fails; lanes hold ordinary, huge,
    /// tiny, zero and NaN values.
    #[test]
    fn lanes_give_the_bits_of_the_single_product_on_every_backend() {
        let mut seed = 1_u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match seed >> 24 {
                0 => 0.0,
                1 => 1.0e30,
                2 => -1.0e-30,
                3 => f32::NAN,
                _ => (seed >> 8) as f32 / 8_388_608.0 - 1.0,
            }
        };
        for _ in 0..200 {
            let (mut parent, mut local, mut own) = (SoaQvvs::IDENTITY, SoaQvs::IDENTITY, SoaQvvs::IDENTITY);
            bytemuck::cast_slice_mut::<_, f32>(core::slice::from_mut(&mut parent)).fill_with(&mut next);
            bytemuck::cast_slice_mut::<_, f32>(core::slice::from_mut(&mut local)).fill_with(&mut next);
            bytemuck::cast_slice_mut::<_, f32>(core::slice::from_mut(&mut own)).fill_with(&mut next);
            for backend in Backend::all() {
                let mut out = own;
                dispatch!(backend, s => out.set_mul(s, &parent, &local));
                for i in 0..GROUP {
                    let mine = own.lane(i);
                    let want = parent.lane(i).mul(&local.lane(i), mine.stretch, mine.user);
                    let (got, want) = (out.lane(i), want);
                    let bits = |t: &Qvvs| -> [u32; 12] {
                        bytemuck::cast::<_, [f32; 12]>(*t).map(|v| if v.is_nan() { 1 } else { v.to_bits() })
                    };
                    assert_eq!(bits(&got), bits(&want), "lane {i} on {backend}");
                }
            }
        }
    }
}
