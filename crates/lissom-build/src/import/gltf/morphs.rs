//! Morph targets: their names, their default weights, and the tracks that move the weights.

use super::{
    super::{ImportError, Place},
    accessor::Source,
    budget::Budget,
    document::{self, Document, Interpolation, Kind, Mesh, MeshExtras, Sampler},
    names::{Names, place},
    samplers::{Odd, Reader},
    spare,
};
use crate::{
    exact::larger,
    raw::{RawUserTrack, TrackKind, UserKey},
    scene::Scene,
};
use std::collections::BTreeMap;

/// How far straight lines may stray from a cubic of weights.
const STRAIGHT: f64 = 1e-6;
/// Lines that one segment of a cubic becomes, at most.
const MOST_LINES: f64 = 2048.0;

/// A mesh on a node, as the scene calls it.
pub(super) struct MeshName {
    /// Unique among the meshes of the scene; shared by its primitives.
    pub(super) name: String,
    /// Names of its morph targets, unique in the mesh.
    pub(super) targets: Vec<String>,
    /// Weights of its targets where no track says otherwise.
    pub(super) weights: Vec<f64>,
}

/// By node.
pub(super) type MeshNames = BTreeMap<u32, MeshName>;

/// Names every mesh on every node.
pub(super) fn names(
    document: &Document<'_>,
    strict: bool,
    budget: &mut Budget,
    scene: &mut Scene,
) -> Result<MeshNames, ImportError> {
    let mut out = MeshNames::new();
    let mut meshes = Names::default();
    // Worked out once a mesh: many nodes may carry it.
    let mut targets: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for (index, node) in document.nodes.iter().enumerate() {
        let Some(mesh_index) = node.mesh else { continue };
        let here = place("node", index, node.name.as_deref());
        let Some(mesh) = document.meshes.get(mesh_index as usize) else {
            let reason = format!("there is no mesh {mesh_index}; there are {}", document.meshes.len());
            let error = ImportError::Format { place: Place::Path(here), reason };
            spare(error, "it stays without", strict, budget, scene)?;
            continue;
        };
        let targets = match targets.get(&mesh_index) {
            Some(known) => known,
            None => targets.entry(mesh_index).or_insert(target_names(mesh, mesh_index as usize, scene)),
        };
        let count = targets.len();
        const EACH: usize = size_of::<String>() + size_of::<f64>();
        let bytes: usize = targets.iter().map(|t| t.len().saturating_add(EACH)).sum();
        budget.take(1, bytes.saturating_add(512), || Place::Path(here.clone()))?;
        let targets = targets.clone();
        let wanted = mesh.name.as_deref().filter(|n| !n.is_empty()).or(node.name.as_deref());
        let name = meshes.unique(wanted, || format!("mesh_{mesh_index}"));
        let stated = node.weights.as_deref().or(mesh.weights.as_deref()).unwrap_or_default();
        if !stated.is_empty() && stated.len() != count {
            scene.warn(
                &here,
                format!("{} weights for {count} morph targets; what is missing is 0", stated.len()),
            );
        }
        let weights =
            (0..count).map(|t| stated.get(t).copied().filter(|w| (*w as f32).is_finite()).unwrap_or(0.0));
        let weights = weights.collect();
        out.insert(index as u32, MeshName { name, targets, weights });
    }
    if meshes.repeated > 0 {
        scene.warn("meshes", format!("{} have the name of another and got a suffix", meshes.repeated));
    }
    Ok(out)
}

/// Unique names for the morph targets of a mesh.
fn target_names(mesh: &Mesh<'_>, index: usize, scene: &mut Scene) -> Vec<String> {
    let count = mesh.primitives.iter().map(|p| p.targets.len()).max().unwrap_or_default();
    let extras: MeshExtras = document::extras(mesh.extras);
    let mut unique = Names::default();
    let name = |t: usize| {
        let wanted = extras.target_names.get(t).and_then(|n| n.as_deref());
        unique.unique(wanted, || format!("target_{t}"))
    };
    let names = (0..count).map(name).collect();
    if unique.repeated > 0 {
        let text = format!("{} morph targets have the name of another and got a suffix", unique.repeated);
        scene.warn(place("mesh", index, mesh.name.as_deref()), text);
    }
    names
}

/// The keys of a channel of weights: straight lines or steps, a list a target.
pub(super) struct WeightKeys {
    step: bool,
    /// (seconds, weight), a list a target.
    targets: Vec<Vec<(f64, f64)>>,
}

/// Reads a channel of weights; `None` if its node has nothing to morph.
pub(super) fn keys(
    source: &Source<'_>,
    sampler: &Sampler,
    node: u32,
    at: &dyn Fn() -> String,
    budget: &mut Budget,
    scene: &mut Scene,
    odd: &mut Odd,
) -> Result<Option<WeightKeys>, ImportError> {
    let document = source.document;
    let mesh = document.nodes.get(node as usize).and_then(|n| n.mesh);
    let mesh = mesh.and_then(|m| document.meshes.get(m as usize));
    let count = mesh.and_then(|m| m.primitives.iter().map(|p| p.targets.len()).max()).unwrap_or_default();
    if count == 0 {
        scene.warn(
            at(),
            format!("it moves morph weights, but node {node} has no morph targets; it was left out"),
        );
        return Ok(None);
    }
    let stored = source.open(sampler.input, &[Kind::Scalar], budget)?.len();
    let mut reader = Reader { source, sampler, at, budget, odd };
    let times = reader.times()?;
    let values = reader.values(Kind::Scalar, stored, count)?;
    let cubic = sampler.interpolation == Interpolation::Cubic;
    // Cubics hold, for every key, all slopes in, all values, all slopes out.
    let number = |key: usize, part: usize, target: usize| -> f64 {
        let rows = if cubic { key.saturating_mul(3).saturating_add(part) } else { key };
        let [v] = values.get::<1>(rows.saturating_mul(count).saturating_add(target));
        v
    };
    let mut targets = Vec::with_capacity(count);
    for target in 0..count {
        budget.take(times.len() as u64, size_of::<UserKey>().saturating_add(16), || Place::Path(at()))?;
        let mut keys: Vec<(f64, f64)> = Vec::with_capacity(times.len());
        let mut before: Option<(f64, f64, f64)> = None;
        for (key, time_s) in &times {
            let (into, value, out) = if cubic {
                (number(*key, 0, target), number(*key, 1, target), number(*key, 2, target))
            } else {
                (0.0, number(*key, 0, target), 0.0)
            };
            if ![into, value, out].iter().all(|v| (*v as f32).is_finite()) {
                let reason = format!("the weight of target {target} at key {key} is not finite");
                return Err(ImportError::Format { place: Place::Path(at()), reason });
            }
            if let (true, Some((from_s, from, slope))) = (cubic, before) {
                let segment = Segment { from_s, to_s: *time_s, from, to: value, out: slope, into };
                let lines = segment.lines();
                budget.take(lines as u64, size_of::<UserKey>().saturating_add(16), || Place::Path(at()))?;
                keys.extend((1..lines).map(|i| segment.at(i as f64 / lines as f64)));
            }
            keys.push((*time_s, value));
            before = Some((*time_s, value, out));
        }
        targets.push(keys);
    }
    Ok(Some(WeightKeys { step: sampler.interpolation == Interpolation::Step, targets }))
}

/// A piece of a cubic Hermite curve.
struct Segment {
    from_s: f64,
    to_s: f64,
    from: f64,
    to: f64,
    out: f64,
    into: f64,
}

impl Segment {
    /// How many straight lines follow it well enough: a line strays from a curve by an eighth of its second
    /// derivative times its length squared, and the derivative of a cubic is greatest at an end.
    fn lines(&self) -> usize {
        let span = self.to_s - self.from_s;
        let (rise, a, b) = (self.to - self.from, self.out * span, self.into * span);
        let bend = larger((6.0 * rise - 4.0 * a - 2.0 * b).abs(), (-6.0 * rise + 2.0 * a + 4.0 * b).abs());
        let lines = (bend / (8.0 * STRAIGHT)).sqrt().ceil();
        if lines > MOST_LINES { MOST_LINES as usize } else { (lines as usize).max(1) }
    }

    fn at(&self, t: f64) -> (f64, f64) {
        let span = self.to_s - self.from_s;
        let (t2, t3) = (t * t, t * t * t);
        let ends = self.from * (2.0 * t3 - 3.0 * t2 + 1.0) + self.to * (3.0 * t2 - 2.0 * t3);
        let slopes = self.out * span * (t3 - 2.0 * t2 + t) + self.into * span * (t3 - t2);
        (self.from_s + span * t, ends + slopes)
    }
}

/// Turns keys in seconds into tracks over the whole duration.
pub(super) fn tracks(
    keys: &WeightKeys,
    node: u32,
    meshes: &MeshNames,
    duration_s: f64,
    out: &mut Vec<RawUserTrack>,
) {
    let Some(mesh) = meshes.get(&node) else { return };
    for (list, target) in keys.targets.iter().zip(&mesh.targets) {
        let mut track = RawUserTrack {
            name: format!("morph/{}/{target}", mesh.name),
            kind: TrackKind::Float,
            keys: Vec::with_capacity(list.len()),
        };
        for (time_s, weight) in list {
            let ratio = time_s / duration_s;
            let ratio = if ratio > 1.0 { 1.0 } else { ratio };
            // Times so near each other that they are one: the later counts.
            if track.keys.last().is_some_and(|k| k.ratio >= ratio) {
                track.keys.pop();
            }
            track.keys.push(UserKey { ratio, value: [*weight, 0.0, 0.0, 0.0], step: keys.step });
        }
        out.push(track);
    }
}
