//! Units and axes: a scene in metres, y up, facing z, whatever its file had.

use crate::{
    exact::{M34, Q4, Trs, V3},
    mesh::model_matrices,
    raw::{Channel, RawSkeleton},
    scene::Scene,
};

/// A direction along one of the axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// +x.
    X,
    /// +y.
    Y,
    /// +z.
    Z,
    /// -x.
    MinusX,
    /// -y.
    MinusY,
    /// -z.
    MinusZ,
}

impl Axis {
    /// Unit length.
    #[must_use]
    pub fn direction(self) -> V3 {
        match self {
            Self::X => V3::X,
            Self::Y => V3::Y,
            Self::Z => V3::Z,
            Self::MinusX => -V3::X,
            Self::MinusY => -V3::Y,
            Self::MinusZ => -V3::Z,
        }
    }

    /// Where a character usually looks if this is up: z for y, -y for z (as in Blender), z for x.
    #[must_use]
    pub fn usual_forward(self) -> Self {
        match self {
            Self::Z | Self::MinusZ => Self::MinusY,
            _ => Self::Z,
        }
    }

    /// The rotation that makes `self` y and `forward` z; `None` if they are not at right angles.
    #[must_use]
    pub fn upright(self, forward: Self) -> Option<Q4> {
        let (up, forward) = (self.direction(), forward.direction());
        if up.dot(forward) != 0.0 {
            return None;
        }
        let side = up.cross(forward);
        // The rotation that makes x `side`, y `up`, z `forward`, undone.
        Some(Q4::from_axes(side, up, forward).conjugate())
    }
}

impl Scene {
    /// Multiplies every length by a factor above 0: rest poses, motions, meshes, morph targets.
    pub fn scale_lengths(&mut self, factor: f64) {
        if factor == 1.0 {
            return;
        }
        for joint in self.skeletons.iter_mut().flat_map(|s| &mut s.skeleton.joints) {
            joint.rest.translation = joint.rest.translation.scaled(factor);
        }
        for track in self.animations.iter_mut().flat_map(|a| &mut a.motion.tracks) {
            map(&mut track.translation, |v| v.scaled(factor));
        }
        for own in self.animations.iter_mut().flat_map(|a| &mut a.precision) {
            own.shell *= factor;
            own.precision *= factor;
        }
        for mesh in &mut self.meshes {
            let longer = |v: &mut [f32; 3]| *v = v.map(|c| (f64::from(c) * factor) as f32);
            mesh.mesh.positions.iter_mut().for_each(longer);
            mesh.morphs.iter_mut().flat_map(|m| &mut m.positions).for_each(longer);
            for bind in &mut mesh.mesh.inverse_binds {
                let [.., origin] = &mut bind.columns;
                *origin = origin.scaled(factor);
            }
        }
    }

    /// Turns everything about the origin: roots, their motions, meshes and their bind poses.
    pub fn turn(&mut self, rotation: Q4) {
        self.turn_with(rotation, None);
    }

    /// `alone` is the skeleton of motions that have none in the scene.
    pub(super) fn turn_with(&mut self, rotation: Q4, alone: Option<&RawSkeleton>) {
        if rotation == Q4::IDENTITY {
            return;
        }
        for joint in self.skeletons.iter_mut().flat_map(|s| &mut s.skeleton.joints) {
            if joint.parent.is_none() {
                joint.rest.translation = rotation.rotate(joint.rest.translation);
                joint.rest.rotation = rotation.times(joint.rest.rotation);
            }
        }
        for animation in &mut self.animations {
            let own = animation.skeleton.and_then(|s| self.skeletons.get(s)).map(|s| &s.skeleton);
            let Some(skeleton) = own.or(alone) else { continue };
            for (joint, track) in skeleton.joints.iter().zip(&mut animation.motion.tracks) {
                if joint.parent.is_none() {
                    map(&mut track.translation, |v| rotation.rotate(v));
                    map(&mut track.rotation, |q| rotation.times(q));
                }
            }
        }
        let back = Trs { rotation: rotation.conjugate(), ..Trs::IDENTITY }.to_m34();
        for mesh in &mut self.meshes {
            let turned = |v: &mut [f32; 3]| {
                let [x, y, z] = v.map(f64::from);
                *v = rotation.rotate(V3::new(x, y, z)).to_f32().to_array();
            };
            mesh.mesh.positions.iter_mut().for_each(turned);
            mesh.mesh.normals.iter_mut().for_each(turned);
            for tangent in &mut mesh.mesh.tangents {
                let [x, y, z, hand] = *tangent;
                let mut three = [x, y, z];
                turned(&mut three);
                let [x, y, z] = three;
                *tangent = [x, y, z, hand];
            }
            for morph in &mut mesh.morphs {
                morph.positions.iter_mut().for_each(turned);
                morph.normals.iter_mut().for_each(turned);
                morph.tangents.iter_mut().for_each(turned);
            }
            for bind in &mut mesh.mesh.inverse_binds {
                *bind = bind.mul(&back);
            }
        }
    }

    /// From the lowest to the highest point in the rest pose: of the meshes, or of the joints if there is no mesh.
    /// `None` without either.
    #[must_use]
    pub fn height(&self) -> Option<f64> {
        let mut range: Option<(f64, f64)> = None;
        let mut add = |y: f64| {
            let (low, high) = range.unwrap_or((y, y));
            range = Some((if y < low { y } else { low }, if y > high { y } else { high }));
        };
        let models = |index: usize| -> Vec<M34> {
            let Some(s) = self.skeletons.get(index) else { return Vec::new() };
            let rest: Vec<Trs> = s.skeleton.joints.iter().map(|j| j.rest).collect();
            model_matrices(&s.skeleton, &rest)
        };
        for mesh in &self.meshes {
            let skin: Vec<M34> =
                models(mesh.skeleton).iter().zip(&mesh.mesh.inverse_binds).map(|(m, b)| m.mul(b)).collect();
            for (vertex, position) in mesh.mesh.positions.iter().enumerate() {
                let [x, y, z] = position.map(f64::from);
                let point = V3::new(x, y, z);
                let share = |(joint, weight): (u16, f32)| {
                    let m = skin.get(usize::from(joint)).copied().unwrap_or(M34::IDENTITY);
                    m.mul_point(point).y * f64::from(weight)
                };
                add(mesh.mesh.influences.of(vertex).map(share).sum());
            }
        }
        if self.meshes.is_empty() {
            for index in 0..self.skeletons.len() {
                models(index).iter().for_each(|m| add(m.mul_point(V3::ZERO).y));
            }
        }
        range.map(|(low, high)| high - low)
    }
}

/// Changes every value and slope of a channel by something linear.
pub(super) fn map<V: Copy>(channel: &mut Channel<V>, change: impl Fn(V) -> V) {
    for key in &mut channel.keys {
        key.value = change(key.value);
    }
    for tangents in &mut channel.tangents {
        tangents.into = change(tangents.into);
        tangents.out = change(tangents.out);
    }
}
