//! `lissom graph`: what a character may do, checked, drawn and begun.

mod add;
mod draw;
mod new;

use super::import::Config;
use crate::{
    options::{Reading, SomeRefused, merged, usage},
    style::{Style, counted, plain},
};
use anyhow::{Context, Result, bail};
use lissom::archive::Archive;
use lissom_build::{
    edit,
    graph::{self, GraphFile, GraphFileError, Known},
    import::{Format, ImportOptions, lsm},
    recipe::RecipeFile,
    scene::Scene,
};
use lissom_motion::{Graph, GraphParts};
use lissom_show::{
    files::{read_input, write_whole},
    source::Source,
};
use serde::Serialize;
use std::{
    io::Write,
    path::{Path, PathBuf},
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Tell whether graphs are whole; every error has its line
    Check(CheckArguments),
    /// Draw a graph: states, what they play, and the ways between them
    Draw(DrawArguments),
    /// Make a first graph from the clips of a file: idle, gaits, jump and actions, by their names and speeds
    New(new::Arguments),
    /// Add graphs to an archive; its clips stay as they are, to the byte
    Add(add::Arguments),
}

#[derive(clap::Args)]
pub(crate) struct CheckArguments {
    /// Graphs (.json), or archives (.lsm), whose graphs are checked against their clips
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Any file with the clips: a graph that names another clip, or a joint that is not there, is refused. The clips of
    /// a source are called as a recipe renames them
    #[arg(long, value_name = "FILE")]
    clips: Option<PathBuf>,
    /// The recipe for --clips [default: the nearest lissom.toml in the file's folder or above]
    #[arg(long, value_name = "FILE", requires = "clips")]
    config: Option<PathBuf>,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(clap::Args)]
pub(crate) struct DrawArguments {
    /// A graph (.json), or an archive (.lsm) or .glb that has one
    file: PathBuf,
    /// The picture to write
    #[arg(short, long, value_name = "OUT.svg|OUT.png")]
    output: PathBuf,
    /// Which graph of an archive [default: its only one]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

#[derive(Serialize)]
struct Checked {
    file: String,
    graph: String,
    error: Option<Wrong>,
    parameters: usize,
    layers: usize,
    states: usize,
    transitions: usize,
    clips: Vec<String>,
    /// Those that markers keep in step.
    in_step: Vec<String>,
}

#[derive(Serialize)]
struct Wrong {
    /// Of a graph's own file.
    line: Option<usize>,
    column: Option<usize>,
    reason: String,
}

pub(crate) fn run(command: &Command, out: &mut impl Write) -> Result<()> {
    match command {
        Command::Check(arguments) => check(arguments, out),
        Command::Draw(arguments) => draw(arguments, out),
        Command::New(arguments) => new::run(arguments, out),
        Command::Add(arguments) => add::run(arguments, out),
    }
}

fn check(arguments: &CheckArguments, out: &mut impl Write) -> Result<()> {
    let known = arguments.clips.as_deref().map(|path| known_of(path, arguments)).transpose()?;
    let mut all = Vec::new();
    for path in &arguments.files {
        all.extend(checked(path, known.as_ref())?);
    }
    if arguments.json {
        serde_json::to_writer_pretty(&mut *out, &serde_json::json!({ "graphs": all }))?;
        writeln!(out)?;
    } else {
        let style = Style::stdout();
        for one in &all {
            let file = plain(&one.file);
            match &one.error {
                None => writeln!(
                    out,
                    "{file}: {}: graph {:?}, {}, {}, {}, {}, {}{}",
                    style.good("whole"),
                    plain(&one.graph),
                    counted(one.parameters, "parameter", "parameters"),
                    counted(one.layers, "layer", "layers"),
                    counted(one.states, "state", "states"),
                    counted(one.transitions, "transition", "transitions"),
                    counted(one.clips.len(), "clip", "clips"),
                    if one.in_step.is_empty() {
                        String::new()
                    } else {
                        format!(", {} in step", one.in_step.len())
                    },
                )?,
                Some(Wrong { line: Some(line), column: Some(column), reason }) => {
                    writeln!(out, "{file}: line {line}, column {column}: {}", plain(reason))?;
                }
                Some(wrong) => {
                    writeln!(out, "{file}: graph {:?}: {}", plain(&one.graph), plain(&wrong.reason))?;
                }
            }
        }
    }
    out.flush()?;
    if all.iter().all(|one| one.error.is_none()) { Ok(()) } else { Err(SomeRefused.into()) }
}

/// What a graph may name: the clips and joints of an archive, or those that an import of a source would make.
fn known_of(path: &Path, arguments: &CheckArguments) -> Result<Known> {
    let mut asked = RecipeFile::default();
    arguments.reading.fill(&mut asked)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let config = Config::load(arguments.config.as_deref(), folder)?;
    let is_archive = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("lsm"));
    // An archive is what a recipe made of its source.
    let recipe = if is_archive { RecipeFile::default() } else { config.recipe };
    let options = merged(recipe, asked)?;
    let file = Source::open_alone(path, &options.import)?;
    let mut scene = file.scene()?.into_owned();
    if !is_archive {
        let asked = edit::Asked {
            rules: &options.rules,
            precision_m: options.cook.precision,
            shell_m: options.cook.shell,
            finds_loops: true,
        };
        edit::follow(&mut scene, asked).with_context(|| path.display().to_string())?;
    }
    if is_archive {
        return known_of_archive(path, &read_input(path, graph_limit(path))?, &scene);
    }
    Ok(Known::of(&scene))
}

/// What an archive has: clips, joints, databases.
pub(crate) fn known_of_archive(path: &Path, bytes: &[u8], scene: &Scene) -> Result<Known> {
    let shown = || path.display().to_string();
    let archive = Archive::read(bytes).with_context(shown)?;
    Known::of_archive(scene, &archive).with_context(shown)
}

/// The graph of a `.json`, or all of an archive's.
fn checked(path: &Path, known: Option<&Known>) -> Result<Vec<Checked>> {
    let shown = path.display().to_string();
    let bytes = read_input(path, graph_limit(path))?;
    if Format::of_bytes(&bytes) == Some(Format::Lsm) {
        let scene = scene_of(path, &bytes)?;
        let own = known_of_archive(path, &bytes, &scene)?;
        let known = known.unwrap_or(&own);
        let one = |graph: &lissom_build::scene::SceneGraph| {
            let made = known.check(&graph.parts).map(|(_, made)| made);
            let made = made.map_err(|reason| Wrong { line: None, column: None, reason });
            Checked::new(&shown, &graph.name, &graph.parts, made)
        };
        if scene.graphs.is_empty() {
            bail!("{shown}: there is no graph in this archive");
        }
        return Ok(scene.graphs.iter().map(one).collect());
    }
    let name = graph::name_of(path);
    let at = |wrong: GraphFileError| Wrong {
        line: Some(wrong.line),
        column: Some(wrong.column),
        reason: wrong.reason,
    };
    let file = match graph::read(&bytes) {
        Ok(file) => file,
        Err(wrong) => return Ok(vec![Checked::new(&shown, &name, &GraphParts::new(), Err(at(wrong)))]),
    };
    let made = match known {
        Some(known) => file.check_with(known).map(|(_, made)| made),
        None => file.check(|_| Some(1.0)),
    };
    Ok(vec![Checked::new(&shown, &name, file.parts(), made.map_err(at))])
}

impl Checked {
    fn new(file: &str, graph: &str, parts: &GraphParts, made: Result<Graph, Wrong>) -> Self {
        let in_step = |made: &Graph| {
            let clips = made.clips().iter().enumerate();
            let kept = clips.filter(|(number, _)| made.is_in_step(*number) == Some(true));
            kept.map(|(_, clip)| String::from(&*clip.name)).collect()
        };
        Self {
            file: file.into(),
            graph: graph.into(),
            in_step: made.as_ref().map(in_step).unwrap_or_default(),
            error: made.err(),
            parameters: parts.parameters.len(),
            layers: parts.layers.len(),
            states: parts.layers.iter().map(|layer| layer.states.len()).sum(),
            transitions: parts.layers.iter().map(|layer| layer.transitions.len()).sum(),
            clips: clips_of(parts),
        }
    }
}

/// Every clip that a graph plays, once.
fn clips_of(parts: &GraphParts) -> Vec<String> {
    let mut clips = parts.clips.clone();
    for state in parts.layers.iter().flat_map(|layer| &layer.states) {
        clips.extend(state.motion.clips().map(str::to_owned));
    }
    clips.sort();
    clips.dedup();
    clips
}

/// Bytes that are read: of an archive all, of anything else as many as a graph may have.
fn graph_limit(path: &Path) -> u64 {
    let archive = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("lsm"));
    if archive { lissom_build::import::ImportLimits::default().max_bytes } else { graph::LARGEST as u64 }
}

fn scene_of(path: &Path, bytes: &[u8]) -> Result<Scene> {
    lsm::read_with(bytes, &lissom_build::import::ReadOptions::default(), lsm::Clips::Names)
        .with_context(|| path.display().to_string())
}

/// A graph of an archive, or of a file.
pub(crate) fn graph_of(archive: &Archive, asked: &str) -> Result<(String, Graph)> {
    if archive.graphs().any(|(name, _)| name == asked) {
        return Ok((asked.to_owned(), Graph::load(archive, asked)?));
    }
    let (name, parts, file) = parts_of(Path::new(asked), None)
        .with_context(|| format!("--graph {asked}: neither a graph of the archive nor a file"))?;
    let checked = Graph::of_archive(&parts, archive).map_err(|error| match &file {
        Some(file) => anyhow::Error::from(file.place(&error)),
        None => error.into(),
    });
    Ok((name, checked.with_context(|| asked.to_owned())?))
}

/// What a file says: a graph's own, or one of an archive's.
pub(crate) fn parts_of(path: &Path, name: Option<&str>) -> Result<(String, GraphParts, Option<GraphFile>)> {
    let shown = path.display().to_string();
    // A file of another program may hold graphs that were exported into it.
    let graphs = if Format::of_path(path).is_some_and(|format| format != Format::Lsm) {
        Source::open_scene(path, &ImportOptions::default())?.graphs
    } else {
        let bytes = read_input(path, graph_limit(path))?;
        if Format::of_bytes(&bytes) != Some(Format::Lsm) {
            let file = graph::read(&bytes).with_context(|| shown)?;
            return Ok((graph::name_of(path), file.parts().clone(), Some(file)));
        }
        scene_of(path, &bytes)?.graphs
    };
    let names: Vec<String> = graphs.iter().map(|graph| graph.name.clone()).collect();
    let found = match name {
        Some(name) => graphs.into_iter().find(|graph| graph.name == name),
        None if graphs.len() == 1 => graphs.into_iter().next(),
        None => None,
    };
    match found {
        Some(graph) => Ok((graph.name, graph.parts, None)),
        None if names.is_empty() => {
            bail!("{shown}: there is no graph in this file; `lissom graph new` makes one from its clips")
        }
        None => bail!("{shown}: which graph? There are {}", names.join(", ")),
    }
}

fn draw(arguments: &DrawArguments, out: &mut impl Write) -> Result<()> {
    let extension = arguments.output.extension().and_then(|e| e.to_str()).unwrap_or_default().to_lowercase();
    if !["svg", "png"].contains(&extension.as_str()) {
        return usage(format!("{}: a drawing is a .svg or a .png", arguments.output.display()));
    }
    let (name, parts, file) = parts_of(&arguments.file, arguments.name.as_deref())?;
    // What is drawn is a graph.
    let checked = match &file {
        Some(file) => file.check(|_| Some(1.0)).map(drop).map_err(anyhow::Error::from),
        None => Graph::new(&parts, |_| Some(1.0)).map(drop).map_err(anyhow::Error::from),
    };
    checked.with_context(|| arguments.file.display().to_string())?;
    let sketch = draw::graph(&name, &parts);
    let bytes =
        if extension == "svg" { sketch.to_svg()?.into_bytes() } else { sketch.to_image()?.encode_png()? };
    write_whole(&arguments.output, &bytes)?;
    let (width, height) = (sketch.width, sketch.height);
    writeln!(out, "{}: graph {:?}, {width:.0} x {height:.0}", arguments.output.display(), plain(&name))?;
    Ok(())
}
