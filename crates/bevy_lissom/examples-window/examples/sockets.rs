//! Things in hands: children of a character that follow its joints.

use bevy::prelude::*;
use bevy_lissom::{JointSocket, LissomPlugin, Plays, Skin};
use bevy_lissom_examples_window::{BODY, Stage, plaster};

fn main() -> AppExit {
    let stage =
        Stage { eye: Vec3::new(-1.7, 1.5, 2.8), target: Vec3::new(0.0, 1.0, 0.0), ..Stage::default() };
    App::new().add_plugins((stage, LissomPlugin::default())).add_systems(Startup, hero).run()
}

fn hero(
    mut commands: Commands,
    server: Res<AssetServer>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let blade = meshes.add(Cuboid::new(0.04, 0.8, 0.01));
    let lamp = meshes.add(Sphere::new(0.09));
    let steel = materials.add(StandardMaterial { metallic: 0.6, ..plaster(220.0) });
    let light = materials.add(StandardMaterial { emissive: LinearRgba::rgb(4.0, 3.0, 1.0), ..plaster(50.0) });
    commands.spawn((
        Plays::clip(server.load("hero.lsm"), "wave"),
        Skin::new(BODY),
        MeshMaterial3d(materials.add(plaster(30.0))),
        children![
            (
                JointSocket::new("hand_r"),
                Visibility::default(),
                // The socket's own transform is the joint's; what it holds has one of its own.
                children![(Mesh3d(blade), MeshMaterial3d(steel), Transform::from_xyz(0.0, -0.45, 0.03),)],
            ),
            (
                JointSocket::new("hand_l"),
                Visibility::default(),
                children![(Mesh3d(lamp), MeshMaterial3d(light), Transform::from_xyz(0.0, -0.2, 0.03))],
            ),
        ],
    ));
}
