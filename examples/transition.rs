//! A run that stops: an inertialised change beside a cut. No second clip is sampled, and nothing pops.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::{
    job::{InertiaJob, InertiaStartJob, PosePair, SoaInertia},
    math::{Mat34, scalar::length, scalar::sub},
};
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::Actor;

const FRAME_S: f64 = 1.0 / 60.0;
const FADE_S: f64 = 0.35;

fn main() -> Result<()> {
    let actor = Actor::new(&[Motion::Run, Motion::Idle])?;
    let run = |frame: f64| actor.pose("run", frame * FRAME_S / 0.6);
    let idle = |frame: f64| actor.pose("idle", frame * FRAME_S / 7.2);
    // At frame 12 the run is left. What it is off the idle, and how fast that changes, is all that is kept of it.
    let mut inertia = vec![SoaInertia::ZERO; actor.skeleton.group_count()];
    let (old, old_before, new, new_before) = (run(12.0)?, run(11.0)?, idle(1.0)?, idle(0.0)?);
    let old = PosePair { now: &old, before: &old_before };
    let new = PosePair { now: &new, before: &new_before };
    InertiaStartJob::new(old, new, FRAME_S as f32, &mut inertia).run()?;

    let mut figures = Vec::new();
    let (mut smooth, mut cut) = (Vec::new(), Vec::new());
    for frame in 10..40 {
        let frame = f64::from(frame);
        let hard = if frame < 12.0 { run(frame)? } else { idle(frame - 11.0)? };
        let mut soft = hard.clone();
        if frame >= 12.0 {
            let elapsed_s = (frame - 12.0) * FRAME_S;
            InertiaJob { inertia: &inertia, elapsed_s, duration_s: FADE_S, pose: &mut soft }.run()?;
        }
        if [11.0, 12.0, 15.0, 19.0, 24.0, 33.0].contains(&frame) {
            let label = format!("{:+.0} ms", (frame - 12.0) * FRAME_S * 1e3);
            let color = if frame < 12.0 { palette::OCHRE } else { palette::SAGE };
            figures.push(actor.figure(label, color, &soft)?);
        }
        smooth.push(actor.matrices(&soft)?);
        cut.push(actor.matrices(&hard)?);
    }
    println!(
        "the farthest that a joint goes in a frame: {:.0} mm, by a cut {:.0} mm",
        fastest(&smooth),
        fastest(&cut)
    );
    actor.strip("transition", [1.0, 0.15, 0.35], &figures)
}

/// Millimetres.
fn fastest(frames: &[Vec<Mat34>]) -> f32 {
    let ways = frames.windows(2).flat_map(|pair| {
        pair[0].iter().zip(&pair[1]).map(|(a, b)| length(sub(a.translation(), b.translation())))
    });
    1e3 * ways.fold(0.0, |most, way| if way > most { way } else { most })
}
