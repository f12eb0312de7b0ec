//! Graphs in a glTF file: each as the text of its own file, in the `extras` of the whole.

use crate::{graph, scene::Scene};
use serde_json::{Map, Value};

/// The key under which they stand; the importer looks there.
const KEY: &str = "lissom_graphs";

/// All of them by name; `None` if there are none.
pub(super) fn extras(scene: &Scene) -> Option<Value> {
    let text = |g: &crate::scene::SceneGraph| (g.name.clone(), Value::String(graph::to_json(&g.parts)));
    let graphs: Map<String, Value> = scene.graphs.iter().map(text).collect();
    (!graphs.is_empty())
        .then(|| Value::Object([(KEY.to_owned(), Value::Object(graphs))].into_iter().collect()))
}
