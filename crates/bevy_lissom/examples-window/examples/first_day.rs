//! What a game wants on its first day, of a file as it comes from an asset store: all meshes with the file's materials, a fade from one
//! clip to another, a hat, footsteps, and a head that looks.
//!
//! `cargo run --ignore-rust-version --example first_day -- character.glb` plays a file with clips that are called `idle` and `walk`.
//! Without a file it is the mannequin.

use bevy::prelude::*;
use bevy_lissom::{Character, Characters, JointSocket, LissomPlugin, LookAt, MarkerPassed, Plays, Skins};
use bevy_lissom_examples_window::{Stage, bring};
use std::error::Error;

/// Lies beside the file, as `lissom.toml`: footsteps are found, and a clip is called as the game wants it.
const RECIPE: &str = r#"
[clips."*"]
contacts = true

[clips.Idle_Neutral]
name = "Idle"
"#;

/// Clips of asset stores walk on the spot: the game moves who walks, in metres per second.
const SPEED: f32 = 1.2;

/// The head's joint is brought to this height, in metres, whatever size the file has.
const HEAD: f32 = 1.5;

/// The character, as a path among the assets.
#[derive(Resource)]
struct File(String);

#[derive(Component)]
struct Lamp;

#[derive(Resource)]
struct Print(Handle<Mesh>, Handle<StandardMaterial>);

fn main() -> Result<AppExit, Box<dyn Error>> {
    let file = bring("first_day", RECIPE)?;
    let stage = Stage { eye: Vec3::new(1.9, 1.5, 4.4), target: Vec3::new(0.0, 0.85, 0.6), frames: 84 };
    Ok(App::new()
        .add_plugins((stage, LissomPlugin::default()))
        .insert_resource(File(file))
        .add_systems(Startup, hero)
        .add_systems(Update, (put_on_hat, walk, swing))
        .add_observer(leave_print)
        .run())
}

fn hero(
    file: Res<File>,
    mut commands: Commands,
    server: Res<AssetServer>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let dark = materials.add(Color::srgb(0.10, 0.12, 0.10));
    commands.insert_resource(Print(meshes.add(Cylinder::new(0.07, 0.01)), dark));
    let light = StandardMaterial { emissive: LinearRgba::rgb(4.0, 3.0, 1.0), ..default() };
    let lamp = (Lamp, Mesh3d(meshes.add(Sphere::new(0.07))), MeshMaterial3d(materials.add(light)));
    let lamp = commands.spawn(lamp).id();
    commands.spawn((
        Plays::clip(server.load(&file.0), "idle"),
        Skins::all(),
        LookAt::new(lamp),
        Transform::from_xyz(0.0, 0.0, -1.2),
    ));
}

/// When a character has begun to play, its joints have places.
fn put_on_hat(
    mut new: Query<(Entity, &mut Transform), Added<Character>>,
    characters: Characters,
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) -> Result {
    for (hero, mut place) in &mut new {
        let unit = characters.joint(hero, "head")?.w_axis.y / HEAD;
        place.scale = Vec3::splat(1.0 / unit);
        let red = materials.add(Color::srgb(0.75, 0.15, 0.12));
        let mut part = |mesh: Mesh, y: f32| {
            let place = Transform::from_xyz(0.0, y * unit, 0.0).with_scale(Vec3::splat(unit));
            (Mesh3d(meshes.add(mesh)), MeshMaterial3d(red.clone()), place)
        };
        let hat = children![
            part(Cylinder::new(0.18, 0.015).into(), 0.20),
            part(Cone { radius: 0.12, height: 0.3 }.into(), 0.35),
        ];
        commands.entity(hero).with_child((JointSocket::new("head"), Visibility::default(), hat));
    }
    Ok(())
}

/// Stands for a while, and walks.
fn walk(
    mut heroes: Query<(Entity, &mut Transform), With<Character>>,
    mut characters: Characters,
    time: Res<Time>,
    mut stood_s: Local<f32>,
) -> Result {
    for (hero, mut place) in &mut heroes {
        *stood_s += time.delta_secs();
        if *stood_s > 0.6 {
            // A clip that leads already goes on.
            characters.fade_to(hero, "walk", 0.3)?;
            place.translation.z += SPEED * characters.clip(hero)?.weight * time.delta_secs();
        }
    }
    Ok(())
}

fn swing(mut lamps: Query<&mut Transform, With<Lamp>>, time: Res<Time>) {
    for mut lamp in &mut lamps {
        lamp.translation = Vec3::new(1.2 * (1.5 * time.elapsed_secs()).sin(), 1.7, 2.4);
    }
}

fn leave_print(
    passed: On<MarkerPassed>,
    print: Res<Print>,
    places: Query<&Transform>,
    mut commands: Commands,
) -> Result {
    let Some(foot) = passed.marker.strip_prefix("step_") else { return Ok(()) };
    let place = places.get(passed.entity)?;
    let side = if foot == "left" { 0.1 } else { -0.1 };
    let at = place.translation + place.rotation * Vec3::new(side, 0.005, 0.15);
    commands.spawn((
        Mesh3d(print.0.clone()),
        MeshMaterial3d(print.1.clone()),
        Transform::from_translation(at),
    ));
    Ok(())
}
