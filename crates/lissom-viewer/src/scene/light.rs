//! What shines on a scene, and what of it the sun sees.

use super::frame::Look;
use crate::lines;
use lissom::math::{Mat4, Vec3, Vec4};

/// What all shaders know; `shaders/frame.wgsl` says what each is.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct FrameUniform {
    view_projection: [[f32; 4]; 4],
    to_shadow: [[f32; 4]; 4],
    eye: [f32; 4],
    ahead: [f32; 4],
    sun: [f32; 4],
    sun_color: [f32; 4],
    zenith: [f32; 4],
    horizon: [f32; 4],
    ground: [f32; 4],
    behind_top: [f32; 4],
    behind_bottom: [f32; 4],
    viewport: [f32; 4],
    floor: [f32; 4],
    ink: [f32; 4],
}

/// Towards the sun: before and above who looks along z, at its right hand.
const SUN: Vec3 = Vec3::new(-0.55, 0.82, 0.5);
/// How far the edge of a shadow is smeared, for the size of what throws it.
const SOFT: f32 = 0.011;
/// How far the floor reaches, for the size of what stands on it.
const FLOOR: f32 = 7.0;

impl FrameUniform {
    pub fn new(look: &Look<'_>, [width, height]: [u32; 2], shadows: &Shadows) -> Self {
        let camera = look.camera;
        let [_, _, ahead] = camera.axes();
        let (centre, radius) = look.ball;
        let (to_shadow, across) = seen_by_sun(centre, radius);
        let on = |color: [f32; 3], w: f32| Vec3::from_array(color).extend(w).to_array();
        let [behind_top, behind_bottom] = look.behind.map(|color| on(color, 1.0));
        // A brighter room is lit more evenly.
        let (sun, zenith, horizon, ground) = if look.dark {
            (1.95, [0.5, 0.53, 0.6], [0.34, 0.36, 0.4], [0.14, 0.135, 0.13])
        } else {
            (1.95, [0.62, 0.65, 0.7], [0.5, 0.51, 0.54], [0.26, 0.255, 0.245])
        };
        let texel = across / shadows.side() as f32;
        Self {
            view_projection: camera.view_projection(width as f32 / height as f32).to_cols_array_2d(),
            to_shadow: to_shadow.to_cols_array_2d(),
            eye: camera.eye().extend(if camera.parallel { 0.0 } else { 1.0 }).to_array(),
            ahead: ahead.extend(0.0).to_array(),
            sun: SUN.normalize().extend(0.94).to_array(),
            sun_color: [sun, sun * 0.975, sun * 0.93, texel],
            zenith: on(zenith, radius * 0.025),
            horizon: on(horizon, if look.dark { 0.6 } else { 0.42 }),
            ground: on(ground, 0.0),
            behind_top,
            behind_bottom,
            viewport: [width as f32, height as f32, look.pixels_per_point, SOFT * radius * 2.0 / across],
            floor: [camera.target.x, camera.target.z, radius * FLOOR, lines::square(radius)],
            ink: on(look.ink, 1.0),
        }
    }
}

/// From the world to the shadow map, for a ball and its shadow on the floor; and how wide that is in metres.
fn seen_by_sun(centre: Vec3, radius: f32) -> (Mat4, f32) {
    let sun = SUN.normalize();
    let side = sun.cross(Vec3::Y).normalize();
    let up = side.cross(sun);
    // A little room, so that what is smeared is not cut.
    let half = radius * 1.06 + 1e-6;
    // The shadow of a point lies where the point is, seen from the sun: sideways nothing more is needed.
    let depth = half * 4.0;
    let row = |axis: Vec3, scale: f32, middle: f32| (axis * scale).extend(middle - axis.dot(centre) * scale);
    let x = row(side, 0.5 / half, 0.5);
    let y = row(up, -0.5 / half, 0.5);
    let z = row(-sun, 1.0 / (depth + half), half / (depth + half));
    (Mat4::from_cols(x, y, z, Vec4::W).transpose(), half * 2.0)
}

/// The map of how far the sun sees.
pub(super) struct Shadows {
    view: wgpu::TextureView,
    sampler: wgpu::Sampler,
    side: u32,
}

impl Shadows {
    pub fn new(device: &wgpu::Device, plain: bool) -> Self {
        let side = if plain { 512 } else { 2048 };
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("shadows"),
            size: wgpu::Extent3d { width: side, height: side, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: super::target::DEPTH,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            label: Some("shadows"),
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            compare: Some(wgpu::CompareFunction::LessEqual),
            ..Default::default()
        });
        Self { view: texture.create_view(&wgpu::TextureViewDescriptor::default()), sampler, side }
    }

    pub fn side(&self) -> u32 {
        self.side
    }

    pub fn view(&self) -> &wgpu::TextureView {
        &self.view
    }

    pub fn sampler(&self) -> &wgpu::Sampler {
        &self.sampler
    }

    pub fn begin<'e>(&self, encoder: &'e mut wgpu::CommandEncoder) -> wgpu::RenderPass<'e> {
        encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("shadows"),
            color_attachments: &[],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &self.view,
                depth_ops: Some(wgpu::Operations {
                    load: wgpu::LoadOp::Clear(1.0),
                    store: wgpu::StoreOp::Store,
                }),
                stencil_ops: None,
            }),
            ..Default::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sun_sees_all_of_a_ball_and_its_shadow_falls_where_it_should() {
        for (centre, radius) in
            [(Vec3::ZERO, 1.0), (Vec3::new(4.0, 0.9, -30.0), 80.0), (Vec3::Y * 0.01, 0.02)]
        {
            let (to_shadow, across) = seen_by_sun(centre, radius);
            assert!(across > 2.0 * radius);
            for i in 0..100 {
                let angle = i as f32;
                let flat = libm::sqrtf(1.0 - libm::powf(angle * 0.02 - 1.0, 2.0));
                let on_ball = Vec3::new(
                    libm::cosf(angle * 2.4) * flat,
                    angle * 0.02 - 1.0,
                    libm::sinf(angle * 2.4) * flat,
                );
                let p = to_shadow.transform_point3(centre + on_ball * radius);
                assert!(p.to_array().iter().all(|v| (0.0..=1.0).contains(v)), "{p}");
                // Along the light it is the same place, farther away.
                let shade = to_shadow.transform_point3(centre + (on_ball - SUN.normalize()) * radius);
                assert!((shade - p).truncate().length() < 1e-3 && shade.z > p.z);
            }
        }
    }
}
