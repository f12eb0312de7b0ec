// src/main.rs
use bevy::prelude::*;
use bevy_lissom::{LissomPlugin, Plays, Skins};

fn main() {
    App::new()
        .add_plugins((DefaultPlugins, LissomPlugin::default()))
        .add_systems(Startup, (stage, hero))
        .run();
}

fn stage(mut commands: Commands) {
    let eye = Transform::from_xyz(1.5, 1.6, 4.0).looking_at(Vec3::new(0.0, 0.9, 0.0), Vec3::Y);
    commands.spawn((Camera3d::default(), eye));
    commands.spawn((
        DirectionalLight::default(),
        Transform::from_xyz(2.0, 4.0, 3.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}

fn hero(mut commands: Commands, server: Res<AssetServer>) {
    // `assets/hero.glb`, with a clip that is called `Walk`, `walk` or `Armature|Walk`.
    commands.spawn((Plays::clip(server.load("hero.glb"), "walk"), Skins::all()));
}
