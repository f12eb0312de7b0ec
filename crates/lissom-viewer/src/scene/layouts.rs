//! How vertices lie in memory.

use crate::{
    lines::{Bone, Joint, Line},
    shown::Instance,
};

pub(super) const LINES: wgpu::VertexBufferLayout<'_> = wgpu::VertexBufferLayout {
    array_stride: size_of::<Line>() as u64,
    step_mode: wgpu::VertexStepMode::Instance,
    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x4, 3 => Float32],
};

pub(super) const BONES: wgpu::VertexBufferLayout<'_> = wgpu::VertexBufferLayout {
    array_stride: size_of::<Bone>() as u64,
    step_mode: wgpu::VertexStepMode::Instance,
    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 2 => Float32x4, 3 => Float32, 4 => Float32x3],
};

pub(super) const JOINTS: wgpu::VertexBufferLayout<'_> = wgpu::VertexBufferLayout {
    array_stride: size_of::<Joint>() as u64,
    step_mode: wgpu::VertexStepMode::Instance,
    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32, 2 => Float32x4],
};

pub(super) const INSTANCES: wgpu::VertexBufferLayout<'_> = wgpu::VertexBufferLayout {
    array_stride: size_of::<Instance>() as u64,
    step_mode: wgpu::VertexStepMode::Instance,
    attributes: &wgpu::vertex_attr_array![4 => Float32x4, 5 => Float32x3, 6 => Uint32],
};

/// What moves when vertices are moved before they are uploaded; what stays; and the colours that say something of each vertex.
pub(super) const fn buffers(step_mode: wgpu::VertexStepMode) -> [wgpu::VertexBufferLayout<'static>; 3] {
    const MOVED: [wgpu::VertexAttribute; 3] =
        wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x3, 8 => Float32x4];
    const FIXED: [wgpu::VertexAttribute; 3] =
        wgpu::vertex_attr_array![2 => Float32x4, 3 => Uint32x2, 9 => Unorm8x4];
    const TINT: [wgpu::VertexAttribute; 1] = wgpu::vertex_attr_array![7 => Float32];
    [
        wgpu::VertexBufferLayout { array_stride: size_of::<Moved>() as u64, step_mode, attributes: &MOVED },
        wgpu::VertexBufferLayout { array_stride: size_of::<Fixed>() as u64, step_mode, attributes: &FIXED },
        wgpu::VertexBufferLayout { array_stride: size_of::<f32>() as u64, step_mode, attributes: &TINT },
    ]
}

#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Moved {
    pub position: [f32; 3],
    pub normal: [f32; 3],
    pub tangent: [f32; 4],
}

#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Fixed {
    pub uv: [f32; 4],
    /// The first influence and how many.
    pub influences: [u32; 2],
    pub color: [u8; 4],
}
