//! `KHR_draco_mesh_compression`: vertices and triangles in one stream, decoded by `draco-core`.

use super::{
    super::{ImportError, Place},
    accessor::{Component, Source, Values},
    budget::Budget,
    document::{self, Draco, Kind, Primitive},
};
use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What a stream holds: floats a point, whatever it stored.
pub(super) struct Decoded {
    points: usize,
    corners: usize,
    /// Four bytes a corner.
    indices: Vec<u8>,
    attributes: BTreeMap<String, (Kind, Vec<u8>)>,
}

/// Bytes that the decoder takes for a face or a point beside what it gives: tables of corners, predictions, maps.
const WORK: u64 = 256;
/// Of the memory that is left, what one stream may take at most.
const SHARE: u64 = 4;

pub(super) fn decode(
    source: &Source<'_>,
    primitive: &Primitive<'_>,
    json: &RawValue,
    at: &str,
    budget: &mut Budget,
) -> Result<Decoded, ImportError> {
    let fail = |reason: String| ImportError::Format { place: Place::Path(format!("{at}, Draco")), reason };
    let draco: Draco = serde_json::from_str(json.get()).map_err(|e| fail(document::reason(&e)))?;
    let (bytes, _) = source.buffers.view(source.document, draco.view)?;
    let left = budget.left().checked_div(SHARE).unwrap_or_default();
    let limits = DecodeLimits::default()
        .with_max_points(left.checked_div(WORK).unwrap_or_default())
        .with_max_faces(left.checked_div(WORK).unwrap_or_default())
        .with_max_decoded_bytes(left);
    let mut mesh = Mesh::new();
    let mut stream = DecoderBuffer::new(bytes).with_limits(limits);
    MeshDecoder::new().decode(&mut stream, &mut mesh).map_err(|e| fail(e.to_string()))?;
    let (points, faces) = (mesh.num_points(), mesh.num_faces());
    let work = (points.saturating_add(faces) as u64).saturating_mul(WORK);
    budget.take(work, 1, || Place::Path(at.into()))?;

    let mut indices = Vec::with_capacity(faces.saturating_mul(12));
    for corner in mesh.faces().iter().flatten() {
        indices.extend_from_slice(&corner.0.to_le_bytes());
    }
    let mut attributes = BTreeMap::new();
    for (name, id) in draco.attributes {
        let accessor =
            primitive.attributes.get(&name).and_then(|a| source.document.accessors.get(*a as usize));
        let (Some(accessor), Some(stored)) = (accessor, mesh.attribute_by_unique_id(id)) else {
            return Err(fail(format!("there is no {name} in the stream, or no accessor for it")));
        };
        let Some(each) = accessor.kind.components() else {
            return Err(fail(format!("the type of {name} is unknown")));
        };
        budget.take(points as u64, each.saturating_mul(8), || Place::Path(at.into()))?;
        // Quantised attributes come back as floats; whole numbers stay what they are, and may stand for fractions.
        let largest = Component::from_code(accessor.component).filter(|_| accessor.normalized);
        let scale = largest.map_or(1.0, |c| if stored.data_type().is_integral() { c.largest() } else { 1.0 });
        let mut list = Vec::with_capacity(points.saturating_mul(each).saturating_mul(4));
        for value in stored.read_f32s(points, each) {
            let value = f64::from(value) / scale;
            let value = if scale > 1.0 && value < -1.0 { -1.0 } else { value };
            list.extend_from_slice(&(value as f32).to_le_bytes());
        }
        attributes.insert(name, (accessor.kind, list));
    }
    Ok(Decoded { points, corners: faces.saturating_mul(3), indices, attributes })
}

impl Decoded {
    pub(super) fn attribute(&self, name: &str) -> Option<Values<'_>> {
        let (kind, bytes) = self.attributes.get(name)?;
        Some(Values::contiguous(*kind, Component::F32, self.points, bytes))
    }

    pub(super) fn indices(&self) -> Values<'_> {
        Values::contiguous(Kind::Scalar, Component::U32, self.corners, &self.indices)
    }
}
