//! Markers are met once each, whatever the frames are: steps of a walk at frames of any length.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::Result;
use lissom::prelude::*;
use lissom_build::mannequin::Motion;
use lissom_draw::palette;
use lissom_examples::{Actor, mannequin_archive};

fn main() -> Result<()> {
    let motions = [Motion::Walk];
    let archive = Archive::read(&mannequin_archive(&motions)?)?;
    let actor = Actor::new(&motions)?;
    let mut player = Player::new(&archive)?;
    player.play("walk")?;
    let (mut time_s, mut figures, mut heard) = (0.0, Vec::new(), 0);
    // A machine that stutters: frames of 8 to 110 ms.
    for frame in 0_u32..60 {
        let dt_s = f64::from([8, 16, 17, 110, 33, 9][frame as usize % 6]) / 1e3;
        player.update(dt_s)?;
        time_s += dt_s;
        let steps: Vec<_> = player.events().filter(|event| event.marker.name.starts_with("step")).collect();
        for event in &steps {
            println!("{time_s:.3} s: {} (at {:.3} s of the clip)", event.marker.name, event.marker.time_s);
        }
        heard += steps.len();
        if let Some(event) = steps.first().filter(|_| figures.len() < 6) {
            let color = if event.marker.name == "step_left" { palette::SAGE } else { palette::OCHRE };
            figures.push(actor.figure(event.marker.name, color, player.pose())?);
        }
    }
    let laps = time_s / player_length(&archive)?;
    println!("{laps:.2} laps, {heard} steps");
    actor.strip("events", [1.0, 0.15, 0.35], &figures)
}

fn player_length(archive: &Archive) -> Result<f64> {
    Ok(archive.clip("walk")?.view().duration_s())
}
