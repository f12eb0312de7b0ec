//! When feet stand: what sounds, foot locks and graphs want to know of a motion.

use super::{Motion, clip, jump};
use crate::{feet::Contacts, scene::Marker};

/// The contacts and steps of a motion, as [`Contacts::markers`] names them.
#[must_use]
pub fn markers(motion: Motion) -> Vec<Marker> {
    let clip = clip(motion);
    let end = clip.duration_s;
    // As the steps of the turn are set: lifted and put down, one foot after the other.
    let (first, second) = (vec![(0.0, 0.30), (0.68, end)], vec![(0.0, 0.82), (1.22, end)]);
    let feet = match motion {
        Motion::Idle | Motion::Wave | Motion::Crouch => [vec![(0.0, end)], vec![(0.0, end)]],
        Motion::Turn => [first, second],
        Motion::TurnRight => [second, first],
        Motion::JumpStart => [vec![(0.0, jump::OFF_S)], vec![(0.0, jump::OFF_S)]],
        Motion::JumpLand => [vec![(jump::DOWN_S, end)], vec![(jump::DOWN_S, end)]],
        Motion::JumpAir | Motion::Performance => [vec![], vec![]],
        gait => {
            let stance = gait.duty().unwrap_or(0.0) * end;
            let (half, over) = (0.5 * end, stance - 0.5 * end);
            let right = if over > 0.0 { vec![(0.0, over), (half, end)] } else { vec![(half, half + stance)] };
            [vec![(0.0, stance)], right]
        }
    };
    Contacts { feet, duration_s: end, looping: clip.looping }.markers()
}
