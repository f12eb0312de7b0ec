//! A window with a camera, a light and a ground; and pictures of it.

use crate::files;
use bevy::{
    core_pipeline::tonemapping::Tonemapping,
    prelude::*,
    render::{
        RenderPlugin,
        view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk},
    },
    time::TimeUpdateStrategy,
    window::WindowResolution,
};
use bevy_lissom::Character;
use std::{env, path::PathBuf, time::Duration};

/// Bevy's default plugins, and a stage to look at.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    pub eye: Vec3,
    pub target: Vec3,
    /// Frames that characters have played when a picture is taken.
    pub frames: u32,
}

impl Default for Stage {
    fn default() -> Self {
        Self { eye: Vec3::new(1.9, 1.5, 3.2), target: Vec3::new(0.0, 0.9, 0.0), frames: 45 }
    }
}

/// The stage, and the picture that is wanted.
#[derive(Resource)]
struct Set {
    stage: Stage,
    picture: Option<PathBuf>,
    played: u32,
}

impl Plugin for Stage {
    fn build(&self, app: &mut App) {
        if let Err(why) = files::write_missing() {
            panic!("the examples' files cannot be written: {why}");
        }
        let window = Window {
            title: "Lissom in Bevy".into(),
            resolution: WindowResolution::new(640, 400).with_scale_factor_override(1.0),
            ..Window::default()
        };
        let picture = env::var_os("LISSOM_PICTURE").map(PathBuf::from);
        app.add_plugins(
            DefaultPlugins
                .set(WindowPlugin { primary_window: Some(window), ..default() })
                // A picture shows everything, however long shaders take.
                .set(RenderPlugin { synchronous_pipeline_compilation: picture.is_some(), ..default() }),
        );
        if picture.is_some() {
            app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 30.0)));
        }
        app.insert_resource(ClearColor(Color::srgb(0.62, 0.71, 0.80)))
            .insert_resource(Set { stage: *self, picture, played: 0 })
            .add_systems(Startup, build)
            .add_systems(Update, take_picture);
    }
}

fn build(
    set: Res<Set>,
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let Stage { eye, target, .. } = set.stage;
    commands.spawn((
        Camera3d::default(),
        // The default one needs textures that the examples do without.
        Tonemapping::Reinhard,
        AmbientLight { brightness: 500.0, ..default() },
        Transform::from_translation(eye).looking_at(target, Vec3::Y),
    ));
    commands.spawn((
        DirectionalLight { illuminance: 9_000.0, shadow_maps_enabled: true, ..default() },
        Transform::from_xyz(-3.0, 5.0, 3.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        Mesh3d(meshes.add(Plane3d::default().mesh().size(200.0, 200.0))),
        MeshMaterial3d(materials.add(StandardMaterial {
            base_color: Color::srgb(0.36, 0.42, 0.34),
            perceptual_roughness: 1.0,
            ..default()
        })),
    ));
}

/// What characters are made of.
pub fn plaster(hue: f32) -> StandardMaterial {
    StandardMaterial { base_color: Color::hsl(hue, 0.25, 0.66), perceptual_roughness: 0.75, ..default() }
}

fn take_picture(mut set: ResMut<Set>, characters: Query<(), With<Character>>, mut commands: Commands) {
    if set.picture.is_none() || characters.is_empty() {
        return;
    }
    set.played += 1;
    if set.played == set.stage.frames
        && let Some(path) = set.picture.clone()
    {
        commands.spawn(Screenshot::primary_window()).observe(save_to_disk(path)).observe(
            |_: On<ScreenshotCaptured>, mut exit: MessageWriter<AppExit>| {
                exit.write(AppExit::Success);
            },
        );
    }
}
