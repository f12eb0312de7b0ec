//! A character of our own: a humanoid of 64 joints, its skin, and how it moves, all made in code.
//!
//! 1.8 m tall, metres, Y up, facing +Z, in an A-pose at rest. Everything is f64 arithmetic with `libm`: the
//! same bits on every machine.

mod bake;
mod curve;
mod figure;
mod gait;
mod gesture;
mod graph;
mod jump;
mod markers;
mod performance;
mod rig;
mod scene;
mod shape;
mod skin;
mod steps;
mod surface;

use crate::exact::V3;
use crate::mesh::RawMesh;
use crate::raw::{RawAnimation, RawSkeleton};
use bake::{RATE, Score, bake};
use figure::Figure;

pub use graph::{GRAPH, GRAPH_MOTIONS, graph};
pub use markers::markers;
pub use scene::{MannequinError, animation, game_scene, scene};
pub use skin::{Detail, DetailError};

/// The skeleton: 64 joints, depth-first.
#[must_use]
pub fn skeleton() -> RawSkeleton {
    rig::skeleton()
}

/// The skin.
///
/// # Errors
///
/// If the detail is outside its range.
pub fn mesh(detail: &Detail) -> Result<RawMesh, DetailError> {
    skin::mesh(&rig::skeleton(), detail)
}

/// What the mannequin can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Motion {
    /// Stands and breathes, 7.2 s, loops.
    Idle,
    /// 1.32 m/s, loops.
    Walk,
    /// 2.6 m/s, loops.
    Jog,
    /// 4.4 m/s, loops.
    Run,
    /// Raises the right hand and waves, 3 s.
    Wave,
    /// Down to the floor and up again, 2.4 s.
    Crouch,
    /// A quarter turn to the left, 1.6 s.
    Turn,
    /// All of it in 15 s: greeting, walk, crouch, cheer, turn, bow.
    Performance,
    /// Steps backwards, 0.95 m/s, loops.
    Back,
    /// Side steps to the left, 0.75 m/s, loops.
    StrafeLeft,
    /// Side steps to the right, 0.75 m/s, loops.
    StrafeRight,
    /// A quarter turn to the right, 1.6 s: the mirror of [`Self::Turn`].
    TurnRight,
    /// Bends its knees and leaves the floor, 0.64 s.
    JumpStart,
    /// In the air, 0.8 s, loops.
    JumpAir,
    /// Comes down, gives way and stands, 0.7 s.
    JumpLand,
    /// Jogs sideways to the left, 1.6 m/s, loops.
    JogLeft,
    /// Jogs sideways to the right, 1.6 m/s, loops.
    JogRight,
}

impl Motion {
    /// Every motion.
    pub const ALL: [Self; 17] = [
        Self::Idle,
        Self::Walk,
        Self::Jog,
        Self::Run,
        Self::Wave,
        Self::Crouch,
        Self::Turn,
        Self::Performance,
        Self::Back,
        Self::StrafeLeft,
        Self::StrafeRight,
        Self::TurnRight,
        Self::JumpStart,
        Self::JumpAir,
        Self::JumpLand,
        Self::JogLeft,
        Self::JogRight,
    ];

    /// The clip's name, in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Walk => "walk",
            Self::Jog => "jog",
            Self::Run => "run",
            Self::Wave => "wave",
            Self::Crouch => "crouch",
            Self::Turn => "turn",
            Self::Performance => "performance",
            Self::Back => "back",
            Self::StrafeLeft => "strafe_left",
            Self::StrafeRight => "strafe_right",
            Self::TurnRight => "turn_right",
            Self::JumpStart => "jump_start",
            Self::JumpAir => "jump_air",
            Self::JumpLand => "jump_land",
            Self::JogLeft => "jog_left",
            Self::JogRight => "jog_right",
        }
    }

    /// How fast the root travels ahead, in metres per second along +Z; 0 for motions in place. The performance and
    /// the turns move their root in their own ways.
    #[must_use]
    pub const fn speed(self) -> f64 {
        self.velocity().z
    }

    /// Where the root travels, in metres per second.
    #[must_use]
    pub const fn velocity(self) -> V3 {
        match self.gait() {
            Some(gait) => gait.velocity(),
            None => V3::ZERO,
        }
    }

    const fn gait(self) -> Option<&'static gait::Gait> {
        match self {
            Self::Walk => Some(&gait::WALK),
            Self::Jog => Some(&gait::JOG),
            Self::Run => Some(&gait::RUN),
            Self::Back => Some(&gait::BACK),
            Self::StrafeLeft => Some(&gait::LEFT),
            Self::StrafeRight => Some(&gait::RIGHT),
            Self::JogLeft => Some(&gait::JOG_LEFT),
            Self::JogRight => Some(&gait::JOG_RIGHT),
            _ => None,
        }
    }

    /// The share of a gait's cycle that each foot stands: the left one from phase 0, the right one from 0.5.
    /// `None` for what is not a gait.
    #[must_use]
    pub const fn duty(self) -> Option<f64> {
        match self.gait() {
            Some(gait) => Some(gait.duty),
            None => None,
        }
    }
}

/// One motion as keys at 30 Hz. Only what moves has keys: rotations, and translations of `root` and `hips`.
///
/// Looping clips end in the pose they start with; the root of a gait does not come back but travels on
/// (`velocity · duration` metres a loop).
#[must_use]
pub fn clip(motion: Motion) -> RawAnimation {
    let skeleton = rig::skeleton();
    let seconds = |s: f64| (s * RATE + 0.5) as usize;
    let gait = |g: &'static gait::Gait| {
        (g.frames, true, Box::new(|t| g.travelling(t)) as Box<dyn Fn(f64) -> Figure>)
    };
    let (frames, looping, figure) = match motion {
        Motion::Idle => (seconds(2.0 * gesture::BREATH_S), true, Box::new(gesture::idle) as Box<_>),
        Motion::Walk => gait(&gait::WALK),
        Motion::Jog => gait(&gait::JOG),
        Motion::Run => gait(&gait::RUN),
        Motion::Wave => (seconds(3.0), false, Box::new(gesture::waving) as Box<_>),
        Motion::Crouch => (seconds(2.4), false, Box::new(gesture::crouching) as Box<_>),
        Motion::Turn => (seconds(1.6), false, Box::new(gesture::turning) as Box<_>),
        Motion::Back => gait(&gait::BACK),
        Motion::StrafeLeft => gait(&gait::LEFT),
        Motion::StrafeRight => gait(&gait::RIGHT),
        Motion::JogLeft => gait(&gait::JOG_LEFT),
        Motion::JogRight => gait(&gait::JOG_RIGHT),
        Motion::TurnRight => (seconds(1.6), false, Box::new(|t| gesture::turning(t).mirrored()) as Box<_>),
        Motion::JumpStart => (seconds(jump::START_S), false, Box::new(jump::starting) as Box<_>),
        Motion::JumpAir => (seconds(jump::AIR_S), true, Box::new(jump::flying) as Box<_>),
        Motion::JumpLand => (seconds(jump::LAND_S), false, Box::new(jump::landing) as Box<_>),
        Motion::Performance => {
            (seconds(performance::DURATION_S), false, Box::new(performance::figure) as Box<_>)
        }
    };
    bake(&skeleton, &Score { name: motion.name(), frames, looping, figure: &*figure })
}

/// Every motion, in the order of [`Motion::ALL`].
#[must_use]
pub fn clips() -> Vec<RawAnimation> {
    Motion::ALL.into_iter().map(clip).collect()
}
