//! Tables under `matching`: databases for motion matching.

use super::{RecipeError, parse_range, value::Value};
use crate::matching::{Counts, MatchedClips, MatchedJoint, MatchingRule};

/// The keys of such a table.
const KEYS: &[&str] = &["clips", "mirrored", "rate", "no-entry", "joints", "trajectory", "tracks", "weights"];

/// The most tables, ranges in one of them, and tags.
const MOST: usize = 1000;
/// How far a trajectory reaches, in seconds.
const FURTHEST_S: f64 = 60.0;
/// The largest weight.
const HEAVIEST: f64 = 1000.0;

pub(super) fn rules(matching: &Value<'_>) -> Result<Vec<MatchingRule>, RecipeError> {
    let tables = matching.table()?.any_entries();
    if let Some(one) = tables.get(MOST) {
        let count = tables.len();
        return Err(one.wrong(format!("there are {count} tables of matching, at most {MOST} are read")));
    }
    tables.iter().map(rule).collect()
}

fn rule(value: &Value<'_>) -> Result<MatchingRule, RecipeError> {
    let table = value.table()?;
    if value.key().is_empty() {
        return Err(value.wrong("a database needs a name"));
    }
    let mut rule = MatchingRule { line: Some(table.line()), ..MatchingRule::new(value.key()) };
    for value in table.entries(KEYS, "")? {
        match value.key() {
            "clips" => {
                let list = value.list();
                if list.len() > MOST {
                    return Err(value.wrong(format!("it may have {MOST} entries")));
                }
                rule.clips = list.iter().map(clips).collect::<Result<_, _>>()?;
            }
            "mirrored" => rule.mirrored = value.yes_or_no()?,
            "rate" => rule.rate_hz = value.rate()?,
            "no-entry" => rule.no_entry_s = no_entry(&value)?,
            "joints" => {
                rule.joints = value.table()?.any_entries().iter().map(joint).collect::<Result<_, _>>()?;
            }
            "trajectory" => {
                let time = |v: &Value<'_>| {
                    let time = v.as_number().filter(|s| s.abs() <= FURTHEST_S);
                    time.ok_or_else(|| v.wrong(format!("it must be seconds, {FURTHEST_S} at most")))
                };
                rule.trajectory_s = value.list().iter().map(time).collect::<Result<_, _>>()?;
            }
            "tracks" => {
                let tracks = value.table()?.any_entries();
                if tracks.len() > MOST {
                    return Err(value.wrong(format!("it may have {MOST} entries")));
                }
                let track = |value: &Value<'_>| Ok((value.key().to_owned(), weight(value)?));
                rule.tracks = tracks.iter().map(track).collect::<Result<_, RecipeError>>()?;
            }
            _ => weights(&value, &mut rule)?,
        }
    }
    if rule.clips.is_empty() {
        return Err(value.wrong("it needs clips: clips = [\"walk*\", \"run*\"]"));
    }
    Ok(rule)
}

/// Seconds at the start and at the end.
fn no_entry(value: &Value<'_>) -> Result<[f64; 2], RecipeError> {
    match value.list().as_slice() {
        [before, behind] => Ok([before.seconds()?, behind.seconds()?]),
        _ => Err(value.wrong("it must be seconds at the start and at the end, [0, 0.3]")),
    }
}

/// How much something counts.
fn weight(value: &Value<'_>) -> Result<f64, RecipeError> {
    let weight = value.as_number().filter(|w| (0.0..=HEAVIEST).contains(w));
    weight.ok_or_else(|| value.wrong(format!("it must be 0 to {HEAVIEST}")))
}

/// `"walk*"`, `{ clip = "walk*", range = [0.5, 2], tags = ["calm"] }`.
fn clips(value: &Value<'_>) -> Result<MatchedClips, RecipeError> {
    if !value.is_table() {
        return Ok(MatchedClips { clips: value.text()?.to_owned(), ..MatchedClips::default() });
    }
    let mut own = MatchedClips::default();
    for part in value.table()?.entries(&["clip", "range", "tags", "no-entry", "cost"], "")? {
        match part.key() {
            "clip" => own.clips = part.text()?.to_owned(),
            "range" => own.range_s = range(&part)?,
            "no-entry" => own.no_entry_s = Some(no_entry(&part)?),
            "cost" => own.cost = weight(&part)?,
            _ => {
                own.tags = part.texts()?;
                if own.tags.len() > MOST || own.tags.iter().any(String::is_empty) {
                    return Err(part.wrong("it must be some words"));
                }
            }
        }
    }
    if own.clips.is_empty() {
        return Err(value.wrong("it needs a clip: { clip = \"walk*\" }"));
    }
    Ok(own)
}

/// `[0.5, 2]` or `"0.5.."`.
fn range(value: &Value<'_>) -> Result<(Option<f64>, Option<f64>), RecipeError> {
    if let Some(text) = value.as_text() {
        return parse_range(text).map_err(|reason| value.wrong(reason));
    }
    if let [from, to] = value.list().as_slice() {
        let (from, to) = (from.seconds()?, to.seconds()?);
        if to > from {
            return Ok((Some(from), Some(to)));
        }
    }
    Err(value.wrong("it must be two times in seconds, [0.5, 2], or a range, \"0.5..\""))
}

/// `hips = "velocity"`, `left_foot = ["position", "velocity"]`, `hand = { position = 1.5 }`.
fn joint(value: &Value<'_>) -> Result<MatchedJoint, RecipeError> {
    let mut own = MatchedJoint { joint: value.key().to_owned(), ..MatchedJoint::default() };
    if value.is_table() {
        for part in value.table()?.entries(&["position", "velocity"], "")? {
            let counts = Counts::By(weight(&part)?);
            if part.key() == "position" {
                own.position = counts;
            } else {
                own.velocity = counts;
            }
        }
        return Ok(own);
    }
    for word in value.list() {
        if word.one_of(&[("position", true), ("velocity", false)])? {
            own.position = Counts::AsItsKind;
        } else {
            own.velocity = Counts::AsItsKind;
        }
    }
    Ok(own)
}

fn weights(value: &Value<'_>, rule: &mut MatchingRule) -> Result<(), RecipeError> {
    for part in value.table()?.entries(&["position", "velocity", "trajectory", "direction"], "")? {
        let weight = weight(&part)?;
        match part.key() {
            "position" => rule.weights.position = weight,
            "velocity" => rule.weights.velocity = weight,
            "trajectory" => rule.weights.trajectory = weight,
            _ => rule.weights.direction = weight,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{
        matching::{Counts, MatchingRule},
        recipe::read,
    };

    #[test]
    fn a_table_says_what_is_matched_and_the_rest_is_for_a_human() {
        let text = "[matching.walk]\nclips = ['walk*', { clip = 'run', range = [0.5, 2], tags = ['fast'], no-entry = [0, 1], cost = 2 }]
            mirrored = true\nrate = 60\nno-entry = [0.1, 0.5]\ntrajectory = [-0.5, 1]
            joints = { hips = 'velocity', tail = ['position', 'velocity'], hand = { position = 1.5 } }
            tracks = { lean = 0.5 }\nweights = { direction = 3 }\n";
        let recipe = read(text.as_bytes()).unwrap();
        let [rule] = recipe.matching.as_slice() else { panic!("{:?}", recipe.matching) };
        assert_eq!((rule.name.as_str(), rule.mirrored, rule.rate_hz), ("walk", true, 60.0));
        assert_eq!((rule.clips[0].clips.as_str(), rule.clips[1].clips.as_str()), ("walk*", "run"));
        assert_eq!(rule.clips[1].range_s, (Some(0.5), Some(2.0)));
        assert_eq!(rule.clips[1].tags, ["fast"]);
        assert_eq!((rule.clips[1].no_entry_s, rule.clips[1].cost), (Some([0.0, 1.0]), 2.0));
        assert_eq!((rule.clips[0].no_entry_s, rule.clips[0].cost), (None, 0.0));
        assert_eq!((rule.no_entry_s, rule.trajectory_s.as_slice()), ([0.1, 0.5], [-0.5, 1.0].as_slice()));
        let joints: Vec<_> = rule.joints.iter().map(|j| (j.joint.as_str(), j.position, j.velocity)).collect();
        let (no, as_kind) = (Counts::No, Counts::AsItsKind);
        let hand = ("hand", Counts::By(1.5), no);
        assert_eq!(joints, [("hips", no, as_kind), ("tail", as_kind, as_kind), hand]);
        assert_eq!(rule.tracks, [("lean".to_owned(), 0.5)]);
        assert_eq!((rule.weights.position, rule.weights.direction), (0.75, 3.0));
        let plain = read(b"[matching.a]\nclips = '*'\n").unwrap().matching.remove(0);
        let line = Some(1);
        assert_eq!(plain, MatchingRule { clips: plain.clips.clone(), line, ..MatchingRule::new("a") });
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_its_line() {
        for (text, line, says) in [
            ("[matching.a]\nrate = 30\n", 1, "it needs clips"),
            ("[matching.a]\nclip = 'x'\n", 2, "did you mean \"clips\"?"),
            ("[matching.a]\nclips = [1]\n", 2, "text in quotes"),
            ("[matching.a]\nclips = [{ tags = ['x'] }]\n", 2, "it needs a clip"),
            ("[matching.a]\nclips = [{ clip = 'x', range = [2, 1] }]\n", 2, "two times"),
            ("[matching.a]\nclips = '*'\nno-entry = 1\n", 3, "seconds at the start"),
            ("[matching.a]\nclips = '*'\ntrajectory = [1e9]\n", 3, "60 at most"),
            ("[matching.a]\nclips = '*'\njoints = { hips = 'speed' }\n", 3, "\"position\" or \"velocity\""),
            ("[matching.a]\nclips = '*'\nweights = { direction = -1 }\n", 3, "0 to 1000"),
            ("[matching.a]\nclips = '*'\njoints = { hips = { speed = 1 } }\n", 3, "no key \"speed\""),
            ("[matching.a]\nclips = '*'\njoints = { hips = { position = 2000 } }\n", 3, "0 to 1000"),
            ("[matching.a]\nclips = '*'\ntracks = { lean = 'much' }\n", 3, "0 to 1000"),
            ("[matching.a]\nclips = '*'\ntracks = 1\n", 3, "table"),
            ("[matching.a]\nclips = [{ clip = 'x', no-entry = 1 }]\n", 2, "seconds at the start"),
            ("[matching.a]\nclips = [{ clip = 'x', cost = -1 }]\n", 2, "0 to 1000"),
            ("matching = 1\n", 1, "it must be a table"),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("line {line}: ")) && error.contains(says), "{error}");
        }
    }
}
