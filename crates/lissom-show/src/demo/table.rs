//! The demo in text and in JSON.

use super::Results;
use crate::stage::Stage;
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// What cooking made of each motion.
pub fn clips(stage: &Stage, cook_s: f64, out: &mut impl Write) -> Result<()> {
    writeln!(
        out,
        "A character made in code: {} joints, {} vertices, {} motions, cooked in {cook_s:.2} s.\n",
        stage.skeleton.joint_count(),
        stage.vertex_count(),
        stage.clips.len()
    )?;
    writeln!(
        out,
        "  {:<12} {:>8} {:>6} {:>10} {:>8} {:>7} {:>10} {:>10}",
        "clip", "seconds", "keys", "raw bytes", "bytes", "ratio", "worst mm", "plays"
    )?;
    for clip in &stage.clips {
        let (Some(source), view) = (&clip.source, clip.clip.view()) else { continue };
        let r = &source.report;
        writeln!(
            out,
            "  {:<12} {:>8.3} {:>6} {:>10} {:>8} {:>7.1} {:>10.4} {:>10}",
            clip.name,
            view.duration_s(),
            r.keys_after,
            r.raw_bytes,
            r.bytes,
            r.ratio(),
            r.error.worst() * 1e3,
            if view.is_looping() { "in a loop" } else { "once" },
        )?;
    }
    Ok(())
}

/// What playing costs.
pub fn speed(results: &Results, out: &mut impl Write) -> Result<()> {
    let Results { machine, crowd, .. } = results;
    let debug = if cfg!(debug_assertions) { "; a debug build: the figures mean nothing" } else { "" };
    writeln!(
        out,
        "\nOn {} ({}, {} threads, {}; a dependent multiply and add takes {:.2} ns{debug}):\n",
        machine.cpu, machine.system, machine.threads, machine.backend, machine.calibration_ns
    )?;
    for figure in results.figures.iter().filter(|f| f.value.is_some()) {
        let value = figure.value.unwrap_or_default();
        writeln!(out, "  {:<16} {value:>9.3} {:<13} {}", figure.name, figure.unit, figure.note)?;
    }
    writeln!(
        out,
        "\n  {} characters, {} frames, each three samples, a blend and local to model:",
        crowd.characters, crowd.frames
    )?;
    let per_ms = |ms: f64| crowd.characters as f64 / ms;
    writeln!(out, "  {:<16} {:>9.0} characters a millisecond", "one thread", per_ms(crowd.one_thread_ms))?;
    let threads = format!("{} threads", crowd.threads);
    let same = if crowd.same_bits { "the same bits" } else { "DIFFERENT BITS: a defect" };
    writeln!(out, "  {threads:<16} {:>9.0} characters a millisecond, {same}", per_ms(crowd.all_threads_ms))?;
    Ok(())
}

/// All of it for machines.
pub fn json(results: &Results, report: &Path) -> Value {
    let crowd = &results.crowd;
    let clips: Vec<Value> = results
        .stage
        .clips
        .iter()
        .filter_map(|c| {
            let r = &c.source.as_ref()?.report;
            Some(json!({
                "name": c.name, "duration_s": c.clip.view().duration_s(), "raw_bytes": r.raw_bytes,
                "bytes": r.bytes, "ratio": r.ratio(), "worst_m": r.error.worst(), "keys": r.keys_after,
            }))
        })
        .collect();
    let figures: serde_json::Map<String, Value> =
        results.figures.iter().map(|f| (f.name.to_string(), json!(f.value))).collect();
    json!({
        "report": report.display().to_string(),
        "machine": results.machine.to_json(),
        "joints": results.stage.skeleton.joint_count(),
        "vertices": results.stage.vertex_count(),
        "cook_s": results.cook_s,
        "clips": clips,
        "figures": figures,
        "crowd": {
            "characters": crowd.characters, "frames": crowd.frames, "threads": crowd.threads,
            "characters_per_ms_one_thread": crowd.characters as f64 / crowd.one_thread_ms,
            "characters_per_ms_all_threads": crowd.characters as f64 / crowd.all_threads_ms,
            "same_bits": crowd.same_bits,
        },
    })
}
