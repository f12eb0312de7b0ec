//! Joints as entities: sockets that take a joint's matrix into the world, and whole skeletons as
//! hierarchies. Both from plain slices, so that this crate knows no skeleton.

use crate::{Entity, World, WorldError, world::check_local};
use alloc::vec::Vec;
use lissom_math::{Mat34, Qvs, Qvvs, Vec3, scalar};

/// An entity that follows a joint. As a child of the character's entity it lies at the joint's model-space
/// matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Socket {
    /// Whose local transform is written.
    pub entity: Entity,
    /// Which joint it follows.
    pub joint: usize,
}

impl World {
    /// Copies joints' model-space matrices into sockets. Their world transforms follow at the next sync, and
    /// so does what hangs on them.
    ///
    /// Axis lengths become scale (that of x) and stretch; a mirrored matrix gets a negative stretch; shear is
    /// lost.
    pub fn copy_sockets(&mut self, sockets: &[Socket], models: &[Mat34]) -> Result<(), WorldError> {
        let find = |s: &Socket| {
            let count = models.len();
            models.get(s.joint).ok_or(WorldError::NoSuchJoint { joint: s.joint, count })
        };
        // Everything is checked before the first write.
        for socket in sockets {
            self.slots.get(socket.entity)?;
            decompose(socket.joint, find(socket)?)?;
        }
        for socket in sockets {
            let at = decompose(socket.joint, find(socket)?)?;
            self.set_own(socket.entity, &at)?;
        }
        Ok(())
    }

    /// Spawns a skeleton as a hierarchy: one entity a joint, in the joints' order, appended to `out`.
    ///
    /// `parents` stand before their children; joints without one become children of `parent`. `models` are
    /// model-space matrices, for instance of the rest pose.
    pub fn spawn_skeleton<P: Copy + Into<usize>>(
        &mut self,
        parent: Option<Entity>,
        parents: &[Option<P>],
        models: &[Mat34],
        out: &mut Vec<Entity>,
    ) -> Result<(), WorldError> {
        let joints = joint_transforms(parents, models)?;
        self.slots.reserve_check(joints.len())?;
        if let Some(parent) = parent {
            self.slots.get(parent)?;
        }
        let first = out.len();
        for ((local, world), above) in joints.iter().zip(parents) {
            let above = above.map_or(parent, |p| Some(out[first + p.into()]));
            let entity = self.spawn(above, *local)?;
            if world.stretch != Vec3::ONE {
                self.set_stretch(entity, world.stretch)?;
            }
            out.push(entity);
        }
        Ok(())
    }

    /// Writes a pose into a hierarchy from [`World::spawn_skeleton`], given as model-space matrices.
    pub fn set_skeleton<P: Copy + Into<usize>>(
        &mut self,
        entities: &[Entity],
        parents: &[Option<P>],
        models: &[Mat34],
    ) -> Result<(), WorldError> {
        if entities.len() != parents.len() {
            return Err(WorldError::Length {
                what: "entities",
                got: entities.len(),
                expected: parents.len(),
            });
        }
        let joints = joint_transforms(parents, models)?;
        for &entity in entities {
            self.slots.get(entity)?;
        }
        for (&entity, (local, world)) in entities.iter().zip(&joints) {
            let own = Qvvs { stretch: world.stretch, ..Qvvs::from_qvs(*local, Vec3::ONE, 0) };
            self.set_own(entity, &own)?;
        }
        Ok(())
    }

    /// Local transform and stretch of a live entity.
    fn set_own(&mut self, entity: Entity, own: &Qvvs) -> Result<(), WorldError> {
        if self.transform(entity)?.stretch != own.stretch {
            self.set_stretch(entity, own.stretch)?;
        }
        self.set_local(entity, Qvs { rotation: own.rotation, position: own.position, scale: own.scale })
    }
}

/// Local and model-space transform of every joint.
fn joint_transforms<P: Copy + Into<usize>>(
    parents: &[Option<P>],
    models: &[Mat34],
) -> Result<Vec<(Qvs, Qvvs)>, WorldError> {
    if parents.len() != models.len() {
        return Err(WorldError::Length { what: "models", got: models.len(), expected: parents.len() });
    }
    let mut out: Vec<(Qvs, Qvvs)> = Vec::with_capacity(parents.len());
    for (joint, (parent, model)) in parents.iter().zip(models).enumerate() {
        let world = decompose(joint, model)?;
        let local = match parent.map(Into::into) {
            None => Qvs { rotation: world.rotation, position: world.position, scale: world.scale },
            Some(parent) if parent < joint => out[parent].1.inverse_mul(&world),
            Some(parent) => return Err(WorldError::ParentOrder { node: joint, parent }),
        };
        check_local(joint, &local)?;
        out.push((local, world));
    }
    Ok(out)
}

/// A matrix as rotation, position, scale and stretch.
fn decompose(joint: usize, m: &Mat34) -> Result<Qvvs, WorldError> {
    if !m.is_finite() {
        return Err(WorldError::NotFinite { index: joint, field: "matrix" });
    }
    let [x, y, z, position] = m.columns.map(Vec3::from_array);
    let mirror = if m.determinant() < 0.0 { -1.0 } else { 1.0 };
    let (lx, ly, lz) = (scalar::length(x), scalar::length(y), scalar::length(z));
    let flat = WorldError::FlatMatrix { joint };
    if m.determinant() == 0.0 || lx == 0.0 || ly == 0.0 || lz == 0.0 {
        return Err(flat);
    }
    // x and y decide; z follows, so that sheared axes still give a rotation.
    let x = scalar::scale(x, mirror / lx);
    let y = scalar::sub(y, scalar::scale(x, scalar::dot(x, y)));
    let y = scalar::normalize_or(y, Vec3::ZERO);
    let rotation = scalar::quat_from_columns([x.to_array(), y.to_array(), scalar::cross(x, y).to_array()]);
    let stretch = Vec3::new(mirror, ly / lx, lz / lx);
    let out = Qvvs { rotation, position, user: 0, stretch, scale: lx };
    if out.is_finite() && y != Vec3::ZERO { Ok(out) } else { Err(flat) }
}
