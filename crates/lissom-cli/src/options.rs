//! Options that several commands share.

pub(crate) use lissom_show::usage::{UsageError, usage};

use anyhow::Result;
use clap::{Args, ValueEnum};
use lissom_build::{
    cook::{Effort, Form, Jumps},
    import::{Axis, ImportOptions},
    mesh::VertexLayout,
    pipeline::Options,
    recipe::{self, RecipeFile},
    retarget::{BoneNames, Goals},
};
use std::{num::NonZeroU8, path::PathBuf};

/// Some inputs were refused or damaged, and that has been said: exit code 1, nothing to add.
#[derive(Debug)]
pub(crate) struct SomeRefused;

impl std::fmt::Display for SomeRefused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("some inputs were refused")
    }
}

impl std::error::Error for SomeRefused {}

/// An error and its causes in one line. Some errors tell their cause themselves: it is told once.
pub(crate) fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let text = cause.to_string();
        if line.is_empty() {
            line = text;
        } else if !line.ends_with(&text) {
            line.push_str(": ");
            line.push_str(&text);
        }
    }
    line
}

/// How to read a file that is not an archive.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading files")]
pub(crate) struct Reading {
    /// Length of the file's unit: m, cm, mm, inch, foot, a number of metres, or auto [default: auto]
    ///
    /// auto is what the format says: glTF and ozz metres, ACL and rawclip centimetres. BVH files do not say: the unit
    /// that makes the skeleton a human's is taken, with a warning. FBX files say themselves; for them a unit is a factor
    /// on top.
    #[arg(long, value_name = "UNIT")]
    pub(crate) unit: Option<String>,
    /// What is up in the file; it becomes y [default: y, or as the body of a BVH stands]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    pub(crate) up: Option<AxisName>,
    /// Where characters look in the file; it becomes z [default: z, or -y if z is up]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    pub(crate) forward: Option<AxisName>,
    /// Samples per second for every motion [default: its own keys]
    #[arg(long, value_name = "HZ")]
    pub(crate) rate: Option<f64>,
    /// The file with the skeleton, if it is another one; joints are matched by name
    #[arg(long, value_name = "FILE")]
    pub(crate) skeleton: Option<PathBuf>,
    /// With --skeleton: takes motions as they are, whatever pose their files rest in [default: where the bones are the same]
    #[arg(long, conflicts_with = "rebase")]
    pub(crate) as_is: bool,
    /// With --skeleton: motions from their files' rest poses become motions from the skeleton's, however far those differ
    /// [default: where they are alike]
    #[arg(long)]
    pub(crate) rebase: bool,
    /// The file with another skeleton that motions are brought onto: of other proportions, names and rest pose. Humans only
    #[arg(long, value_name = "FILE")]
    pub(crate) retarget: Option<PathBuf>,
    /// With --retarget: what is kept where the file has it, in proportion [default: none]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub(crate) goals: Option<GoalsName>,
    /// With --retarget: which joint is which bone, where names do not tell: left_hand=Fist.L, source.left_hand=Fist.L,
    /// target.left_hand=Fist.L; may be given several times. `lissom retarget --table` shows what was found
    #[arg(long, value_name = "BONE=JOINT")]
    pub(crate) bone: Vec<String>,
    /// Leaves meshes out, with their materials and images
    #[arg(long)]
    pub(crate) no_mesh: bool,
    /// Leaves images out
    #[arg(long)]
    pub(crate) no_images: bool,
    /// Joints that a vertex follows at most, 1 to 255: the strongest stay [default: all]
    #[arg(long, value_name = "COUNT")]
    pub(crate) influences: Option<NonZeroU8>,
    /// The order of vertices: by the joints that they follow, which skins fastest, or as in the source. Where each stood
    /// is kept [default: as in the file]
    #[arg(long, value_enum, value_name = "ORDER")]
    pub(crate) layout: Option<LayoutName>,
    /// Refuses a file with a part that cannot be read, instead of leaving that part out
    #[arg(long)]
    pub(crate) strict: bool,
}

/// An order of vertices, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutName {
    /// As in the file that the mesh comes from
    Source,
    /// By the count of joints that vertices follow, then by the joints
    Skinning,
}

impl LayoutName {
    fn layout(self) -> VertexLayout {
        match self {
            Self::Source => VertexLayout::Source,
            Self::Skinning => VertexLayout::Skinning,
        }
    }
}

/// Goals, as they are written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum GoalsName {
    None,
    /// Feet stand where the file's do, and do not slide
    Feet,
    /// Hands reach where the file's do
    Hands,
    All,
}

impl GoalsName {
    fn goals(self) -> Goals {
        let (hands, feet) = match self {
            Self::None => (false, false),
            Self::Feet => (false, true),
            Self::Hands => (true, false),
            Self::All => (true, true),
        };
        Goals { hands, feet }
    }
}

/// An axis, as it is written.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum AxisName {
    X,
    Y,
    Z,
    #[value(name = "-x")]
    MinusX,
    #[value(name = "-y")]
    MinusY,
    #[value(name = "-z")]
    MinusZ,
}

impl AxisName {
    fn axis(self) -> Axis {
        match self {
            Self::X => Axis::X,
            Self::Y => Axis::Y,
            Self::Z => Axis::Z,
            Self::MinusX => Axis::MinusX,
            Self::MinusY => Axis::MinusY,
            Self::MinusZ => Axis::MinusZ,
        }
    }
}

impl Reading {
    /// As the importers take them.
    pub(crate) fn options(&self) -> Result<ImportOptions> {
        let mut asked = RecipeFile::default();
        self.fill(&mut asked)?;
        Ok(merged(RecipeFile::default(), asked)?.import)
    }

    /// What was asked for, as a recipe says it.
    pub(crate) fn fill(&self, asked: &mut RecipeFile) -> Result<()> {
        if let Some(rate) = self.rate.filter(|r| !(r.is_finite() && *r > 0.0)) {
            return usage(format!("--rate {rate}: it must be above 0"));
        }
        let unit = self.unit.as_deref();
        asked.unit = unit.map(|text| parsed("--unit", text, recipe::parse_unit)).transpose()?;
        asked.up = self.up.map(AxisName::axis);
        asked.forward = self.forward.map(AxisName::axis);
        asked.rate_hz = self.rate;
        asked.skeleton = self.skeleton.clone();
        asked.as_is = self.as_is.then_some(true);
        asked.rebase = self.rebase.then_some(true);
        asked.retarget = self.retarget.clone();
        asked.goals = self.goals.map(GoalsName::goals);
        asked.bones = bone_names(&self.bone)?;
        asked.no_mesh = self.no_mesh.then_some(true);
        asked.no_images = self.no_images.then_some(true);
        asked.influences = self.influences;
        asked.layout = self.layout.map(LayoutName::layout);
        asked.strict = self.strict.then_some(true);
        Ok(())
    }
}

/// A recipe and what was asked for, which goes before it.
pub(crate) fn merged(recipe: RecipeFile, asked: RecipeFile) -> Result<Options<'static>> {
    let (goals, bones) = (asked.goals.is_some(), asked.bones.is_some());
    let recipe = recipe.with(asked);
    if recipe.as_is == Some(true) && recipe.rebase == Some(true) {
        return usage("as-is and rebase exclude each other");
    }
    let options = recipe.options();
    let ImportOptions { up, forward, retarget, .. } = &options.import;
    let up = up.unwrap_or(Axis::Y);
    if up.upright(forward.unwrap_or(up.usual_forward())).is_none() {
        return usage("--up and --forward must be at right angles");
    }
    if goals && retarget.is_none() {
        return usage("--goals is for --retarget");
    }
    if bones && retarget.is_none() {
        return usage("--bone is for --retarget");
    }
    if options.cook.jumps.is_some() && options.cook.form == Form::Rows {
        return usage("--jumps is for --form keys: rows can be started at every sixteenth, and nowhere else");
    }
    Ok(options)
}

/// What --bone says; `None` if nothing.
pub(crate) fn bone_names(texts: &[String]) -> Result<Option<BoneNames>> {
    let mut names = BoneNames::default();
    for text in texts {
        let Some((bone, joint)) = text.split_once('=') else {
            return usage(format!("--bone {text}: write BONE=JOINT, as in left_hand=Fist.L"));
        };
        names.set(bone, joint).map_err(|error| UsageError(format!("--bone {text}: {error}")))?;
    }
    Ok((!texts.is_empty()).then_some(names))
}

/// What a text means, or an error with the option's name before it.
pub(crate) fn parsed<T>(option: &str, text: &str, parse: fn(&str) -> Result<T, String>) -> Result<T> {
    parse(text).map_err(|reason| UsageError(format!("{option} {text}: {reason}")).into())
}

/// How exactly, and how patiently, clips are cooked.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Cooking clips")]
pub(crate) struct Cooking {
    /// The largest error allowed, in model space: 0.1mm, 0.01cm, or metres [default: what the file says of its joints
    /// (ACL, rawclip), else 0.1mm]
    #[arg(long, value_name = "LENGTH")]
    pub(crate) precision: Option<String>,
    /// How far from each joint the error is measured [default: what the file says, else 3cm]
    #[arg(long, value_name = "LENGTH")]
    pub(crate) shell: Option<String>,
    /// Bytes that each clip may take (4096, 4KB): the smallest error that fits is searched for
    #[arg(long, value_name = "BYTES")]
    pub(crate) budget: Option<String>,
    /// How clips hold their keys [default: auto]
    #[arg(long, value_enum)]
    pub(crate) form: Option<FormName>,
    /// Seconds between places where playback of keys can start, or none: makes keys; rows have one every 16
    /// [default: 0.5]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) jumps: Option<String>,
    /// How long to look for a smaller clip [default: default]
    #[arg(long, value_enum)]
    pub(crate) effort: Option<EffortName>,
}

/// An effort, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EffortName {
    /// A few rounds
    Fast,
    /// What most clips need
    Default,
    /// Until nothing more is gained
    Max,
}

/// A form, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormName {
    /// Whichever is smaller
    Auto,
    /// As few keys as the precision allows, at any times
    Keys,
    /// A key of all that moves at every row of an even rate
    Rows,
}

impl Cooking {
    /// What was asked for, as a recipe says it.
    pub(crate) fn fill(&self, asked: &mut RecipeFile) -> Result<()> {
        let precision = self.precision.as_deref();
        asked.precision_m =
            precision.map(|text| parsed("--precision", text, recipe::parse_precision)).transpose()?;
        let shell = self.shell.as_deref();
        asked.shell_m = shell.map(|text| parsed("--shell", text, recipe::parse_length)).transpose()?;
        let budget = self.budget.as_deref();
        asked.budget = budget.map(|text| parsed("--budget", text, recipe::parse_bytes)).transpose()?;
        asked.form = self.form.map(FormName::form);
        asked.jumps = match self.jumps.as_deref() {
            None => None,
            Some("none") => Some(Jumps::None),
            Some(text) => match text.parse::<f64>() {
                Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Some(Jumps::Every(seconds)),
                _ => return usage(format!("--jumps {text}: it must be none, or seconds above 0")),
            },
        };
        asked.effort = self.effort.map(EffortName::effort);
        Ok(())
    }
}

impl EffortName {
    fn effort(self) -> Effort {
        match self {
            Self::Fast => Effort::Fast,
            Self::Default => Effort::Default,
            Self::Max => Effort::Max,
        }
    }
}

impl FormName {
    fn form(self) -> Form {
        match self {
            Self::Auto => Form::Auto,
            Self::Keys => Form::Keys,
            Self::Rows => Form::Rows,
        }
    }
}

/// Metres.
pub(crate) fn parse_length(option: &str, text: &str) -> Result<f64> {
    parsed(option, text, recipe::parse_length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let error = anyhow::anyhow!("byte 7: it is short").context("byte 7: it is short").context("a.glb");
        assert_eq!(one_line(&error), "a.glb: byte 7: it is short");
        let error = anyhow::anyhow!("it is short").context("clip 3").context("a.glb");
        assert_eq!(one_line(&error), "a.glb: clip 3: it is short");
    }

    #[test]
    fn lengths_have_units_or_are_metres() {
        for (text, metres) in [("0.1mm", 1e-4), ("3cm", 0.03), ("2 m", 2.0), ("0.5", 0.5)] {
            assert!((parse_length("--shell", text).unwrap() - metres).abs() < 1e-12, "{text}");
        }
        for bad in ["", "mm", "-1", "0", "nan", "inf", "1 km", "ü"] {
            let error = parse_length("--shell", bad).unwrap_err();
            assert!(error.is::<UsageError>() && error.to_string().starts_with("--shell"), "{bad}");
        }
    }
}
