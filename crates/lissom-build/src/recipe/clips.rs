//! Tables under `clips`: what is done to clips.

use super::{
    RecipeError, parse_axis, parse_range,
    value::{Table, Value},
};
use crate::{
    edit::{self, Additive, ClipRule, Edit, EditKind, Looping, RootEdit},
    feet::ContactRule,
    import::Axis,
    raw::{RootReference, Travel},
    scene::Marker,
};

/// The most tables under `clips`: each may make a clip, and a clip takes memory.
const MOST: usize = 1000;

pub(super) fn rules(clips: &Value<'_>) -> Result<Vec<ClipRule>, RecipeError> {
    let tables = clips.table()?.any_entries();
    if let Some(one) = tables.get(MOST) {
        return Err(one.wrong(format!("there are {} tables of clips, at most {MOST} are read", tables.len())));
    }
    tables.iter().map(|v| rule(v.key(), &v.table()?)).collect()
}

fn rule(clips: &str, table: &Table<'_>) -> Result<ClipRule, RecipeError> {
    let mut known = vec!["from"];
    known.extend(edit::KEYS);
    let mut rule = ClipRule { clips: clips.to_owned(), line: Some(table.line()), ..ClipRule::default() };
    for value in table.entries(&known, "")? {
        if value.key() == "from" {
            if clips.contains(['*', '?']) {
                return Err(
                    value.wrong("a clip that is made of another has a name of its own, without * and ?")
                );
            }
            rule.from = Some(value.text()?.to_owned());
        } else {
            rule.edits.push(Edit { kind: kind(&value)?, line: Some(value.line) });
        }
    }
    Ok(rule)
}

fn kind(value: &Value<'_>) -> Result<EditKind, RecipeError> {
    Ok(match value.key() {
        "skip" => EditKind::Skip(value.yes_or_no()?),
        "trim" => trim(value)?,
        "rate" => EditKind::Rate(value.rate()?),
        "reverse" => EditKind::Reverse(value.yes_or_no()?),
        "mirror" => EditKind::Mirror(match (value.as_bool(), value.as_text()) {
            (Some(on), _) => on.then_some(Axis::X),
            (None, Some(axis)) => Some(parse_axis(axis).map_err(|reason| value.wrong(reason))?),
            (None, None) => return Err(value.wrong("it must be true, false or an axis")),
        }),
        "root-motion" => EditKind::RootMotion(root_motion(value)?),
        "in-place" => EditKind::InPlace(match (value.as_bool(), value.as_text()) {
            (Some(on), _) => on.then_some(Travel::All),
            (None, Some("drift")) => Some(Travel::Drift),
            _ => return Err(value.wrong("it must be true, false or \"drift\"")),
        }),
        "loop" => EditKind::Loop(match (value.as_bool(), value.as_text()) {
            (Some(true), _) => Looping::Yes,
            (Some(false), _) => Looping::No,
            (None, Some("auto")) => Looping::Auto,
            (None, Some("close")) => Looping::Close,
            _ => return Err(value.wrong("it must be true, false, \"auto\" or \"close\"")),
        }),
        "contacts" => EditKind::Contacts(contacts(value)?),
        "gait" => EditKind::Gait(value.yes_or_no()?),
        "name" => {
            let name = value.text()?;
            if name.is_empty() {
                return Err(value.wrong("a clip needs a name"));
            }
            EditKind::Name(name.to_owned())
        }
        "events" => EditKind::Events(events(&value.table()?)?),
        "precision" => EditKind::Precision(value.precision()?),
        "joints" => {
            let joints = value.table()?.any_entries();
            EditKind::Joints(
                joints.iter().map(|j| Ok((j.key().to_owned(), j.precision()?))).collect::<Result<_, _>>()?,
            )
        }
        _ => EditKind::Additive(additive(value)?),
    })
}

/// `true`, `"hips"`, `"from feet"`, `{ joint = "hips", axes = "xz", turn = true, reference = "first", bake = true, loop = false }`.
fn root_motion(value: &Value<'_>) -> Result<Option<RootEdit>, RecipeError> {
    let mut edit = RootEdit::default();
    if !value.is_table() {
        return match (value.as_bool(), value.as_text()) {
            (Some(on), _) => Ok(on.then_some(edit)),
            (None, Some(word)) if !word.is_empty() => Ok(Some(RootEdit::named(word))),
            _ => Err(value.wrong(
                "it must be true, false, a joint, \"from feet\", or { joint = \"hips\", axes = \"xz\" }",
            )),
        };
    }
    for part in value.table()?.entries(&["joint", "axes", "turn", "reference", "bake", "loop"], "")? {
        match part.key() {
            "joint" => edit.joint = Some(part.text()?.to_owned()),
            "axes" => edit.rule.axes = axes(&part)?,
            "turn" => edit.rule.turn = part.yes_or_no()?,
            "reference" => {
                let known = [
                    ("first", RootReference::First),
                    ("rest", RootReference::Rest),
                    ("origin", RootReference::Origin),
                ];
                edit.rule.reference = part.one_of(&known)?;
            }
            "bake" => edit.rule.bake = part.yes_or_no()?,
            _ => edit.rule.looping = part.yes_or_no()?,
        }
    }
    Ok(Some(edit))
}

/// `true`, `{ height = "3cm", speed = 0.5, feet = ["LeftFoot", "RightFoot"] }`.
fn contacts(value: &Value<'_>) -> Result<Option<ContactRule>, RecipeError> {
    let mut rule = ContactRule::default();
    if let Some(on) = value.as_bool() {
        return Ok(on.then_some(rule));
    }
    for part in value.table()?.entries(&["height", "speed", "feet"], "")? {
        match part.key() {
            "height" => rule.height_m = Some(part.length()?),
            "speed" => {
                let speed = part.as_number().filter(|speed| speed.is_finite() && *speed > 0.0);
                rule.speed = Some(speed.ok_or_else(|| part.wrong("it must be metres per second, above 0"))?);
            }
            _ => {
                let feet: Result<[String; 2], _> = part.texts()?.try_into();
                rule.feet = Some(feet.map_err(|_| part.wrong("it must be two joints, left and right"))?);
            }
        }
    }
    Ok(Some(rule))
}

/// Any of x, y and z.
fn axes(value: &Value<'_>) -> Result<[bool; 3], RecipeError> {
    let text = value.text()?;
    if text.chars().any(|c| !"xyz".contains(c)) {
        return Err(value.wrong("it must be some of x, y and z: \"xz\""));
    }
    Ok(['x', 'y', 'z'].map(|axis| text.contains(axis)))
}

/// `[0.5, 2]` or `"0.5..2"`.
fn trim(value: &Value<'_>) -> Result<EditKind, RecipeError> {
    if let Some(text) = value.as_text() {
        let (from, to) = parse_range(text).map_err(|reason| value.wrong(reason))?;
        return Ok(EditKind::Trim(from, to));
    }
    match value.list().as_slice() {
        [from, to] => {
            let (from, to) = (from.seconds()?, to.seconds()?);
            if to > from {
                return Ok(EditKind::Trim(Some(from), Some(to)));
            }
            Err(value.wrong("the second time must be after the first"))
        }
        _ => Err(value.wrong("it must be two times in seconds, [0.5, 2], or a range, \"0.5..\"")),
    }
}

/// `step = 0.2`, `step = [0.2, 0.7]`, `hit = { at = 0.3, lasts = 0.1 }`.
fn events(table: &Table<'_>) -> Result<Vec<Marker>, RecipeError> {
    let mut events = Vec::new();
    for value in table.any_entries() {
        let name = value.key().to_owned();
        if name.is_empty() {
            return Err(value.wrong("an event needs a name"));
        }
        if !value.is_table() {
            for time in value.list() {
                events.push(Marker { name: name.clone(), time_s: time.seconds()?, duration_s: 0.0 });
            }
            continue;
        }
        let (mut at, mut lasts) = (None, 0.0);
        for part in value.table()?.entries(&["at", "lasts"], "")? {
            match part.key() {
                "at" => at = Some(part.seconds()?),
                _ => lasts = part.seconds()?,
            }
        }
        let time_s = at.ok_or_else(|| value.wrong("it needs a time: { at = 0.3 }"))?;
        events.push(Marker { name, time_s, duration_s: lasts });
    }
    Ok(events)
}

/// `"rest"`, `"first"`, `"idle"`, `{ clip = "idle", at = 0.0 }`.
fn additive(value: &Value<'_>) -> Result<Additive, RecipeError> {
    if !value.is_table() {
        return match (value.as_bool(), value.as_text()) {
            (Some(false), _) => Ok(Additive::No),
            (_, Some("rest")) => Ok(Additive::Rest),
            (_, Some("first")) => Ok(Additive::First),
            (_, Some(name)) if !name.is_empty() => Ok(Additive::Clip { name: name.to_owned(), at_s: None }),
            _ => Err(value
                .wrong("it must be \"rest\", \"first\", a clip's name, or { clip = \"idle\", at = 0.0 }")),
        };
    }
    let (mut name, mut at_s) = (None, None);
    for part in value.table()?.entries(&["clip", "at"], "")? {
        match part.key() {
            "clip" => name = Some(part.text()?.to_owned()),
            _ => at_s = Some(part.seconds()?),
        }
    }
    let name = name.ok_or_else(|| value.wrong("it needs a clip: { clip = \"idle\", at = 0.0 }"))?;
    Ok(Additive::Clip { name, at_s })
}
