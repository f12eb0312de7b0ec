//! `lissom replay`: a recording, played again.

use crate::commands::{graph::graph_of, render};
use crate::options::SomeRefused;
use crate::style::{counted, plain};
use anyhow::{Context, Result};
use lissom::archive::Archive;
use lissom_build::import::ImportLimits;
use lissom_motion::{
    Graph, GraphState,
    frame::{Event, What},
    recording::{Difference, Recording, Replay, ReplayedFrame},
    state::Value,
};
use lissom_show::files::read_input;
use serde_json::{Value as Json, json};
use std::{io::Write, path::PathBuf, sync::Arc};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The recording (.lrec)
    recording: PathBuf,
    /// The archive that was played
    #[arg(long, value_name = "FILE.lsm")]
    archive: PathBuf,
    /// The graph that was played: one of the archive, or a .json file [default: the one that fits]
    #[arg(long, value_name = "NAME|FILE.json")]
    graph: Option<String>,
    /// Draw it, too: .png is a strip of moments, .gif moves
    #[arg(short, long, value_name = "FILE.png|gif")]
    output: Option<PathBuf>,
    /// Print what differs only
    #[arg(long, conflicts_with = "json")]
    quiet: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let Arguments { recording: path, archive, graph, output, quiet, json } = arguments;
    let mut replay = open(path, archive, graph.as_deref())?;
    let mut log = Log::default();
    let mut before = replay.animator().state().clone();
    let mut last_s = 0.0;
    while let Some(frame) = replay.step().with_context(|| path.display().to_string())? {
        log.frame(&replay, &before, &frame);
        before.clone_from(replay.animator().state());
        last_s = frame.time_s;
        if !(*json || *quiet) {
            log.lines.drain(..).try_for_each(|line| writeln!(out, "{}", line.text))?;
        }
    }
    let frames = replay.recording().len();
    if *json {
        let first =
            log.first.map(|(frame, time_s, what)| json!({ "frame": frame, "time_s": time_s, "what": what }));
        let events: Vec<Json> = log.lines.into_iter().map(|line| line.json).collect();
        let report = json!({
            "file": path.display().to_string(), "frames": frames, "seconds": last_s, "different_frames": log.different,
            "first_difference": first, "events": events,
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
    } else {
        let frames = counted(frames, "frame", "frames");
        match log.first {
            None => writeln!(out, "{}: {frames}, {last_s:.2} s, as recorded", path.display())?,
            Some((frame, time_s, what)) => writeln!(
                out,
                "{}: {frames}, {last_s:.2} s; {} not as recorded, first frame {frame} at {time_s:.3} s: {what}",
                path.display(),
                counted(log.different, "frame is", "frames are"),
            )?,
        }
    }
    if let Some(output) = output {
        render::recording(archive, path, graph.as_deref(), output, out)?;
    }
    if log.first.is_some() { Err(SomeRefused.into()) } else { Ok(()) }
}

/// A recording of an archive, ready to play.
pub(crate) fn open(path: &std::path::Path, archive: &std::path::Path, graph: Option<&str>) -> Result<Replay> {
    let most = ImportLimits::default().max_bytes;
    let named = || path.display().to_string();
    let recording = Recording::read(&read_input(path, most)?).with_context(named)?;
    let archive =
        Archive::read(&read_input(archive, most)?).with_context(|| archive.display().to_string())?;
    match graph {
        None => Replay::new(&archive, recording).with_context(named),
        Some(graph) => {
            let (_, graph) = graph_of(&archive, graph)?;
            Replay::with_graph(&archive, Arc::new(graph), recording).with_context(named)
        }
    }
}

/// What happened, in words.
#[derive(Default)]
struct Log {
    lines: Vec<Line>,
    different: usize,
    first: Option<(usize, f64, &'static str)>,
}

struct Line {
    text: String,
    json: Json,
}

impl Log {
    /// What code changed before a frame, what happened in it, and whether it came out as recorded. `before` is the state that the frame
    /// before it left.
    fn frame(&mut self, replay: &Replay, before: &GraphState, frame: &ReplayedFrame) {
        let (animator, graph) = (replay.animator(), replay.animator().graph());
        let start_s = frame.time_s - frame.dt_s;
        if frame.changed {
            let changes = changes(graph, before, replay.before());
            let unnamed = changes.is_empty().then(|| "the state was changed".to_owned());
            for text in changes.into_iter().chain(unnamed) {
                self.add(start_s, "changed", &text);
            }
        }
        for event in animator.events() {
            let (kind, text) = words(graph, &event);
            self.add(start_s + frame.dt_s * f64::from(event.share), kind, &text);
        }
        if let Some(difference) = frame.difference {
            let what = match difference {
                Difference::Decided => "state, events or root motion differ",
                Difference::Shown => "the pose differs",
                _ => "something differs",
            };
            self.different += 1;
            self.first.get_or_insert((frame.frame, frame.time_s, what));
        }
    }

    fn add(&mut self, time_s: f64, kind: &str, text: &str) {
        let text = plain(text);
        let json = json!({ "time_s": time_s, "kind": kind, "what": text });
        self.lines.push(Line { text: format!("{time_s:9.3} s  {kind:<11} {text}"), json });
    }
}

/// Parameters and one-shots that code set.
fn changes(graph: &Graph, was: &GraphState, is: &GraphState) -> Vec<String> {
    let mut all = Vec::new();
    for (name, _) in graph.parameters() {
        let Some(parameter) = graph.parameter(name) else { continue };
        let (old, new) = (was.value_of(parameter), is.value_of(parameter));
        if old != new {
            let value = match new {
                Some(Value::Float(value)) => value.to_string(),
                Some(Value::Int(value)) => value.to_string(),
                Some(Value::Bool(value)) => value.to_string(),
                None => continue,
            };
            all.push(format!("{name} = {value}"));
        }
    }
    for name in graph.layer_names() {
        let Ok(layer) = graph.layer(name) else { continue };
        let known: Vec<_> = was.shots(graph, layer).map(|shot| shot.shot).collect();
        for shot in is.shots(graph, layer).filter(|shot| !known.contains(&shot.shot)) {
            let clip = graph.clip_name(shot.clip).unwrap_or_default();
            let queued = if shot.is_queued { ", queued" } else { "" };
            all.push(format!("play {clip} on {name}{queued}"));
        }
    }
    all
}

/// What happened, and to whom.
fn words(graph: &Graph, event: &Event<'_>) -> (&'static str, String) {
    let kind = match event.what {
        What::Marker { .. } => "marker",
        What::MarkerBegan { .. } => "marker begins",
        What::MarkerEnded { interrupted: false, .. } => "marker ends",
        What::MarkerEnded { interrupted: true, .. } => "marker breaks off",
        What::Entered(_) => "entered",
        What::Left(_) => "left",
        What::Finished(_) => "finished",
        What::TransitionStarted(_) => "fades to",
        What::TransitionEnded(_) => "arrived",
        What::ShotBegan(_) => "began",
        What::ShotEnded(_) => "ended",
        What::ShotInterrupted(_) => "interrupted",
        What::SectionBegan(_) => "section",
        _ => "other",
    };
    let name = event.what.name(graph).unwrap_or("?");
    let layer = graph.layer_names().nth(usize::from(event.layer)).unwrap_or("?");
    (kind, format!("{name} ({layer}, weight {:.2})", event.weight))
}
