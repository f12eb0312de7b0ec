//! Lines: the floor, joints, paths.

use lissom::{
    Skeleton,
    math::{Mat4, Vec3},
};

/// A list of lines, two vertices each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lines(Vec<LineVertex>);

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub(crate) struct LineVertex {
    position: [f32; 3],
    /// sRGB with alpha.
    color: [f32; 4],
}

pub(crate) const LAYOUT: wgpu::VertexBufferLayout<'_> = wgpu::VertexBufferLayout {
    array_stride: size_of::<LineVertex>() as u64,
    step_mode: wgpu::VertexStepMode::Vertex,
    attributes: &wgpu::vertex_attr_array![0 => Float32x3, 1 => Float32x4],
};

impl Lines {
    pub fn add(&mut self, a: Vec3, b: Vec3, color: [f32; 4]) {
        self.0.extend([a, b].map(|p| LineVertex { position: p.to_array(), color }));
    }

    /// The twelve edges of a box, whose corners are numbered by three bits: x, y, z.
    pub fn add_box(&mut self, corner: impl Fn(usize) -> Vec3, color: [f32; 4]) {
        for from in 0..8_usize {
            for axis in [1, 2, 4].into_iter().filter(|axis| from & axis == 0) {
                self.add(corner(from), corner(from | axis), color);
            }
        }
    }

    /// Moves what was added from this vertex on.
    pub fn shift(&mut self, from: usize, by: Vec3) {
        for vertex in self.0.iter_mut().skip(from) {
            vertex.position = (Vec3::from_array(vertex.position) + by).to_array();
        }
    }

    pub fn vertices(&self) -> &[LineVertex] {
        &self.0
    }

    /// The lowest and the highest of each coordinate.
    #[cfg(test)]
    pub fn range(&self) -> (Vec3, Vec3) {
        let places = self.0.iter().map(|v| Vec3::from_array(v.position));
        let start = (Vec3::splat(f32::INFINITY), Vec3::splat(f32::NEG_INFINITY));
        places.fold(start, |(low, high), p| (low.min(p), high.max(p)))
    }
}

/// A floor of squares round what is looked at; `size` is how far it reaches, and decides how large a square is.
pub(crate) fn grid(size: f32, round: Vec3, color: [f32; 4]) -> Lines {
    let mut lines = Lines::default();
    let size = if size.is_finite() && size > 0.0 { size } else { 1.0 };
    // Squares of 1, 10, 100, … or a tenth, about ten to a side.
    let step = libm::powf(10.0, libm::roundf(libm::log10f(size / 5.0)));
    let count = (libm::ceilf(size / step) as i32).clamp(2, 60);
    let reach = count as f32 * step;
    for i in -count..=count {
        let at = i as f32 * step;
        // Fainter away from the middle.
        let [r, g, b, a] = color;
        let faint = [r, g, b, a * (1.0 - (i.abs() as f32 / (count + 1) as f32))];
        lines.add(Vec3::new(at, 0.0, -reach), Vec3::new(at, 0.0, reach), faint);
        lines.add(Vec3::new(-reach, 0.0, at), Vec3::new(reach, 0.0, at), faint);
    }
    // By whole squares: the floor stands still.
    let whole = |v: f32| if v.is_finite() { libm::roundf(v / step) * step } else { 0.0 };
    lines.shift(0, Vec3::new(whole(round.x), 0.0, whole(round.z)));
    lines
}

/// A line from every joint to its parent; the one that is chosen stands out.
pub(crate) fn bones(
    skeleton: &Skeleton,
    models: &[Mat4],
    chosen: Option<usize>,
    color: [f32; 4],
    lines: &mut Lines,
) {
    let place = |j: usize| models[j].w_axis.truncate();
    for joint in 0..models.len() {
        let Some(parent) = skeleton.parent(joint) else { continue };
        let lit = chosen == Some(joint) || chosen == Some(parent);
        lines.add(place(parent), place(joint), if lit { [1.0, 0.75, 0.2, 1.0] } else { color });
    }
    if let Some(model) = chosen.and_then(|j| models.get(j)) {
        // Its axes, as long as its bone or a hand.
        let length = (0..models.len())
            .filter(|j| skeleton.parent(*j) == chosen)
            .map(|j| (place(j) - model.w_axis.truncate()).length())
            .fold(0.0_f32, f32::max);
        let length = if length > 1e-6 { length } else { 0.1 };
        let from = model.w_axis.truncate();
        for (axis, color) in [
            (model.x_axis, [1.0, 0.3, 0.3, 1.0]),
            (model.y_axis, [0.4, 0.9, 0.4, 1.0]),
            (model.z_axis, [0.4, 0.6, 1.0, 1.0]),
        ] {
            lines.add(from, from + axis.truncate().normalize_or_zero() * length, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_has_squares_whatever_the_size() {
        for size in [1e-6, 0.3, 2.0, 180.0, 1e9, f32::NAN, 0.0, -3.0] {
            let lines = grid(size, Vec3::new(3.0, 1.0, -2.0), [1.0; 4]);
            assert!((20..=484).contains(&lines.vertices().len()), "{size}: {}", lines.vertices().len());
            assert!(lines.vertices().iter().all(|v| v.position.iter().all(|x| x.is_finite())));
        }
    }
}
