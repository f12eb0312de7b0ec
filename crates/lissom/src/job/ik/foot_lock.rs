//! A foot that stays where it came down.

use crate::job::{
    JobError,
    error::{finite_vector, not_below_0},
};
use lissom_math::{
    Vec3,
    scalar::{add, length, scale, sub},
};

/// What is remembered of a foot that may be held: plain numbers, to be saved and compared.
///
/// While a foot is in contact (a marker of the clip says so) it stays where it came down; when it is lifted,
/// what it is then off the motion fades out. It never jumps: a foot that comes down while something is left
/// is held where it is.
///
/// A foot is held by one point ([`FootLock::update`]), or by heel and ball in turn ([`FootLock::roll`]).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FootLock {
    /// Where it is held, in world space.
    pub place: Vec3,
    /// What it was off the motion when it was let go.
    pub offset: Vec3,
    /// What is left of that, from 1 to 0.
    pub left: f32,
    /// True while it is held.
    pub held: bool,
    /// True if it was torn off: it is not held again before it has been lifted.
    pub torn: bool,
    /// True if the ball of the foot is what is held, false for the heel; for [`FootLock::roll`].
    pub on_ball: bool,
}

/// How feet are held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootLockRule {
    /// Seconds in which a foot that is let go comes back to the motion; 0: at once.
    pub release_s: f32,
    /// Metres that a held foot may be off the motion; beyond, it is torn off.
    pub reach_m: f32,
}

impl Default for FootLockRule {
    /// A fifth of a second, a quarter of a metre.
    fn default() -> Self {
        Self { release_s: 0.2, reach_m: 0.25 }
    }
}

/// Metres by which the other end of a foot must be lower before the foot rolls onto it.
const ROLL_M: f32 = 0.005;

impl FootLock {
    /// Where a foot shall be, given where the motion has it, in world space, and whether it is in contact. No
    /// time: nothing changes.
    ///
    /// # Errors
    ///
    /// [`JobError::Value`]: a number is NaN or infinite, or a time or length below 0. Nothing has changed.
    pub fn update(
        &mut self,
        foot: Vec3,
        contact: bool,
        dt_s: f32,
        rule: &FootLockRule,
    ) -> Result<Vec3, JobError> {
        finite_vector("foot", foot)?;
        not_below_0("dt_s", 0, dt_s)?;
        not_below_0("release_s", 0, rule.release_s)?;
        not_below_0("reach_m", 0, rule.reach_m)?;
        finite_vector("place", self.place)?;
        finite_vector("offset", self.offset)?;
        not_below_0("left", 0, self.left)?;
        let mut next = *self;
        if dt_s > 0.0 {
            if !next.held {
                let faded = if dt_s < rule.release_s { dt_s / rule.release_s } else { 1.0 };
                next.left = if next.left > faded { next.left - faded } else { 0.0 };
            }
            next.torn &= contact;
            if contact && !next.held && !next.torn {
                (next.place, next.held) = (add(foot, next.off()), true);
            }
            let off = sub(next.place, foot);
            if next.held && (!contact || length(off) > rule.reach_m) {
                (next.offset, next.left, next.held, next.torn) = (off, 1.0, false, contact);
            }
        }
        *self = next;
        Ok(if next.held { next.place } else { add(foot, next.off()) })
    }

    /// The same for a foot that rolls: its heel and its ball, where the motion has them. It is held by the one that is lower (y is
    /// up), and goes from one to the other without a jump. Returns what the foot shall be off the motion.
    ///
    /// # Errors
    ///
    /// Those of [`FootLock::update`].
    pub fn roll(
        &mut self,
        heel_and_ball: [Vec3; 2],
        contact: bool,
        dt_s: f32,
        rule: &FootLockRule,
    ) -> Result<Vec3, JobError> {
        heel_and_ball.into_iter().try_for_each(|point| finite_vector("foot", point))?;
        let mut next = *self;
        let [heel, ball] = heel_and_ball;
        let (own, other) = if self.on_ball { (ball, heel) } else { (heel, ball) };
        let mut point = own;
        if dt_s > 0.0 && other.y + ROLL_M < own.y {
            (next.on_ball, point) = (!self.on_ball, other);
            next.place = add(next.place, sub(other, own));
        }
        let place = next.update(point, contact, dt_s, rule)?;
        *self = next;
        Ok(sub(place, point))
    }

    /// What is left of the offset: it starts and ends without speed.
    fn off(&self) -> Vec3 {
        let t = self.left;
        scale(self.offset, t * t * t * (10.0 + t * (6.0 * t - 15.0)))
    }
}
