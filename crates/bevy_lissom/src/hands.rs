//! What changes the poses of characters while their crowd is updated, and in which order.
//!
//! ```text
//!  the crowd's pose ─▶ Ragdoll ─▶ FootIk ─▶ LookAt ─▶ HandIk ─▶ PoseHooks of the game ─▶ JointSprings ─▶ matrices
//! ```

use crate::{
    crowds::Bound,
    ik::{Aims, Human},
    ragdoll::Limp,
    springs::Swing,
};
use bevy_ecs::prelude::*;
use lissom::{job::JobError, pose::Pose};
use lissom_motion::crowd::Member;
use std::sync::{Mutex, PoisonError};

type Hook = Box<dyn Fn(Entity, &mut Pose<'_>) -> Result<(), JobError> + Send + Sync>;

/// A game's own hand on poses: each hook is called for each character that is posed, after [`LookAt`](crate::LookAt),
/// [`HandIk`](crate::HandIk) and [`FootIk`](crate::FootIk), before [`JointSprings`](crate::JointSprings), and before matrices, skins and
/// sockets follow from the pose; on all threads.
///
/// ```
/// # use bevy_app::App;
/// # use bevy_lissom::PoseHooks;
/// # let mut app = App::new();
/// app.init_resource::<PoseHooks>();
/// app.world_mut().resource_mut::<PoseHooks>().add(|entity, pose| Ok(()));
/// ```
#[derive(Resource, Default)]
pub struct PoseHooks(Vec<Hook>);

impl std::fmt::Debug for PoseHooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PoseHooks({})", self.0.len())
    }
}

impl PoseHooks {
    /// One more, called after those that are there. An error stands on the entity as a [`LissomError`](crate::LissomError), and the
    /// character is shown as the hook left it.
    pub fn add(
        &mut self,
        hook: impl Fn(Entity, &mut Pose<'_>) -> Result<(), JobError> + Send + Sync + 'static,
    ) {
        self.0.push(Box::new(hook));
    }
}

/// What changes the pose of members, by their index.
#[derive(Debug, Default)]
pub(crate) struct Hands {
    /// The joints that IK moves, once somebody asks for it.
    pub human: Option<Human>,
    pub aims: Vec<Option<Aims>>,
    pub limp: Vec<Option<Limp>>,
    /// A member is posed by one thread: nobody waits.
    pub swings: Vec<Option<Mutex<Swing>>>,
}

/// Puts something to a member.
pub(crate) fn put<T>(all: &mut Vec<Option<T>>, at: usize, value: Option<T>) {
    if all.len() <= at {
        if value.is_none() {
            return;
        }
        all.resize_with(at + 1, || None);
    }
    all[at] = value;
}

/// What somebody put to a member.
pub(crate) fn of<T>(all: &[Option<T>], at: usize) -> Option<&T> {
    all.get(at)?.as_ref()
}

impl Hands {
    /// Nothing is left for this member.
    pub fn forget(&mut self, at: usize) {
        put(&mut self.aims, at, None);
        put(&mut self.limp, at, None);
        put(&mut self.swings, at, None);
    }

    /// Changes the pose of a member.
    pub fn apply(
        &self,
        hooks: &PoseHooks,
        bound: &[Option<Bound>],
        member: Member,
        pose: &mut Pose<'_>,
    ) -> Result<(), JobError> {
        let at = member.index();
        if let Some(limp) = of(&self.limp, at) {
            limp.apply(pose)?;
        }
        if let (Some(aims), Some(human)) = (of(&self.aims, at), &self.human) {
            aims.apply(human, pose)?;
        }
        if let Some(bound) = of(bound, at) {
            hooks.0.iter().try_for_each(|hook| hook(bound.entity, pose))?;
        }
        if let Some(swing) = of(&self.swings, at) {
            swing.lock().unwrap_or_else(PoisonError::into_inner).apply(pose)?;
        }
        Ok(())
    }
}
