//! A thousand characters without an entity a joint, each a blend of two gaits in step.

use bevy::prelude::*;
use bevy_lissom::{LissomPlugin, Plays, Skin, WeightedClip};
use bevy_lissom_examples_window::{BODY, Stage, plaster};

const ROWS: usize = 25;
const COLUMNS: usize = 40;

fn main() -> AppExit {
    let stage = Stage { eye: Vec3::new(13.0, 7.0, 19.0), target: Vec3::new(0.0, 0.0, -3.0), frames: 12 };
    App::new().add_plugins((stage, LissomPlugin::default())).add_systems(Startup, crowd).run()
}

fn crowd(mut commands: Commands, server: Res<AssetServer>, mut materials: ResMut<Assets<StandardMaterial>>) {
    let archive = server.load("crowd.lsm");
    let materials = [10.0, 40.0, 130.0, 210.0, 280.0].map(|hue| materials.add(plaster(hue)));
    for number in 0..ROWS * COLUMNS {
        // Looks random, and is the same in every run.
        let random = |salt: usize| ((number * 7 + salt) as f32 * 0.618_034).fract();
        let clip = |name, weight| WeightedClip { laps: random(1).into(), ..WeightedClip::new(name, weight) };
        let (row, column) = (number / COLUMNS, number % COLUMNS);
        let place = Vec3::new(column as f32 - COLUMNS as f32 / 2.0, 0.0, row as f32 - ROWS as f32 / 2.0);
        commands.spawn((
            Plays::in_step(archive.clone(), [clip("walk", 1.0 - random(2)), clip("run", random(2))]),
            Skin::new(BODY),
            MeshMaterial3d(materials[number % materials.len()].clone()),
            Transform::from_translation(place * 1.1).with_rotation(Quat::from_rotation_y(random(3) - 0.5)),
        ));
    }
}
