//! A scene that `bevy_gltf` spawned, whose joints follow a character. The animations of the same file are cooked as it is loaded
//! (feature `import`). The hat is a child of a joint.

use bevy::prelude::*;
use bevy_lissom::{LissomPlugin, Plays, SceneJoint, SceneJoints};
use bevy_lissom_examples_window::Stage;

fn main() -> AppExit {
    App::new()
        .add_plugins((Stage::default(), LissomPlugin::default()))
        .add_systems(Startup, hero)
        .add_systems(Update, put_on_hats)
        .run()
}

fn hero(mut commands: Commands, server: Res<AssetServer>) {
    commands.spawn((
        WorldAssetRoot(server.load(GltfAssetLabel::Scene(0).from_asset("hero.glb"))),
        Plays::clip(server.load("hero.glb"), "wave"),
        SceneJoints::default(),
    ));
}

fn put_on_hats(
    joints: Query<(Entity, &Name), Added<SceneJoint>>,
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    for (head, _) in joints.iter().filter(|(_, name)| name.as_str() == "head") {
        commands.spawn((
            Mesh3d(meshes.add(Cone { radius: 0.12, height: 0.3 })),
            MeshMaterial3d(materials.add(Color::srgb(0.75, 0.15, 0.12))),
            Transform::from_xyz(0.0, 0.33, 0.0),
            ChildOf(head),
        ));
    }
}
