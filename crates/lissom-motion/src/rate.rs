//! Poses at a fraction of the updates: whose turn it is, and what is shown in between.

use lissom::math::Mat4;

/// When a character is posed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rate {
    /// A pose every so many updates; at least 1.
    pub every: u8,
    /// Updates until the next one.
    pub wait: u8,
}

impl Rate {
    /// In every update.
    pub const FULL: Self = Self { every: 1, wait: 0 };

    /// One more update; true if it is the character's turn.
    pub fn step(&mut self) -> bool {
        let turn = self.wait == 0;
        self.wait = if turn { self.every - 1 } else { self.wait - 1 };
        turn
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
    fn a_turn_comes_every_so_many_updates_the_first_after_a_wait() {
        let mut rate = Rate { every: 3, wait: 1 };
        let turns: Vec<bool> = (0..8).map(|_| rate.step()).collect();
        assert_eq!(turns, [false, true, false, false, true, false, false, true]);
    }
}
