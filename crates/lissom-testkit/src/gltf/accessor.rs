//! Accessors, decoded whole.

use super::{Reference, list, number};
use lissom_build::exact::larger;
use std::sync::{Arc, PoisonError};

impl Reference {
    /// The rows of an accessor, each as wide as its type.
    ///
    /// # Errors
    ///
    /// If the buffers cannot be read.
    pub fn accessor(&self, index: usize) -> Result<Arc<Vec<Vec<f64>>>, String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = read.get(&index) {
            return Ok(Arc::clone(known));
        }
        let rows = Arc::new(self.decode(index)?);
        read.insert(index, Arc::clone(&rows));
        Ok(rows)
    }

    fn decode(&self, index: usize) -> Result<Vec<Vec<f64>>, String> {
        let accessor = list(&self.json, "accessors").get(index).ok_or("no such accessor")?;
        let count = number(&accessor["count"]);
        let width = match accessor["type"].as_str() {
            Some("SCALAR") => 1,
            Some("VEC2") => 2,
            Some("VEC3") => 3,
            Some("VEC4") => 4,
            Some("MAT4") => 16,
            other => return Err(format!("accessor type {other:?}")),
        };
        let code = number(&accessor["componentType"]);
        let normalized = accessor["normalized"].as_bool().unwrap_or(false);
        let offset = accessor["byteOffset"].as_u64().unwrap_or(0) as usize;
        let mut out = vec![vec![0.0; width]; count];
        if !accessor["bufferView"].is_null() {
            let (bytes, stride) = self.view(number(&accessor["bufferView"]))?;
            let stride = stride.unwrap_or(width * size(code));
            for (i, element) in out.iter_mut().enumerate() {
                *element = row(&bytes[offset + i * stride..], width, code, normalized);
            }
        }
        let sparse = &accessor["sparse"];
        if !sparse.is_null() {
            let at = |part: &str| sparse[part]["byteOffset"].as_u64().unwrap_or(0) as usize;
            let (indices, _) = self.view(number(&sparse["indices"]["bufferView"]))?;
            let (values, _) = self.view(number(&sparse["values"]["bufferView"]))?;
            let index_code = number(&sparse["indices"]["componentType"]);
            for i in 0..number(&sparse["count"]) {
                let index =
                    row(&indices[at("indices") + i * size(index_code)..], 1, index_code, false)[0] as usize;
                out[index] = row(&values[at("values") + i * width * size(code)..], width, code, normalized);
            }
        }
        Ok(out)
    }

    fn view(&self, index: usize) -> Result<(&[u8], Option<usize>), String> {
        let view = list(&self.json, "bufferViews").get(index).ok_or("no such view")?;
        if view["extensions"].as_object().is_some_and(|e| e.keys().any(|k| k.contains("meshopt"))) {
            return Err("a view packed with meshopt".into());
        }
        let buffer =
            self.buffers.get(number(&view["buffer"])).and_then(|b| b.as_deref()).ok_or("a missing buffer")?;
        let offset = view["byteOffset"].as_u64().unwrap_or(0) as usize;
        let bytes = buffer.get(offset..offset + number(&view["byteLength"])).ok_or("a short buffer")?;
        Ok((bytes, view["byteStride"].as_u64().map(|s| s as usize)))
    }
}

fn size(code: usize) -> usize {
    match code {
        5120 | 5121 => 1,
        5122 | 5123 => 2,
        _ => 4,
    }
}

fn row(bytes: &[u8], width: usize, code: usize, normalized: bool) -> Vec<f64> {
    let one = |b: &[u8]| {
        let (value, most) = match code {
            5120 => (f64::from(b[0] as i8), 127.0),
            5121 => (f64::from(b[0]), 255.0),
            5122 => (f64::from(i16::from_le_bytes([b[0], b[1]])), 32767.0),
            5123 => (f64::from(u16::from_le_bytes([b[0], b[1]])), 65535.0),
            5125 => (f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])), 1.0),
            _ => return f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        };
        if normalized { larger(value / most, -1.0) } else { value }
    };
    bytes.chunks(size(code)).take(width).map(one).collect()
}

/// What a data URI holds.
#[must_use]
pub fn base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.bytes().filter_map(|c| LETTERS.iter().position(|l| *l == c));
    let digits: Vec<usize> = digits.collect();
    let group = |four: &[usize]| {
        let bits = four.iter().fold(0, |bits, d| bits << 6 | d) << (6 * (4 - four.len()));
        [(bits >> 16) as u8, (bits >> 8) as u8, bits as u8].into_iter().take(four.len() * 6 / 8)
    };
    digits.chunks(4).flat_map(group).collect()
}
