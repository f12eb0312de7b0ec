//! A mannequin walks.

use bevy::prelude::*;
use bevy_lissom::{LissomPlugin, Plays, Skin};
use bevy_lissom_examples_window::{BODY, Stage, plaster};

fn main() -> AppExit {
    App::new().add_plugins((Stage::default(), LissomPlugin::default())).add_systems(Startup, hero).run()
}

fn hero(mut commands: Commands, server: Res<AssetServer>, mut materials: ResMut<Assets<StandardMaterial>>) {
    commands.spawn((
        Plays::clip(server.load("hero.lsm"), "walk"),
        Skin::new(BODY),
        MeshMaterial3d(materials.add(plaster(30.0))),
    ));
}
