//! The binary half of a glTF file: one buffer, its views and accessors.

use super::packing::{FLOATS, Packing};
use serde_json::{Value, json};

pub(super) const FLOAT: u32 = 5126;
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const UNSIGNED_INT: u32 = 5125;
/// Buffer view targets: vertices, triangle indices.
pub(super) const ARRAY: Option<u32> = Some(34962);
const ELEMENTS: Option<u32> = Some(34963);

/// Collects bytes and describes them.
#[derive(Default)]
pub(super) struct Binary {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
    /// Whether something needs `KHR_mesh_quantization`.
    pub(super) quantised: bool,
}

/// How rows of numbers may be written.
#[derive(Clone, Copy, Default)]
pub(super) struct Rows<'p> {
    /// `VEC3` and the like.
    pub(super) kind: &'static str,
    /// Writes the least and greatest value of each column.
    pub(super) bounded: bool,
    /// Only rows that are not zero, if that is shorter.
    pub(super) sparse: bool,
    /// Integers that will do instead of floats, if they lose nothing.
    pub(super) packings: &'p [Packing],
    /// Whether those need `KHR_mesh_quantization`.
    pub(super) extension: bool,
}

impl Binary {
    /// Adds a view over new bytes, aligned to 4.
    pub(super) fn view(&mut self, bytes: &[u8], target: Option<u32>) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(view);
        self.views.len() - 1
    }

    /// Adds a view over new bytes and an accessor for all of it.
    fn add(&mut self, bytes: &[u8], target: Option<u32>, mut accessor: Value) -> usize {
        accessor["bufferView"] = json!(self.view(bytes, target));
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }

    /// Rows of floats; `bounded` writes the least and greatest value of each column.
    pub(super) fn floats<const N: usize>(
        &mut self,
        kind: &str,
        rows: &[[f32; N]],
        target: Option<u32>,
        bounded: bool,
    ) -> usize {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let mut accessor = json!({ "componentType": FLOAT, "count": rows.len(), "type": kind });
        if bounded {
            bounds(rows, FLOATS, &mut accessor);
        }
        self.add(&bytes, target, accessor)
    }

    /// Numbers of vertices, in as few bytes as lose nothing.
    pub(super) fn rows<const N: usize>(&mut self, rows: &[[f32; N]], how: Rows<'_>) -> usize {
        let packing = Packing::of(rows, how.packings);
        let mut accessor =
            json!({ "componentType": packing.component, "count": rows.len(), "type": how.kind });
        if packing.normalised {
            accessor["normalized"] = json!(true);
        }
        self.quantised |= how.extension && packing != FLOATS;
        if how.bounded {
            bounds(rows, packing, &mut accessor);
        }
        let size = packing.bytes * N;
        let stride = size.next_multiple_of(4);
        let moved: Vec<usize> =
            (0..rows.len()).filter(|i| rows[*i].iter().any(|v| v.to_bits() != 0)).collect();
        let index = if rows.len() <= 0xffff { 2 } else { 4 };
        if how.sparse && moved.len() * (size + index) < rows.len() * stride {
            if !moved.is_empty() {
                let mut indices = Vec::with_capacity(moved.len() * index);
                moved.iter().for_each(|i| indices.extend(&(*i as u32).to_le_bytes()[..index]));
                let mut values = Vec::with_capacity(moved.len() * size);
                moved.iter().for_each(|i| rows[*i].iter().for_each(|v| packing.write(*v, &mut values)));
                let component = if index == 2 { UNSIGNED_SHORT } else { UNSIGNED_INT };
                accessor["sparse"] = json!({
                    "count": moved.len(),
                    "indices": { "bufferView": self.view(&indices, None), "componentType": component },
                    "values": { "bufferView": self.view(&values, None) },
                });
            }
            self.accessors.push(accessor);
            return self.accessors.len() - 1;
        }
        let mut bytes = Vec::with_capacity(rows.len() * stride);
        for (row, end) in rows.iter().zip((stride..).step_by(stride)) {
            row.iter().for_each(|v| packing.write(*v, &mut bytes));
            bytes.resize(end, 0);
        }
        let added = self.add(&bytes, ARRAY, accessor);
        if stride != size {
            self.views[added_view(&self.accessors[added])]["byteStride"] = json!(stride);
        }
        added
    }

    /// Joint indices, in a byte each if they fit.
    pub(super) fn joints(&mut self, rows: &[[u16; 4]]) -> usize {
        let short = rows.iter().flatten().all(|j| *j <= 0xff);
        let bytes: Vec<u8> = if short {
            rows.iter().flatten().map(|v| *v as u8).collect()
        } else {
            rows.iter().flatten().flat_map(|v| v.to_le_bytes()).collect()
        };
        let component = if short { UNSIGNED_BYTE } else { UNSIGNED_SHORT };
        let accessor = json!({ "componentType": component, "count": rows.len(), "type": "VEC4" });
        self.add(&bytes, ARRAY, accessor)
    }

    /// Triangle indices, in two bytes each if they fit (the greatest value is reserved).
    pub(super) fn indices(&mut self, indices: &[u32]) -> usize {
        let short = indices.iter().all(|i| *i < 0xffff);
        let bytes: Vec<u8> = if short {
            indices.iter().flat_map(|i| (*i as u16).to_le_bytes()).collect()
        } else {
            indices.iter().flat_map(|i| i.to_le_bytes()).collect()
        };
        let component = if short { UNSIGNED_SHORT } else { UNSIGNED_INT };
        let accessor = json!({ "componentType": component, "count": indices.len(), "type": "SCALAR" });
        self.add(&bytes, ELEMENTS, accessor)
    }
}

/// The least and greatest value of each column, as they are stored.
fn bounds<const N: usize>(rows: &[[f32; N]], packing: Packing, accessor: &mut Value) {
    let fold = |better: fn(f32, f32) -> bool| -> Vec<Value> {
        let pick = |c: usize| {
            rows.iter().map(|r| r[c]).reduce(|m, v| if better(v, m) { v } else { m }).unwrap_or(0.0)
        };
        let number = |v: f64| if packing == FLOATS { json!(v) } else { json!(v as i64) };
        (0..N).map(|c| number(packing.stored(pick(c)))).collect()
    };
    accessor["min"] = fold(|v, m| v < m).into();
    accessor["max"] = fold(|v, m| v > m).into();
}

fn added_view(accessor: &Value) -> usize {
    accessor["bufferView"].as_u64().unwrap_or_default() as usize
}

/// The file: a header, the JSON chunk padded with spaces, the binary chunk padded with zeros. `None` if it
/// would need more than 32 bits of length.
pub(super) fn to_glb(json: &Value, binary: &[u8]) -> Option<Vec<u8>> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + text.len() + 8 + binary.len();
    let length = u32::try_from(total).ok()?;
    let mut out = Vec::with_capacity(total);
    out.extend(b"glTF");
    out.extend(2_u32.to_le_bytes());
    out.extend(length.to_le_bytes());
    for (kind, chunk) in [(b"JSON", text.as_slice()), (b"BIN\0", binary)] {
        out.extend((chunk.len() as u32).to_le_bytes());
        out.extend(kind);
        out.extend(chunk);
    }
    Some(out)
}
