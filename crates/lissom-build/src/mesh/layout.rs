//! The order in which a mesh's vertices stand.

use crate::{
    exact::{SMALLEST, flush},
    mesh::{Influences, RawMesh},
    scene::{Morph, Scene, SceneMesh},
};
use std::borrow::Cow;

/// The order in which vertices stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VertexLayout {
    /// As in the source file.
    #[default]
    Source,
    /// By the count of joints that they follow, then by the joints: a [`SkinJob`](lissom::job::SkinJob) moves each count
    /// with a loop of its own, and neighbours share joints. Where each vertex stood is kept ([`RawMesh::order`]).
    Skinning,
}

/// The names of layouts in options and recipes.
pub const LAYOUTS: [(&str, VertexLayout); 2] =
    [("source", VertexLayout::Source), ("skinning", VertexLayout::Skinning)];

/// A weight that an archive keeps.
fn counts(weight: f32) -> bool {
    flush(weight, SMALLEST) != 0.0
}

impl Scene {
    /// Brings the vertices of all meshes into an order. Triangles stay the same, in the same order.
    pub fn lay_out(&mut self, layout: VertexLayout) {
        self.meshes.iter_mut().for_each(|mesh| mesh.lay_out(layout));
    }
}

impl SceneMesh {
    /// Brings the vertices into an order. Triangles stay the same, in the same order. A mesh that is not valid, or whose
    /// morph targets are for another one, is left as it is.
    pub fn lay_out(&mut self, layout: VertexLayout) {
        let vertices = self.mesh.positions.len();
        let of_mesh = |list: &Vec<[f32; 3]>| list.is_empty() || list.len() == vertices;
        let fits = |m: &Morph| of_mesh(&m.positions) && of_mesh(&m.normals) && of_mesh(&m.tangents);
        if self.mesh.validate(self.mesh.inverse_binds.len()).is_err() || !self.morphs.iter().all(fits) {
            return;
        }
        let from = match layout {
            VertexLayout::Source => self.mesh.source_places(),
            VertexLayout::Skinning => {
                self.mesh.influences.close_up();
                self.mesh.influences.skinning_order()
            }
        };
        if from.iter().enumerate().all(|(to, from)| to == *from as usize) {
            return;
        }
        self.mesh.reorder(&from);
        for morph in &mut self.morphs {
            for list in [&mut morph.positions, &mut morph.normals, &mut morph.tangents] {
                pick(list, &from, 1);
            }
        }
    }

    /// The mesh with its vertices in the order of the source file.
    #[must_use]
    pub fn in_source_order(&self) -> Cow<'_, Self> {
        if self.mesh.order.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut mesh = self.clone();
        mesh.lay_out(VertexLayout::Source);
        Cow::Owned(mesh)
    }
}

impl Influences {
    /// Moves what has no weight behind what has; neither changes its own order, so that skinned vertices keep their bits.
    fn close_up(&mut self) {
        let each = self.each.max(1);
        for (joints, weights) in self.joints.chunks_mut(each).zip(self.weights.chunks_mut(each)) {
            let mut used = 0;
            for i in 0..joints.len().min(weights.len()) {
                if counts(weights[i]) {
                    joints[used..=i].rotate_right(1);
                    weights[used..=i].rotate_right(1);
                    used += 1;
                }
            }
        }
    }

    /// How many joints each vertex follows, and which: the key that vertices are sorted by.
    fn key(&self, vertex: usize) -> (usize, &[u16]) {
        let row = vertex * self.each..(vertex + 1) * self.each;
        let used = self.weights[row.clone()].iter().filter(|w| counts(**w)).count();
        (used, &self.joints[row][..used])
    }

    /// For each place the vertex that is to stand there. Vertices that follow the same joints keep their order.
    fn skinning_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.vertex_count() as u32).collect();
        order.sort_by_key(|vertex| self.key(*vertex as usize));
        order
    }

    /// The counts of followed joints, one after another, and how many neighbours have each.
    #[must_use]
    pub fn runs(&self) -> Vec<(usize, usize)> {
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for vertex in 0..self.vertex_count() {
            let used = self.of(vertex).filter(|(_, weight)| counts(*weight)).count();
            match runs.last_mut() {
                Some((influences, vertices)) if *influences == used => *vertices += 1,
                _ => runs.push((used, 1)),
            }
        }
        runs
    }
}

impl RawMesh {
    /// For each vertex of the source its place here.
    fn source_places(&self) -> Vec<u32> {
        let mut places: Vec<u32> = (0..self.order.len() as u32).collect();
        for (here, source) in self.order.iter().enumerate() {
            places[*source as usize] = here as u32;
        }
        places
    }

    /// Vertex `from[i]` becomes vertex i; `from` has each once. The mesh is valid.
    fn reorder(&mut self, from: &[u32]) {
        pick(&mut self.positions, from, 1);
        pick(&mut self.normals, from, 1);
        pick(&mut self.tangents, from, 1);
        pick(&mut self.influences.joints, from, self.influences.each);
        pick(&mut self.influences.weights, from, self.influences.each);
        self.uvs.iter_mut().for_each(|set| pick(set, from, 1));
        self.colors.iter_mut().for_each(|set| pick(set, from, 1));
        if self.order.is_empty() {
            self.order = from.to_vec();
        } else {
            pick(&mut self.order, from, 1);
        }
        let mut to = vec![0; from.len()];
        for (here, before) in from.iter().enumerate() {
            to[*before as usize] = here as u32;
        }
        self.indices.iter_mut().for_each(|index| *index = to[*index as usize]);
        if self.order.iter().enumerate().all(|(here, source)| here == *source as usize) {
            self.order = Vec::new();
        }
    }
}

/// Rows of `each` entries in another order; a list that is empty stays so.
fn pick<T: Copy>(list: &mut Vec<T>, from: &[u32], each: usize) {
    if !list.is_empty() {
        let row = |i: &u32| &list[*i as usize * each..(*i as usize + 1) * each];
        *list = from.iter().flat_map(row).copied().collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{exact::M34, mannequin};
    use std::collections::HashSet;

    /// Five vertices whose attributes all tell which one it is.
    fn five() -> SceneMesh {
        let number = |i: usize| i as f32 * 0.125;
        let each = |f: fn(f32) -> [f32; 3]| (0..5).map(|i| f(number(i))).collect::<Vec<_>>();
        let mesh = RawMesh {
            name: "five".into(),
            positions: each(|n| [n, 0.0, 0.0]),
            normals: vec![[0.0, 0.0, 1.0]; 5],
            tangents: (0..5).map(|i| [1.0, 0.0, 0.0, if i == 3 { -1.0 } else { 1.0 }]).collect(),
            influences: Influences::from_rows(
                &[[2, 1, 0], [1, 0, 0], [0, 2, 1], [1, 2, 0], [0, 1, 0]],
                &[[0.5, 0.25, 0.25], [1.0, 0.0, 0.0], [0.0, 0.75, 0.25], [0.5, 0.5, 0.0], [1.0, 1e-20, 0.0]],
            ),
            indices: vec![0, 1, 2, 2, 3, 4],
            inverse_binds: vec![M34::IDENTITY; 3],
            uvs: vec![(0..5).map(|i| [number(i), 0.5]).collect(), (0..5).map(|i| [0.5, number(i)]).collect()],
            colors: vec![(0..5).map(|i| [number(i), 0.0, 0.0, 1.0]).collect()],
            order: Vec::new(),
        };
        let morph = Morph {
            name: "smile".into(),
            positions: each(|n| [0.0, n, 0.0]),
            tangents: each(|n| [0.0, 0.0, n]),
            ..Morph::default()
        };
        SceneMesh { mesh, morphs: vec![morph], ..SceneMesh::default() }
    }

    #[test]
    fn all_of_a_vertex_moves_and_triangles_stay() {
        let source = five();
        let mut mesh = source.clone();
        mesh.lay_out(VertexLayout::Skinning);
        // One joint: 4 (joint 0; what an archive rounds away does not count), 1 (joint 1). Two: 3 (1, 2), 2 (2, 1). Three: 0.
        assert_eq!(mesh.mesh.order, [4, 1, 3, 2, 0]);
        assert_eq!(mesh.mesh.influences.runs(), [(1, 2), (2, 2), (3, 1)]);
        // What has no weight stands behind.
        assert_eq!(mesh.mesh.influences.joints[9..12], [2, 1, 0]);
        assert_eq!(mesh.mesh.influences.weights[9..12], [0.75, 0.25, 0.0]);
        for (here, was) in mesh.mesh.order.iter().map(|i| *i as usize).enumerate() {
            let (a, b) = (&mesh.mesh, &source.mesh);
            assert_eq!((a.positions[here], a.normals[here]), (b.positions[was], b.normals[was]));
            assert_eq!((a.tangents[here], a.colors[0][here]), (b.tangents[was], b.colors[0][was]));
            assert_eq!((a.uvs[0][here], a.uvs[1][here]), (b.uvs[0][was], b.uvs[1][was]));
            let (a, b) = (&mesh.morphs[0], &source.morphs[0]);
            assert_eq!((a.positions[here], a.tangents[here]), (b.positions[was], b.tangents[was]));
            assert!(a.normals.is_empty());
        }
        let corners = |m: &SceneMesh| m.mesh.indices.iter().map(|i| m.mesh.positions[*i as usize]).collect();
        let (before, after): (Vec<_>, Vec<_>) = (corners(&source), corners(&mesh));
        assert_eq!(before, after);
        mesh.mesh.validate(3).unwrap();
    }

    #[test]
    fn a_layout_is_made_once_and_can_be_taken_back() {
        let source = five();
        let mut mesh = source.clone();
        mesh.lay_out(VertexLayout::Source);
        assert_eq!(mesh, source);
        mesh.lay_out(VertexLayout::Skinning);
        let once = mesh.clone();
        mesh.lay_out(VertexLayout::Skinning);
        assert_eq!(mesh, once);
        let back = once.in_source_order().into_owned();
        let mut closed = source.clone();
        closed.mesh.influences.close_up();
        assert_eq!(back, closed);
        // Cut after it was laid out, and laid out again: still the source's numbers.
        mesh.mesh.influences.cut(std::num::NonZeroU8::MIN);
        mesh.lay_out(VertexLayout::Skinning);
        assert_eq!(mesh.mesh.influences.runs(), [(1, 5)]);
        for (here, was) in mesh.mesh.order.iter().enumerate() {
            assert_eq!(mesh.mesh.positions[here], source.mesh.positions[*was as usize]);
        }
    }

    #[test]
    fn what_is_not_valid_is_left_alone() {
        let wrong: [fn(&mut SceneMesh); 4] = [
            |m| m.mesh.indices[0] = 9,
            |m| m.mesh.order = vec![0, 1, 2, 3, 3],
            |m| m.morphs[0].positions.truncate(2),
            |m| m.mesh.influences.each = 0,
        ];
        for spoil in wrong {
            let mut mesh = five();
            spoil(&mut mesh);
            let before = mesh.clone();
            mesh.lay_out(VertexLayout::Skinning);
            assert_eq!(mesh, before);
            mesh.lay_out(VertexLayout::Source);
            assert_eq!(mesh, before);
        }
    }

    #[test]
    fn vertices_of_the_mannequin_that_follow_the_same_joints_stand_together() {
        let mesh = mannequin::mesh(&mannequin::Detail::default()).unwrap();
        let mut mesh = SceneMesh { mesh, ..SceneMesh::default() };
        mesh.lay_out(VertexLayout::Skinning);
        let influences = &mesh.mesh.influences;
        let counts: Vec<usize> = influences.runs().iter().map(|(count, _)| *count).collect();
        assert!(counts.len() > 1 && counts.is_sorted_by(|a, b| a < b), "{counts:?}");
        let mut met = HashSet::new();
        let mut last = None;
        for vertex in 0..influences.vertex_count() {
            let key = influences.key(vertex);
            if last != Some(key) {
                assert!(met.insert(key), "{key:?} stands in two places");
                last = Some(key);
            }
        }
    }
}
