//! Options that several commands share.

use anyhow::Result;
use clap::{Args, ValueEnum};
use lissom_build::{
    cook::{ClipBuilder, Effort, Form, Jumps},
    import::{Axis, ImportOptions, Unit},
};
use std::{num::NonZeroU8, path::PathBuf};

/// An option that makes no sense: exit code 2, as for options that do not exist.
#[derive(Debug)]
pub(crate) struct UsageError(pub(crate) String);

impl std::fmt::Display for UsageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UsageError {}

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

pub(crate) fn usage<T>(text: impl Into<String>) -> Result<T> {
    Err(UsageError(text.into()).into())
}

/// How to read a file that is not an archive.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading files")]
pub(crate) struct Reading {
    /// Length of the file's unit: m, cm, mm, inch, foot, a number of metres, or auto [default: auto]
    ///
    /// auto is what the format says: glTF, BVH and ozz metres, ACL and rawclip centimetres. FBX files say themselves;
    /// for them a unit is a factor on top.
    #[arg(long, value_name = "UNIT")]
    pub(crate) unit: Option<String>,
    /// What is up in the file; it becomes y [default: y]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    pub(crate) up: Option<AxisName>,
    /// Where characters look in the file; it becomes z [default: z, or -y if z is up]
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    pub(crate) forward: Option<AxisName>,
    /// Samples a second for every motion [default: its own keys]
    #[arg(long, value_name = "HZ")]
    pub(crate) rate: Option<f64>,
    /// The file with the skeleton, if it is another one; joints are matched by name
    #[arg(long, value_name = "FILE")]
    pub(crate) skeleton: Option<PathBuf>,
    /// Leaves meshes out, with their materials and images
    #[arg(long)]
    pub(crate) no_mesh: bool,
    /// Leaves images out
    #[arg(long)]
    pub(crate) no_images: bool,
    /// Joints that a vertex follows at most, 1 to 255: the strongest stay [default: all]
    #[arg(long, value_name = "COUNT")]
    pub(crate) influences: Option<NonZeroU8>,
    /// Refuses a file with a part that cannot be read, instead of leaving that part out
    #[arg(long)]
    pub(crate) strict: bool,
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
        let unit = self.unit.as_deref().map_or(Ok(Unit::Auto), parse_unit)?;
        if let Some(rate) = self.rate.filter(|r| !(r.is_finite() && *r > 0.0)) {
            return usage(format!("--rate {rate}: it must be above 0"));
        }
        let up = self.up.map_or(Axis::Y, AxisName::axis);
        let forward = self.forward.map(AxisName::axis);
        if up.upright(forward.unwrap_or(up.usual_forward())).is_none() {
            return usage("--up and --forward must be at right angles");
        }
        let skeleton = self.skeleton.clone();
        Ok(ImportOptions {
            unit,
            up,
            forward,
            rate_hz: self.rate,
            skeleton,
            no_mesh: self.no_mesh,
            no_images: self.no_images,
            influences: self.influences,
            strict: self.strict,
            ..ImportOptions::default()
        })
    }
}

fn parse_unit(text: &str) -> Result<Unit> {
    let metres = match text {
        "auto" => return Ok(Unit::Auto),
        "m" => 1.0,
        "cm" => 0.01,
        "mm" => 0.001,
        "inch" => 0.0254,
        "foot" => 0.3048,
        _ => text.parse().unwrap_or(f64::NAN),
    };
    if !(metres.is_finite() && metres > 0.0) {
        return usage(format!(
            "--unit {text}: it must be m, cm, mm, inch, foot, auto, or a number of metres above 0"
        ));
    }
    Ok(Unit::Metres(metres))
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
    /// Bytes that each clip may take: the smallest error that fits is searched for
    #[arg(long, value_name = "BYTES")]
    pub(crate) budget: Option<u64>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum EffortName {
    /// A few rounds
    Fast,
    /// What most clips need
    Default,
    /// Until nothing more is gained
    Max,
}

/// A form, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FormName {
    /// Whichever is smaller
    Auto,
    /// As few keys as the precision allows, at any times
    Keys,
    /// A key of all that moves at every row of an even rate
    Rows,
}

impl Cooking {
    /// As the cooker takes them.
    pub(crate) fn builder(&self) -> Result<ClipBuilder> {
        let mut builder = ClipBuilder::default();
        if let Some(text) = &self.precision {
            builder.precision = parse_length("--precision", text)?;
        }
        if let Some(text) = &self.shell {
            builder.shell = parse_length("--shell", text)?;
        }
        if let Some(text) = &self.jumps {
            builder.jumps = Some(match text.parse::<f64>() {
                Ok(seconds) if seconds.is_finite() && seconds > 0.0 => Jumps::Every(seconds),
                _ if text == "none" => Jumps::None,
                _ => return usage(format!("--jumps {text}: it must be none, or seconds above 0")),
            });
            if self.form == Some(FormName::Rows) {
                return usage(
                    "--jumps is for --form keys: rows can be started at every sixteenth, and nowhere else",
                );
            }
        }
        builder.budget = self.budget;
        builder.form = match self.form {
            Some(FormName::Keys) => Form::Keys,
            Some(FormName::Rows) => Form::Rows,
            Some(FormName::Auto) | None => Form::Auto,
        };
        builder.effort = match self.effort {
            Some(EffortName::Fast) => Effort::Fast,
            Some(EffortName::Max) => Effort::Max,
            Some(EffortName::Default) | None => Effort::Default,
        };
        Ok(builder)
    }
}

/// Metres.
pub(crate) fn parse_length(option: &str, text: &str) -> Result<f64> {
    let (number, factor) = match text {
        t if t.ends_with("mm") => (&t[..t.len() - 2], 1e-3),
        t if t.ends_with("cm") => (&t[..t.len() - 2], 1e-2),
        t if t.ends_with('m') => (&t[..t.len() - 1], 1.0),
        t => (t, 1.0),
    };
    match number.trim().parse::<f64>() {
        Ok(v) if v.is_finite() && v > 0.0 => Ok(v * factor),
        _ => usage(format!("{option} {text}: it must be a length above 0: 0.1mm, 3cm, or metres")),
    }
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
