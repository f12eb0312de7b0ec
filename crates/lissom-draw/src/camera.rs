//! Where the picture is taken from.

use crate::DrawError;
use crate::vector::{V, add, cross, dot, is_finite, length, scale, sub, unit};

/// A camera that looks from `eye` to `target`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is.
    pub eye: [f32; 3],
    /// What is in the middle of the picture.
    pub target: [f32; 3],
    /// What is up; must not be along the line of sight.
    pub up: [f32; 3],
    /// Perspective or parallel.
    pub projection: Projection,
    /// Nearest distance that is drawn, above 0.
    pub near: f32,
    /// Farthest distance that is drawn (parallel projection only), above `near`.
    pub far: f32,
}

/// How depth becomes size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// With this vertical angle of view in radians, in (0, 3).
    Perspective {
        /// Bottom to top.
        fov_y_rad: f32,
    },
    /// Parallel rays; the picture is this many metres high.
    Orthographic {
        /// Bottom to top.
        height: f32,
    },
}

impl Camera {
    /// A perspective camera that looks at `target`.
    #[must_use]
    pub fn perspective(eye: [f32; 3], target: [f32; 3], fov_y_rad: f32) -> Self {
        let projection = Projection::Perspective { fov_y_rad };
        Self { eye, target, up: [0.0, 1.0, 0.0], projection, near: 0.05, far: 100.0 }
    }

    /// A parallel camera that looks at `target` and shows `height` metres.
    #[must_use]
    pub fn orthographic(eye: [f32; 3], target: [f32; 3], height: f32) -> Self {
        let projection = Projection::Orthographic { height };
        Self { eye, target, up: [0.0, 1.0, 0.0], projection, near: 0.05, far: 100.0 }
    }

    /// A perspective camera that sees the whole box, looking from the side `from` (a direction from the box to
    /// the camera). `aspect` is width over height.
    ///
    /// # Errors
    ///
    /// [`DrawError::Parameter`] or [`DrawError::NotFinite`] if the box, the direction, the angle or the aspect
    /// make no picture.
    pub fn framing(
        min: [f32; 3],
        max: [f32; 3],
        from: [f32; 3],
        fov_y_rad: f32,
        aspect: f32,
    ) -> Result<Self, DrawError> {
        for (field, v) in [("box min", min), ("box max", max), ("from", from)] {
            if !is_finite(v) {
                return Err(DrawError::NotFinite { field, at: 0 });
            }
        }
        require("aspect", aspect, aspect.is_finite() && aspect > 0.0, "finite and above 0")?;
        let centre = scale(add(min, max), 0.5);
        let mut camera = Self::perspective(add(centre, from), centre, fov_y_rad);
        let view = View::new(&camera)?;
        // The eye moves back until every corner is inside both pairs of planes, with 4 % of air around.
        let (tan_y, tan_x) = (view.half_height / 1.04, view.half_height * aspect / 1.04);
        let mut distance = camera.near;
        for corner in 0..8 {
            let p: V = core::array::from_fn(|i| if corner >> i & 1 == 0 { min[i] } else { max[i] });
            let d = sub(p, centre);
            let (x, y, z) = (dot(d, view.right).abs(), dot(d, view.up).abs(), dot(d, view.forward));
            distance = distance.max(x / tan_x - z).max(y / tan_y - z).max(2.0 * camera.near - z);
        }
        camera.eye = sub(centre, scale(view.forward, distance));
        Ok(camera)
    }
}

/// A checked camera: axes and half the picture's height at distance 1 (perspective) or in metres.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    pub(crate) eye: V,
    pub(crate) right: V,
    pub(crate) up: V,
    pub(crate) forward: V,
    pub(crate) half_height: f32,
    pub(crate) perspective: bool,
    pub(crate) near: f32,
    pub(crate) far: f32,
}

/// A point on the picture: x right and y up in units of half the height, depth (greater is nearer), and 1/w.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) depth: f32,
    pub(crate) inv_w: f32,
}

pub(crate) fn require(
    field: &'static str,
    value: f32,
    ok: bool,
    allowed: &'static str,
) -> Result<(), DrawError> {
    if ok { Ok(()) } else { Err(DrawError::Parameter { field, value: f64::from(value), allowed }) }
}

impl View {
    pub(crate) fn new(camera: &Camera) -> Result<Self, DrawError> {
        for (field, v) in [("eye", camera.eye), ("target", camera.target), ("up", camera.up)] {
            if !is_finite(v) {
                return Err(DrawError::NotFinite { field, at: 0 });
            }
        }
        let sight = sub(camera.target, camera.eye);
        let apart = length(sight);
        require("distance from eye to target", apart, apart > 1e-6, "above 0")?;
        let forward = unit(sight, [0.0, 0.0, -1.0]);
        let across = cross(forward, unit(camera.up, [0.0; 3]));
        let straight = length(across);
        require("sine of the angle between up and the line of sight", straight, straight > 1e-4, "above 0")?;
        let right = unit(across, [1.0, 0.0, 0.0]);
        let (near, far) = (camera.near, camera.far);
        require("near", near, near.is_finite() && near > 0.0, "finite and above 0")?;
        require("far", far, far.is_finite() && far > near, "finite and above near")?;
        let (half_height, perspective) = match camera.projection {
            Projection::Perspective { fov_y_rad } => {
                require("fov_y_rad", fov_y_rad, fov_y_rad > 0.0 && fov_y_rad < 3.0, "in (0, 3)")?;
                (libm::tanf(fov_y_rad * 0.5), true)
            }
            Projection::Orthographic { height } => {
                require("height", height, height.is_finite() && height > 0.0, "finite and above 0")?;
                (height * 0.5, false)
            }
        };
        let up = cross(right, forward);
        Ok(Self { eye: camera.eye, right, up, forward, half_height, perspective, near, far })
    }

    /// Distance along the line of sight.
    pub(crate) fn distance(&self, p: V) -> f32 {
        dot(sub(p, self.eye), self.forward)
    }

    /// Depth of a distance: linear on the picture, greater is nearer.
    pub(crate) fn depth(&self, z: f32) -> f32 {
        if self.perspective { self.near / z } else { 1.0 - (z - self.near) / (self.far - self.near) }
    }

    /// `None` in front of the near plane.
    pub(crate) fn see(&self, p: V) -> Option<Seen> {
        let d = sub(p, self.eye);
        let z = dot(d, self.forward);
        if z < self.near {
            return None;
        }
        let inv_w = if self.perspective { 1.0 / z } else { 1.0 };
        let k = inv_w / self.half_height;
        Some(Seen { x: dot(d, self.right) * k, y: dot(d, self.up) * k, depth: self.depth(z), inv_w })
    }

    /// The ray through a point of the picture: origin and direction (of unit distance along the sight).
    pub(crate) fn ray(&self, x: f32, y: f32) -> (V, V) {
        let aside = add(scale(self.right, x * self.half_height), scale(self.up, y * self.half_height));
        if self.perspective {
            (self.eye, add(self.forward, aside))
        } else {
            (add(self.eye, aside), self.forward)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_framed_box_is_inside_the_picture_and_touches_its_air() {
        let (min, max) = ([-0.3, 0.0, -2.0], [1.1, 1.8, 0.4]);
        for (from, aspect) in [([1.0, 0.4, 2.0], 1.5), ([-3.0, 0.1, 0.2], 0.4), ([0.1, 3.0, 0.1], 1.0)] {
            let view = View::new(&Camera::framing(min, max, from, 0.5, aspect).unwrap()).unwrap();
            let mut reach = 0.0_f32;
            for c in 0..8 {
                let p = core::array::from_fn(|i| if c >> i & 1 == 0 { min[i] } else { max[i] });
                let seen = view.see(p).expect("in front");
                reach = reach.max(seen.x.abs() / aspect).max(seen.y.abs());
            }
            assert!((0.95..1.0).contains(&reach), "{reach}");
        }
    }

    #[test]
    fn cameras_that_make_no_picture_are_refused() {
        let ok = Camera::perspective([0.0, 1.0, 3.0], [0.0, 1.0, 0.0], 0.6);
        assert!(View::new(&ok).is_ok());
        let bad = [
            Camera { eye: ok.target, ..ok },
            Camera { up: [0.0, 0.0, 1.0], ..ok },
            Camera { eye: [f32::NAN, 0.0, 0.0], ..ok },
            Camera { near: 0.0, ..ok },
            Camera { far: 0.01, ..ok },
            Camera { projection: Projection::Perspective { fov_y_rad: 3.5 }, ..ok },
            Camera { projection: Projection::Orthographic { height: f32::NAN }, ..ok },
        ];
        for camera in bad {
            assert!(View::new(&camera).is_err(), "{camera:?}");
        }
    }
}
