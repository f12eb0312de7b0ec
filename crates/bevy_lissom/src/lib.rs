//! Lissom's characters in a Bevy game.
//!
//! ```no_run
//! use bevy_app::prelude::*;
//! use bevy_asset::AssetServer;
//! use bevy_ecs::prelude::*;
//! use bevy_lissom::{LissomPlugin, Plays, Skin};
//!
//! fn hero(mut commands: Commands, server: Res<AssetServer>) {
//!     commands.spawn((Plays::clip(server.load("hero.lsm"), "walk"), Skin::new("body")));
//! }
//!
//! App::new().add_plugins(LissomPlugin::default()).add_systems(Startup, hero).run();
//! ```
//!
//! ```text
//!  hero.lsm ──▶ LissomArchive (asset), one LissomClip per label      Plays, Parameters, LookAt, HandIk, FootIk, EntityRootMotion, JointSocket
//!                    │                                                   │
//!                    ▼                  LissomSystems::Bind              ▼
//!                 Crowds: one crowd per archive, one member per character ◀── Character (component, by the plugin)
//!                    │                  LissomSystems::Animate: one update of every crowd, on Bevy's compute pool
//!                    ▼                  LissomSystems::Tell
//!                 root motion ─▶ Transform     events ─▶ MarkerPassed, StateChanged     joints ─▶ Transform of sockets
//!                                       TransformSystems::Propagate, LissomSystems::Place the last in it
//!                 joints ─▶ GlobalTransform of a scene's joints (SceneJoints), and of what hangs on them
//!                 joints ─▶ SkinPalette and Aabb of meshes without joints (Skin)
//!                 weights ─▶ MeshMorphWeights of skins, MorphWeights of scenes (in LissomSystems::Animate)
//! ```
//!
//! A character is one entity. Its joints are rows of its crowd and no entities. Systems steer and read characters with
//! [`Characters`]: parameters by typed key, triggers, one-shots, joints, saves.
//!
//! | feature | default | what it adds |
//! |---|---|---|
//! | `render` | yes | skins are drawn: their palettes go to the GPU (pulls crates that declare Rust 1.97.1); off: a server |
//! | `multi_threaded` | yes | Bevy's systems and the crowds use all threads; off for the web |
//! | `import` | no | `.glb` and other files as archives, cooked as they are loaded, with `lissom.toml` and graphs: while a game is made |
//!
//! Errors (a missing or broken file, a misspelt clip, parameter, mesh or joint, a graph for other clips) are logged with the entity's
//! `Name`, stand on the entity as a [`LissomError`], and the app goes on.

mod archive;
mod character;
mod clips;
mod components;
mod crowds;
mod executor;
mod ik;
#[cfg(feature = "import")]
mod import;
mod material;
mod mesh;
mod morph;
mod names;
mod panel;
mod problem;
#[cfg(feature = "render")]
mod render;
mod repeat;
mod rig;
mod scatter;
mod scene;
mod skin;
mod skins;
mod steps;
mod systems;
mod transform;

pub use archive::{LissomArchive, LissomClip, LissomLoadError, LissomLoader, LissomSettings};
pub use character::{CharacterError, CharacterSave, Characters};
pub use clips::PlayingClip;
pub use components::{
    Change, Character, ClipSource, EntityRootMotion, GraphSource, JointSocket, MarkerPassed, ParameterValue,
    Parameters, Playable, PlaybackSpeed, Plays, StateChanged, WeightedClip,
};
pub use crowds::Crowds;
pub use ik::{FootGround, FootIk, HandIk, HandTarget, LookAt, PoseHooks};
#[cfg(feature = "import")]
pub use import::ImportError;
pub use material::{LissomMaterial, MaterialTexture, SkinMaterial};
pub use names::NameError;
pub use problem::{Concern, LissomError, LissomProblem};
pub use scatter::scatter_palettes;
pub use scene::{SceneJoint, SceneJoints};
pub use skin::{Skin, SkinPalette};
pub use skins::Skins;
pub use steps::MarkerFilter;
pub use transform::LissomTransformPlugin;

/// What calls of [`Characters`] take and give: keys, one-shots, states, graphs, root motion, and their errors.
pub use lissom::{Skeleton, archive::Archive, job::JobError, pose::Pose, track::Repeat};
pub use lissom_motion::{
    Graph, GraphParts, GraphState, RootStep, Save, StateError,
    crowd::CrowdError,
    graph::{
        BoolKey, ConditionParts, CurveKey, FloatKey, GraphError, IntKey, LayerKey, LayerParts, MotionParts,
        StateKey, StateParts, Test, TransitionParts, TriggerKey,
    },
    state::{GoTo, Key, OneShot, PlayingShot, PlayingState, ShotKey, Value},
};

use bevy_app::{App, Plugin, PostUpdate};
use bevy_asset::{AssetApp, Assets};
use bevy_ecs::{
    prelude::*,
    schedule::{InternedScheduleLabel, ScheduleLabel},
};
use bevy_image::Image;
use bevy_mesh::{Mesh, skinning::SkinnedMeshInverseBindposes};
use bevy_transform::{
    TransformSystems,
    systems::{propagate_parent_transforms, sync_simple_transforms},
};

/// What the plugin does in a frame, in this order; all but the last before [`TransformSystems::Propagate`].
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LissomSystems {
    /// Characters come, go, and follow their files and [`Parameters`].
    Bind,
    /// Every crowd goes on by the time's step.
    Animate,
    /// Root motion, markers and sockets.
    Tell,
    /// In `PostUpdate`, the last in [`TransformSystems::Propagate`]: joints of scenes and palettes of skins go where their characters are.
    Place,
}

/// Archives as assets, characters as components.
///
/// Needs Bevy's `TaskPoolPlugin`, `TimePlugin`, `AssetPlugin` and `TransformPlugin`, which an app with `DefaultPlugins` has.
#[derive(Clone, Copy, Debug)]
pub struct LissomPlugin {
    schedule: InternedScheduleLabel,
}

impl Default for LissomPlugin {
    fn default() -> Self {
        Self::in_schedule(PostUpdate)
    }
}

impl LissomPlugin {
    /// Characters go on in this schedule, by its time: `FixedUpdate` for games that replay, `PostUpdate` unless told.
    #[must_use]
    pub fn in_schedule(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Plugin for LissomPlugin {
    fn build(&self, app: &mut App) {
        app.init_asset::<LissomArchive>()
            .init_asset::<LissomClip>()
            .init_asset::<LissomMaterial>()
            .init_asset_loader::<LissomLoader>()
            .init_resource::<Crowds>()
            .init_resource::<PoseHooks>()
            .init_resource::<scene::SceneRows>()
            .add_message::<MarkerPassed>()
            .add_message::<StateChanged>()
            .register_type::<Plays>()
            .register_type::<Character>()
            .register_type::<SceneJoint>()
            .register_type::<SkinPalette>()
            .register_type::<PlaybackSpeed>()
            .register_type::<Parameters>()
            .register_type::<EntityRootMotion>()
            .register_type::<SceneJoints>()
            .register_type::<Skin>()
            .register_type::<Skins>()
            .register_type::<JointSocket>()
            .register_type::<LookAt>()
            .register_type::<HandIk>()
            .register_type::<FootIk>()
            .register_type::<LissomError>()
            .register_type::<MarkerFilter>()
            .add_observer(systems::unbind)
            .add_observer(skins::take_off)
            .add_observer(scene::lose::<Character>)
            .add_observer(scene::lose::<SceneJoints>)
            .add_observer(scene::lose_joint)
            .add_observer(scene::hang)
            .add_observer(scene::take_off)
            .configure_sets(
                self.schedule,
                (LissomSystems::Bind, LissomSystems::Animate, LissomSystems::Tell)
                    .chain()
                    .before(TransformSystems::Propagate),
            )
            .add_systems(
                self.schedule,
                (
                    (
                        systems::follow_files,
                        systems::bind,
                        (systems::follow_parameters, systems::follow_pace),
                    )
                        .chain()
                        .in_set(LissomSystems::Bind),
                    (ik::aim, systems::animate, morph::weigh).chain().in_set(LissomSystems::Animate),
                    (systems::travel, systems::tell, systems::attach).in_set(LissomSystems::Tell),
                ),
            )
            .configure_sets(
                PostUpdate,
                LissomSystems::Place
                    .in_set(TransformSystems::Propagate)
                    .after(propagate_parent_transforms)
                    .after(sync_simple_transforms)
                    .after(transform::propagate),
            )
            .add_systems(
                PostUpdate,
                (
                    // Bevy spawns scenes before this schedule.
                    scene::find_joints.after(LissomSystems::Tell).before(TransformSystems::Propagate),
                    (skins::wear, skin::dress)
                        .chain()
                        .after(LissomSystems::Tell)
                        .before(TransformSystems::Propagate),
                    (scene::drive, skin::pose_skins).chain().in_set(LissomSystems::Place),
                ),
            );
    }

    fn finish(&self, app: &mut App) {
        // An app that draws has them; one without a window need not.
        if !app.world().contains_resource::<Assets<Mesh>>() {
            app.init_asset::<Mesh>();
        }
        if !app.world().contains_resource::<Assets<Image>>() {
            app.init_asset::<Image>();
        }
        if !app.world().contains_resource::<Assets<SkinnedMeshInverseBindposes>>() {
            app.init_asset::<SkinnedMeshInverseBindposes>();
        }
        #[cfg(feature = "render")]
        render::connect(app);
    }
}
