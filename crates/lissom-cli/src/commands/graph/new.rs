//! `lissom graph new`: a first graph from the clips of a file.

use crate::{
    options::{Reading, usage},
    style::{Style, counted, plain},
};
use anyhow::{Context, Result};
use lissom_build::{
    draft::{self, Draft, Role, SpeedSource, Used, Way},
    graph,
};
use lissom_motion::graph::ParameterKind;
use lissom_show::{files::write_whole, source::Source};
use serde_json::json;
use std::{
    io::Write,
    path::{Path, PathBuf},
};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Any file with the clips: an archive (.lsm), or .glb, .gltf, .fbx, …
    file: PathBuf,
    /// The graph to write
    #[arg(short, long, value_name = "OUT.json")]
    output: PathBuf,
    /// Write over a file that is there
    #[arg(long)]
    force: bool,
    /// One JSON object about the graph instead of text
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: Reading,
}

pub(crate) fn run(arguments: &Arguments, out: &mut impl Write) -> Result<()> {
    let Arguments { file, output, .. } = arguments;
    if !output.extension().is_some_and(|e| e.eq_ignore_ascii_case("json")) {
        return usage(format!("{}: a graph is a .json", output.display()));
    }
    // A graph is edited by hand: that work is not thrown away.
    if output.exists() && !arguments.force {
        return usage(format!("{}: there is a file already; --force writes over it", output.display()));
    }
    let scene = Source::open_scene(file, &arguments.reading.options()?)?;
    let draft = draft::draft(&scene).with_context(|| file.display().to_string())?;
    write_whole(output, graph::to_json(&draft.parts).as_bytes())?;
    let name = graph::name_of(output);
    if arguments.json {
        let used = |used: &Used| {
            json!({
                "clip": used.clip, "role": role(used.role), "name": used.name, "one_shot": used.one_shot,
                "m_per_s": used.speed.map(|s| s.m_per_s), "speed_from": used.speed.map(|s| source(s.source)),
            })
        };
        let left = |(clip, why): &(String, String)| json!({ "clip": clip, "why": why });
        let report = json!({
            "file": file.display().to_string(), "output": output.display().to_string(), "graph": name,
            "used": draft.used.iter().map(used).collect::<Vec<_>>(),
            "left_out": draft.left_out.iter().map(left).collect::<Vec<_>>(),
        });
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
        return Ok(());
    }
    text(&draft, &name, file, output, out)
}

fn text(draft: &Draft, name: &str, file: &Path, output: &Path, out: &mut impl Write) -> Result<()> {
    let style = Style::stdout();
    let Draft { parts, used, left_out } = draft;
    let states: usize = parts.layers.iter().map(|layer| layer.states.len()).sum();
    let all = used.len() + left_out.len();
    writeln!(
        out,
        "{}: graph {:?}, {}, from {} of {}",
        output.display(),
        plain(name),
        counted(states, "state", "states"),
        used.len(),
        counted(all, "clip", "clips"),
    )?;
    for one in used {
        let how = match one.speed {
            Some(speed) => format!("at {} m/s ({})", speed.m_per_s, source(speed.source)),
            None if one.one_shot => "over the upper body, when code plays it".into(),
            None => format!("state {:?}", plain(&one.name)),
        };
        writeln!(out, "  {:12} {}: {how}", role(one.role), plain(&one.clip))?;
    }
    if !used.iter().any(|one| one.role == Role::Idle) {
        writeln!(out, "  {:12} none: the slowest gait stands still instead", "idle")?;
    }
    for (clip, why) in left_out {
        writeln!(out, "  {} {}: {why}", style.faint(&format!("{:12}", "left out")), plain(clip))?;
    }
    let travels = |used: &&Used| used.speed.is_some_and(|speed| speed.source == SpeedSource::Travel);
    if let Some(one) = used.iter().find(travels) {
        writeln!(
            out,
            "{:?} travels: import it with root-motion = true (--root-motion), or it jumps back at the end of each lap",
            plain(&one.clip)
        )?;
    }
    writeln!(
        out,
        "see it: lissom render {} --graph {}{} -o {name}.gif",
        file.display(),
        output.display(),
        sets(draft)
    )?;
    Ok(())
}

/// Settings that show what the graph does: it walks, then jumps.
fn sets(draft: &Draft) -> String {
    let ahead = draft.used.iter().filter(|used| matches!(used.role, Role::Gait(_, Way::Ahead)));
    let slowest = ahead.filter_map(|used| used.speed).map(|s| s.m_per_s).min_by(f64::total_cmp);
    let mut sets = String::new();
    for parameter in &draft.parts.parameters {
        match (&*parameter.name, &parameter.kind, slowest) {
            (name @ ("speed" | "ahead"), _, Some(speed)) => sets.push_str(&format!(" --set {name}={speed}")),
            ("jump", ParameterKind::Trigger, _) => sets.push_str(" --set jump@2"),
            _ => {}
        }
    }
    sets
}

fn role(role: Role) -> String {
    match role {
        Role::Idle => "idle".into(),
        Role::Gait(gait, way) => {
            let gait = gait.name().to_owned();
            match way {
                Way::Ahead => gait,
                Way::Back => format!("{gait} back"),
                Way::Left => format!("{gait} left"),
                Way::Right => format!("{gait} right"),
            }
        }
        Role::Jump => "jump".into(),
        Role::JumpStart => "jump start".into(),
        Role::Air => "in the air".into(),
        Role::Land => "landing".into(),
        Role::Crouch => "crouch".into(),
        Role::Gesture => "gesture".into(),
        Role::Action => "action".into(),
        Role::Death => "death".into(),
    }
}

/// How a speed is known.
fn source(source: SpeedSource) -> &'static str {
    match source {
        SpeedSource::RootMotion => "its root motion",
        SpeedSource::Travel => "how far it travels",
        SpeedSource::Feet => "estimated from its feet",
        SpeedSource::Usual => "a usual speed: the clip does not tell",
    }
}
