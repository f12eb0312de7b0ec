//! A graph as it was said, and the crowd that is made of it.

use super::{played::Played, refused, unknown};
use crate::{
    asset::{AssetData, Given},
    errors::{self, argument, defect, format},
    skeleton::{Body, Skeleton},
};
use lissom::archive::Archive;
use lissom_build::{
    graph::{self, GraphFile},
    import,
};
use lissom_motion::{
    Animator, Graph, GraphParts, RootStep,
    crowd::{Crowd, Outputs, PaletteFormat, Role},
};
use pyo3::{exceptions::PyValueError, prelude::*, types::PyDict};
use std::{path::PathBuf, sync::Arc};

/// Joints of all members together: matrices of more would take 6 GB.
const MOST_JOINTS: usize = 100_000_000;

/// A graph as it was said.
pub(super) enum Said {
    Name(String),
    File(Option<PathBuf>, Box<GraphFile>),
}

impl Said {
    pub(super) fn of(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(name) = value.extract::<String>() {
            return Ok(Self::Name(name));
        }
        let (path, bytes) = if value.cast::<PyDict>().is_ok() {
            let text: String = value.py().import("json")?.call_method1("dumps", (value,))?.extract()?;
            (None, text.into_bytes())
        } else {
            match Given::of(value, "graph")? {
                Given::Bytes(bytes) => (None, bytes),
                Given::Path(path) => {
                    let bytes = import::read_limited(&path, graph::LARGEST as u64).map_err(errors::open)?;
                    (Some(path), bytes)
                }
            }
        };
        let file = graph::read(&bytes).map_err(|error| named(path.as_ref(), error))?;
        Ok(Self::File(path, Box::new(file)))
    }
}

fn named(path: Option<&PathBuf>, error: impl std::fmt::Display) -> PyErr {
    match path {
        Some(path) => format(format!("{}: {error}", path.display())),
        None => format(format!("graph: {error}")),
    }
}

pub(super) type Made = (Skeleton, Arc<Graph>, GraphParts, Played);

pub(super) fn make(
    asset: &AssetData,
    said: &Said,
    count: usize,
    skeleton: Option<&str>,
    travels: bool,
    palettes: bool,
) -> PyResult<Made> {
    let cooked;
    let archive = match asset.archive() {
        Some(archive) => archive,
        None => {
            cooked = Archive::read(&asset.archive_bytes()?).map_err(format)?;
            &cooked
        }
    };
    let (graph, parts) = match said {
        Said::Name(name) => {
            let names: Vec<String> = archive.graphs().map(|(name, _)| name.to_owned()).collect();
            if !names.contains(name) {
                return Err(unknown("graph", name, &names));
            }
            let graph = Graph::load(archive, name).map_err(format)?;
            let bytes = archive.graph(name).map_err(format)?;
            (graph, GraphParts::read(&bytes).map_err(format)?)
        }
        Said::File(path, file) => {
            let graph = Graph::of_archive(file.parts(), archive);
            let graph = graph.map_err(|error| named(path.as_ref(), file.place(&error)))?;
            (graph, file.parts().clone())
        }
    };
    let graph = Arc::new(graph);
    let names: Vec<String> = archive.skeletons().map(|(name, _)| name.to_owned()).collect();
    let name = match (skeleton, names.as_slice()) {
        (Some(name), _) if names.iter().any(|own| own == name) => name,
        (Some(name), _) => return Err(unknown("skeleton", name, &names)),
        (None, [only]) => only.as_str(),
        (None, _) => {
            return Err(argument("skeleton", "None", format!("the name of one of {names:?}")));
        }
    };
    let own = archive.skeletons().find(|(own, _)| *own == name);
    let own = own.ok_or_else(|| defect("the skeleton is gone"))?.1.map_err(format)?;
    let body = Skeleton(Arc::new(Body::of_archive(name, &own)));
    if count.saturating_mul(body.0.joint_count()) > MOST_JOINTS {
        let most = MOST_JOINTS / body.0.joint_count().max(1);
        return Err(argument("count", count, format!("at most {most} of this skeleton")));
    }
    let mut crowd = Crowd::of_skeleton(archive, name).map_err(refused)?;
    crowd.set_outputs(Outputs { palettes: palettes.then_some(PaletteFormat::F32), ..Outputs::default() });
    let id = crowd.add_graph(graph.clone()).map_err(refused)?;
    let members = (0..count).map(|_| crowd.add(Role::Graph(id), RootStep::IDENTITY));
    let members = members.collect::<Result<Vec<_>, _>>().map_err(refused)?;
    crowd.set_travels(&members, travels).map_err(refused)?;
    let animator = Animator::of_skeleton(archive, name, graph.clone());
    let animator = animator.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let mut played = Played { crowd, members, animator };
    // What is seen before the first update is how everybody starts.
    played.update(0.0).map_err(refused)?;
    Ok((body, graph, parts, played))
}

/// A description as Python has it.
pub(crate) fn description<'py>(py: Python<'py>, parts: &GraphParts) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.call_method1("loads", (graph::to_json(parts),))
}
