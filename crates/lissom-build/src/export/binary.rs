//! The binary half of a glTF file: one buffer, its views and accessors.

use serde_json::{Value, json};

pub(super) const FLOAT: u32 = 5126;
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
            let fold = |better: fn(f32, f32) -> bool| -> Vec<f64> {
                let pick = |c: usize| {
                    rows.iter().map(|r| r[c]).reduce(|m, v| if better(v, m) { v } else { m }).unwrap_or(0.0)
                };
                (0..N).map(|c| f64::from(pick(c))).collect()
            };
            accessor["min"] = json!(fold(|v, m| v < m));
            accessor["max"] = json!(fold(|v, m| v > m));
        }
        self.add(&bytes, target, accessor)
    }

    /// Joint indices.
    pub(super) fn joints(&mut self, rows: &[[u16; 4]]) -> usize {
        let bytes: Vec<u8> = rows.iter().flatten().flat_map(|v| v.to_le_bytes()).collect();
        let accessor = json!({ "componentType": UNSIGNED_SHORT, "count": rows.len(), "type": "VEC4" });
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
