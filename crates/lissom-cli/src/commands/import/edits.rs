//! Edits as options: one rule more, for all clips, after those of `lissom.toml`.

use crate::options::{UsageError, parsed, usage};
use anyhow::Result;
use clap::{Args, ValueEnum};
use lissom_build::{
    edit::{Additive, ClipRule, Edit, EditKind, Looping, RootEdit},
    feet::ContactRule,
    import::Axis,
    raw::Travel,
    recipe,
    scene::Marker,
};

/// What is done to every clip before it is cooked; a `lissom.toml` can say it clip by clip.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Editing clips (all that are imported; lissom.toml does it by name)")]
pub(super) struct Editing {
    /// Another name; * is the old one
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// The part between two times in seconds: 0.5..2, 0.5.. or ..2
    #[arg(long, value_name = "A..B")]
    trim: Option<String>,
    /// Backwards
    #[arg(long)]
    reverse: bool,
    /// Left becomes right
    #[arg(long)]
    mirror: bool,
    /// Takes root motion out of the joint that carries the character, or of this one, into tracks beside the clip; "from feet": of a clip on
    /// the spot, the way on which feet that stand do not slide
    #[arg(long, value_name = "JOINT", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    root_motion: Option<String>,
    /// Takes travel over the ground out: all of it, or the straight line from the first place to the last
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    in_place: Option<TravelName>,
    /// Whether clips end where they start [default: auto]
    #[arg(long, value_enum, value_name = "HOW")]
    r#loop: Option<LoopName>,
    /// Marks when feet stand (contact_left, contact_right) and when they come down (step_left, step_right)
    #[arg(long)]
    contacts: bool,
    /// Adds the tracks gait/phase and gait/speed
    #[arg(long)]
    gait: bool,
    /// Only what the motion adds to: rest, first (its first pose), a clip, or CLIP@SECONDS
    #[arg(long, value_name = "TO")]
    additive: Option<String>,
    /// A named moment; may be given several times
    #[arg(long, value_name = "NAME=SECONDS")]
    event: Vec<String>,
    /// A precision for joints by name (* and ? as in file names); may be given several times
    #[arg(long, value_name = "JOINT=LENGTH")]
    joint: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TravelName {
    All,
    Drift,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LoopName {
    /// If the first and last pose are the same within the precision
    Auto,
    /// Refused where they are not
    Yes,
    No,
    /// Made to, little by little
    Close,
}

impl Editing {
    /// The rule, if there is anything to do.
    pub(super) fn rule(&self) -> Result<Option<ClipRule>> {
        let mut kinds = Vec::new();
        if let Some(text) = &self.trim {
            let (from, to) = parsed("--trim", text, recipe::parse_range)?;
            kinds.push(EditKind::Trim(from, to));
        }
        if self.reverse {
            kinds.push(EditKind::Reverse(true));
        }
        if self.mirror {
            kinds.push(EditKind::Mirror(Some(Axis::X)));
        }
        kinds.extend(self.root_motion.as_ref().map(|word| EditKind::RootMotion(Some(RootEdit::named(word)))));
        kinds.extend(self.in_place.map(|travel| {
            EditKind::InPlace(Some(match travel {
                TravelName::All => Travel::All,
                TravelName::Drift => Travel::Drift,
            }))
        }));
        kinds.extend(self.r#loop.map(|looping| {
            EditKind::Loop(match looping {
                LoopName::Auto => Looping::Auto,
                LoopName::Yes => Looping::Yes,
                LoopName::No => Looping::No,
                LoopName::Close => Looping::Close,
            })
        }));
        if self.contacts {
            kinds.push(EditKind::Contacts(Some(ContactRule::default())));
        }
        if self.gait {
            kinds.push(EditKind::Gait(true));
        }
        if let Some(name) = &self.name {
            if name.is_empty() {
                return usage("--name: a clip needs a name");
            }
            kinds.push(EditKind::Name(name.clone()));
        }
        if !self.event.is_empty() {
            let event = |text: &String| {
                let (name, time) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty())?;
                let time_s = time.parse::<f64>().ok().filter(|t| t.is_finite() && *t >= 0.0)?;
                Some(Marker { name: name.into(), time_s, duration_s: 0.0 })
            };
            let wrong = |text: &String| UsageError(format!("--event {text}: it must be NAME=SECONDS"));
            let events = self.event.iter().map(|text| event(text).ok_or_else(|| wrong(text)));
            kinds.push(EditKind::Events(events.collect::<Result<_, _>>()?));
        }
        if !self.joint.is_empty() {
            let joint = |text: &String| {
                let Some((pattern, length)) = text.rsplit_once('=') else {
                    return usage(format!("--joint {text}: it must be JOINT=LENGTH"));
                };
                Ok((pattern.to_owned(), parsed("--joint", length, recipe::parse_precision)?))
            };
            kinds.push(EditKind::Joints(self.joint.iter().map(joint).collect::<Result<_>>()?));
        }
        if let Some(text) = &self.additive {
            kinds.push(EditKind::Additive(match (text.as_str(), text.rsplit_once('@')) {
                ("", _) => return usage("--additive: it must be rest, first, CLIP or CLIP@SECONDS"),
                ("rest", _) => Additive::Rest,
                ("first", _) => Additive::First,
                (_, Some((clip, time))) if time.parse::<f64>().is_ok_and(|t| t.is_finite() && t >= 0.0) => {
                    Additive::Clip { name: clip.into(), at_s: time.parse().ok() }
                }
                (clip, _) => Additive::Clip { name: clip.into(), at_s: None },
            }));
        }
        let edits: Vec<Edit> = kinds.into_iter().map(|kind| Edit { kind, line: None }).collect();
        Ok((!edits.is_empty()).then(|| ClipRule { clips: "*".into(), edits, ..ClipRule::default() }))
    }
}
