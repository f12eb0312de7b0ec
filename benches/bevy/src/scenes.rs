//! The six scenes of the world's bench: `LissomTransformPlugin` against Bevy's own propagation.

use crate::{
    Options,
    bevy::{app, finished},
    measure::{Clock, Frames, Marks},
    worlds::{self, Scene},
};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_lissom::LissomTransformPlugin;
use bevy_math::{EulerRot, Quat, Vec3};
use bevy_transform::{
    StaticTransformOptimizations, TransformPlugin, TransformSystems,
    components::{GlobalTransform, Transform},
};
use std::{array, time::Instant};

const SCENARIOS: [&str; 4] = ["everything", "1 % random", "nothing", "re-parent 1 %"];

/// Frames of a scenario, at most; and the seconds after which no further one is made.
const BUDGET_S: f64 = 1.5;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Bevy { optimised: bool },
    Lissom,
}

/// Who is changed in a scenario.
struct Picks {
    one_percent: Vec<usize>,
    moves: Vec<Vec<(usize, usize)>>,
}

struct Side {
    app: App,
    entities: Vec<Entity>,
    frames: [Frames; 4],
}

impl Side {
    fn new(scene: &Scene, options: &Options, mode: Mode) -> Self {
        let mut app = app(options);
        app.add_plugins((TransformPlugin, Clock::from(TransformSystems::Propagate)));
        match mode {
            Mode::Bevy { optimised: true } => {}
            Mode::Bevy { optimised: false } => {
                app.insert_resource(StaticTransformOptimizations::Disabled);
            }
            Mode::Lissom => {
                app.add_plugins(LissomTransformPlugin);
            }
        }
        let mut app = finished(app);
        let (mut rng, mut entities) = (Rng::new(7), Vec::with_capacity(scene.entities()));
        for _ in 0..scene.copies {
            let first = entities.len();
            for parent in &scene.parents {
                let mut three = || -> [f32; 3] { array::from_fn(|_| rng.range(-0.5, 0.5)) };
                let ([x, y, z], place) = (three(), three());
                let turned = Quat::from_euler(EulerRot::XYZ, x, y, z);
                let transform = Transform::from_translation(Vec3::from_array(place)).with_rotation(turned);
                let mut entity = app.world_mut().spawn(transform);
                if let Some(parent) = parent {
                    let parent: Entity = entities[first + parent];
                    entity.insert(ChildOf(parent));
                }
                entities.push(entity.id());
            }
        }
        for _ in 0..3 {
            app.update();
        }
        Self { app, entities, frames: array::from_fn(|_| Frames::default()) }
    }

    /// Changes what the scenario changes, which is not timed, then updates.
    fn frame(&mut self, scenario: usize, picks: &Picks, round: usize, counted: bool) {
        let world = self.app.world_mut();
        match scenario {
            0 => world
                .query::<&mut Transform>()
                .iter_mut(world)
                .for_each(|mut transform| transform.translation.x += 0.001),
            1 => {
                for at in &picks.one_percent {
                    if let Some(mut transform) = world.get_mut::<Transform>(self.entities[*at]) {
                        transform.translation.x += 0.001;
                    }
                }
            }
            3 => {
                for (entity, parent) in &picks.moves[round % picks.moves.len()] {
                    let parent = self.entities[*parent];
                    world.entity_mut(self.entities[*entity]).insert(ChildOf(parent));
                }
            }
            _ => {}
        }
        self.app.update();
        if counted {
            self.frames[scenario].add(self.app.world().resource::<Marks>());
        }
    }

    fn places(&self) -> impl Iterator<Item = &GlobalTransform> {
        self.entities.iter().filter_map(|entity| self.app.world().get(*entity))
    }
}

/// Prints a table, a scene a line.
pub fn run(options: &Options, only: &str) {
    println!("\n| scene, ns an entity, wall (CPU) | {} |", SCENARIOS.join(" | "));
    println!("|---|---|---|---|---|");
    for scene in worlds::all().iter().filter(|scene| only.contains(scene.key)) {
        let picks = Picks { one_percent: scene.one_percent(), moves: scene.moves(12) };
        let modes = [Mode::Bevy { optimised: true }, Mode::Bevy { optimised: false }, Mode::Lissom];
        let mut sides = modes.map(|mode| Side::new(scene, options, mode));
        for scenario in 0..SCENARIOS.len() {
            let began = Instant::now();
            let mut round = 0;
            // Parents are changed by lists that follow from one another; they end.
            let most = if scenario == 3 { picks.moves.len() } else { 200 };
            while round < most && (round < 5 || began.elapsed().as_secs_f64() < BUDGET_S) {
                for side in &mut sides {
                    side.frame(scenario, &picks, round, round > 1);
                }
                round += 1;
            }
        }
        let [bevy, _, ours] = &sides;
        for (own, theirs) in ours.places().zip(bevy.places()) {
            let far = own.translation().distance(theirs.translation());
            assert!(far <= 1e-3 * theirs.translation().length().max(1.0), "scene {}: {far}", scene.key);
        }
        let each = scene.entities() as f64 / 1e3;
        let cell = |scenario: usize| {
            let of = |side: &Side| {
                let frames = &side.frames[scenario];
                (frames.wall_us() / each, frames.cpu_us() / each)
            };
            let [on, off, own] = sides.each_ref().map(of);
            let better = if off.0 < on.0 { off } else { on };
            let times = better.0 / own.0;
            format!("{:.2} ({:.2}), Bevy {:.2} ({:.2}): {times:.1}", own.0, own.1, better.0, better.1)
        };
        let cells: Vec<String> = (0..SCENARIOS.len()).map(cell).collect();
        println!("| {} {} | {} |", scene.key, scene.name, cells.join(" | "));
    }
}
