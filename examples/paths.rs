//! As fast as the game asks: where the mannequin's graph goes in two seconds, at eight speeds in sixteen directions. Rings are what was
//! asked for.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use lissom::{archive::Archive, math::trig::sin_cos};
use lissom_build::{
    exact::V3,
    mannequin::{self, Motion},
};
use lissom_draw::palette;
use lissom_examples::{Actor, mannequin_archive};
use lissom_motion::{Animator, RootStep};
use std::f32::consts::TAU;

const DIRECTIONS: u32 = 16;
const DT_S: f64 = 1.0 / 60.0;

/// How fast it can be asked to go in a direction: to the outline of its gaits.
fn fastest(direction: V3) -> f64 {
    let gaits = if direction.z > -1.0e-9 {
        [Motion::JogLeft.velocity().x, Motion::Run.velocity().z]
    } else {
        [Motion::StrafeLeft.velocity().x, -Motion::Back.velocity().z]
    };
    1.0 / (direction.x.abs() / gaits[0] + direction.z.abs() / gaits[1])
}

fn at_metres(step: RootStep) -> V3 {
    let [x, y, z] = step.translation;
    V3::new(x, y, z)
}

fn main() -> Result<()> {
    let archive = Archive::read(&mannequin_archive(&mannequin::GRAPH_MOTIONS)?)?;
    let actor = Actor::new(&mannequin::GRAPH_MOTIONS)?;
    let mut hero = Animator::new(&archive, mannequin::GRAPH)?;
    let (left, ahead) = (hero.graph().float("left")?, hero.graph().float("ahead")?);
    let directions = (0..DIRECTIONS).map(|i| {
        let (x, z) = sin_cos(i as f32 * TAU / DIRECTIONS as f32);
        V3::new(x.into(), 0.0, z.into())
    });
    let directions: Vec<V3> = directions.collect();
    let floor = |v: V3| [v.x as f32, 0.01, v.z as f32];
    let (mut rods, mut figures) = (Vec::new(), Vec::new());
    for speed in 1..=8 {
        let share = f64::from(speed) / 8.0;
        let asked = directions.iter().map(|direction| *direction * (fastest(*direction) * share));
        let asked: Vec<V3> = asked.collect();
        let (mut most_off, mut ends) = (0.0, Vec::new());
        for velocity in &asked {
            hero.set(left, velocity.x as f32)?;
            hero.set(ahead, velocity.z as f32)?;
            // What is set is followed little by little.
            for _ in 0..90 {
                hero.update(DT_S)?;
            }
            let mut place = RootStep::IDENTITY;
            for _ in 0..120 {
                hero.update(DT_S)?;
                let before = place;
                place = place.then(&hero.root_delta());
                let [from, to] = [before, place].map(at_metres);
                if speed == 8 {
                    rods.push((floor(from), floor(to), 1.5, palette::OCHRE));
                }
            }
            let end = at_metres(place);
            let off = end.distance(*velocity * 2.0) / 2.0;
            most_off = if off > most_off { off } else { most_off };
            ends.push(end);
            if speed == 8 {
                figures.push(actor.figure("", palette::SAGE, hero.pose())?.placed(&place.to_transform()));
            }
        }
        for (i, end) in ends.iter().enumerate() {
            let next = (i + 1) % ends.len();
            rods.push((floor(asked[i] * 2.0), floor(asked[next] * 2.0), 1.0, palette::INK));
            // A cross where it came to.
            for side in [V3::new(0.08, 0.0, 0.0), V3::new(0.0, 0.0, 0.08)] {
                rods.push((floor(*end - side), floor(*end + side), 2.5, palette::OCHRE));
            }
        }
        println!("{:.0} % of the fastest: at most {most_off:.6} m/s off", share * 100.0);
    }
    figures.first_mut().context("there are figures")?.rods.extend(rods);
    actor.stage("paths", [1.0, 0.9, 0.0], &figures)
}
