//! A graph that plays: parameters are set, time goes by, and the pose of any moment can be asked for.

use crate::usage::{UsageError, usage};
use anyhow::Result;
use lissom::archive::Archive;
use lissom_motion::{Animator, Graph, graph::AnyKey, recording::Replay, state::Value};
use std::sync::Arc;

/// Steps of a played graph, in seconds.
const STEP_S: f64 = 1.0 / 60.0;

/// A graph on its way.
pub struct Played {
    /// The graph's name.
    pub name: String,
    /// How long it plays.
    pub seconds: f64,
    /// At the start.
    animator: Animator,
    /// By time.
    settings: Vec<(f64, Setting)>,
    /// What is played again instead.
    replay: Option<Replay>,
}

/// A parameter and its value.
struct Setting {
    name: String,
    value: Value,
}

impl Played {
    /// A graph of the clips of this archive. Settings are `NAME=VALUE`, or `NAME=VALUE@SECONDS`; a trigger
    /// needs no value.
    pub fn new(
        archive: &Archive,
        skeleton: &str,
        name: String,
        graph: Graph,
        set: &[String],
        seconds: f64,
    ) -> Result<Self> {
        let animator = Animator::of_skeleton(archive, skeleton, Arc::new(graph))?;
        let mut settings =
            set.iter().map(|text| setting(animator.graph(), text)).collect::<Result<Vec<_>>>()?;
        if let Some((late, text)) = settings
            .iter()
            .zip(set)
            .find(|((at_s, _), _)| *at_s > seconds)
            .map(|((at_s, _), text)| (at_s, text))
        {
            return usage(format!(
                "--set {text}: at {late} s nothing plays any more: the graph plays {seconds} s (--seconds)"
            ));
        }
        settings.sort_by(|a, b| a.0.total_cmp(&b.0));
        Ok(Self { name, seconds, animator, settings, replay: None })
    }

    /// What was recorded of a character.
    pub fn of_recording(name: String, replay: Replay) -> Result<Self> {
        let mut all = replay.clone();
        let mut seconds = 0.0;
        while let Some(frame) = all.step()? {
            seconds = frame.time_s;
        }
        let animator = replay.animator().clone();
        Ok(Self { name, seconds, animator, settings: Vec::new(), replay: Some(replay) })
    }

    /// The character at a time.
    pub fn at(&self, time_s: f64) -> Result<Animator> {
        if let Some(mut replay) = self.replay.clone() {
            // Half a step early is near enough: times are sums of steps.
            while let Some(frame) = replay.step()? {
                if frame.time_s + frame.dt_s * 0.5 > time_s {
                    break;
                }
            }
            return Ok(replay.animator().clone());
        }
        let mut animator = self.animator.clone();
        let mut settings = self.settings.iter().peekable();
        let mut now_s = 0.0;
        loop {
            while let Some((_, Setting { name, value })) = settings.next_if(|(at_s, _)| *at_s <= now_s) {
                animator.set_value(name, *value)?;
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
    let Some(parameter) = graph.parameter(name) else {
        let known: Vec<&str> = graph.parameters().map(|(name, _)| name).collect();
        return usage(format!(
            "--set {text}: there is no parameter {name:?}; there are {}",
            known.join(", ")
        ));
    };
    let parsed = match (parameter.key(), value) {
        (AnyKey::Trigger(_), None | Some("true")) => Some(Value::Bool(true)),
        (AnyKey::Trigger(_), Some(_)) => {
            return usage(format!("--set {text}: a trigger has no value: {name} or {name}@1.5"));
        }
        (_, None) => return Err(wrong(format!("it must be {name}=VALUE")).into()),
        (AnyKey::Float(_), Some(value)) => {
            value.parse().ok().filter(|v: &f32| v.is_finite()).map(Value::Float)
        }
        (AnyKey::Int(_), Some(value)) => value.parse().ok().map(Value::Int),
        (AnyKey::Bool(_), Some(value)) => value.parse().ok().map(Value::Bool),
        (AnyKey::Curve(_), Some(_)) => {
            return usage(format!("--set {text}: {name:?} is a curve, which only the clips set"));
        }
    };
    let setting = parsed.map(|value| (at_s, Setting { name: name.into(), value }));
    setting.ok_or_else(|| wrong(format!("{:?} is no value of it", value.unwrap_or_default())).into())
}
