//! Vertices that stand in the order of how many joints they follow.

use super::{
    error::MeshError,
    influences::{InfluenceRun, SkinMesh, SkinMeshParts},
};
use alloc::vec::Vec;

/// The runs of a mesh: a [`SkinJob`](crate::job::SkinJob) moves each with the loop for its count of
/// influences, instead of all with that of the most ([`SkinMesh::with_runs`]).
///
/// Meshes that were laid out for skinning have a run a count. Any other mesh is one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InfluenceRuns {
    list: Vec<InfluenceRun>,
}

impl InfluenceRuns {
    /// Finds them, in one pass over the weights: where the counts never fall from a vertex to the next, a run
    /// each; else one run with the most that a vertex has.
    #[must_use]
    pub fn of(mesh: &SkinMesh<'_>) -> Self {
        let mut list: Vec<InfluenceRun> = Vec::new();
        let mut sorted = true;
        let (mut most, mut all_whole) = (1, true);
        for vertex in 0..mesh.vertex_count() {
            let influences = count(mesh, vertex);
            let whole = influences == 1 && mesh.weight(vertex, 0) == 1.0;
            most = if influences > most { influences } else { most };
            all_whole &= whole;
            match list.last_mut() {
                Some(run) if run.influences == influences => {
                    run.vertices.end += 1;
                    run.whole &= whole;
                }
                Some(run) if run.influences > influences => sorted = false,
                _ if sorted => list.push(InfluenceRun { vertices: vertex..vertex + 1, influences, whole }),
                _ => {}
            }
        }
        if !sorted {
            list.clear();
            list.push(InfluenceRun { vertices: 0..mesh.vertex_count(), influences: most, whole: all_whole });
        }
        Self { list }
    }

    /// The runs, one after another from the first vertex to the last.
    #[must_use]
    pub fn as_slice(&self) -> &[InfluenceRun] {
        &self.list
    }
}

/// Up to the last weight that is not 0.
fn count(mesh: &SkinMesh<'_>, vertex: usize) -> usize {
    (1..mesh.influences()).rev().find(|i| mesh.weight(vertex, *i) != 0.0).map_or(1, |last| last + 1)
}

impl<'a> SkinMesh<'a> {
    /// The same mesh, moved run by run. The bits of every vertex stay the same, if the palette is finite.
    ///
    /// # Errors
    ///
    /// [`MeshError::Mismatch`]: they are the runs of another mesh.
    pub fn with_runs(self, runs: &'a InfluenceRuns) -> Result<Self, MeshError> {
        let mismatch = |unit, found, expected| MeshError::Mismatch { field: "runs", unit, found, expected };
        let found = runs.list.last().map_or(0, |run| run.vertices.end);
        if found != self.vertex_count() {
            return Err(mismatch("vertices", found, self.vertex_count()));
        }
        for run in &runs.list {
            for vertex in run.vertices.clone() {
                let expected = count(&self, vertex);
                if expected > run.influences || (run.whole && self.weight(vertex, 0) != 1.0) {
                    return Err(mismatch("influences", run.influences, expected));
                }
            }
        }
        Ok(self.with_checked_runs(&runs.list))
    }

    /// The pieces of the first `count` vertices that one loop moves: where each starts, and its influences.
    pub(crate) fn pieces(&self, count: usize) -> impl Iterator<Item = (usize, SkinMeshParts<'a>)> + use<'a> {
        let (parts, skipped) = (*self.parts(), self.skipped());
        let runs = self.runs();
        let all = runs.is_none().then_some((0, SkinMeshParts { vertex_count: count, ..parts }));
        let stored = parts.influences - usize::from(!parts.explicit_last);
        let piece = move |run: &InfluenceRun| {
            let start = run.vertices.start.saturating_sub(skipped);
            let end = run.vertices.end.saturating_sub(skipped).min(count);
            let explicit_last = !run.whole && (parts.explicit_last || run.influences <= stored);
            let piece = SkinMeshParts {
                vertex_count: end.saturating_sub(start),
                influences: run.influences,
                indices: parts.indices.skip(start),
                weights: parts.weights.skip(start),
                explicit_last,
                ..parts
            };
            (start, piece)
        };
        let runs = runs.unwrap_or_default().iter().map(piece);
        all.into_iter().chain(runs).filter(|(_, piece)| piece.vertex_count > 0)
    }
}
