//! What is drawn with few strokes: lines, bones, joints.

use lissom::{
    Skeleton,
    math::{Mat4, Vec3},
};

/// A list of lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines(Vec<Line>);

/// As the GPU reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct Line {
    a: [f32; 3],
    b: [f32; 3],
    /// sRGB with alpha.
    color: [f32; 4],
    /// In points.
    width: f32,
}

/// How wide lines are, in points.
const WIDTH: f32 = 1.2;

impl Lines {
    pub fn add(&mut self, a: Vec3, b: Vec3, color: [f32; 4]) {
        self.add_wide(a, b, color, WIDTH);
    }

    pub fn add_wide(&mut self, a: Vec3, b: Vec3, color: [f32; 4], width: f32) {
        self.0.push(Line { a: a.to_array(), b: b.to_array(), color, width });
    }

    /// The twelve edges of a box, whose corners are numbered by three bits: x, y, z.
    pub fn add_box(&mut self, corner: impl Fn(usize) -> Vec3, color: [f32; 4]) {
        for from in 0..8_usize {
            for axis in [1, 2, 4].into_iter().filter(|axis| from & axis == 0) {
                self.add(corner(from), corner(from | axis), color);
            }
        }
    }

    /// The axes of a matrix, this long.
    pub fn add_axes(&mut self, model: &Mat4, length: f32) {
        let from = model.w_axis.truncate();
        for (axis, color) in [model.x_axis, model.y_axis, model.z_axis].into_iter().zip(AXES) {
            self.add_wide(from, from + axis.truncate().normalize_or_zero() * length, color, 2.0);
        }
    }

    pub fn all(&self) -> &[Line] {
        &self.0
    }

    /// The lowest and the highest of each coordinate.
    #[cfg(test)]
    pub fn range(&self) -> (Vec3, Vec3) {
        let places = self.0.iter().flat_map(|line| [line.a, line.b]).map(Vec3::from_array);
        let start = (Vec3::splat(f32::INFINITY), Vec3::splat(f32::NEG_INFINITY));
        places.fold(start, |(low, high), p| (low.min(p), high.max(p)))
    }
}

/// A colour of the theme, as lines have it.
pub(crate) fn stroke(color: egui::Color32, alpha: f32) -> [f32; 4] {
    let [r, g, b] = [color.r(), color.g(), color.b()].map(|v| f32::from(v) / 255.0);
    [r, g, b, alpha]
}

/// x, y, z; sRGB.
const AXES: [[f32; 4]; 3] = [[0.98, 0.36, 0.32, 1.0], [0.42, 0.82, 0.38, 1.0], [0.36, 0.6, 1.0, 1.0]];

/// Where something moves: from a point, so many times larger.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stand {
    pub offset: Vec3,
    pub scale: f32,
}

impl Default for Stand {
    fn default() -> Self {
        Self { offset: Vec3::ZERO, scale: 1.0 }
    }
}

impl Stand {
    pub fn place(&self, point: Vec3) -> Vec3 {
        point * self.scale + self.offset
    }
}

/// Skeletons.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bones {
    bones: Vec<Bone>,
    joints: Vec<Joint>,
}

/// As the GPU reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct Bone {
    a: [f32; 3],
    b: [f32; 3],
    /// sRGB with alpha.
    color: [f32; 4],
    width: f32,
    /// One of its edges is there.
    towards: [f32; 3],
}

/// As the GPU reads it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct Joint {
    at: [f32; 3],
    radius: f32,
    color: [f32; 4],
}

/// How wide a bone is for its length, and at most for the length of a usual bone of its skeleton.
const SLENDER: f32 = 0.11;
const WIDEST: f32 = 0.22;
/// How large a joint is, for the length of a usual bone.
const KNOB: f32 = 0.055;

impl Bones {
    pub fn bones(&self) -> &[Bone] {
        &self.bones
    }

    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// A skeleton; the joint that is chosen stands out, with all of its bones.
    pub fn add(
        &mut self,
        skeleton: &Skeleton,
        models: &[Mat4],
        chosen: Option<usize>,
        color: [f32; 4],
        stand: Stand,
    ) {
        let place = |j: usize| stand.place(models[j].w_axis.truncate());
        let usual = usual_length(skeleton, models) * stand.scale;
        let knob = |length: f32| if length > 0.0 { length * KNOB } else { 1e-3 };
        for joint in 0..models.len() {
            let at = place(joint);
            let lit = chosen == Some(joint);
            let mark = if lit { CHOSEN } else { color };
            let radius = knob(usual) * if lit { 1.7 } else { 1.0 };
            self.joints.push(Joint { at: at.to_array(), radius, color: mark });
            let Some(parent) = skeleton.parent(joint) else { continue };
            let from = place(parent);
            let length = (at - from).length();
            if length <= usual * 1e-3 {
                continue;
            }
            self.bones.push(Bone {
                a: from.to_array(),
                b: at.to_array(),
                color: if chosen == Some(parent) { CHOSEN } else { color },
                width: (length * SLENDER).min(usual * WIDEST),
                towards: models[parent].x_axis.truncate().normalize_or_zero().to_array(),
            });
        }
    }
}

/// What is chosen; sRGB.
pub(crate) const CHOSEN: [f32; 4] = [1.0, 0.72, 0.2, 1.0];

/// The length of the bone in the middle, by length.
pub(crate) fn usual_length(skeleton: &Skeleton, models: &[Mat4]) -> f32 {
    let place = |j: usize| models[j].w_axis.truncate();
    let mut lengths: Vec<f32> = (0..models.len())
        .filter_map(|j| Some((place(j) - place(skeleton.parent(j)?)).length()))
        .filter(|length| *length > 1e-6 && length.is_finite())
        .collect();
    if lengths.is_empty() {
        return 0.2;
    }
    let middle = lengths.len() / 2;
    *lengths.select_nth_unstable_by(middle, f32::total_cmp).1
}

/// How large a square of a floor is that reaches so far: 1, 10, 100, … or a tenth, about five to a side.
pub(crate) fn square(size: f32) -> f32 {
    let size = if size.is_finite() && size > 1e-30 { size } else { 1.0 };
    libm::powf(10.0, libm::roundf(libm::log10f(size / 2.5) - 0.35))
}

/// Thin lines from every joint to its parent.
pub(crate) fn sticks(skeleton: &Skeleton, models: &[Mat4], color: [f32; 4], lines: &mut Lines) {
    let place = |j: usize| models[j].w_axis.truncate();
    for joint in 0..models.len() {
        if let Some(parent) = skeleton.parent(joint) {
            lines.add(place(parent), place(joint), color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_build::mannequin;

    #[test]
    fn a_floor_has_squares_whatever_the_size() {
        for size in [1e-6, 0.3, 2.0, 180.0, 1e9] {
            let squares = size / square(size);
            assert!((1.5..80.0).contains(&squares), "{size}: {squares}");
        }
        for size in [f32::NAN, 0.0, -3.0, f32::INFINITY] {
            assert!(square(size) > 0.0 && square(size).is_finite());
        }
    }

    #[test]
    fn bones_are_as_large_as_their_skeleton_and_never_fat() {
        let skeleton = lissom_build::SkeletonBuilder::build(&mannequin::skeleton()).unwrap().skeleton;
        let mut models = vec![Mat4::IDENTITY; skeleton.joint_count()];
        lissom::job::LocalToModelJob::new(&skeleton, skeleton.rest_pose(), &mut models).run().unwrap();
        let of = |scale: f32| {
            let mut bones = Bones::default();
            let stand = Stand { offset: Vec3::X, scale };
            bones.add(&skeleton, &models, Some(0), [0.5, 0.5, 0.5, 1.0], stand);
            bones
        };
        let (one, ten) = (of(1.0), of(10.0));
        assert_eq!(one.joints.len(), skeleton.joint_count());
        assert!(one.bones.len() < one.joints.len() && one.bones.len() > one.joints.len() / 2);
        for (a, b) in one.bones.iter().zip(&ten.bones) {
            let length = Vec3::from_array(a.a).distance(Vec3::from_array(a.b));
            assert!(a.width < length * 0.25, "{a:?}");
            assert!((b.width / a.width - 10.0).abs() < 0.01);
        }
        assert_eq!(one.joints.iter().filter(|joint| joint.color == CHOSEN).count(), 1);
    }
}
