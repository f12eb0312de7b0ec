//! Clocks: of the wall, and of all threads of the process.

use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::{
    prelude::*,
    schedule::{InternedSystemSet, SystemSet},
};
use bevy_transform::TransformSystems;
use cpu_time::ProcessTime;
use std::{fs, time::Instant};

/// Marks around what is timed in `PostUpdate`.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The first set that is timed.
    pub from: InternedSystemSet,
}

impl Clock {
    pub fn from(set: impl SystemSet) -> Self {
        Self { from: set.intern() }
    }
}

impl Plugin for Clock {
    fn build(&self, app: &mut App) {
        app.insert_resource(Marks {
            start: Instant::now(),
            cpu: ProcessTime::now(),
            wall_us: 0.0,
            cpu_us: 0.0,
        })
        .add_systems(PostUpdate, (start.before(self.from), end.after(TransformSystems::Propagate)));
    }
}

/// When a frame began, and what it took.
#[derive(Resource, Debug)]
pub struct Marks {
    start: Instant,
    cpu: ProcessTime,
    wall_us: f64,
    cpu_us: f64,
}

fn start(mut marks: ResMut<Marks>) {
    marks.cpu = ProcessTime::now();
    marks.start = Instant::now();
}

fn end(mut marks: ResMut<Marks>) {
    marks.wall_us = marks.start.elapsed().as_secs_f64() * 1e6;
    marks.cpu_us = marks.cpu.elapsed().as_secs_f64() * 1e6;
}

/// What all frames of a way took.
#[derive(Debug, Default)]
pub struct Frames(Vec<(f64, f64)>);

impl Frames {
    pub fn add(&mut self, marks: &Marks) {
        self.0.push((marks.wall_us, marks.cpu_us));
    }

    pub fn wall_us(&self) -> f64 {
        median(self.0.iter().map(|(wall, _)| *wall))
    }

    pub fn cpu_us(&self) -> f64 {
        median(self.0.iter().map(|(_, cpu)| *cpu))
    }
}

fn median(all: impl Iterator<Item = f64>) -> f64 {
    let mut all: Vec<f64> = all.collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Resident memory of the process.
pub fn resident_kb() -> f64 {
    let statm = fs::read_to_string("/proc/self/statm").expect("the bench runs on Linux");
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<f64>().ok()).map_or(f64::NAN, |pages| pages * 4.0)
}
