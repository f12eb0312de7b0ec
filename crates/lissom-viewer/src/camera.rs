//! A camera that looks at a point from all sides.

use glam::camera::rh::proj::directx::{orthographic, perspective};
use lissom::math::{Mat4, Vec3, Vec4};

/// Straight up and down.
const STEEPEST: f32 = core::f32::consts::FRAC_PI_2;
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
    /// All of its rays are parallel: what is far is as large as what is near.
    pub parallel: bool,
}

impl Default for Camera {
    fn default() -> Self {
        Self { target: Vec3::new(0.0, 0.9, 0.0), distance: 3.5, yaw: 0.5, pitch: 0.15, parallel: false }
    }
}

/// A side to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Front,
    Back,
    Left,
    Right,
    Top,
    Bottom,
}

impl Side {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Front => "front",
            Self::Back => "back",
            Self::Left => "left side",
            Self::Right => "right side",
            Self::Top => "top",
            Self::Bottom => "bottom",
        }
    }

    /// Yaw and pitch, of somebody who looks along z.
    fn angles(self) -> [f32; 2] {
        const HALF: f32 = core::f32::consts::PI;
        match self {
            Self::Front => [0.0, 0.0],
            Self::Back => [HALF, 0.0],
            // The left hand is at positive x.
            Self::Left => [STEEPEST, 0.0],
            Self::Right => [-STEEPEST, 0.0],
            Self::Top => [0.0, STEEPEST],
            Self::Bottom => [0.0, -STEEPEST],
        }
    }
}

impl Camera {
    /// So that a ball of this size fills the picture; the direction stays.
    pub fn frame(&mut self, centre: Vec3, radius: f32) {
        let radius = if radius.is_finite() && radius > 1e-6 { radius } else { 1.0 };
        self.target = if centre.is_finite() { centre } else { Vec3::ZERO };
        self.distance = radius / libm::sinf(FIELD * 0.5);
    }

    /// Looks from a side; `facing` is how far what is looked at has turned away from z.
    pub fn side(&self, side: Side, facing: f32) -> Self {
        let [yaw, pitch] = side.angles();
        Self { yaw: yaw - facing, pitch, ..*self }
    }

    /// A part of the way to another, the shorter way round.
    pub fn towards(&self, to: &Self, share: f32) -> Self {
        let mix = |a: f32, b: f32| a + (b - a) * share;
        let turn = libm::remainderf(to.yaw - self.yaw, core::f32::consts::TAU);
        Self {
            target: self.target + (to.target - self.target) * share,
            distance: mix(self.distance, to.distance),
            yaw: self.yaw + turn * share,
            pitch: mix(self.pitch, to.pitch),
            parallel: to.parallel,
        }
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
        let [side, up, ahead] = self.axes();
        let away = if self.parallel { self.distance } else { (from - self.eye()).dot(ahead) };
        let span = 2.0 * away * libm::tanf(FIELD * 0.5);
        (side * right - up * down) * span
    }

    /// Nearer (above 1) or farther.
    pub fn zoom(&mut self, factor: f32) {
        self.distance = (self.distance / factor).clamp(1e-3, 1e5);
    }

    /// Where it stands.
    pub fn eye(&self) -> Vec3 {
        let [_, _, ahead] = self.axes();
        self.target - ahead * self.distance
    }

    /// What is to the right of the picture, what is up, and what is ahead.
    pub fn axes(&self) -> [Vec3; 3] {
        let flat = libm::cosf(self.pitch);
        let (sin, cos) = (libm::sinf(self.yaw), libm::cosf(self.yaw));
        let side = Vec3::new(cos, 0.0, -sin);
        let ahead = -Vec3::new(sin * flat, libm::sinf(self.pitch), cos * flat);
        [side, side.cross(ahead), ahead]
    }

    /// From the world to clip space, depth 0 (near) to 1.
    pub fn view_projection(&self, aspect: f32) -> Mat4 {
        let [side, up, ahead] = self.axes();
        let eye = self.eye();
        let row = |axis: Vec3| axis.extend(-axis.dot(eye));
        let view = Mat4::from_cols(row(side), row(up), row(-ahead), Vec4::W).transpose();
        let across = libm::tanf(FIELD * 0.5) / aspect.min(1.0);
        if self.parallel {
            let half = across * self.distance;
            // What is behind it is seen, too: it has no place of its own.
            let reach = self.distance * 100.0;
            return orthographic(-half * aspect, half * aspect, -half, half, -reach, reach) * view;
        }
        let near = self.distance * 0.01;
        let far = self.distance * 100.0;
        perspective(2.0 * libm::atanf(across), aspect, near, far) * view
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
    fn sides_are_those_of_who_looks_along_z_and_poles_are_no_trap() {
        let see = |side: Side, facing: f32| {
            let camera = Camera { target: Vec3::ZERO, ..Camera::default() }.side(side, facing);
            let m = Camera { parallel: true, ..camera }.view_projection(1.0);
            // The left hand, the head, the nose.
            [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| {
                m.transform_vector3(axis)
                    .to_array()
                    .map(|v| v.abs() > 1e-4)
                    .map(u8::from)
                    .iter()
                    .take(2)
                    .fold(0, |a, b| a * 2 + b)
            })
        };
        // Which axis runs across (2), which upright (1), which away (0).
        assert_eq!(see(Side::Front, 0.0), [2, 1, 0]);
        assert_eq!(see(Side::Left, 0.0), [0, 1, 2]);
        assert_eq!(see(Side::Top, 0.0), [2, 0, 1]);
        assert_eq!(see(Side::Front, core::f32::consts::PI), [2, 1, 0]);
        let front = Camera { target: Vec3::ZERO, ..Camera::default() }.side(Side::Front, 0.0);
        assert!(front.eye().z > 3.0, "before the face");
        let left = front.side(Side::Left, 0.0);
        assert!(left.eye().x > 3.0, "at the left hand");
        let top = front.side(Side::Top, 0.0);
        assert!(top.eye().y > 3.0 && top.view_projection(1.0).is_finite());
        // Of somebody who looks along -z the face is at the other side.
        assert!(front.side(Side::Front, core::f32::consts::PI).eye().z < -3.0);
    }

    #[test]
    fn without_perspective_what_is_looked_at_is_as_large_as_with_it() {
        for aspect in [0.5, 1.0, 2.0] {
            let camera = Camera::default();
            let parallel = Camera { parallel: true, ..camera };
            let [side, up, ahead] = camera.axes();
            for at in [side * 0.3, up * 0.2, side * -0.1 + up * 0.4] {
                let [a, b] =
                    [camera, parallel].map(|c| c.view_projection(aspect).project_point3(c.target + at));
                assert!((a.truncate() - b.truncate()).length() < 1e-4, "{a} {b}");
            }
            let m = parallel.view_projection(aspect);
            let [near, far] = [-1.0, 1.0].map(|t| m.project_point3(parallel.target + ahead * t));
            assert!(
                (near.truncate() - far.truncate()).length() < 1e-4
                    && near.z < far.z
                    && near.z > 0.0
                    && far.z < 1.0
            );
        }
    }

    #[test]
    fn the_way_to_another_view_is_the_shorter_one_and_ends_there() {
        let from = Camera { yaw: 3.0, ..Camera::default() };
        let to = Camera { yaw: -3.0, pitch: 1.0, ..Camera::default() };
        let middle = from.towards(&to, 0.5);
        assert!(libm::cosf(middle.yaw) < -0.99, "{}", middle.yaw);
        let end = from.towards(&to, 1.0);
        assert!((end.eye() - to.eye()).length() < 1e-3);
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
