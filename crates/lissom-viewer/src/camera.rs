//! A camera that looks at a point from all sides.

use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use lissom::math::{Mat4, Vec3};

/// Up and down as far as it goes: at the poles the sides would flip.
const STEEPEST: f32 = 1.55;
/// How wide it sees, in radians, along the shorter side of the picture: what fills a square is whole in any other.
pub(crate) const FIELD: f32 = 0.7;

/// Looks at `target` from `distance` away.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Camera {
    pub target: Vec3,
    pub distance: f32,
    /// Round the upright axis, in radians; 0 looks along -z, at a face.
    pub yaw: f32,
    /// Above the horizon, in radians.
    pub pitch: f32,
}

impl Default for Camera {
    fn default() -> Self {
        Self { target: Vec3::new(0.0, 0.9, 0.0), distance: 3.5, yaw: 0.5, pitch: 0.15 }
    }
}

impl Camera {
    /// So that a ball of this size fills the picture; the direction stays.
    pub fn frame(&mut self, centre: Vec3, radius: f32) {
        let radius = if radius.is_finite() && radius > 1e-6 { radius } else { 1.0 };
        self.target = if centre.is_finite() { centre } else { Vec3::ZERO };
        self.distance = radius / libm::sinf(FIELD * 0.5);
    }

    /// Turns by a drag, in radians.
    pub fn orbit(&mut self, right: f32, down: f32) {
        self.yaw = (self.yaw - right) % core::f32::consts::TAU;
        self.pitch = (self.pitch + down).clamp(-STEEPEST, STEEPEST);
    }

    /// Moves sideways, by parts of the picture's shorter side.
    pub fn pan(&mut self, right: f32, down: f32) {
        self.target -= self.across(self.target, right, down);
    }

    /// How far something goes that is moved with the pointer by parts of the picture's shorter side, and stays as far away.
    pub fn across(&self, from: Vec3, right: f32, down: f32) -> Vec3 {
        let (side, up) = self.axes();
        let ahead = (self.target - self.eye()) / self.distance;
        let span = 2.0 * (from - self.eye()).dot(ahead) * libm::tanf(FIELD * 0.5);
        (side * right - up * down) * span
    }

    /// Nearer (above 1) or farther.
    pub fn zoom(&mut self, factor: f32) {
        self.distance = (self.distance / factor).clamp(1e-3, 1e5);
    }

    /// Where it stands.
    pub fn eye(&self) -> Vec3 {
        let flat = libm::cosf(self.pitch);
        let out = Vec3::new(libm::sinf(self.yaw) * flat, libm::sinf(self.pitch), libm::cosf(self.yaw) * flat);
        self.target + out * self.distance
    }

    /// What is to the right of the picture, and what is up.
    fn axes(&self) -> (Vec3, Vec3) {
        let side = Vec3::new(libm::cosf(self.yaw), 0.0, -libm::sinf(self.yaw));
        let ahead = (self.target - self.eye()) / self.distance;
        (side, side.cross(ahead))
    }

    /// From the world to clip space, depth 0 (near) to 1.
    pub fn view_projection(&self, aspect: f32) -> Mat4 {
        let near = self.distance * 0.01;
        let far = self.distance * 100.0;
        let view = look_at_mat4(self.eye(), self.target, Vec3::Y);
        let upwards = 2.0 * libm::atanf(libm::tanf(FIELD * 0.5) / aspect.min(1.0));
        perspective(upwards, aspect, near, far) * view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_framed_is_inside_the_picture_from_every_side() {
        for step in 0..64 {
            let mut camera =
                Camera { yaw: step as f32 * 0.4, pitch: (step % 7) as f32 * 0.4 - 1.2, ..Camera::default() };
            let (centre, radius) = (Vec3::new(3.0, -2.0, 7.0), 0.25);
            camera.frame(centre, radius);
            for aspect in [1.0, 0.4, 2.5] {
                let m = camera.view_projection(aspect);
                assert!((m.project_point3(centre).truncate_xy()).iter().all(|v| v.abs() < 1e-4));
                for axis in [Vec3::X, Vec3::Y, Vec3::Z, -Vec3::X, -Vec3::Y, -Vec3::Z] {
                    let p = m.project_point3(centre + axis * radius);
                    assert!(
                        p.x.abs() <= 1.001 && p.y.abs() <= 1.001 && p.z > 0.0 && p.z < 1.0,
                        "{aspect}: {p}"
                    );
                }
            }
        }
    }

    #[test]
    fn nothing_makes_it_blind() {
        let mut camera = Camera::default();
        camera.frame(Vec3::splat(f32::NAN), f32::INFINITY);
        camera.orbit(1000.0, 1000.0);
        camera.zoom(1e30);
        camera.zoom(1e-30);
        camera.pan(0.5, 0.5);
        assert!(camera.view_projection(0.001).is_finite() && camera.eye().is_finite());
    }

    #[test]
    fn a_pan_keeps_up_with_the_pointer() {
        // A quarter of the shorter side to the right: half a unit of clip space, or less of a wide picture.
        for (aspect, moved) in [(1.0, 0.5), (0.5, 0.5), (2.0, 0.25)] {
            let mut camera = Camera::default();
            let held = camera.target;
            camera.pan(0.25, 0.0);
            let p = camera.view_projection(aspect).project_point3(held);
            assert!((p.x - moved).abs() < 1e-3 && p.y.abs() < 1e-3, "{aspect}: {p}");
        }
    }

    #[test]
    fn what_is_moved_with_the_pointer_stays_under_it() {
        let camera = Camera { yaw: 2.1, pitch: -0.4, ..Camera::default() };
        for from in [Vec3::new(0.3, 1.2, -0.2), Vec3::new(-0.7, 0.1, 0.9)] {
            let see = |p: Vec3| camera.view_projection(1.0).project_point3(p);
            let moved = see(from + camera.across(from, 0.1, -0.05)) - see(from);
            assert!((moved - Vec3::new(0.2, 0.1, 0.0)).length() < 1e-4, "{moved}");
        }
    }

    trait TruncateXy {
        fn truncate_xy(self) -> [f32; 2];
    }
    impl TruncateXy for Vec3 {
        fn truncate_xy(self) -> [f32; 2] {
            [self.x, self.y]
        }
    }
}
