//! `lissom diff`: how far two files' clips are apart where people look, in model space, over time.

use crate::{
    options::{Reading, SomeRefused, parse_length},
    style::{Style, Table, Tone, millimetres, plain},
};
use anyhow::{Result, bail, ensure};
use lissom_build::{
    cook::{JointPoints, ShellSpace},
    exact::{clamp, larger},
};
use lissom_show::source::{Motion, Source};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A file of any supported format
    a: PathBuf,
    /// Another; clips are matched by name (or each file has one), joints by name
    b: PathBuf,
    /// Only this clip: a name, the file's stem, or an index
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// With --clip: what the clip is called in the second file, if that is another name
    #[arg(long, value_name = "NAME", requires = "clip")]
    clip_b: Option<String>,
    /// Times a second at which poses are compared
    #[arg(long, value_name = "HZ", default_value_t = 120.0)]
    samples: f64,
    /// How far round each joint the distance is measured, besides at its vertices
    #[arg(long, value_name = "LENGTH", default_value = "3cm")]
    shell: String,
    /// Exit with 1 if any distance is above this
    #[arg(long, value_name = "LENGTH")]
    within: Option<String>,
    /// One JSON object instead of a table
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Serialize)]
struct Report {
    a: String,
    b: String,
    shell_m: f64,
    clips: Vec<ClipReport>,
    only_in_a: Vec<String>,
    only_in_b: Vec<String>,
}

#[derive(Serialize)]
struct ClipReport {
    clip: String,
    worst_m: f64,
    worst_joint: String,
    worst_time_s: f64,
    mean_m: f64,
    times: usize,
    joints: usize,
    joints_only_in_a: Vec<String>,
    joints_only_in_b: Vec<String>,
    duration_a_s: f64,
    duration_b_s: f64,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let options = arguments.reading.options()?;
    let shell_m = parse_length("--shell", &arguments.shell)?;
    let within = arguments.within.as_deref().map(|t| parse_length("--within", t)).transpose()?;
    ensure!(arguments.samples.is_finite() && arguments.samples > 0.0, "--samples must be above 0");
    let (a, b) = (Source::open(&arguments.a, &options)?, Source::open(&arguments.b, &options)?);
    let (pairs, only_in_a, only_in_b) =
        pairs(&a, &b, arguments.clip.as_deref(), arguments.clip_b.as_deref())?;
    let mut clips = Vec::with_capacity(pairs.len());
    for (in_a, in_b) in pairs {
        let (mut motion_a, mut motion_b) = (a.motion(in_a, &options)?, b.motion(in_b, &options)?);
        let points_a = points(&a, in_a, &motion_a, shell_m)?;
        let points_b = points(&b, in_b, &motion_b, shell_m)?;
        clips.push(compare((&mut motion_a, &points_a), (&mut motion_b, &points_b), arguments.samples)?);
    }
    let name = |file: &Source| file.path.display().to_string();
    let report = Report { a: name(&a), b: name(&b), shell_m, clips, only_in_a, only_in_b };
    if arguments.json {
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
    } else {
        text(&report, out)?;
    }
    // Not "above": NaN is never within.
    let good = |c: &ClipReport| within.is_none_or(|limit| c.worst_m <= limit);
    match report.clips.iter().find(|c| !good(c)) {
        None => Ok(()),
        Some(clip) => {
            out.flush()?;
            let (name, worst) = (plain(&clip.clip), millimetres(clip.worst_m));
            writeln!(std::io::stderr(), "lissom: clip {name:?} differs by {worst}")?;
            Err(SomeRefused.into())
        }
    }
}

type Pairs = (Vec<(usize, usize)>, Vec<String>, Vec<String>);

/// Clips of the same name, and those that have no counterpart.
fn pairs(a: &Source, b: &Source, wanted: Option<&str>, wanted_b: Option<&str>) -> Result<Pairs> {
    if wanted.is_some() {
        let of_b = wanted_b.or(wanted);
        // A file with one clip has no other.
        let in_b = if wanted_b.is_none() && b.clip_names().len() == 1 { 0 } else { b.choose_clip(of_b)? };
        return Ok((vec![(a.choose_clip(wanted)?, in_b)], Vec::new(), Vec::new()));
    }
    let (names_a, names_b) = (a.clip_names(), b.clip_names());
    let mut left: BTreeMap<&str, usize> = names_b.iter().enumerate().map(|(i, n)| (n.as_str(), i)).collect();
    let (mut pairs, mut only_in_a) = (Vec::new(), Vec::new());
    for (i, name) in names_a.iter().enumerate() {
        match left.remove(name.as_str()) {
            Some(j) => pairs.push((i, j)),
            None => only_in_a.push(name.clone()),
        }
    }
    if pairs.is_empty() {
        if names_a.len() == 1 && names_b.len() == 1 {
            return Ok((vec![(0, 0)], Vec::new(), Vec::new()));
        }
        bail!(
            "{} and {} have no clip of the same name; name one with --clip NAME, and --clip-b NAME if the second file calls it otherwise",
            a.path.display(),
            b.path.display()
        );
    }
    let only_in_b = names_b.iter().filter(|n| left.contains_key(n.as_str())).cloned().collect();
    Ok((pairs, only_in_a, only_in_b))
}

/// Where the joints of a clip are looked at: as the cooker does, at their origins, round them and at the vertices that
/// follow them.
fn points(file: &Source, clip: usize, motion: &Motion, shell_m: f64) -> Result<Vec<JointPoints>> {
    let (skeleton, skin) = (&motion.skeleton, file.skin(clip, &motion.skeleton)?);
    let shell = vec![shell_m; skeleton.joint_count()];
    Ok(JointPoints::of_skeleton(skeleton, &shell, ShellSpace::Model, Some(&skin)))
}

fn compare(
    (a, points_a): (&mut Motion, &[JointPoints]),
    (b, points_b): (&mut Motion, &[JointPoints]),
    rate: f64,
) -> Result<ClipReport> {
    let names = |m: &Motion| -> Vec<String> {
        (0..m.skeleton.joint_count()).map(|j| m.skeleton.name(j).to_owned()).collect()
    };
    let (names_a, names_b) = (names(a), names(b));
    let in_b: BTreeMap<&str, usize> =
        names_b.iter().enumerate().rev().map(|(i, name)| (name.as_str(), i)).collect();
    let places: Vec<Option<usize>> = names_a.iter().map(|name| in_b.get(name.as_str()).copied()).collect();
    let lone = |(name, p): (&String, &Option<usize>)| p.is_none().then(|| name.clone());
    let only_in_a: Vec<String> = names_a.iter().zip(&places).filter_map(lone).collect();
    let only_in_b: Vec<String> =
        (0..names_b.len()).filter(|i| !places.contains(&Some(*i))).map(|i| names_b[i].clone()).collect();
    let both = places.iter().flatten().count();
    ensure!(both > 0, "clip {:?}: the files have no joint of the same name", a.name);
    let duration = if a.duration_s > b.duration_s { a.duration_s } else { b.duration_s };
    let steps = clamp((duration * rate).ceil(), 50.0, 1e7) as usize;
    let (mut worst, mut worst_joint, mut worst_time, mut sum) = (0.0, 0, 0.0, 0.0);
    for step in 0..=steps {
        let time_s = duration * step as f64 / steps as f64;
        let (pose_a, pose_b) = (a.locals(time_s)?, b.locals(time_s)?);
        let (models_a, models_b) = (a.exact_models(&pose_a), b.exact_models(&pose_b));
        for (joint, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            // Either file may be the one with the skin.
            let off = models_a[joint].minus(&models_b[*place]);
            let distance = larger(points_a[joint].worst(&off), points_b[*place].worst(&off));
            sum += distance;
            if distance > worst || distance.is_nan() {
                (worst, worst_joint, worst_time) = (distance, joint, time_s);
            }
        }
    }
    Ok(ClipReport {
        clip: a.name.clone(),
        worst_m: worst,
        worst_joint: names_a[worst_joint].clone(),
        worst_time_s: worst_time,
        mean_m: sum / (both * (steps + 1)) as f64,
        times: steps + 1,
        joints: both,
        joints_only_in_a: only_in_a,
        joints_only_in_b: only_in_b,
        duration_a_s: a.duration_s,
        duration_b_s: b.duration_s,
    })
}

fn text(report: &Report, out: &mut impl Write) -> Result<()> {
    let style = Style::stdout();
    let mut table = Table::new(&["clip", "worst", "mean", "joint", "at", "joints", "times"]);
    for clip in &report.clips {
        table.row(
            vec![
                plain(&clip.clip),
                millimetres(clip.worst_m),
                millimetres(clip.mean_m),
                plain(&clip.worst_joint),
                format!("{:.3} s", clip.worst_time_s),
                clip.joints.to_string(),
                clip.times.to_string(),
            ],
            Tone::Plain,
        );
    }
    table.write(style, out)?;
    for clip in &report.clips {
        let name = plain(&clip.clip);
        if (clip.duration_a_s - clip.duration_b_s).abs() > 1e-6 {
            writeln!(out, "{name}: {} s against {} s", clip.duration_a_s, clip.duration_b_s)?;
        }
        for (file, joints) in [(&report.a, &clip.joints_only_in_a), (&report.b, &clip.joints_only_in_b)] {
            if !joints.is_empty() {
                writeln!(out, "{name}: joints only in {}: {}", plain(file), plain(&joints.join(", ")))?;
            }
        }
    }
    for (file, clips) in [(&report.a, &report.only_in_a), (&report.b, &report.only_in_b)] {
        if !clips.is_empty() {
            writeln!(out, "clips only in {}: {}", plain(file), plain(&clips.join(", ")))?;
        }
    }
    Ok(())
}
