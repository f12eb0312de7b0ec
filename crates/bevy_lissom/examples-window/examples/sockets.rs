//! Things in hands: children of a character that follow its joints. The mannequin has a joint in each palm, `prop_l` and `prop_r`.

use bevy::prelude::*;
use bevy_lissom::{JointSocket, LissomPlugin, Plays, Skin};
use bevy_lissom_examples_window::{BODY, Stage, plaster};
use std::f32::consts::FRAC_PI_2;

fn main() -> AppExit {
    let stage = Stage { eye: Vec3::new(-1.6, 1.4, 2.4), target: Vec3::new(0.0, 0.95, 0.1), frames: 40 };
    App::new().add_plugins((stage, LissomPlugin::default())).add_systems(Startup, hero).run()
}

fn hero(
    mut commands: Commands,
    server: Res<AssetServer>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let steel = materials.add(StandardMaterial { metallic: 0.6, ..plaster(220.0) });
    let leather = materials.add(Color::srgb(0.20, 0.10, 0.05));
    let light = materials.add(StandardMaterial { emissive: LinearRgba::rgb(4.0, 3.0, 1.0), ..plaster(50.0) });
    // A fist holds what lies along its z, from the little finger to the thumb; Bevy's shapes stand along y.
    let mut part = |mesh: Mesh, material: &Handle<StandardMaterial>, z: f32| {
        let place = Transform::from_xyz(0.0, 0.0, z).with_rotation(Quat::from_rotation_x(FRAC_PI_2));
        (Mesh3d(meshes.add(mesh)), MeshMaterial3d(material.clone()), place)
    };
    let blade = part(Cuboid::new(0.04, 0.7, 0.008).into(), &steel, 0.44);
    let guard = part(Cuboid::new(0.14, 0.02, 0.03).into(), &steel, 0.09);
    let hilt = part(Cylinder::new(0.015, 0.2).into(), &leather, 0.0);
    let handle = part(Cylinder::new(0.015, 0.3).into(), &leather, 0.07);
    let lamp = part(Sphere::new(0.07).into(), &light, 0.28);
    commands.spawn((
        Plays::clip(server.load("hero.lsm"), "run"),
        Skin::new(BODY),
        MeshMaterial3d(materials.add(plaster(30.0))),
        children![
            // The socket's own transform is the joint's; what it holds has one of its own.
            (JointSocket::new("prop_r"), Visibility::default(), children![blade, guard, hilt]),
            (JointSocket::new("prop_l"), Visibility::default(), children![handle, lamp]),
        ],
    ));
}
