//! What characters do, drawn while a game is made (feature `dev`): skeletons, and panels with states, parameters and decisions.
#![allow(clippy::disallowed_methods, reason = "what is drawn for people decides nothing")]
#![allow(clippy::type_complexity, reason = "a query says what it asks for")]

use crate::{
    LissomSystems,
    character::Characters,
    components::Character,
    crowds::{CrowdOf, Crowds},
};
use bevy_app::{App, Plugin, PostUpdate};
use bevy_camera::Camera;
use bevy_color::Color;
use bevy_ecs::{
    prelude::*,
    reflect::{ReflectComponent, ReflectResource},
};
use bevy_gizmos::{
    AppGizmoBuilder,
    config::{GizmoConfig, GizmoConfigGroup},
    gizmos::Gizmos,
};
use bevy_math::{Affine3A, Isometry3d, Quat, Vec2, Vec3};
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::components::GlobalTransform;
use lissom_motion::crowd::Member;

/// Draws skeletons and panels of characters with Bevy's gizmos, in front of everything: those of [`ShowSkeleton`] and [`ShowPanel`], or
/// all of them by [`ShowAll`].
///
/// ```ignore
/// app.add_plugins(LissomDevPlugin);
/// commands.entity(hero).insert((ShowSkeleton::default(), ShowPanel::default()));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct LissomDevPlugin;

/// The gizmos of characters: colours, width and depth are those of `GizmoConfigStore`.
#[derive(Clone, Copy, Debug, Default, GizmoConfigGroup, Reflect)]
pub struct LissomGizmos;

/// A character's skeleton is drawn: a line from each joint to the one above it.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct ShowSkeleton {
    /// Of the lines.
    pub color: Color,
    /// True if the names of the joints stand beside them.
    pub names: bool,
}

impl Default for ShowSkeleton {
    fn default() -> Self {
        Self { color: Color::srgb(0.1, 0.9, 0.6), names: false }
    }
}

/// What a character does and decides stands above its head: the lines of [`Characters::described`].
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct ShowPanel {
    /// Of the text.
    pub color: Color,
    /// The height of a line, in metres.
    pub size_m: f32,
    /// Decisions that are remembered and shown.
    pub decisions: u8,
}

impl Default for ShowPanel {
    fn default() -> Self {
        Self { color: Color::WHITE, size_m: 0.06, decisions: 5 }
    }
}

/// Skeletons and panels of all characters, whatever components they have.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct ShowAll {
    /// Every skeleton.
    pub skeletons: bool,
    /// Every panel.
    pub panels: bool,
}

impl Plugin for LissomDevPlugin {
    fn build(&self, app: &mut App) {
        app.insert_gizmo_config(LissomGizmos, GizmoConfig { depth_bias: -1.0, ..GizmoConfig::default() })
            .init_resource::<ShowAll>()
            .register_type::<ShowAll>()
            .register_type::<ShowSkeleton>()
            .register_type::<ShowPanel>()
            .add_systems(PostUpdate, (draw_skeletons, draw_panels).after(LissomSystems::Place));
    }
}

/// The lines of a skeleton, in the world.
fn bones(crowd_of: &CrowdOf, member: Member, place: Affine3A) -> impl Iterator<Item = (usize, [Vec3; 2])> {
    let skeleton = crowd_of.crowd.skeleton();
    let at = move |joint: usize| {
        let model = crowd_of.model(member, joint)?;
        Some(place.transform_point3(model.w_axis.truncate()))
    };
    (0..skeleton.joint_count()).filter_map(move |joint| {
        let own = at(joint)?;
        let above = skeleton.parent(joint).and_then(at);
        Some((joint, [above.unwrap_or(own), own]))
    })
}

fn draw_skeletons(
    all: Query<(&Character, &GlobalTransform, Option<&ShowSkeleton>)>,
    cameras: Query<(&Camera, &GlobalTransform)>,
    every: Res<ShowAll>,
    crowds: Res<Crowds>,
    mut gizmos: Gizmos<LissomGizmos>,
) {
    let facing = facing(&cameras);
    for (character, place, show) in &all {
        let Some(show) = show.copied().or_else(|| every.skeletons.then(ShowSkeleton::default)) else {
            continue;
        };
        let Some(crowd_of) = crowds.get(&character.key) else { continue };
        for (joint, [from, to]) in bones(crowd_of, character.member, place.affine()) {
            gizmos.line(from, to, show.color);
            if show.names {
                let name = crowd_of.crowd.skeleton().name(joint);
                gizmos.text(Isometry3d::new(to, facing), name, 0.03, Vec2::new(-0.5, 0.0), show.color);
            }
        }
    }
}

/// How text is turned so that it is read.
fn facing(cameras: &Query<(&Camera, &GlobalTransform)>) -> Quat {
    let active = cameras.iter().filter(|(camera, _)| camera.is_active);
    active.max_by_key(|(camera, _)| camera.order).map_or(Quat::IDENTITY, |(_, place)| place.rotation())
}

fn draw_panels(
    all: Query<(Entity, &Character, &GlobalTransform, Option<&ShowPanel>)>,
    cameras: Query<(&Camera, &GlobalTransform)>,
    every: Res<ShowAll>,
    mut characters: Characters,
    mut gizmos: Gizmos<LissomGizmos>,
) {
    let facing = facing(&cameras);
    for (entity, character, place, show) in &all {
        let Some(show) = show.copied().or_else(|| every.panels.then(ShowPanel::default)) else { continue };
        if matches!(characters.decisions(entity), Ok(None)) && show.decisions > 0 {
            // Characters that play clips decide nothing.
            let _ = characters.remember_decisions(entity, show.decisions.into());
        }
        let Ok(lines) = characters.described(entity) else { continue };
        let Some(crowd_of) = characters.crowd_of(character) else { continue };
        let joints = bones(crowd_of, character.member, place.affine());
        let top = joints.map(|(_, [_, at])| at.y).fold(place.translation().y, f32::max);
        let foot = place.translation().with_y(top + 3.0 * show.size_m);
        for (number, line) in lines.iter().rev().enumerate() {
            let up = facing * Vec3::Y * (number as f32 * 1.5 * show.size_m);
            // The font has no other characters.
            let text: String = line.chars().map(|c| if c.is_ascii() { c } else { '?' }).collect();
            gizmos.text(
                Isometry3d::new(foot + up, facing),
                &text,
                show.size_m,
                Vec2::new(0.0, -0.5),
                show.color,
            );
        }
    }
}
