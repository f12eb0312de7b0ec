//! `lissom demo`: everything at once, on a character made in code: cook, play, blend, measure, draw, report.

mod crowd_run;
mod page;
mod pictures;
mod table;

use crate::files::write_whole;
use crate::measure::{Figure, Patience, Subject};
use crate::progress;
use crate::stage::Stage;
use anyhow::Result;
use crowd_run::CrowdRun;
use lissom_build::{
    cook::{ClipBuilder, Effort},
    mannequin::{Detail, Motion},
};
use lissom_measure::machine::Machine;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What the demo makes.
#[derive(Clone, Debug)]
pub struct Demo {
    /// The report to write: one HTML file that needs nothing else.
    pub output: PathBuf,
    /// How many characters play at once.
    pub characters: u32,
    /// A rougher figure, fewer frames, smaller pictures.
    pub quick: bool,
    /// Print one JSON object instead of the tables.
    pub json: bool,
}

impl Default for Demo {
    fn default() -> Self {
        Self { output: "lissom-demo.html".into(), characters: 4000, quick: false, json: false }
    }
}

/// All that was made and measured.
pub struct Results {
    stage: Stage,
    machine: Machine,
    figures: Vec<Figure>,
    crowd: CrowdRun,
    cook_s: f64,
}

impl Results {
    /// A figure of the bench by its name.
    fn figure(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|f| f.name == name)?.value
    }

    /// Bytes of all clips: as plain samples, and cooked.
    fn bytes(&self) -> (u64, u64) {
        let reports = self.stage.clips.iter().filter_map(|c| Some(&c.source.as_ref()?.report));
        reports.fold((0, 0), |sum, r| (sum.0 + r.raw_bytes, sum.1 + r.bytes))
    }

    /// The largest error of all clips, in metres.
    fn worst(&self) -> f64 {
        let reports = self.stage.clips.iter().filter_map(|c| Some(c.source.as_ref()?.report.error.worst()));
        reports.fold(0.0, |a, b| if b > a { b } else { a })
    }
}

/// Cooks, plays, measures and draws the mannequin, prints what it measured and writes the report.
///
/// # Errors
/// If a file or the output cannot be written.
pub fn run(arguments: &Demo, out: &mut impl Write) -> Result<()> {
    let started = Instant::now();
    let talk = !arguments.json;
    let path = std::path::absolute(&arguments.output).unwrap_or_else(|_| arguments.output.clone());
    if talk {
        writeln!(out, "Lissom {}: a data-oriented animation runtime.", env!("CARGO_PKG_VERSION"))?;
        writeln!(out, "A report is made in about half a minute: {}\n", path.display())?;
        out.flush()?;
    }
    let (stage, cook_s) = cook(arguments.quick)?;
    if talk {
        table::clips(&stage, cook_s, out)?;
        out.flush()?;
    }
    let machine = Machine::look();
    let frames = if arguments.quick { 20 } else { 120 };
    let crowd = CrowdRun::play(&stage, arguments.characters as usize, frames)?;
    let each = Duration::from_millis(100);
    let patience = if arguments.quick { Patience::QUICK } else { Patience { each, rounds: 8 } };
    let walk = Motion::ALL.iter().position(|m| *m == Motion::Walk).unwrap_or(0);
    let order = (0..stage.clips.len()).map(|i| &stage.clips[(walk + i) % stage.clips.len()].clip);
    let subject = Subject { stage: &stage, clips: order.take(4).collect(), patience };
    let mut figures = subject.sample()?;
    figures.extend(subject.pose()?);
    figures.extend(subject.skin()?);
    if !arguments.quick {
        figures.extend(subject.crowd()?);
    }
    let results = Results { stage, machine, figures, crowd, cook_s };
    if talk {
        table::speed(&results, out)?;
        out.flush()?;
    }
    let html = page::write(&results, arguments.quick)?;
    write_whole(&arguments.output, html.as_bytes())?;
    if arguments.json {
        let report = table::json(&results, &path);
        writeln!(out, "{}", serde_json::to_string_pretty(&report)?)?;
        return Ok(());
    }
    writeln!(
        out,
        "\nAll that in {:.1} s. The report, with pictures and plots:\n",
        started.elapsed().as_secs_f64()
    )?;
    writeln!(out, "  {}\n", path.display())?;
    writeln!(out, "What to do next:\n")?;
    writeln!(
        out,
        "  lissom render FILE -o OUT.gif      see a file move: .glb, .gltf, .bvh, .ozz, .lsm, ..."
    )?;
    writeln!(out, "  lissom bench FILE                  what it costs on this machine")?;
    writeln!(
        out,
        "  lissom mannequin -o FILE.glb       this character for Blender, a browser viewer, an engine"
    )?;
    writeln!(out, "  lissom help                        every command")?;
    Ok(())
}

/// The mannequin, all its motions cooked, and the seconds that took.
fn cook(quick: bool) -> Result<(Stage, f64)> {
    let detail = if quick { Detail { body_m: 0.04, hand_m: 0.012 } } else { Detail::default() };
    let effort = if quick { Effort::Fast } else { Effort::Default };
    let builder = ClipBuilder { effort, ..ClipBuilder::default() };
    let bar = progress::bar(Motion::ALL.len() as u64, "cooking");
    let started = Instant::now();
    let stage = Stage::mannequin(&Motion::ALL, &detail, &builder, || bar.inc(1));
    bar.finish_and_clear();
    Ok((stage?, started.elapsed().as_secs_f64()))
}
