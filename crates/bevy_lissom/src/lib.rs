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
//!  hero.lsm ──▶ LissomArchive (asset), one LissomClip per label      Plays, Parameters, EntityRootMotion, JointSocket
//!                    │                                                   │
//!                    ▼                  LissomSystems::Bind              ▼
//!                 Crowds: one crowd per archive, one member per character ◀── Character (component, by the plugin)
//!                    │                  LissomSystems::Aim               ◀── LookAt, HandIk, FootIk, JointSprings, Ragdoll, cameras
//!                    │                  LissomSystems::Animate: one update of every crowd, on Bevy's compute pool
//!                    ▼                  LissomSystems::Tell
//!                 root motion ─▶ Transform     events ─▶ MarkerPassed, StateChanged …   joints ─▶ Transform of sockets
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
//! | `render` | yes | skins are drawn, with the file's materials: their palettes go to the GPU (pulls crates that declare Rust 1.97.1); off: a server |
//! | `multi_threaded` | yes | Bevy's systems and the crowds use all threads; off for the web |
//! | `import` | no | `.glb` and other files as archives, cooked as they are loaded, with `lissom.toml` and graphs: while a game is made |
//! | `dev` | no | skeletons and panels of what characters decide, drawn with Bevy's gizmos: while a game is made |
//! | `serde` | no | saves of characters as plain data |
//!
//! Errors (a missing or broken file, a misspelt clip, parameter, mesh or joint, a graph for other clips) are logged with the entity's
//! `Name`, stand on the entity as a [`LissomError`], and the app goes on.

mod archive;
mod character;
mod clips;
mod components;
mod crowds;
mod detail;
#[cfg(feature = "dev")]
mod dev;
mod executor;
mod hands;
mod ik;
#[cfg(feature = "import")]
mod import;
mod kept;
mod matched;
mod material;
mod mesh;
mod morph;
mod names;
mod panel;
mod problem;
mod ragdoll;
mod reach;
#[cfg(feature = "render")]
mod render;
mod repeat;
mod rig;
#[cfg(feature = "serde")]
mod saved;
mod scatter;
mod scene;
mod skin;
mod skins;
mod springs;
#[cfg(feature = "render")]
mod standard;
mod steps;
mod systems;
mod transform;

pub use archive::{LissomArchive, LissomClip, LissomLoadError, LissomLoader, LissomSettings};
pub use character::{CharacterError, CharacterSave, Characters};
pub use clips::PlayingClip;
pub use components::{
    Change, Character, ClipSource, EntityRootMotion, GraphSource, JointSocket, MarkerBegan, MarkerEnded,
    MarkerPassed, ParameterValue, Parameters, Playable, PlaybackSpeed, Plays, StateChanged, WeightedClip,
};
pub use crowds::Crowds;
pub use detail::{CharacterDetail, DetailLevel, DetailLevels};
#[cfg(feature = "dev")]
pub use dev::{LissomDevPlugin, LissomGizmos, ShowAll, ShowPanel, ShowSkeleton};
pub use hands::PoseHooks;
pub use ik::{FootGround, FootIk, HandIk, HandTarget, LookAt};
#[cfg(feature = "import")]
pub use import::ImportError;
pub use matched::{MatchedMotion, PathPoint};
pub use material::{LissomMaterial, MaterialTexture, SkinMaterial};
pub use names::NameError;
pub use problem::{Concern, LissomError, LissomProblem};
pub use ragdoll::{Ragdoll, RagdollBody};
#[cfg(feature = "serde")]
pub use saved::SavedCharacter;
pub use scatter::scatter_palettes;
pub use scene::{SceneJoint, SceneJoints};
pub use skin::{Skin, SkinPalette};
pub use skins::Skins;
pub use springs::{JointSpring, JointSprings, SpringBody};
pub use steps::MarkerFilter;
pub use transform::LissomTransformPlugin;

/// The runtime: archives, skeletons, poses, IK.
pub use lissom as runtime;
/// What decides: graphs, crowds, recordings.
pub use lissom_motion as motion;

/// What calls of [`Characters`] and hooks take and give: keys, one-shots, states, graphs, root motion, poses, and their errors.
pub use lissom::{
    Skeleton,
    archive::Archive,
    bones::Side,
    job::JobError,
    pose::{Chain, Gaze, Legs, Limb, Pose, RigError, Springs},
    track::Repeat,
};
pub use lissom_motion::{
    Graph, GraphParts, GraphState, RootStep, Save, StateError,
    crowd::CrowdError,
    decide::Decisions,
    frame::ActiveMarker,
    graph::{
        BoolKey, ClipKey, ConditionParts, CurveKey, Fade, FloatKey, GraphError, IntKey, Interruption,
        LayerKey, LayerParts, LoadError, MaskKey, MaskParts, MatchedParts, MotionParts, PointParts, PoseKey,
        RootUse, StateKey, StateParts, Test, TransitionParts, TriggerKey,
    },
    recording::Recording,
    state::{GoTo, Key, MatchedNow, OneShot, PlayingShot, PlayingState, ShotKey, TrajectoryPoint, Value},
};

use bevy_app::{App, Plugin, PostUpdate};
use bevy_asset::{AssetApp, Assets};
use bevy_ecs::{
    prelude::*,
    schedule::{InternedScheduleLabel, ScheduleLabel},
};
use bevy_image::{CompressedImageFormatSupport, CompressedImageFormats, Image};
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
    /// What characters aim at, hold and swing in is read from the places of entities; how much care each is worth, from the cameras of the
    /// frame before. A game that moves targets does so before this.
    Aim,
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
            .preregister_asset_loader::<LissomLoader>(LissomLoader::EXTENSIONS)
            .init_resource::<Crowds>()
            .init_resource::<PoseHooks>()
            .init_resource::<DetailLevels>()
            .init_resource::<scene::SceneRows>()
            .add_message::<MarkerPassed>()
            .add_message::<MarkerBegan>()
            .add_message::<MarkerEnded>()
            .add_message::<StateChanged>()
            .register_type::<Plays>()
            .register_type::<Character>()
            .register_type::<SceneJoint>()
            .register_type::<scene::Carries>()
            .register_type::<morph::Morphs>()
            .register_type::<SkinPalette>()
            .register_type::<PlaybackSpeed>()
            .register_type::<Parameters>()
            .register_type::<EntityRootMotion>()
            .register_type::<SceneJoints>()
            .register_type::<Skin>()
            .register_type::<Skins>()
            .register_type::<SkinMaterial>()
            .register_type::<skins::Worn>()
            .register_type::<JointSocket>()
            .register_type::<LookAt>()
            .register_type::<HandIk>()
            .register_type::<FootIk>()
            .register_type::<JointSprings>()
            .register_type::<Ragdoll>()
            .register_type::<MatchedMotion>()
            .register_type::<CharacterDetail>()
            .register_type::<DetailLevels>()
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
                (LissomSystems::Bind, LissomSystems::Aim, LissomSystems::Animate, LissomSystems::Tell)
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
                    (detail::see, matched::steer, ik::aim, springs::swing, ragdoll::limp)
                        .chain()
                        .in_set(LissomSystems::Aim),
                    (systems::animate, morph::weigh).chain().in_set(LissomSystems::Animate),
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
        let formats = app.world().get_resource::<CompressedImageFormatSupport>();
        let formats = formats.map_or(CompressedImageFormats::NONE, |formats| formats.0);
        app.register_asset_loader(LissomLoader { formats });
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
        {
            standard::connect(app);
            render::connect(app);
        }
    }
}
