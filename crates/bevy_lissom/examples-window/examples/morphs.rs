//! Morph targets whose weights are tracks of the clip: three characters, a third of a lap apart.

use bevy::prelude::*;
use bevy_lissom::{LissomPlugin, Plays, Skin, WeightedClip};
use bevy_lissom_examples_window::{BODY, Stage, plaster};

fn main() -> AppExit {
    let stage = Stage { eye: Vec3::new(0.6, 1.5, 3.6), frames: 30, ..Stage::default() };
    App::new().add_plugins((stage, LissomPlugin::default())).add_systems(Startup, heroes).run()
}

fn heroes(mut commands: Commands, server: Res<AssetServer>, mut materials: ResMut<Assets<StandardMaterial>>) {
    let body = materials.add(plaster(30.0));
    for (number, x) in [-1.0f32, 0.0, 1.0].into_iter().enumerate() {
        let clip = WeightedClip { laps: number as f64 / 3.0, ..WeightedClip::new("idle", 1.0) };
        commands.spawn((
            Plays::clips(server.load("morphs.lsm"), [clip]),
            Skin::new(BODY),
            MeshMaterial3d(body.clone()),
            Transform::from_xyz(x, 0.0, 0.0),
        ));
    }
}
