//! Lists that shaders read, as textures.

use lissom::math::Mat4;

/// Texels in a row of the textures that hold lists.
pub(super) const WIDTH: u32 = 1024;

/// A texture with room for a list of texels of four floats.
pub(super) fn list_texture(device: &wgpu::Device, texels: u32) -> wgpu::Texture {
    texture_of(device, texels, wgpu::TextureFormat::Rgba32Float)
}

pub(super) fn texture_of(device: &wgpu::Device, texels: u32, format: wgpu::TextureFormat) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("list"),
        size: wgpu::Extent3d {
            width: WIDTH,
            height: texels.div_ceil(WIDTH).max(1),
            depth_or_array_layers: 1,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
        view_formats: &[],
    })
}

/// Fills a list's texture; `texel` is the size of one in bytes, and `bytes` whole rows.
pub(super) fn fill(queue: &wgpu::Queue, texture: &wgpu::Texture, bytes: &[u8], texel: u32) {
    let rows = bytes.len() as u32 / (WIDTH * texel);
    queue.write_texture(
        texture.as_image_copy(),
        bytes,
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(WIDTH * texel), rows_per_image: None },
        wgpu::Extent3d { width: WIDTH, height: rows, depth_or_array_layers: 1 },
    );
}

/// The rows of a matrix, as the shader reads them.
pub(super) fn rows(m: &Mat4) -> [[f32; 4]; 3] {
    let c = m.to_cols_array_2d();
    [0, 1, 2].map(|r| [c[0][r], c[1][r], c[2][r], c[3][r]])
}
