//! A first graph from the clips of a file: `lissom graph new`.
//!
//! ```text
//!  clips ─ names.rs: words ─▶ roles ─▶ the plainest clip per role ─▶ GraphParts
//!            └ speeds: root motion, travel, feet, or what is usual
//! ```
//!
//! Names decide what a clip is for, and measured speeds where it stands in a blend. What was not used is told with the
//! reason. The graph is an ordinary one, to be edited.

mod crouch;
mod names;
mod parts;
mod speed;

pub use names::{Gait, Role, Way};
pub use speed::{Speed, SpeedSource};

use crate::{
    retarget::{Bone, BoneMap, Part, Side},
    scene::{Scene, SceneAnimation},
};
use crouch::Crouch;
use lissom_motion::GraphParts;
use names::Reading;
use std::collections::BTreeMap;

/// A graph, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The graph.
    pub parts: GraphParts,
    /// The clips that it plays.
    pub used: Vec<Used>,
    /// The clips that it does not play, and why, in file order.
    pub left_out: Vec<(String, String)>,
}

/// A clip that a graph plays.
#[derive(Clone, Debug, PartialEq)]
pub struct Used {
    /// The clip.
    pub clip: String,
    /// What for.
    pub role: Role,
    /// How it is asked for: a state's name, a trigger's, or that of a one-shot.
    pub name: String,
    /// Of a gait.
    pub speed: Option<Speed>,
    /// Code starts it as a one-shot; else parameters do.
    pub one_shot: bool,
}

/// Why there is no graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DraftError {
    /// There is nothing to play.
    #[error("there are no clips on a skeleton in this file")]
    NoClips,
    /// No name says idle or a gait.
    #[error(
        "no clip is recognised as an idle, a walk or a run: {found}. Rename them (lissom.toml: [clips.\"OLD\"] name = \"walk\") \
         or write the graph yourself (docs/GRAPHS.md)"
    )]
    Nothing {
        /// The clips that there are, in words.
        found: String,
    },
}

/// A clip while roles are given.
struct Candidate<'a> {
    animation: &'a SceneAnimation,
    reading: Reading,
    /// Small words with `_` between them.
    snake: String,
}

/// A graph for the clips of the skeleton that has most of them.
///
/// # Errors
///
/// [`DraftError`]: neither an idle nor a gait is recognised.
pub fn draft(scene: &Scene) -> Result<Draft, DraftError> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for skeleton in scene.animations.iter().filter_map(|a| a.skeleton) {
        let count = counts.entry(skeleton).or_default();
        *count = count.saturating_add(1);
    }
    // The first of those with most.
    let Some(place) = counts.iter().rev().max_by_key(|(_, count)| **count).map(|(place, _)| *place) else {
        return Err(DraftError::NoClips);
    };
    let skeleton = &scene.skeletons.get(place).ok_or(DraftError::NoClips)?.skeleton;
    let names: Vec<&str> = scene.animations.iter().map(|a| a.motion.name.as_str()).collect();
    let (mut candidates, mut left_out) = (Vec::new(), Vec::new());
    for (animation, words) in scene.animations.iter().zip(names::words_of(&names)) {
        let reading = if animation.skeleton != Some(place) {
            Err("it moves another skeleton")
        } else if animation.motion.additive {
            Err("it is added to a pose")
        } else {
            names::read(&words)
        };
        match reading {
            Ok(reading) => candidates.push(Candidate { animation, reading, snake: words.join("_") }),
            Err(why) => left_out.push((animation.motion.name.clone(), why.to_owned())),
        }
    }
    settle_jumps(&mut candidates);
    let mut chosen: BTreeMap<Role, Candidate<'_>> = BTreeMap::new();
    let mut shots: Vec<Candidate<'_>> = Vec::new();
    let mut losers: Vec<(Role, String)> = Vec::new();
    for mut candidate in candidates {
        // A duck that comes up by itself is over when it ends.
        if candidate.reading.role == Role::Crouch
            && Crouch::of(candidate.animation, skeleton) == Crouch::DownAndUp
        {
            candidate.reading.role = Role::Action;
        }
        let role = candidate.reading.role;
        if matches!(role, Role::Gesture | Role::Action) {
            shots.push(candidate);
            continue;
        }
        // The plainest name has the role; among equals the first of the file.
        let loser = match chosen.entry(role) {
            std::collections::btree_map::Entry::Vacant(free) => {
                free.insert(candidate);
                None
            }
            std::collections::btree_map::Entry::Occupied(mut taken) => {
                let plainer = candidate.reading.extra < taken.get().reading.extra;
                Some(if plainer { taken.insert(candidate) } else { candidate })
            }
        };
        losers.extend(loser.map(|loser| (role, loser.animation.motion.name.clone())));
    }
    for (role, loser) in losers {
        let winner = chosen.get(&role).map_or("", |c| c.animation.motion.name.as_str());
        left_out.push((loser, format!("{winner:?} is plainer")));
    }
    let moves = |role: &Role| matches!(role, Role::Idle | Role::Gait(_, Way::Ahead));
    if !chosen.keys().any(moves) {
        const SHOWN: usize = 6;
        let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
        let more = if names.len() > SHOWN { ", …" } else { "" };
        return Err(DraftError::Nothing { found: format!("there are {}{more}", shown.join(", ")) });
    }
    let bones = BoneMap::guess(skeleton);
    let spine = bones.joints.get(&Bone { part: Part::Spine, side: Side::Middle });
    // A mask needs a body with arms above a spine: a dog's spine carries its front legs.
    let arms = bones.missing().next().is_none();
    let spine = spine.filter(|_| arms).and_then(|joint| skeleton.joints.get(*joint)).map(|j| j.name.clone());
    let mut builder = parts::Builder::new(scene.height(), skeleton, spine);
    let (parts, used) = builder.build(&chosen, &shots, &mut left_out);
    let order = |name: &str| names.iter().position(|n| *n == name);
    left_out.sort_by_key(|(name, _)| order(name));
    Ok(Draft { parts, used, left_out })
}

/// A jump that has parts starts with what is called the jump; and what is called `jump_idle` beside a fall starts it, too.
fn settle_jumps(candidates: &mut [Candidate<'_>]) {
    let has = |all: &[Candidate<'_>], role: Role| all.iter().any(|c| c.reading.role == role);
    let falls = |c: &Candidate<'_>| c.reading.role == Role::Air && !c.snake.contains("jump");
    let plain_jump = |c: &Candidate<'_>| c.reading.role == Role::Jump && c.reading.extra == 0;
    let starts = has(candidates, Role::JumpStart) || candidates.iter().any(plain_jump);
    if candidates.iter().any(falls) && !starts {
        for candidate in candidates.iter_mut().filter(|c| c.reading.role == Role::Air && !falls(c)) {
            candidate.reading.role = Role::JumpStart;
        }
    }
    let parts = has(candidates, Role::Air) || has(candidates, Role::Land);
    if parts && !has(candidates, Role::JumpStart) {
        for candidate in candidates.iter_mut().filter(|c| c.reading.role == Role::Jump) {
            candidate.reading.role = Role::JumpStart;
        }
    }
}
