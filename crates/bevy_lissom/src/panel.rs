//! What a character does and decides, as lines of text.

use crate::{clips::PlayingClip, crowds::CrowdOf};
use lissom_motion::{
    crowd::Member,
    decide::{DecisionView, Verdict},
    frame::ActiveMarker,
    graph::Test,
    state::{MatchedNow, PlayingShot, PlayingState, Value},
};

/// The step that transitions are asked for where the character has not moved yet.
const STEP_S: f64 = 1.0 / 60.0;

/// All of it.
pub(crate) fn lines(crowd_of: &CrowdOf, member: Member) -> Vec<String> {
    let mut lines = Vec::new();
    let own = &crowd_of.own[member.index()];
    if let Some(solo) = own.solo {
        for (number, playing) in solo.all(crowd_of, member).enumerate() {
            let PlayingClip { name, time_s, duration_s, weight, speed, .. } = playing;
            // The leading one comes first.
            let goes = if number > 0 && solo.fades() { "  fades out" } else { "" };
            lines.push(format!(
                "{name}  {time_s:.2} / {duration_s:.2} s  weight {weight:.2}  speed {speed:.2}{goes}"
            ));
        }
        return lines;
    }
    let Some((graph, state)) = crowd_of.graph_of(member).zip(crowd_of.crowd.state(member).ok()) else {
        return lines;
    };
    let step_s = if own.step_s > 0.0 { own.step_s } else { STEP_S };
    for (layer, name) in graph.layer_names().enumerate() {
        // A line a state, the oldest first: those before the last one fade out.
        let mut clips: Vec<Vec<String>> = Vec::new();
        state.each_clip(graph, layer, |number, clip, weight| {
            clips.resize_with(clips.len().max(number + 1), Vec::new);
            clips[number].push(format!("{clip} {weight:.2}"));
        });
        clips.resize_with(state.playing(graph, layer).count(), Vec::new);
        for (playing, clips) in state.playing(graph, layer).zip(&clips) {
            let PlayingState { name: of, age_s, at, weight, .. } = playing;
            let clips = clips.join(", ");
            lines.push(format!("{name}: {of}  weight {weight:.2}  at {at:.2}  for {age_s:.1} s  ({clips})"));
        }
        if clips.is_empty() {
            lines.push(format!("{name}: -"));
        }
        if let Some(matched) = state.matched(graph, layer) {
            let MatchedNow { database, clip, time_s, cost, searches, jumps, .. } = matched;
            lines.push(format!(
                "  matched of {database}: {clip} {time_s:.2} s  cost {cost:.2}  {jumps} jumps in {searches} searches"
            ));
        }
        // An update of this step is legal: the last one was.
        for why in graph.why(state, step_s, layer).unwrap_or_default() {
            let verdict = match why.verdict {
                Verdict::Taken => "starts".into(),
                Verdict::Behind => "another one goes first".into(),
                Verdict::Blocked => "may not interrupt".into(),
                Verdict::NotDue { at, exit } => format!("at {at:.2} of {exit:.2}"),
                Verdict::Condition { parameter: "", number } => format!("rule {number} does not hold"),
                Verdict::Condition { parameter, .. } => format!("{parameter} says no"),
                _ => "not now".into(),
            };
            lines.push(format!("  {} > {}: {verdict}", why.from, why.to));
        }
        if let Ok(key) = graph.layer(name) {
            for PlayingShot { clip, time_s, is_queued, is_stopping, .. } in state.shots(graph, key) {
                let how = if is_queued {
                    "waits"
                } else if is_stopping {
                    "fades out"
                } else {
                    "plays"
                };
                lines.push(format!(
                    "  one-shot {} {how} {time_s:.2} s",
                    graph.clip_name(clip).unwrap_or_default()
                ));
            }
        }
    }
    for ActiveMarker { marker, .. } in crowd_of.crowd.active_markers(member).into_iter().flatten() {
        lines.push(format!("in {}", marker.name));
    }
    for (name, _) in graph.parameters() {
        let value = graph.parameter(name).and_then(|parameter| state.value_of(parameter));
        let value = match value {
            Some(Value::Float(value)) => format!("{value:.3}"),
            Some(Value::Int(value)) => value.to_string(),
            Some(Value::Bool(value)) => value.to_string(),
            _ => continue,
        };
        lines.push(format!("{name} = {value}"));
    }
    let decisions = crowd_of.crowd.decisions(member);
    for decision in
        decisions.into_iter().flat_map(|all| all.iter().rev()).filter_map(|one| graph.decision(one))
    {
        lines.push(decided(&decision));
    }
    lines
}

/// A decision, and the values that it was made on.
fn decided(decision: &DecisionView<'_>) -> String {
    let DecisionView { time_s, layer, from, to, by_code, tests } = decision;
    let tests = tests.iter().map(|(parameter, test, value)| match test {
        Test::On | Test::Off => (*parameter).to_owned(),
        _ => format!("{parameter} {value}"),
    });
    let mut why: Vec<String> = tests.collect();
    if *by_code {
        why.push("by code".into());
    }
    let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join(", ")) };
    format!("{time_s:.2} s {layer}: {from} > {to}{why}")
}
