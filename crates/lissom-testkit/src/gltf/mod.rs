//! What a glTF file means, by the specification alone: an evaluation in f64 straight from the JSON and the buffers,
//! sharing nothing with the importer, which is compared with it.
//!
//! For files known to be valid: it panics or answers with a message where a file is not. Packed buffers (meshopt,
//! Draco) are not read.
//!
//! - [`Reference`]: a file: its nodes, morph weights and skinned triangles at any time.
//! - [`builder`]: glTF files made in code.

mod accessor;
pub mod builder;
mod surface;

pub use accessor::base64;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
pub use surface::Surface;

/// A 4x4 matrix, column by column.
pub type Matrix = [f64; 16];

/// A parsed file.
pub struct Reference {
    json: Value,
    buffers: Vec<Option<Vec<u8>>>,
    parents: Vec<Option<usize>>,
    /// Accessors that were decoded.
    read: Mutex<BTreeMap<usize, Arc<Vec<Vec<f64>>>>>,
}

impl Reference {
    /// Takes a `.gltf` or `.glb` apart; `files` gives the bytes of other files.
    ///
    /// # Errors
    ///
    /// What is wrong, for whoever wrote the test.
    pub fn open(bytes: &[u8], files: impl Fn(&str) -> Option<Vec<u8>>) -> Result<Self, String> {
        let word =
            |at: usize| bytes.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
        let (text, binary) = if bytes.starts_with(b"glTF") {
            let json = word(12).ok_or("no JSON chunk")?;
            let rest = bytes.get(20 + json..).unwrap_or_default();
            let binary = rest.get(8..).map(|b| b.to_vec());
            (bytes.get(20..20 + json).ok_or("no JSON chunk")?, binary)
        } else {
            (bytes, None)
        };
        let json: Value = serde_json::from_slice(text).map_err(|e| e.to_string())?;
        let mut buffers = Vec::new();
        for buffer in list(&json, "buffers") {
            buffers.push(match buffer["uri"].as_str() {
                None => binary.clone().filter(|_| buffers.is_empty()),
                Some(uri) => match uri.split_once(";base64,") {
                    Some((_, data)) if uri.starts_with("data:") => Some(base64(data)),
                    _ => files(uri),
                },
            });
        }
        let nodes = list(&json, "nodes");
        let mut parents = vec![None; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            for child in list(node, "children") {
                parents[number(child)] = Some(index);
            }
        }
        Ok(Self { json, buffers, parents, read: Mutex::default() })
    }

    /// How many animations there are.
    #[must_use]
    pub fn animations(&self) -> usize {
        list(&self.json, "animations").len()
    }

    /// How many nodes there are.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.parents.len()
    }

    /// True if some node has a matrix in place of translation, rotation and scale.
    #[must_use]
    pub fn has_matrices(&self) -> bool {
        list(&self.json, "nodes").iter().any(|n| !n["matrix"].is_null())
    }

    /// The nodes that are joints, in file order: all but those that only carry a skinned mesh.
    #[must_use]
    pub fn skeleton(&self) -> Vec<usize> {
        let mut wanted: Vec<usize> = Vec::new();
        for (index, node) in list(&self.json, "nodes").iter().enumerate() {
            let mesh = node["mesh"].as_u64().unwrap_or_default() as usize;
            let primitives = list(&self.json["meshes"][mesh], "primitives");
            let weighted = primitives
                .iter()
                .all(|p| !p["attributes"]["JOINTS_0"].is_null() && !p["attributes"]["WEIGHTS_0"].is_null());
            if node["mesh"].is_null() || node["skin"].is_null() || !weighted {
                wanted.push(index);
            }
        }
        for skin in list(&self.json, "skins") {
            wanted.extend(list(skin, "joints").iter().map(number));
        }
        for animation in list(&self.json, "animations") {
            let moving = list(animation, "channels").iter().map(|c| &c["target"]);
            let moving = moving.filter(|t| t["path"] != "weights" && !t["node"].is_null());
            wanted.extend(moving.map(|t| number(&t["node"])));
        }
        let mut taken = vec![false; self.nodes()];
        while let Some(node) = wanted.pop() {
            taken[node] = true;
            wanted.extend(self.parents[node].filter(|p| !taken[*p]));
        }
        (0..self.nodes()).filter(|n| taken[*n]).collect()
    }

    /// The document.
    #[must_use]
    pub fn json(&self) -> &Value {
        &self.json
    }

    /// The bytes of a buffer, if they were found.
    #[must_use]
    pub fn buffer(&self, index: usize) -> Option<&[u8]> {
        self.buffers.get(index)?.as_deref()
    }

    /// The parent of a node.
    #[must_use]
    pub fn parent(&self, node: usize) -> Option<usize> {
        self.parents[node]
    }

    /// Matrices of all nodes in the space of the scene, at a time of an animation (or at rest).
    ///
    /// # Errors
    ///
    /// If the buffers cannot be read.
    pub fn pose(&self, animation: Option<usize>, time_s: f64) -> Result<Vec<Matrix>, String> {
        let mut moved: BTreeMap<(usize, &str), Vec<f64>> = BTreeMap::new();
        if let Some(animation) = animation {
            for channel in list(&list(&self.json, "animations")[animation], "channels") {
                let (target, path) =
                    (&channel["target"]["node"], channel["target"]["path"].as_str().unwrap_or(""));
                if target.is_null() || !["translation", "rotation", "scale"].contains(&path) {
                    continue;
                }
                if let std::collections::btree_map::Entry::Vacant(slot) = moved.entry((number(target), path))
                {
                    slot.insert(self.sample(animation, number(&channel["sampler"]), path, 1, time_s)?);
                }
            }
        }
        let locals: Vec<Matrix> =
            list(&self.json, "nodes").iter().enumerate().map(|(n, node)| local(node, n, &moved)).collect();
        let mut world: Vec<Option<Matrix>> = vec![None; locals.len()];
        for start in 0..locals.len() {
            let mut way = vec![start];
            while let Some(parent) = self.parents[way[way.len() - 1]].filter(|p| world[*p].is_none()) {
                way.push(parent);
            }
            for node in way.into_iter().rev() {
                let above = self.parents[node].and_then(|p| world[p]);
                world[node] = Some(above.map_or(locals[node], |a| multiply(&a, &locals[node])));
            }
        }
        Ok(world.into_iter().flatten().collect())
    }

    /// The weights of a node's morph targets at a time of an animation; `None` if it does not move them.
    ///
    /// # Errors
    ///
    /// If the buffers cannot be read.
    pub fn weights(&self, animation: usize, node: usize, time_s: f64) -> Result<Option<Vec<f64>>, String> {
        let mesh = &self.json["nodes"][node]["mesh"];
        let Some(primitives) = mesh.as_u64().map(|m| list(&self.json["meshes"][m as usize], "primitives"))
        else {
            return Ok(None);
        };
        let targets = primitives.iter().map(|p| list(p, "targets").len()).max().unwrap_or(0);
        for channel in list(&list(&self.json, "animations")[animation], "channels") {
            let target = &channel["target"];
            if targets > 0 && target["path"] == "weights" && target["node"].as_u64() == Some(node as u64) {
                let sampler = number(&channel["sampler"]);
                return self.sample(animation, sampler, "weights", targets, time_s).map(Some);
            }
        }
        Ok(None)
    }

    /// The end of the last key of an animation's channels that have a node.
    ///
    /// # Errors
    ///
    /// If the buffers cannot be read.
    pub fn duration_s(&self, animation: usize) -> Result<f64, String> {
        let animation = &list(&self.json, "animations")[animation];
        let mut last = 0.0;
        for channel in list(animation, "channels") {
            if !channel["target"]["node"].is_null() {
                let input = &animation["samplers"][number(&channel["sampler"])]["input"];
                let times = self.accessor(number(input))?;
                let end = times.last().map_or(0.0, |t| t[0]);
                last = if end > last { end } else { last };
            }
        }
        Ok(last)
    }

    /// Spans of time in which the specification leaves two ways open, or in which an animation jumps: between keys of a
    /// rotation within a degree of half a turn apart, and a microsecond round a step.
    ///
    /// # Errors
    ///
    /// If the buffers cannot be read.
    pub fn exempt(&self, animation: usize) -> Result<Vec<(f64, f64)>, String> {
        let animation = &list(&self.json, "animations")[animation];
        let mut spans = Vec::new();
        for channel in list(animation, "channels").iter().filter(|c| !c["target"]["node"].is_null()) {
            let sampler = &animation["samplers"][number(&channel["sampler"])];
            let times = self.accessor(number(&sampler["input"]))?;
            let step = sampler["interpolation"] == "STEP";
            for pair in times.windows(2).filter(|pair| step || pair[0][0] == pair[1][0]) {
                spans.push((pair[1][0] - 1e-6, pair[1][0] + 1e-6));
            }
            let linear = sampler["interpolation"].as_str().is_none_or(|i| i == "LINEAR");
            if linear && channel["target"]["path"] == "rotation" {
                let values = self.accessor(number(&sampler["output"]))?;
                for (pair, time) in values.windows(2).zip(times.windows(2)) {
                    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                    let sizes = product(&pair[0], &pair[0]) * product(&pair[1], &pair[1]);
                    // The cosine of half of 179 degrees.
                    if product(&pair[0], &pair[1]).abs() < 0.008_727 * sizes.sqrt() {
                        spans.push((time[0][0], time[1][0]));
                    }
                }
            }
        }
        Ok(spans)
    }

    /// A sampler at a time, as appendix C of the specification has it. `each` values belong to one key.
    fn sample(
        &self,
        animation: usize,
        sampler: usize,
        path: &str,
        each: usize,
        time_s: f64,
    ) -> Result<Vec<f64>, String> {
        let sampler = &list(&self.json, "animations")[animation]["samplers"][sampler];
        let times: Vec<f64> = self.accessor(number(&sampler["input"]))?.iter().map(|t| t[0]).collect();
        let stored = self.accessor(number(&sampler["output"]))?;
        // The numbers of all `each` values in a row.
        let row = |row: usize| -> Vec<f64> { stored[row * each..(row + 1) * each].concat() };
        let mode = sampler["interpolation"].as_str().unwrap_or("LINEAR");
        let value = |key: usize| if mode == "CUBICSPLINE" { row(3 * key + 1) } else { row(key) };
        let turn = path == "rotation";
        let unit = |v: Vec<f64>| {
            let length = v.iter().map(|c| c * c).sum::<f64>().sqrt();
            if turn { v.iter().map(|c| c / length).collect() } else { v }
        };
        let last = times.len() - 1;
        if time_s <= times[0] {
            return Ok(unit(value(0)));
        }
        if time_s >= times[last] {
            return Ok(unit(value(last)));
        }
        // Of keys at one time the last counts.
        let next = (1..=last).find(|k| times[*k] > time_s).unwrap_or(last);
        let (a, b) = (next - 1, next);
        let span = times[b] - times[a];
        let t = (time_s - times[a]) / span;
        let mix = |x: &[f64], p: f64, y: &[f64], q: f64| -> Vec<f64> {
            x.iter().zip(y).map(|(x, y)| x * p + y * q).collect()
        };
        Ok(match mode {
            "STEP" => unit(value(a)),
            "CUBICSPLINE" => {
                let (t2, t3) = (t * t, t * t * t);
                let ends = mix(&value(a), 2.0 * t3 - 3.0 * t2 + 1.0, &value(b), -2.0 * t3 + 3.0 * t2);
                let slopes = mix(&row(3 * a + 2), span * (t3 - 2.0 * t2 + t), &row(3 * b), span * (t3 - t2));
                unit(mix(&ends, 1.0, &slopes, 1.0))
            }
            _ if turn => {
                let (from, to) = (unit(value(a)), unit(value(b)));
                let dot: f64 = from.iter().zip(&to).map(|(x, y)| x * y).sum();
                let sign = if dot < 0.0 { -1.0 } else { 1.0 };
                let dot = dot.abs();
                // The angle by its sine and cosine: exact for small ones too.
                let across: f64 = mix(&to, sign, &from, -dot).iter().map(|c| c * c).sum::<f64>().sqrt();
                let angle = libm::atan2(across, dot);
                if angle < 1e-9 {
                    return Ok(unit(mix(&from, 1.0 - t, &to, sign * t)));
                }
                let (p, q) = (libm::sin((1.0 - t) * angle) / across, libm::sin(t * angle) / across);
                unit(mix(&from, p, &to, sign * q))
            }
            _ => mix(&value(a), 1.0 - t, &value(b), t),
        })
    }
}

/// The list under a key; nothing if there is none.
fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("an index") as usize
}

fn numbers<const N: usize>(value: &Value, missing: [f64; N]) -> [f64; N] {
    let Some(values) = value.as_array() else { return missing };
    std::array::from_fn(|i| values[i].as_f64().expect("a number"))
}

/// The local matrix of a node: T * R * S, or what it states.
fn local(node: &Value, index: usize, moved: &BTreeMap<(usize, &str), Vec<f64>>) -> Matrix {
    let any = ["translation", "rotation", "scale"].iter().any(|p| moved.contains_key(&(index, *p)));
    if !node["matrix"].is_null() && !any {
        return numbers(&node["matrix"], [0.0; 16]);
    }
    let pick = |path: &'static str| moved.get(&(index, path));
    let t: [f64; 3] =
        pick("translation").map_or_else(|| numbers(&node["translation"], [0.0; 3]), |v| [v[0], v[1], v[2]]);
    let s: [f64; 3] = pick("scale").map_or_else(|| numbers(&node["scale"], [1.0; 3]), |v| [v[0], v[1], v[2]]);
    let q: [f64; 4] = pick("rotation")
        .map_or_else(|| numbers(&node["rotation"], [0.0, 0.0, 0.0, 1.0]), |v| [v[0], v[1], v[2], v[3]]);
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    let [x, y, z, w] = q.map(|c| c / length);
    [
        s[0] * (1.0 - 2.0 * (y * y + z * z)),
        s[0] * 2.0 * (x * y + z * w),
        s[0] * 2.0 * (x * z - y * w),
        0.0,
        s[1] * 2.0 * (x * y - z * w),
        s[1] * (1.0 - 2.0 * (x * x + z * z)),
        s[1] * 2.0 * (y * z + x * w),
        0.0,
        s[2] * 2.0 * (x * z + y * w),
        s[2] * 2.0 * (y * z - x * w),
        s[2] * (1.0 - 2.0 * (x * x + y * y)),
        0.0,
        t[0],
        t[1],
        t[2],
        1.0,
    ]
}

fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|i| (0..4).map(|k| a[k * 4 + i % 4] * b[i / 4 * 4 + k]).sum())
}
