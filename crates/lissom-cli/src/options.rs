//! Options that several commands share.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use lissom_build::import::{Axis, ImportOptions, Unit};
use std::path::PathBuf;

/// How to read a file that is not an archive.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Reading files")]
pub(crate) struct Reading {
    /// Length of the file's unit: m, cm, mm, inch, foot, a number of metres, or auto [default: auto]
    ///
    /// auto is what the format says: glTF, BVH and ozz metres, ACL and rawclip centimetres, FBX what the file says.
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
            bail!("--rate {rate}: it must be above 0");
        }
        let up = self.up.map_or(Axis::Y, AxisName::axis);
        let forward = self.forward.map(AxisName::axis);
        if up.upright(forward.unwrap_or(up.usual_forward())).is_none() {
            bail!("--up and --forward must be at right angles");
        }
        let skeleton = self.skeleton.clone();
        Ok(ImportOptions { unit, up, forward, rate_hz: self.rate, skeleton, ..ImportOptions::default() })
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
        bail!("--unit {text}: it must be m, cm, mm, inch, foot, auto, or a number of metres above 0");
    }
    Ok(Unit::Metres(metres))
}
