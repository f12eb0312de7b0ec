//! A mannequin walks.

use bevy::prelude::*;
use bevy_lissom::{LissomPlugin, Plays, Skins};
use bevy_lissom_examples_window::Stage;

fn main() -> AppExit {
    App::new().add_plugins((Stage::default(), LissomPlugin::default())).add_systems(Startup, hero).run()
}

fn hero(mut commands: Commands, server: Res<AssetServer>) {
    commands.spawn((Plays::clip(server.load("hero.glb"), "walk"), Skins::all()));
}
