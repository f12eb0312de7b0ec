//! `lissom matching`: what a search in a database finds, and why.

use crate::{
    options::usage,
    style::{Style, Table, Tone, plain},
};
use anyhow::{Context, Result};
use lissom::archive::Archive;
use lissom_motion::matching::{Costs, Database, FeatureKind};
use serde::Serialize;
use std::{io::Write, path::PathBuf};

/// Frames around the one that plays that are not found, in seconds.
const ZONE_S: f32 = 1.0 / 3.0;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// An archive
    archive: PathBuf,
    /// The database in it
    name: String,
    /// The clip that plays
    #[arg(long, value_name = "NAME")]
    clip: Option<String>,
    /// The time in the clip, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    time: f32,
    /// Where the character wants to go: metres per second to its left and ahead [default: as the clip goes]
    #[arg(long, value_name = "X,Z", allow_hyphen_values = true)]
    velocity: Option<String>,
    /// How it wants to turn meanwhile, in degrees per second to the left
    #[arg(
        long,
        value_name = "DEGREES",
        default_value_t = 0.0,
        allow_hyphen_values = true,
        requires = "velocity"
    )]
    turn: f32,
    /// Only frames with these tags
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// Show what each feature adds, too
    #[arg(long)]
    features: bool,
    /// How many frames to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    best: usize,
    /// One JSON object instead of text
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    database: String,
    groups: Vec<String>,
    features: Vec<String>,
    /// Of the frame that plays.
    current: Option<Line>,
    best: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    frame: u32,
    clip: String,
    time_s: f32,
    /// In squared deviations.
    cost: f32,
    by_group: Vec<f32>,
    by_feature: Vec<f32>,
    bias: f32,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let file = arguments.archive.display();
    let archive = Archive::open(&arguments.archive).with_context(|| file.to_string())?;
    let database = Database::load(&archive, &arguments.name).with_context(|| file.to_string())?;
    let frame = frame(arguments, &database)?;
    let mut values = vec![0.0; database.features().len()];
    database.values(frame, &mut values).context("the database has no frames")?;
    if let Some(text) = &arguments.velocity {
        steer(&database, velocity(text)?, arguments.turn.to_radians(), &mut values);
    }
    let tags: Vec<&str> = arguments.tag.iter().map(String::as_str).collect();
    let zone = (ZONE_S * database.rate_hz()) as u32;
    let query = database.query(&values)?.tagged(&database, database.tag_bits(&tags)?)?;
    let query = query.playing(&database, frame, zone, 0.0)?;
    let told = database.explain(&query, arguments.best)?;
    let line = |costs: &Costs| {
        let place = database.place(costs.frame);
        let all = |costs: &[i32]| costs.iter().map(|cost| database.in_deviations(*cost)).collect();
        let clip = place.and_then(|place| database.clips().get(place.clip as usize)).cloned();
        Line {
            frame: costs.frame,
            clip: clip.unwrap_or_default(),
            time_s: place.map_or(0.0, |place| place.time_s),
            cost: database.in_deviations(costs.cost),
            by_group: all(&costs.by_group),
            by_feature: all(&costs.by_feature),
            bias: database.in_deviations(costs.bias),
        }
    };
    let report = Report {
        database: arguments.name.clone(),
        groups: database.groups().iter().map(|group| group.name.clone()).collect(),
        features: database.features().iter().map(ToString::to_string).collect(),
        current: told.current.as_ref().map(line),
        best: told.best.iter().map(line).collect(),
    };
    if arguments.json {
        serde_json::to_writer_pretty(&mut *out, &report)?;
        writeln!(out)?;
        return Ok(());
    }
    text(&report, out)?;
    if arguments.features {
        features(&report, out)?;
    }
    Ok(())
}

/// The frame that plays.
fn frame(arguments: &Arguments, database: &Database) -> Result<u32> {
    let Some(wanted) = &arguments.clip else {
        return database.frame_at(0, arguments.time).context("the first clip is shorter");
    };
    let names = database.clips().iter().map(String::as_str);
    let clip = lissom::archive::clip_called(names, wanted)
        .with_context(|| format!("the database has no clip {wanted:?}"))?;
    let range = database.range_at(clip as u32, arguments.time);
    let frame = range.and_then(|range| database.frame_at(range, arguments.time));
    frame.with_context(|| format!("the database has no frame of clip {wanted:?} at {} s", arguments.time))
}

fn velocity(text: &str) -> Result<[f32; 2]> {
    let numbers: Vec<f32> = text.split(',').filter_map(|n| n.trim().parse().ok()).collect();
    match numbers.as_slice() {
        [x, z] if x.is_finite() && z.is_finite() => Ok([*x, *z]),
        _ => usage(format!("--velocity takes two numbers, as in 0,1.5, not {text:?}")),
    }
}

/// A trajectory of even speed and turn, ahead of now. The past stays as it was.
fn steer(database: &Database, [x, z]: [f32; 2], turn: f32, values: &mut [f32]) {
    for (feature, value) in database.features().iter().zip(values) {
        let (FeatureKind::TrajectoryPosition { time_s } | FeatureKind::TrajectoryDirection { time_s }) =
            feature.kind
        else {
            continue;
        };
        if time_s <= 0.0 {
            continue;
        }
        let (sin, cos) = (libm::sinf(turn * time_s), libm::cosf(turn * time_s));
        // The way along an arc, per second of straight way: the velocity turns with the character.
        let (ahead, aside) = if turn == 0.0 { (time_s, 0.0) } else { (sin / turn, (1.0 - cos) / turn) };
        let position = [x * ahead + z * aside, 0.0, z * ahead - x * aside];
        let direction = [sin, 0.0, cos];
        let is_position = matches!(feature.kind, FeatureKind::TrajectoryPosition { .. });
        let of = if is_position { position } else { direction };
        *value = of[usize::from(feature.axis) % 3];
    }
}

fn text(report: &Report, out: &mut impl Write) -> Result<()> {
    let style = Style::stdout();
    writeln!(out, "{}: costs in squared deviations", style.bold(&plain(&report.database)))?;
    for (number, group) in report.groups.iter().enumerate() {
        writeln!(out, "  {}: {}", letter(number), plain(group))?;
    }
    let mut head = vec!["clip", "s", "frame", "cost"];
    head.extend((0..report.groups.len()).map(letter));
    head.push("bias");
    let mut table = Table::new(&head);
    let row = |line: &Line, mark: &str| {
        let mut cells = vec![
            plain(&line.clip) + mark,
            format!("{:.3}", line.time_s),
            line.frame.to_string(),
            format!("{:.3}", line.cost),
        ];
        cells.extend(line.by_group.iter().map(|cost| format!("{cost:.3}")));
        cells.push(format!("{:.3}", line.bias));
        cells
    };
    if let Some(current) = &report.current {
        table.row(row(current, " (plays)"), Tone::Bold);
    }
    report.best.iter().for_each(|line| table.row(row(line, ""), Tone::Plain));
    table.write(style, out)?;
    Ok(())
}

/// What each feature adds: a row a feature, a column a frame.
fn features(report: &Report, out: &mut impl Write) -> Result<()> {
    const BEST: [&str; 10] = ["1st", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th", "10th"];
    let mut head = vec!["feature"];
    head.extend(report.current.iter().map(|_| "plays"));
    head.extend(report.best.iter().zip(BEST).map(|(_, nth)| nth));
    let mut table = Table::new(&head);
    for (number, feature) in report.features.iter().enumerate() {
        let frames = report.current.iter().chain(report.best.iter().take(BEST.len()));
        let costs = frames.map(|line| format!("{:.3}", line.by_feature.get(number).copied().unwrap_or(0.0)));
        table.row(core::iter::once(plain(feature)).chain(costs).collect(), Tone::Plain);
    }
    writeln!(out)?;
    table.write(Style::stdout(), out)?;
    Ok(())
}

/// What a column is called: its group's letter.
fn letter(number: usize) -> &'static str {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-";
    LETTERS.get(number..number + 1).unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_motion::matching::{DatabaseParts, Feature, FeatureGroup, FrameRange};

    #[test]
    fn an_even_turn_is_an_arc_and_none_is_a_line() {
        let kinds = [0.5, 1.0, -0.5].map(|time_s| FeatureKind::TrajectoryPosition { time_s });
        let kinds = kinds.into_iter().chain([FeatureKind::TrajectoryDirection { time_s: 1.0 }]);
        let features: Vec<Feature> = kinds
            .flat_map(|kind| {
                let of = |axis| Feature { group: 0, kind: kind.clone(), axis, offset: 0.0, scale: 1.0 };
                [of(0), of(2)]
            })
            .collect();
        let database = Database::new(&DatabaseParts {
            rate_hz: 30.0,
            clips: vec!["walk".into()],
            groups: vec![FeatureGroup { name: "way".into(), weight: 1.0 }],
            ranges: vec![FrameRange { frames: 1, entry_to: 1, ..FrameRange::default() }],
            rows: vec![0; features.len()],
            features,
            ..DatabaseParts::default()
        })
        .unwrap();
        let mut values = [9.0; 8];
        steer(&database, [0.5, 2.0], 0.0, &mut values);
        assert_eq!(values, [0.25, 1.0, 0.5, 2.0, 9.0, 9.0, 0.0, 1.0], "the past stays");
        // A quarter of a circle to the left: as far aside as ahead.
        let quarter = core::f32::consts::FRAC_PI_2;
        steer(&database, [0.0, quarter], quarter, &mut values);
        for (found, expected) in [(values[2], 1.0), (values[3], 1.0), (values[6], 1.0), (values[7], 0.0)] {
            assert!((found - expected).abs() < 1e-6, "{values:?}");
        }
        assert_eq!(velocity("0, -1.5").unwrap(), [0.0, -1.5]);
        assert!(velocity("1").is_err() && velocity("1,nan").is_err() && velocity("a,b").is_err());
        assert_eq!((letter(0), letter(63), letter(64)), ("A", "-", "?"));
    }
}
