//! How much room what moves takes, so that a camera can see it.

use lissom::{Skeleton, math::Vec3};

/// A box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Extent {
    pub centre: Vec3,
    /// From the centre to its sides.
    pub half: Vec3,
}

impl Default for Extent {
    fn default() -> Self {
        Self { centre: Vec3::ZERO, half: Vec3::splat(0.6) }
    }
}

/// What [`Measured`] found.
pub(crate) struct Found {
    /// As seen from the hub.
    pub near: Extent,
    /// With all of its way.
    pub path: Extent,
    /// True if the way is what makes it large.
    pub goes_away: bool,
    /// The mesh that is only what stands behind the others, if one is.
    pub backdrop: Option<usize>,
}

/// The joint that all of a body hangs on: a hip, not a root that may stand still.
pub(crate) fn hub(skeleton: &Skeleton) -> usize {
    let all = skeleton.joint_count();
    let mut hub = 0;
    // Joints stand depth-first: children are looked for behind their parent.
    for joint in 1..all {
        if skeleton.parent(joint) == Some(hub) && skeleton.subtree(joint).len() * 5 >= all * 4 {
            hub = joint;
        }
    }
    hub
}

/// The lowest and the highest of each coordinate.
#[derive(Clone, Copy)]
struct Range {
    low: Vec3,
    high: Vec3,
}

impl Range {
    const EMPTY: Self = Self { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    fn add(&mut self, p: Vec3) {
        if p.is_finite() {
            (self.low, self.high) = (self.low.min(p), self.high.max(p));
        }
    }

    fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn is_empty(&self) -> bool {
        self.low.x > self.high.x
    }

    fn size(&self) -> f32 {
        if self.is_empty() { 0.0 } else { (self.high - self.low).length() }
    }

    fn extent(&self) -> Option<Extent> {
        let made = || Extent { centre: (self.low + self.high) * 0.5, half: (self.high - self.low) * 0.5 };
        (!self.is_empty()).then(made)
    }
}

/// A mesh is a backdrop if it is this many times larger than all others together.
const BACKDROP: f32 = 4.0;

/// Measures at several times.
pub(crate) struct Measured {
    hub: Vec3,
    hubs: Range,
    joints: [Range; 2],
    /// Of each mesh: as seen from the hub, and where it is.
    meshes: Vec<[Range; 2]>,
}

impl Measured {
    pub fn new(meshes: usize) -> Self {
        let empty = [Range::EMPTY; 2];
        Self { hub: Vec3::ZERO, hubs: Range::EMPTY, joints: empty, meshes: vec![empty; meshes] }
    }

    /// Another time, at which the hub is here.
    pub fn begin(&mut self, hub: Vec3) {
        self.hub = Vec3::new(hub.x, 0.0, hub.z);
        self.hubs.add(self.hub);
    }

    pub fn add_joint(&mut self, p: Vec3) {
        let [near, path] = &mut self.joints;
        near.add(p - self.hub);
        path.add(p);
    }

    /// A vertex of a mesh.
    pub fn add(&mut self, mesh: usize, p: Vec3) {
        if let Some([near, path]) = self.meshes.get_mut(mesh) {
            near.add(p - self.hub);
            path.add(p);
        }
    }

    /// Of what is seen: meshes without a backdrop, or joints where there are none. Cameras and lamps are joints, too.
    pub fn end(self) -> Found {
        let all = |left_out: Option<usize>| {
            let meshes = self.meshes.iter().enumerate().filter(|(i, _)| Some(*i) != left_out);
            meshes.fold([Range::EMPTY; 2], |[n, p], (_, [near, path])| [n.with(*near), p.with(*path)])
        };
        let size = |i: usize| self.meshes[i][1].size();
        let largest = (0..self.meshes.len()).max_by(|a, b| size(*a).total_cmp(&size(*b)));
        let backdrop = largest.filter(|largest| {
            let others = all(Some(*largest))[1].size();
            others > 0.0 && size(*largest) > BACKDROP * others
        });
        let meshes = all(backdrop);
        let [near, path] = if meshes[1].is_empty() { self.joints } else { meshes };
        let (near, path) = (near.extent().unwrap_or_default(), path.extent().unwrap_or_default());
        // Less than half of its height is swaying.
        let goes_away = self.hubs.size() > near.half.y;
        Found { near: if goes_away { near } else { path }, path, goes_away, backdrop }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of this half side at a place.
    fn cube(measured: &mut Measured, mesh: usize, at: Vec3, half: f32) {
        measured.add(mesh, at - Vec3::splat(half));
        measured.add(mesh, at + Vec3::splat(half));
    }

    #[test]
    fn a_long_way_does_not_make_a_figure_small() {
        let mut measured = Measured::new(1);
        for step in 0..8 {
            let at = Vec3::new(0.1, 1.0, step as f32 * 2.0);
            measured.begin(at);
            cube(&mut measured, 0, at, 1.0);
        }
        let found = measured.end();
        assert!(found.goes_away);
        assert_eq!((found.near.centre, found.near.half), (Vec3::Y, Vec3::ONE));
        assert_eq!((found.path.centre.z, found.path.half.z), (7.0, 8.0));
        // Who sways stays where it is.
        let mut measured = Measured::new(1);
        for x in [-0.1, 0.1] {
            measured.begin(Vec3::new(x, 1.0, 0.0));
            cube(&mut measured, 0, Vec3::new(x, 1.0, 0.0), 1.0);
        }
        let found = measured.end();
        assert!(!found.goes_away && found.near == found.path);
        assert!((found.near.half.x - 1.1).abs() < 1e-6);
    }

    #[test]
    fn sky_boxes_and_cameras_are_not_what_is_looked_at() {
        let mut measured = Measured::new(3);
        measured.begin(Vec3::ZERO);
        measured.add_joint(Vec3::splat(500.0));
        cube(&mut measured, 0, Vec3::ZERO, 1.0);
        cube(&mut measured, 1, Vec3::ZERO, 100.0);
        cube(&mut measured, 2, Vec3::X, 1.0);
        let found = measured.end();
        assert_eq!((found.near.centre, found.near.half), (Vec3::X * 0.5, Vec3::new(1.5, 1.0, 1.0)));
        assert_eq!(found.backdrop, Some(1));
        // A mesh alone is no backdrop, and without meshes joints are seen.
        for meshes in [1, 0] {
            let mut measured = Measured::new(meshes);
            measured.begin(Vec3::ZERO);
            cube(&mut measured, 0, Vec3::ZERO, 3.0);
            measured.add_joint(Vec3::ZERO);
            measured.add_joint(Vec3::Y);
            let half = if meshes == 1 { Vec3::splat(3.0) } else { Vec3::Y * 0.5 };
            let found = measured.end();
            assert_eq!((found.near.half, found.backdrop), (half, None));
        }
    }
}
