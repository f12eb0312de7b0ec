//! Characters that walk where their clips lead them, and leave a print wherever a foot comes down. The one without `EntityRootMotion`
//! walks on the spot.

use bevy::prelude::*;
use bevy_lissom::{EntityRootMotion, LissomPlugin, MarkerPassed, Plays, Skin};
use bevy_lissom_examples_window::{BODY, Stage, plaster};

#[derive(Resource)]
struct Print(Handle<Mesh>, Handle<StandardMaterial>);

fn main() -> AppExit {
    let stage = Stage { eye: Vec3::new(5.0, 2.6, 6.0), target: Vec3::new(0.6, 0.6, 1.0), frames: 52 };
    App::new()
        .add_plugins((stage, LissomPlugin::default()))
        .add_systems(Startup, heroes)
        .add_observer(leave_print)
        .run()
}

fn heroes(
    mut commands: Commands,
    server: Res<AssetServer>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let dark = materials.add(Color::srgb(0.10, 0.12, 0.10));
    commands.insert_resource(Print(meshes.add(Cylinder::new(0.07, 0.01)), dark));
    let body = materials.add(plaster(30.0));
    let hero = |x: f32, clip: &str| {
        let plays = Plays::clip(server.load("hero.lsm"), clip);
        (plays, Skin::new(BODY), MeshMaterial3d(body.clone()), Transform::from_xyz(x, 0.0, -2.0))
    };
    commands.spawn((hero(0.0, "walk"), EntityRootMotion::default()));
    commands.spawn((hero(1.2, "jog"), EntityRootMotion::default()));
    commands.spawn(hero(-1.2, "walk"));
}

fn leave_print(
    passed: On<MarkerPassed>,
    print: Res<Print>,
    places: Query<&Transform>,
    mut commands: Commands,
) {
    let Some(foot) = passed.marker.strip_prefix("step_") else { return };
    let Ok(place) = places.get(passed.entity) else { return };
    let side = if foot == "left" { 0.1 } else { -0.1 };
    let at = place.transform_point(Vec3::new(side, 0.005, 0.2));
    commands.spawn((
        Mesh3d(print.0.clone()),
        MeshMaterial3d(print.1.clone()),
        Transform::from_translation(at),
    ));
}
