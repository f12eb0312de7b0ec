//! `lissom sample`: one pose of a clip.

use crate::{
    options::{Reading, usage},
    style::{counted, plain},
};
use anyhow::{Context, Result};
use clap::ValueEnum;
use lissom::{archive::SectionKind, math::Mat4};
use lissom_build::exact::Trs;
use lissom_show::source::{Content, Source};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A file of any supported format
    file: PathBuf,
    /// The clip: its name, the file's stem, or its index [default: the first]
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// Seconds; times outside of the clip are its ends
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0, allow_negative_numbers = true)]
    time: f64,
    /// local: in the parent's space; model: the matrices that the runtime computes of it
    ///
    /// An archive's or a stream's clip is played as a game plays it. A clip of any other file is evaluated exactly in
    /// local space; its matrices are those of the locals as f32.
    #[arg(long, value_enum, default_value_t = Space::Local)]
    space: Space,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Space {
    Local,
    Model,
}

#[derive(Serialize)]
struct Pose {
    clip: String,
    time_s: f64,
    joints: Vec<JointPose>,
    /// Numbers that change along with it, morph weights among them.
    tracks: Vec<TrackValue>,
}

#[derive(Serialize)]
struct TrackValue {
    /// `morph/MESH/TARGET` for a morph weight.
    name: String,
    value: Vec<f64>,
}

#[derive(Serialize)]
struct JointPose {
    name: String,
    /// Its place in the list.
    parent: Option<usize>,
    #[serde(flatten)]
    place: PlaceOfJoint,
}

#[derive(Serialize)]
#[serde(untagged)]
enum PlaceOfJoint {
    Local {
        translation: [f64; 3],
        rotation: [f64; 4],
        scale: [f64; 3],
    },
    /// Column by column.
    Model {
        matrix: [f64; 16],
    },
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    if !arguments.time.is_finite() {
        return usage(format!("--time {}: it must be finite", arguments.time));
    }
    let options = arguments.reading.options()?;
    let file = Source::open_alone(&arguments.file, &options)?;
    let clip = file.choose_clip(arguments.clip.as_deref())?;
    let mut motion = file.motion(clip, &options)?;
    let time_s = within(arguments.time, motion.duration_s);
    let cooked = motion.is_cooked();
    // What was decoded as f32 is written with an f32's digits.
    let digits = |v: f64| if cooked { short(v as f32) } else { v };
    let places: Vec<PlaceOfJoint> = match arguments.space {
        Space::Local => motion.locals(time_s)?.iter().map(|t| local(t, digits)).collect(),
        Space::Model => motion.models(time_s)?.iter().map(model).collect(),
    };
    let skeleton = &motion.skeleton;
    let joints = places.into_iter().enumerate().map(|(j, place)| JointPose {
        name: skeleton.name(j).to_owned(),
        parent: skeleton.parent(j),
        place,
    });
    let tracks = tracks(&file, clip, &motion.name, time_s / motion.duration_s)?;
    let pose = Pose { clip: motion.name.clone(), time_s, joints: joints.collect(), tracks };
    if arguments.json {
        serde_json::to_writer(&mut *out, &pose)?;
        writeln!(out)?;
        return Ok(());
    }
    table(&pose, beyond(arguments.time, motion.duration_s), out)
}

/// The clip's tracks at a ratio of its duration. A stream has none.
fn tracks(file: &Source, clip: usize, name: &str, ratio: f64) -> Result<Vec<TrackValue>> {
    let mut found = Vec::new();
    match &file.content {
        Content::Stream(_) => {}
        Content::Scene(scene) => {
            for track in scene.animations.get(clip).iter().flat_map(|a| &a.tracks) {
                let value = track.sample(ratio)[..track.kind.components()].to_vec();
                found.push(TrackValue { name: track.name.clone(), value });
            }
        }
        Content::Archive(archive) => {
            for (full_name, track) in archive.tracks() {
                let owner = archive.owner(SectionKind::Clip, full_name);
                let Some((_, own)) = owner.filter(|(clip, _)| *clip == name) else { continue };
                let track = track.with_context(|| format!("track {full_name:?}"))?;
                let value = track.view().sample(ratio);
                let numbers = &value.to_array()[..track.view().kind.components()];
                found.push(TrackValue {
                    name: own.to_owned(),
                    value: numbers.iter().map(|v| short(*v)).collect(),
                });
            }
        }
    }
    Ok(found)
}

/// Which end of the clip stands for a time outside of it.
fn beyond(time_s: f64, duration_s: f64) -> &'static str {
    if time_s < 0.0 {
        " (its start)"
    } else if time_s > duration_s {
        " (its end)"
    } else {
        ""
    }
}

fn within(time_s: f64, duration_s: f64) -> f64 {
    if time_s < 0.0 {
        0.0
    } else if time_s > duration_s {
        duration_s
    } else {
        time_s
    }
}

/// The f64 with the fewest digits that is this f32.
fn short(v: f32) -> f64 {
    v.to_string().parse().unwrap_or(f64::from(v))
}

fn local(t: &Trs, digits: impl Fn(f64) -> f64) -> PlaceOfJoint {
    let (p, q, s) = (t.translation, t.rotation, t.scale);
    PlaceOfJoint::Local {
        translation: [p.x, p.y, p.z].map(&digits),
        rotation: [q.x, q.y, q.z, q.w].map(&digits),
        scale: [s.x, s.y, s.z].map(&digits),
    }
}

fn model(m: &Mat4) -> PlaceOfJoint {
    PlaceOfJoint::Model { matrix: m.to_cols_array().map(short) }
}

fn table(pose: &Pose, end: &str, out: &mut impl Write) -> Result<()> {
    let joints = counted(pose.joints.len(), "joint", "joints");
    writeln!(out, "{} at {:.4} s{end}, {joints}", plain(&pose.clip), pose.time_s)?;
    let width = pose.joints.iter().map(|j| plain(&j.name).chars().count()).max().unwrap_or(0).max(5);
    // Ten columns to a number.
    match pose.joints.first().map(|j| &j.place) {
        Some(PlaceOfJoint::Local { .. }) => {
            writeln!(
                out,
                "  {:width$}   {:30} {:40} scale x y z",
                "joint", "translation x y z", "rotation x y z w"
            )?;
        }
        Some(PlaceOfJoint::Model { .. }) => writeln!(out, "  {:width$}   matrix, column by column", "joint")?,
        None => {}
    }
    for joint in &pose.joints {
        write!(out, "  {:width$} ", plain(&joint.name))?;
        let numbers: &[&[f64]] = match &joint.place {
            PlaceOfJoint::Local { translation, rotation, scale } => &[translation, rotation, scale],
            PlaceOfJoint::Model { matrix } => &[matrix],
        };
        for list in numbers {
            write!(out, " ")?;
            for v in *list {
                write!(out, " {v:9.5}")?;
            }
        }
        writeln!(out)?;
    }
    let width = pose.tracks.iter().map(|t| plain(&t.name).chars().count()).max().unwrap_or(0).max(5);
    if !pose.tracks.is_empty() {
        writeln!(out, "  {:width$}   value", "track")?;
    }
    for track in &pose.tracks {
        write!(out, "  {:width$}  ", plain(&track.name))?;
        for v in &track.value {
            write!(out, " {v:9.5}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}
