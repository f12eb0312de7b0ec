//! glam's types as storage: fields, constants, conversions. No operator, no method that computes.
#![no_std]

use bytemuck::{Pod, Zeroable};
use core::ops::{Deref, DerefMut};

macro_rules! vector {
    ($name:ident, $n:literal, $make:ident, $($field:ident),+) => {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
        #[repr(C)]
        pub struct $name {
            $(pub $field: f32,)+
        }

        impl $name {
            pub const fn $make($($field: f32),+) -> Self {
                Self { $($field),+ }
            }
            pub const fn from_array([$($field),+]: [f32; $n]) -> Self {
                Self { $($field),+ }
            }
            pub const fn to_array(&self) -> [f32; $n] {
                [$(self.$field),+]
            }
            pub fn is_finite(self) -> bool {
                $(self.$field.is_finite())&&+
            }
            pub fn is_nan(self) -> bool {
                $(self.$field.is_nan())||+
            }
        }

        impl From<[f32; $n]> for $name {
            fn from(array: [f32; $n]) -> Self {
                Self::from_array(array)
            }
        }

        impl From<$name> for [f32; $n] {
            fn from(value: $name) -> Self {
                value.to_array()
            }
        }
    };
}

vector!(Vec2, 2, new, x, y);
vector!(Vec3, 3, new, x, y, z);
vector!(Vec4, 4, new, x, y, z, w);
vector!(Quat, 4, from_xyzw, x, y, z, w);

impl Vec2 {
    pub const ZERO: Self = Self::new(0.0, 0.0);
}

impl Vec3 {
    pub const ZERO: Self = Self::splat(0.0);
    pub const ONE: Self = Self::splat(1.0);
    pub const X: Self = Self::new(1.0, 0.0, 0.0);
    pub const Y: Self = Self::new(0.0, 1.0, 0.0);
    pub const Z: Self = Self::new(0.0, 0.0, 1.0);

    pub const fn splat(v: f32) -> Self {
        Self::new(v, v, v)
    }
}

impl Vec4 {
    pub const ZERO: Self = Self::new(0.0, 0.0, 0.0, 0.0);
}

impl Quat {
    pub const IDENTITY: Self = Self::from_xyzw(0.0, 0.0, 0.0, 1.0);
}

/// Three floats in a register of four.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Vec3A {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

impl Vec3A {
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }
    pub const fn from_array([x, y, z]: [f32; 3]) -> Self {
        Self { x, y, z }
    }
    pub const fn to_array(&self) -> [f32; 3] {
        [self.x, self.y, self.z]
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Mat4 {
    pub x_axis: Vec4,
    pub y_axis: Vec4,
    pub z_axis: Vec4,
    pub w_axis: Vec4,
}

impl Mat4 {
    pub const IDENTITY: Self = Self {
        x_axis: Vec4::new(1.0, 0.0, 0.0, 0.0),
        y_axis: Vec4::new(0.0, 1.0, 0.0, 0.0),
        z_axis: Vec4::new(0.0, 0.0, 1.0, 0.0),
        w_axis: Vec4::new(0.0, 0.0, 0.0, 1.0),
    };

    pub const fn from_cols(x_axis: Vec4, y_axis: Vec4, z_axis: Vec4, w_axis: Vec4) -> Self {
        Self { x_axis, y_axis, z_axis, w_axis }
    }
    pub fn from_cols_array(m: &[f32; 16]) -> Self {
        bytemuck::cast(*m)
    }
    pub fn to_cols_array(&self) -> [f32; 16] {
        bytemuck::cast(*self)
    }
    pub fn from_cols_array_2d(m: &[[f32; 4]; 4]) -> Self {
        bytemuck::cast(*m)
    }
    pub fn to_cols_array_2d(&self) -> [[f32; 4]; 4] {
        bytemuck::cast(*self)
    }
}

impl Default for Mat4 {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Mat3A {
    pub x_axis: Vec3A,
    pub y_axis: Vec3A,
    pub z_axis: Vec3A,
}

impl Mat3A {
    pub const fn from_cols(x_axis: Vec3A, y_axis: Vec3A, z_axis: Vec3A) -> Self {
        Self { x_axis, y_axis, z_axis }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Affine3A {
    pub matrix3: Mat3A,
    pub translation: Vec3A,
}

impl Affine3A {
    pub const fn from_cols(x_axis: Vec3A, y_axis: Vec3A, z_axis: Vec3A, w_axis: Vec3A) -> Self {
        Self { matrix3: Mat3A::from_cols(x_axis, y_axis, z_axis), translation: w_axis }
    }
    pub fn from_cols_array(m: &[f32; 12]) -> Self {
        let column = |c: usize| Vec3A::new(m[3 * c], m[3 * c + 1], m[3 * c + 2]);
        Self::from_cols(column(0), column(1), column(2), column(3))
    }
    pub fn to_cols_array(&self) -> [f32; 12] {
        bytemuck::cast(self.to_cols_array_2d())
    }
    pub fn from_cols_array_2d(m: &[[f32; 3]; 4]) -> Self {
        let [x, y, z, w] = m.map(Vec3A::from_array);
        Self::from_cols(x, y, z, w)
    }
    pub fn to_cols_array_2d(&self) -> [[f32; 3]; 4] {
        [self.x_axis, self.y_axis, self.z_axis, self.translation].map(|v| v.to_array())
    }
}

/// As in glam: the columns of the matrix can be named on the whole.
impl Deref for Affine3A {
    type Target = Mat3A;
    fn deref(&self) -> &Mat3A {
        &self.matrix3
    }
}

impl DerefMut for Affine3A {
    fn deref_mut(&mut self) -> &mut Mat3A {
        &mut self.matrix3
    }
}
