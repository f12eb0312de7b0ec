//! How much care characters are worth: how often they are posed, with how many joints, and whether at all.
#![allow(
    clippy::disallowed_methods,
    reason = "places in Bevy's world are measured with the engine's arithmetic"
)]
#![allow(clippy::too_many_arguments, clippy::type_complexity, reason = "a system says what it asks for")]

use crate::{
    components::Character,
    crowds::{CrowdOf, Crowds},
    names::NameError,
    problem::{Concern, LissomError, Problems, fails},
    skin::{SkinPalette, seen_from},
    systems::joint_called,
};
use bevy_camera::{Camera, Projection, primitives::Aabb, visibility::ViewVisibility};
use bevy_ecs::{
    entity::EntityHashSet,
    prelude::*,
    reflect::{ReflectComponent, ReflectResource},
};
use bevy_math::Vec3;
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::components::GlobalTransform;
use lissom::{
    JointLod, JointMask, LodError, Skeleton,
    job::{LocalToModelJob, Models},
    math::Mat34,
};
use lissom_motion::crowd::{CrowdError, Detail, Member};
use tracing::info;

/// How much care a character is worth by its size on the screen: a resource. Without levels, as at first, every character is posed in
/// every update, with all joints.
///
/// ```
/// # use bevy_lissom::{DetailLevel, DetailLevels};
/// let levels = DetailLevels::new([
///     DetailLevel::from(0.25),
///     DetailLevel::from(0.08).every(2),
///     DetailLevel::from(0.0).every(4).without(["thumb_01_l", "index_01_l"]),
/// ]);
/// ```
#[derive(Resource, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Resource, Default, Debug, PartialEq)]
pub struct DetailLevels {
    /// The largest share of the screen first. What is smaller than the last one takes that.
    pub levels: Vec<DetailLevel>,
    /// True if characters are not posed while no camera and no light sees any of their [`Skin`](crate::Skin)s. Their time, events and way
    /// go on; what hangs on their joints stays where it was.
    pub hide_unseen: bool,
}

/// The care that is enough from a size on.
#[derive(Clone, Debug, PartialEq, Reflect)]
#[reflect(Debug, PartialEq)]
pub struct DetailLevel {
    /// The least share of the screen's height that a character takes, as tall as its joints stand at rest.
    pub share: f32,
    /// It is posed once in this number of updates.
    pub every: u8,
    /// Joints that are left out, with all that hangs on them; the last part of each name is enough. Their vertices move with the joint
    /// above.
    pub without: Vec<String>,
}

impl DetailLevels {
    /// These levels, the largest share first.
    #[must_use]
    pub fn new(levels: impl Into<Vec<DetailLevel>>) -> Self {
        Self { levels: levels.into(), ..Self::default() }
    }

    /// Characters that nobody sees are not posed.
    #[must_use]
    pub fn hide_unseen(self) -> Self {
        Self { hide_unseen: true, ..self }
    }
}

impl DetailLevel {
    /// All joints in every update, from this share of the screen's height on.
    #[must_use]
    pub fn from(share: f32) -> Self {
        Self { share, every: 1, without: Vec::new() }
    }

    /// Posed once in this number of updates.
    #[must_use]
    pub fn every(self, every: u8) -> Self {
        Self { every, ..self }
    }

    /// Without these joints, and all that hangs on them.
    #[must_use]
    pub fn without<'a>(self, joints: impl IntoIterator<Item = &'a str>) -> Self {
        Self { without: joints.into_iter().map(str::to_owned).collect(), ..self }
    }
}

/// The care that is taken of a character, whatever its size is: a hero that others look at, or somebody of whom the game knows more than
/// the camera. Characters without it follow the [`DetailLevels`].
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Debug, PartialEq)]
pub struct CharacterDetail {
    /// It is posed once in this number of updates, at least 1. Between them it holds its pose.
    pub every: u8,
    /// The joints of which of the [`DetailLevels`] it has; `None`: all.
    pub level: Option<u8>,
    /// False: it is not posed. Its time, events and way go on.
    pub posed: bool,
}

impl Default for CharacterDetail {
    fn default() -> Self {
        Self { every: 1, level: None, posed: true }
    }
}

/// The levels of the resource, as a crowd has them.
#[derive(Debug)]
pub(crate) struct Levels {
    /// The crowd's number for each of [`DetailLevels`].
    numbers: Vec<u8>,
    /// Why some of them are not as they were asked for.
    refused: Option<String>,
    /// The resource has changed since.
    stale: bool,
    /// As tall as the joints stand at rest, in metres.
    height_m: f32,
    /// Levels that the crowd has; it never gives one up. The first has number 1.
    all: Vec<Lod>,
    /// True if the crowd moves members from pose to pose.
    smooth: bool,
    /// The crowd must pose everybody before it goes on.
    pub fresh: bool,
}

#[derive(Debug)]
struct Lod {
    joints: JointLod,
    /// The joint whose matrix each one has, and where it is in the space of that.
    leans: Vec<(u16, Mat34)>,
}

impl Levels {
    pub fn new(skeleton: &Skeleton) -> Self {
        let rest = rest_models(skeleton);
        let ys = || rest.iter().map(|model| model.translation().y);
        let height_m = ys().fold(f32::MIN, f32::max) - ys().fold(f32::MAX, f32::min);
        let (numbers, all) = (Vec::new(), Vec::new());
        Self { numbers, refused: None, stale: true, height_m, all, smooth: false, fresh: false }
    }

    /// Of a joint that a level leaves out: the one that it goes along with, and where it is in the space of that.
    pub fn leans(&self, level: u8, joint: usize) -> Option<(usize, &Mat34)> {
        let lod = self.all.get(usize::from(level).checked_sub(1)?)?;
        let (on, by) = lod.leans.get(joint)?;
        (usize::from(*on) != joint).then_some((usize::from(*on), by))
    }
}

fn rest_models(skeleton: &Skeleton) -> Vec<Mat34> {
    let mut models = vec![Mat34::IDENTITY; skeleton.joint_count()];
    let job = LocalToModelJob::new(skeleton, skeleton.rest_pose(), &mut []);
    // It cannot fail: there is room.
    let _ = LocalToModelJob { models: Models::Mat34(&mut models), ..job }.run();
    models
}

/// What a member is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Care {
    every: u8,
    pub level: u8,
    pub posed: bool,
}

impl Care {
    pub const FULL: Self = Self { every: 1, level: 0, posed: true };

    /// A crowd's save has the rate, and neither the level nor whether anybody is posed.
    pub fn restore(&mut self, saved: Self) {
        self.every = saved.every;
    }
}

#[derive(Debug, thiserror::Error)]
enum LevelError {
    #[error(transparent)]
    Lod(#[from] LodError),
    #[error(transparent)]
    Crowd(#[from] CrowdError),
}

impl CrowdOf {
    /// Has the levels of the resource.
    fn follow_levels(&mut self, levels: &DetailLevels) {
        let skeleton = self.crowd.skeleton().clone();
        let (mut numbers, mut refused) = (Vec::new(), Vec::new());
        for DetailLevel { without, .. } in &levels.levels {
            let mut mask = JointMask::all(&skeleton);
            for name in without {
                match joint_called(&skeleton, name) {
                    Ok(joint) => skeleton.subtree(joint).for_each(|joint| mask.remove(joint)),
                    // Other skeletons may have it.
                    Err(why @ NameError::Unknown { .. }) => info!("a level of detail: {why}"),
                    Err(why) => refused.push(why.to_string()),
                }
            }
            numbers.push(self.level_of(mask).unwrap_or_else(|why| {
                refused.push(why.to_string());
                0
            }));
        }
        let smooth = levels.levels.iter().any(|level| level.every > 1);
        if smooth != self.levels.smooth {
            self.set_smooth(smooth);
        }
        let refused = (!refused.is_empty()).then(|| refused.join("; "));
        let own = &mut self.levels;
        (own.numbers, own.refused, own.stale, own.smooth) = (numbers, refused, false, smooth);
    }

    /// The crowd's number for the level of these joints: one that is there, or a new one.
    fn level_of(&mut self, mask: JointMask) -> Result<u8, LevelError> {
        let skeleton = self.crowd.skeleton().clone();
        if mask.iter().count() == skeleton.joint_count() {
            return Ok(0);
        }
        let joints = JointLod::from_mask(&skeleton, mask)?;
        if let Some(known) = self.levels.all.iter().position(|known| known.joints == joints) {
            return Ok(known as u8 + 1);
        }
        let number = self.crowd.add_level(joints.clone())?;
        let rest = rest_models(&skeleton);
        let leans = |joint: usize| {
            let on = joints.nearest(&skeleton, joint).unwrap_or(joint);
            let by = rest[on].inverse().map_or(Mat34::IDENTITY, |into| into.mul(&rest[joint]));
            (on as u16, by)
        };
        let leans = (0..skeleton.joint_count()).map(leans).collect();
        self.levels.all.push(Lod { joints, leans });
        Ok(number)
    }

    /// Takes this care of a member.
    fn take_care(&mut self, member: Member, care: Care) -> Result<(), CrowdError> {
        let at = member.index();
        let before = self.own[at].care;
        if before.every != care.every {
            // The crowd spreads turns over a list; here they are spread by the members' places.
            let turn = vec![member; at % usize::from(care.every) + 1];
            self.crowd.set_rate(&turn, care.every)?;
        }
        if before.level != care.level {
            self.crowd.set_level(&[member], care.level)?;
        }
        if before.posed != care.posed {
            self.crowd.set_seen(&[member], care.posed)?;
        }
        self.own[at].care = care;
        Ok(())
    }
}

/// Who sees how much.
struct Eye {
    place: Vec3,
    kind: Kind,
}

enum Kind {
    /// The angle from bottom to top.
    Perspective(f32),
    /// Metres from bottom to top.
    Orthographic(f32),
    /// Nobody knows: everything is large.
    Custom,
}

impl Eye {
    fn share(&self, place: Vec3, height_m: f32) -> f32 {
        match self.kind {
            Kind::Perspective(fov) => Detail::share_of_screen(height_m, self.place.distance(place), fov),
            Kind::Orthographic(seen_m) => height_m / seen_m,
            Kind::Custom => 1.0,
        }
    }
}

/// Decides how much care is taken of each character: by its component, or by the last frame's cameras.
pub(crate) fn see(
    all: Query<(Entity, &Character, &GlobalTransform, Option<&CharacterDetail>, Option<&LissomError>)>,
    mut removed: RemovedComponents<CharacterDetail>,
    cameras: Query<(&Camera, &Projection, &GlobalTransform)>,
    mut skins: Query<(&SkinPalette, &ViewVisibility, &GlobalTransform, &mut Aabb)>,
    levels: Res<DetailLevels>,
    mut crowds: ResMut<Crowds>,
    mut used: Local<bool>,
    mut commands: Commands,
) {
    for entity in removed.read() {
        commands.mend(entity, Concern::Detail);
    }
    let wanted = !levels.levels.is_empty() || levels.hide_unseen || all.iter().any(|one| one.3.is_some());
    let was_wanted = std::mem::replace(&mut *used, wanted);
    if !wanted && !was_wanted {
        return;
    }
    if levels.is_changed() {
        crowds.iter_mut().for_each(|crowd_of| crowd_of.levels.stale = true);
    }
    let eyes: Vec<Eye> = cameras
        .iter()
        .filter(|(camera, ..)| camera.is_active)
        .map(|(_, projection, place)| Eye {
            place: place.translation(),
            kind: match projection {
                Projection::Perspective(own) => Kind::Perspective(own.fov),
                Projection::Orthographic(own) => Kind::Orthographic(own.area.height()),
                Projection::Custom(_) => Kind::Custom,
            },
        })
        .collect();
    let (mut dressed, mut seen) = (EntityHashSet::default(), EntityHashSet::default());
    if levels.hide_unseen {
        for (palette, visibility, ..) in &skins {
            dressed.insert(palette.character());
            if visibility.get() {
                seen.insert(palette.character());
            }
        }
    }
    let mut hidden = EntityHashSet::default();
    for (entity, character, place, own, error) in &all {
        let Some(crowd_of) = crowds.get_mut(&character.key) else { continue };
        if crowd_of.levels.stale {
            crowd_of.follow_levels(&levels);
        }
        let Levels { numbers, refused, height_m, .. } = &crowd_of.levels;
        let mut why: Vec<String> = refused.iter().cloned().collect();
        let care = match own {
            Some(CharacterDetail { every, level, posed }) => {
                let number = level.map(|level| numbers.get(usize::from(level)).copied());
                if let (Some(None), Some(level)) = (number, level) {
                    why.push(format!("there is no level {level}: `DetailLevels` has {}", numbers.len()));
                }
                if *every == 0 {
                    why.push("it is posed once in 0 updates; at least 1 is allowed".into());
                }
                Care { every: (*every).max(1), level: number.flatten().unwrap_or(0), posed: *posed }
            }
            None => {
                let height_m = height_m * place.scale().abs().max_element();
                let share =
                    eyes.iter().map(|eye| eye.share(place.translation(), height_m)).fold(0.0, f32::max);
                let last = levels.levels.len().saturating_sub(1);
                let at = levels.levels.iter().position(|level| share >= level.share).unwrap_or(last);
                let level = levels.levels.get(at).filter(|_| !eyes.is_empty());
                Care {
                    every: level.map_or(1, |level| level.every.max(1)),
                    level: level.and_then(|_| numbers.get(at)).copied().unwrap_or(0),
                    posed: !dressed.contains(&entity) || seen.contains(&entity),
                }
            }
        };
        if care != crowd_of.own[character.member.index()].care
            && let Err(error) = crowd_of.take_care(character.member, care)
        {
            why.push(error.to_string());
        }
        if !care.posed {
            hidden.insert(entity);
        }
        if !why.is_empty() {
            commands.tell(entity, Concern::Detail, why.join("; "));
        } else if fails(error, Concern::Detail) {
            commands.mend(entity, Concern::Detail);
        }
    }
    // They may come into sight in any pose.
    for (palette, _, own, mut bounds) in &mut skins {
        let owner = palette.character();
        let Some((_, character, place, ..)) = hidden.contains(&owner).then(|| all.get(owner).ok()).flatten()
        else {
            continue;
        };
        let around = crowds.get_mut(&character.key).and_then(|crowd_of| crowd_of.reach_of(palette.mesh()));
        if let Some(around) = around {
            bounds.set_if_neq(if own == place { around } else { seen_from(own, place, around) });
        }
    }
}
