//! How much work a member is worth: by how large it is on the screen.

use super::error::{CrowdError, value};
use alloc::boxed::Box;

/// What is enough from a size on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetailStep {
    /// The least share of the screen's height that a member takes.
    pub share: f32,
    /// Its level of detail: 0, or what [`Crowd::add_level`](super::Crowd::add_level) gave.
    pub level: u8,
    /// It is posed once per this number of updates.
    pub every: u8,
}

/// Levels of detail and update rates by size on the screen, for [`Crowd::set_detail`](super::Crowd::set_detail).
#[derive(Clone, Debug, PartialEq)]
pub struct Detail(Box<[DetailStep]>);

impl Detail {
    /// The largest size first; what is smaller than the last one is not seen.
    ///
    /// # Errors
    ///
    /// Shares that are not finite or do not fall; a rate of 0.
    pub fn new(steps: &[DetailStep]) -> Result<Self, CrowdError> {
        let mut before = f32::INFINITY;
        for step in steps {
            if !(step.share >= 0.0 && step.share < before) {
                return Err(value("share", step.share.into(), "at least 0, each less than the one before"));
            }
            if step.every == 0 {
                return Err(value("every", 0.0, "1 to 255"));
            }
            before = step.share;
        }
        Ok(Self(steps.into()))
    }

    /// What is enough for a size; `None`: it need not be seen.
    #[must_use]
    pub fn step(&self, share: f32) -> Option<&DetailStep> {
        self.0.iter().find(|step| share >= step.share)
    }

    pub(super) fn steps(&self) -> &[DetailStep] {
        &self.0
    }

    /// The share of the screen's height that something takes, so high and so far from the camera, in metres; `fov_y` is the
    /// camera's angle from bottom to top, in radians. Anything at the camera itself takes all of it.
    #[must_use]
    pub fn share_of_screen(height_m: f32, distance_m: f32, fov_y: f32) -> f32 {
        let seen_m = 2.0 * distance_m * libm::tanf(0.5 * fov_y);
        if seen_m > height_m { height_m / seen_m } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_takes_the_first_step_that_it_reaches() {
        let near = DetailStep { share: 0.3, level: 0, every: 1 };
        let far = DetailStep { share: 0.05, level: 1, every: 3 };
        let detail = Detail::new(&[near, far]).unwrap();
        assert_eq!(detail.step(0.9), Some(&near));
        assert_eq!(detail.step(0.3), Some(&near));
        assert_eq!(detail.step(0.29), Some(&far));
        assert_eq!(detail.step(0.01), None);
        assert_eq!(detail.step(f32::NAN), None);
        assert!(Detail::new(&[far, near]).is_err());
        assert!(Detail::new(&[DetailStep { share: f32::NAN, ..near }]).is_err());
        assert!(Detail::new(&[DetailStep { every: 0, ..near }]).is_err());
    }

    #[test]
    fn twice_as_far_is_half_as_large() {
        let right_angle = core::f32::consts::FRAC_PI_2;
        assert!((Detail::share_of_screen(2.0, 10.0, right_angle) - 0.1).abs() < 1e-6);
        assert!((Detail::share_of_screen(2.0, 20.0, right_angle) - 0.05).abs() < 1e-6);
        assert_eq!(Detail::share_of_screen(2.0, 0.0, right_angle), 1.0);
    }
}
