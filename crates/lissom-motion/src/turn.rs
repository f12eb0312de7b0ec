//! When a character is posed, and what it shows in between: one rule for animators and members of crowds.

use crate::time::Ticks;
use lissom::math::Mat4;

/// When a character is posed next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// A pose every this many updates; at least 1.
    every: u8,
    /// Updates until the next pose.
    wait: u8,
    /// The pose is out of date: the next update in which the character is visible computes it, whatever the rate.
    stale: bool,
    /// Updates in which what is shown still moves to the pose; 0: it is there.
    left: u8,
}

/// What an update does with the pose of a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    /// The pose stays; what is shown may still move to it.
    Hold,
    /// A new pose, shown at once.
    Pose,
    /// A new pose, which what is shown moves to.
    PoseAndMove,
}

impl Turn {
    /// A pose in every update.
    pub const FULL: Self = Self { every: 1, wait: 0, stale: false, left: 0 };
    /// Of a new character: it has no pose yet.
    pub const NEW: Self = Self { stale: true, ..Self::FULL };

    /// A pose every n-th update, first after `wait` updates; `every` is at least 1.
    pub fn set_rate(&mut self, every: u8, wait: u8) {
        (self.every, self.wait) = (every, wait);
    }

    /// How many updates lie between two poses, plus one.
    pub fn every(&self) -> u8 {
        self.every
    }

    /// Updates between this one and the next pose.
    pub fn wait(&self) -> u8 {
        self.wait
    }

    /// True if there are updates that do not compute the pose: then what is shown is part of a save.
    pub fn holds(&self) -> bool {
        self.every > 1 || self.wait > 0
    }

    /// The next update computes the pose, whatever the rate.
    pub fn refresh(&mut self) {
        self.stale = true;
    }

    /// True if the pose is out of date.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// What is shown is at the pose: it no longer moves.
    pub fn arrive(&mut self) {
        self.left = 0;
    }

    /// One more update: what it does with the pose of a character that is visible or not. `between` says whether what is
    /// shown moves from pose to pose. A step of 0 shows every visible character as it is, and counts for no rate.
    pub fn next(&mut self, step: Ticks, visible: bool, between: bool) -> Show {
        let advances = step > Ticks::ZERO;
        let due = advances && self.comes();
        if !(visible && (due || self.stale || !advances)) {
            return Show::Hold;
        }
        let moves = advances && !self.stale && self.every > 1 && between;
        self.left = if moves { self.every } else { 0 };
        self.stale = false;
        if moves { Show::PoseAndMove } else { Show::Pose }
    }

    /// If what is shown still moves to the pose: in how many updates it is there, this one counted. Counts this one.
    pub fn advance(&mut self, step: Ticks) -> Option<u8> {
        let left = Some(self.left).filter(|left| *left > 0 && step > Ticks::ZERO)?;
        self.left -= 1;
        Some(left)
    }

    /// True if the rate asks for a pose in this update.
    fn comes(&mut self) -> bool {
        let due = self.wait == 0;
        self.wait = if due { self.every - 1 } else { self.wait - 1 };
        due
    }
}

/// Moves what is shown on to a pose, so that it is there in `left` updates, this one counted; in a straight line, matrix by
/// matrix.
pub(crate) fn move_on(shown: &mut [Mat4], pose: &[Mat4], left: u8) {
    if left <= 1 {
        shown.copy_from_slice(pose);
        return;
    }
    let t = 1.0 / f32::from(left);
    let u = 1.0 - t;
    let (shown, pose): (&mut [f32], &[f32]) = (bytemuck::cast_slice_mut(shown), bytemuck::cast_slice(pose));
    for (shown, pose) in shown.iter_mut().zip(pose) {
        *shown = *shown * u + *pose * t;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEP: Ticks = Ticks(1);

    #[test]
    fn after_as_many_updates_as_are_left_it_is_there_and_every_one_goes_as_far() {
        let of = |v: f32| [Mat4::from_cols_array(&[v; 16]); 3];
        let (mut shown, pose) = (of(1.0), of(5.0));
        for (left, there) in [(4, 2.0), (3, 3.0), (2, 4.0), (1, 5.0)] {
            move_on(&mut shown, &pose, left);
            assert!((shown[2].to_cols_array()[7] - there).abs() < 1e-6);
        }
        assert_eq!(shown, pose);
    }

    #[test]
    fn a_pose_comes_every_n_th_update_the_first_after_a_wait() {
        let mut turn = Turn::FULL;
        turn.set_rate(3, 1);
        let poses: Vec<bool> = (0..8).map(|_| turn.next(STEP, true, false) == Show::Pose).collect();
        assert_eq!(poses, [false, true, false, false, true, false, false, true]);
    }

    #[test]
    fn a_stale_pose_waits_for_no_turn_but_until_it_is_visible() {
        let mut turn = Turn::NEW;
        turn.set_rate(4, 3);
        assert_eq!(turn.next(STEP, false, true), Show::Hold);
        assert_eq!(turn.next(STEP, true, true), Show::Pose);
        assert_eq!(turn.next(STEP, true, true), Show::Hold);
        assert_eq!(turn.next(STEP, true, true), Show::PoseAndMove);
        let left: Vec<_> = (0..5).map(|_| turn.advance(STEP)).collect();
        assert_eq!(left, [Some(4), Some(3), Some(2), Some(1), None]);
        // A step of 0 shows the pose, and what moved is there.
        assert_eq!(turn.next(Ticks::ZERO, true, true), Show::Pose);
    }
}
