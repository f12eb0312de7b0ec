//! Two mannequins go the same way by the same stick: the left one by motion matching, the right one by a blend graph.
//!
//! `cargo run --release --example matched_way -- docs/matched_way.gif` makes the picture of the documentation again. The way is
//! a figure of eight, a stop, and the way back. Searches find frames of the gaits for the left one, and their root motion alone
//! moves and turns it. The right one plays the mannequin's own graph; it goes by root motion too, but the program turns it.
#![allow(clippy::print_stdout, reason = "an example talks to its reader")]

use anyhow::{Context, Result};
use core::f32::consts::{PI, TAU};
use lissom::archive::Archive;
use lissom_build::{
    export,
    mannequin::{GRAPH, GRAPH_MOTIONS},
};
use lissom_draw::{Camera, Canvas, Color, Ground, Image, Light, Mesh, Shadow, gif, palette};
use lissom_examples::{
    mannequin_archive, matched_archive,
    walkers::{GAITS, at, heading, matched_graph, seen, stands, turn_to, within},
};
use lissom_math::trig;
use lissom_motion::{Animator, Graph, RootStep};
use std::sync::Arc;

const DT_S: f32 = 1.0 / 60.0;
/// Updates from picture to picture.
const EVERY: u16 = 5;
const SPEED: f32 = 1.3;
/// Seconds that each part of the way begins: the eight, the stop, the way back, and the end.
const PARTS_S: [f32; 4] = [0.5, 11.5, 13.5, 16.5];
const END_S: f32 = 17.2;
/// Of each half of the eight: two circles.
const RADIUS: f32 = SPEED * (PARTS_S[1] - PARTS_S[0]) / (2.0 * TAU);
/// From the middle between the two to each.
const ASIDE: f32 = 1.6;
/// Radians in a second, at most, that the program turns who cannot turn.
const TURN: f32 = 2.8;
/// Metres in a second, at most, that the stick adds to get back onto the way.
const BACK: f32 = 0.4;

/// Where the way is at a time, and how fast it goes: x and z.
fn way(t: f32) -> [[f32; 2]; 2] {
    let [begin, stop, back, end] = PARTS_S;
    let along = SPEED * (within(t, back, end) - back);
    let moves = |from: f32, to: f32| if (from..to).contains(&t) { SPEED } else { 0.0 };
    if t >= stop {
        return [[RADIUS, along - RADIUS], [0.0, moves(back, end)]];
    }
    // From the side of the far circle: three quarters of it, all of the near one, and the last quarter.
    let angle = SPEED * (within(t, begin, stop) - begin) / RADIUS;
    let near = (1.5 * PI..3.5 * PI).contains(&angle);
    let (sin, cos) = (trig::sin(angle), trig::cos(angle));
    let (side, speed) = (if near { 1.0 } else { -1.0 }, moves(begin, stop));
    [[RADIUS * cos, side * RADIUS * (1.0 + sin)], [-speed * sin, side * speed * cos]]
}

fn long([x, z]: [f32; 2]) -> f32 {
    trig::sqrt(x * x + z * z)
}

fn off(from: [f32; 2], to: [f32; 2]) -> [f32; 2] {
    [to[0] - from[0], to[1] - from[1]]
}

/// One of the two.
struct Walker {
    name: &'static str,
    animator: Animator,
    /// The parameters of the velocity: to the left, and ahead.
    steer: [&'static str; 2],
    /// Whether the program turns it.
    turned: bool,
    /// Seen from the middle of its own eight.
    place: RootStep,
    /// Where its eight is.
    aside: f32,
    color: Color,
    /// Sums of metres, from the nearest point of the way and from where the way is now.
    far: [f32; 2],
}

impl Walker {
    fn update(&mut self, t: f32, line: &[[f32; 2]]) -> Result<()> {
        let [target, velocity] = way(t);
        let miss = off(at(&self.place), target);
        let nearest = line.iter().map(|to| long(off(at(&self.place), *to))).fold(f32::MAX, smaller);
        self.far = [self.far[0] + nearest, self.far[1] + long(miss)];
        // The stick: where the way goes, and a little towards it. A stop is a stop.
        let goes = long(velocity) > 0.0;
        let add = if goes { within(BACK / (long(miss) + 1.0e-3), 0.0, 1.0) } else { 0.0 };
        let wish = [velocity[0] + add * miss[0], velocity[1] + add * miss[1]];
        if self.turned && goes {
            let (now, most) = (heading(&self.place), TURN * DT_S);
            self.place = stands(at(&self.place), now + within(turn_to(wish, now), -most, most));
        }
        for (name, speed) in self.steer.into_iter().zip(seen(&self.place, wish)) {
            self.animator.set_value(name, speed)?;
        }
        self.animator.update(DT_S.into())?;
        self.place = self.place.then(&self.animator.root_delta());
        Ok(())
    }

    /// Its mesh in the world; the points are for the shadow.
    fn draw(&mut self, canvas: &mut Canvas, feet: &mut Vec<[f32; 3]>) -> Result<()> {
        let mut world = self.place.to_transform().to_mat34();
        world.columns[3][0] += self.aside;
        for mesh in self.animator.body_mut().skin()? {
            let positions: Vec<_> = mesh.positions.iter().map(|v| world.mul_point(*v)).collect();
            let normals: Vec<_> = mesh.normals.iter().map(|v| world.mul_vector(*v)).collect();
            let mesh = Mesh::new(&positions, &normals, mesh.indices, self.color);
            canvas.mesh(&mesh, &Light::default())?;
            feet.extend(positions);
        }
        Ok(())
    }
}

fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).unwrap_or("matched_way.gif".into());
    let matched = Archive::read(&matched_archive(&GAITS)?)?;
    let graph = Arc::new(Graph::of_archive(&matched_graph(0.1), &matched)?);
    let blended = Archive::read(&mannequin_archive(&GRAPH_MOTIONS)?)?;
    // It looks where the way begins to go.
    let place = stands(way(0.0)[0], PI);
    let walker = |name, animator, steer, turned, aside, color| Walker {
        name,
        animator,
        steer,
        turned,
        place,
        aside,
        color,
        far: [0.0; 2],
    };
    let animators = [Animator::new(&matched, Arc::clone(&graph))?, Animator::new(&blended, GRAPH)?];
    let [search, blend] = animators;
    let mut walkers = [
        walker("motion matching", search, ["aside", "ahead"], false, -ASIDE, palette::SAGE),
        walker("blend graph", blend, ["left", "ahead"], true, ASIDE, palette::CLAY),
    ];
    let steps = (END_S / DT_S) as u16;
    // Finer than the updates: from a point to the next it is half a centimetre.
    let line: Vec<[f32; 2]> = (0..4 * steps).map(|i| way(f32::from(i) * DT_S / 4.0)[0]).collect();
    let mut film = Vec::new();
    for step in 0..steps {
        for walker in &mut walkers {
            walker.update(f32::from(step) * DT_S, &line)?;
        }
        if step % EVERY == 0 {
            film.push(picture(&mut walkers, &line)?);
        }
    }
    println!("{} pictures of {END_S} s; on average, in metres:", film.len());
    for walker in &walkers {
        let [line, point] = walker.far.map(|sum| sum / f32::from(steps));
        println!("  {:15}  {line:.2} from the path, {point:.2} from where the path was then", walker.name);
    }
    let now = walkers[0].animator.state().matched(&graph, 0).context("the one state is matched")?;
    println!("  {} searches, {} of them led to another frame", now.searches, now.jumps);
    let seconds = film.len() as f64 * f64::from(f32::from(EVERY) * DT_S);
    export::write_whole(path.as_ref(), &gif::encode(&film, seconds)?).with_context(|| path.clone())?;
    println!("picture: {path}");
    Ok(())
}

/// The two, their way on the ground, and who is who.
fn picture(walkers: &mut [Walker; 2], line: &[[f32; 2]]) -> Result<Image> {
    let (width, height) = (340, 224);
    let mut canvas = Canvas::new(width, height, palette::PAPER)?;
    canvas.set_camera(&Camera::perspective([0.0, 9.0, 17.0], [0.0, 0.5, 0.2], 0.25))?;
    let mut feet = Vec::new();
    for (i, walker) in (0..).zip(walkers) {
        walker.draw(&mut canvas, &mut feet)?;
        let floor = |[x, z]: [f32; 2]| [x + walker.aside, 0.004, z];
        let dots: Vec<[f32; 2]> = line.iter().step_by(24).copied().collect();
        for ends in dots.windows(2).filter(|ends| ends[0] != ends[1]) {
            canvas.line(floor(ends[0]), floor(ends[1]), 1.2, palette::OCHRE)?;
        }
        let x = i32::try_from(width * (2 * i + 1) / 4)?;
        canvas.text_centred(x, i32::try_from(height)? - 14, walker.name, 1, palette::INK);
    }
    let ground = Ground { radius: 5.0, strength: 0.25, ..Ground::default() };
    canvas.ground(&ground, Some(&Shadow::of_points(&feet, 0.0)?))?;
    Ok(canvas.finish())
}
