//! A graph that plays: parameters are set, time goes by, and the pose of any moment can be asked for.

use crate::{
    commands::graph::parts_of,
    options::{UsageError, usage},
};
use anyhow::{Context, Result};
use lissom::archive::Archive;
use lissom_motion::{Animator, BoolKey, FloatKey, Graph, IntKey, TriggerKey};
use std::path::Path;
use std::sync::Arc;

/// Steps of a played graph, in seconds.
const STEP_S: f64 = 1.0 / 60.0;

/// A graph on its way.
pub(crate) struct Played {
    pub(crate) name: String,
    pub(crate) seconds: f64,
    /// At the start.
    animator: Animator,
    /// By time.
    settings: Vec<(f64, Setting)>,
}

/// A parameter and its value.
#[derive(Clone, Copy)]
enum Setting {
    Float(FloatKey, f32),
    Int(IntKey, i32),
    Bool(BoolKey, bool),
    Trigger(TriggerKey),
}

impl Played {
    /// `asked` is a graph of the archive, or a file with one. Settings are `NAME=VALUE`, or `NAME=VALUE@SECONDS`; a trigger
    /// needs no value.
    pub(crate) fn new(
        archive: &Archive,
        skeleton: &str,
        asked: &str,
        set: &[String],
        seconds: f64,
    ) -> Result<Self> {
        let (name, graph) = if archive.graphs().any(|(name, _)| name == asked) {
            (asked.to_owned(), Graph::load(archive, asked)?)
        } else {
            let (name, parts, file) = parts_of(Path::new(asked), None)
                .with_context(|| format!("--graph {asked}: neither a graph of the archive nor a file"))?;
            let checked = Graph::of_archive(&parts, archive).map_err(|error| match &file {
                Some(file) => anyhow::Error::from(file.place(&error)),
                None => error.into(),
            });
            (name, checked.with_context(|| asked.to_owned())?)
        };
        let animator = Animator::of_skeleton(archive, skeleton, Arc::new(graph))?;
        let mut settings =
            set.iter().map(|text| setting(animator.graph(), text)).collect::<Result<Vec<_>>>()?;
        settings.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Self { name, seconds, animator, settings })
    }

    /// The character at a time.
    pub(crate) fn at(&self, time_s: f64) -> Result<Animator> {
        let mut animator = self.animator.clone();
        let mut settings = self.settings.iter().peekable();
        let mut now_s = 0.0;
        loop {
            while let Some((_, setting)) = settings.next_if(|(at_s, _)| *at_s <= now_s) {
                match *setting {
                    Setting::Float(key, value) => animator.set(key, value)?,
                    Setting::Int(key, value) => animator.set(key, value)?,
                    Setting::Bool(key, value) => animator.set(key, value)?,
                    Setting::Trigger(key) => animator.trigger(key)?,
                }
            }
            if now_s >= time_s {
                return Ok(animator);
            }
            let step_s = if time_s - now_s < STEP_S { time_s - now_s } else { STEP_S };
            animator.update(step_s)?;
            now_s = if step_s < STEP_S { time_s } else { now_s + STEP_S };
        }
    }
}

fn setting(graph: &Graph, text: &str) -> Result<(f64, Setting)> {
    let wrong = |reason: String| UsageError(format!("--set {text}: {reason}"));
    let (setting, at_s) = match text.split_once('@') {
        Some((setting, at)) => {
            let at_s = at.parse::<f64>().ok().filter(|s| s.is_finite() && *s >= 0.0);
            (setting, at_s.ok_or_else(|| wrong("what follows @ are seconds, not below 0".into()))?)
        }
        None => (text, 0.0),
    };
    let (name, value) = setting.split_once('=').map_or((setting, None), |(name, value)| (name, Some(value)));
    if let Ok(key) = graph.trigger(name) {
        return match value {
            None | Some("true") => Ok((at_s, Setting::Trigger(key))),
            Some(_) => usage(format!("--set {text}: a trigger has no value: {name} or {name}@1.5")),
        };
    }
    let value = value.ok_or_else(|| wrong(format!("it must be {name}=VALUE")))?;
    let parsed = if let Ok(key) = graph.float(name) {
        value.parse().ok().filter(|v: &f32| v.is_finite()).map(|value| Setting::Float(key, value))
    } else if let Ok(key) = graph.int(name) {
        value.parse().ok().map(|value| Setting::Int(key, value))
    } else if let Ok(key) = graph.bool(name) {
        value.parse().ok().map(|value| Setting::Bool(key, value))
    } else {
        let known: Vec<&str> = graph.parameters().map(|(name, _)| name).collect();
        return usage(format!(
            "--set {text}: there is no parameter {name:?}; there are {}",
            known.join(", ")
        ));
    };
    parsed.map(|setting| (at_s, setting)).ok_or_else(|| wrong(format!("{value:?} is no value of it")).into())
}
