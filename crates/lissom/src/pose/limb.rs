//! Arms and legs: two bones that reach, hold and stay.

use super::{
    Pose, RigError,
    human::{Human, rest_models},
};
use crate::{
    Skeleton,
    bones::{Part, Side},
    job::{
        ArmCorrection, FootLock, FootLockRule, HandJob, JobError, TwoBoneCorrection, TwoBoneIkJob,
        kernel::turn::{any_across, direction, point, unit},
    },
};
use lissom_math::{
    Mat34, Vec3,
    scalar::{add, cross, length, neg, scale, sub},
};

/// Two bones with a joint between them that bends about one axis: an arm, a leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limb {
    /// Shoulder, elbow and hand; or hip, knee and ankle.
    pub joints: [usize; 3],
    /// About which the middle joint opens, in its own space, where the pose is straight. A pose that is bent tells it
    /// itself, so that a knee never bends the wrong way.
    pub axis: Vec3,
    /// Heel and ball of a foot, in the space of the last joint: what [`Pose::plant`] holds on the ground. Both 0: the joint itself.
    pub sole: [Vec3; 2],
}

/// How a limb reaches; for [`Pose::reach_with`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// Where the end of the limb shall be, in model space.
    pub target: Vec3,
    /// The side to which the middle joint shall point, a direction in model space; `None`: as the pose has it.
    pub pole: Option<Vec3>,
    /// Share of the limb's length from which on it straightens ever slower, in [0, 1]; 1: never.
    pub soften: f32,
    /// How much of it, in [0, 1].
    pub weight: f32,
}

/// Sine of the bend below which a limb does not tell its own axis, and of that from which on it alone tells it.
const BENT: [f32; 2] = [0.05, 0.15];

impl Limb {
    /// Of joints by name, from the body outwards. It bends as it does in the rest pose; if it is straight there, its middle
    /// joint goes to this side, a direction in model space.
    ///
    /// # Errors
    ///
    /// A name that no joint has; joints that do not hang on each other.
    pub fn new(skeleton: &Skeleton, names: [&str; 3], bends_to: Vec3) -> Result<Self, RigError> {
        let [start, mid, end] = names.map(|name| RigError::joint(skeleton, name));
        Self::of_joints(skeleton, [start?, mid?, end?], bends_to)
    }

    /// The same of joints by number. Panics if there is no such joint.
    ///
    /// # Errors
    ///
    /// Joints that do not hang on each other.
    pub fn of_joints(skeleton: &Skeleton, joints: [usize; 3], bends_to: Vec3) -> Result<Self, RigError> {
        Self::at_rest(skeleton, &rest_models(skeleton), joints, bends_to)
    }

    /// The left or right arm of a human.
    ///
    /// # Errors
    ///
    /// Bones that no joint is known to be.
    pub fn arm(skeleton: &Skeleton, side: Side) -> Result<Self, RigError> {
        Self::of_human(skeleton, &Human::new(skeleton)?, [Part::UpperArm, Part::LowerArm, Part::Hand], side)
    }

    /// The left or right leg of a human. Its sole lies on the floor of the rest pose: the ball below the toes, the heel behind the ankle
    /// by a third of the way from ankle to toes.
    ///
    /// # Errors
    ///
    /// Bones that no joint is known to be.
    pub fn leg(skeleton: &Skeleton, side: Side) -> Result<Self, RigError> {
        Self::of_human(skeleton, &Human::new(skeleton)?, [Part::UpperLeg, Part::LowerLeg, Part::Foot], side)
    }

    pub(super) fn of_human(
        skeleton: &Skeleton,
        human: &Human,
        parts: [Part; 3],
        side: Side,
    ) -> Result<Self, RigError> {
        let joints = human.bones(&parts, side)?;
        // Knees go forward, elbows back.
        let bends_to = if parts[2] == Part::Foot { human.forward } else { neg(human.forward) };
        let limb = Self::at_rest(skeleton, &human.models, [joints[0], joints[1], joints[2]], bends_to)?;
        let toes = if parts[2] == Part::Foot { human.bone(Part::Toes, side) } else { None };
        let [hip, _, ankle] = limb.joints;
        let (Some(toes), Some(into)) = (toes, human.models[ankle].inverse()) else { return Ok(limb) };
        let y = human.floor(skeleton, hip, ankle);
        let [below, ball] = [ankle, toes].map(|joint| Vec3 { y, ..human.models[joint].translation() });
        let heel = add(below, scale(sub(below, ball), 1.0 / 3.0));
        Ok(Self { sole: [heel, ball].map(|place| point(&into, place)), ..limb })
    }

    fn at_rest(
        skeleton: &Skeleton,
        rest: &[Mat34],
        joints: [usize; 3],
        bends_to: Vec3,
    ) -> Result<Self, RigError> {
        let [start, mid, end] = joints;
        RigError::hangs(skeleton, start, mid)?;
        RigError::hangs(skeleton, mid, end)?;
        let matrices = joints.map(|joint| rest[joint]);
        let straight = matrices[1].inverse().and_then(|into| {
            let [up, down] = ways(&into, &matrices);
            let side = Vec3::from_array(into.mul_vector(bends_to.to_array()));
            direction(cross(side, sub(up?, down?)))
        });
        let any = || ways(&matrices[1].inverse().unwrap_or(Mat34::IDENTITY), &matrices)[1].map(any_across);
        let axis = straight.or_else(any).unwrap_or(Vec3::X);
        let own = Self { joints, axis, sole: [Vec3::ZERO; 2] };
        Ok(Self { axis: own.axis_of(&matrices), ..own })
    }

    /// About which the middle joint opens in a pose, in its own space.
    pub(super) fn axis_of(&self, matrices: &[Mat34; 3]) -> Vec3 {
        let Some(into) = matrices[1].inverse() else { return self.axis };
        let [Some(up), Some(down)] = ways(&into, matrices) else { return self.axis };
        let bent = cross(up, down);
        let sine = length(bent);
        let share = unit((sine - BENT[0]) / (BENT[1] - BENT[0]));
        let Some(own) = direction(bent).filter(|_| share > 0.0) else { return self.axis };
        direction(add(scale(self.axis, 1.0 - share), scale(own, share))).unwrap_or(own)
    }
}

/// From the middle joint to the others, in its own space.
fn ways(into: &Mat34, [start, _, end]: &[Mat34; 3]) -> [Option<Vec3>; 2] {
    [start, end].map(|joint| direction(point(into, joint.translation())))
}

impl Reach {
    /// All of the way to a place, as the pose bends.
    #[must_use]
    pub fn to(target: Vec3) -> Self {
        Self { target, pole: None, soften: 1.0, weight: 1.0 }
    }
}

impl Pose<'_> {
    /// Brings the end of a limb to a place in model space, with this much of the way. True if it was reached.
    ///
    /// # Errors
    ///
    /// A number that is NaN or infinite; joints of another skeleton. Nothing has then changed.
    pub fn reach(&mut self, limb: &Limb, target: Vec3, weight: f32) -> Result<bool, JobError> {
        self.reach_with(limb, &Reach { weight, ..Reach::to(target) })
    }

    /// The same with all that can be said.
    ///
    /// # Errors
    ///
    /// Those of [`Pose::reach`]; `soften` outside [0, 1].
    pub fn reach_with(&mut self, limb: &Limb, how: &Reach) -> Result<bool, JobError> {
        let Some(matrices) = self.limb(limb)? else { return Ok(false) };
        let mut found = TwoBoneCorrection::default();
        let [start, mid, end] = &matrices;
        let job = TwoBoneIkJob::new([start, mid, end], how.target, &mut found);
        let (mid_axis, pole) = (limb.axis_of(&matrices), how.pole.unwrap_or(Vec3::ZERO));
        TwoBoneIkJob { mid_axis, pole, soften: how.soften, weight: how.weight, ..job }.run()?;
        self.turn(limb.joints[0], found.start)?;
        self.turn(limb.joints[1], found.mid)?;
        Ok(found.reached)
    }

    /// Brings a hand to a grip: its place and its axes, in model space. True if it was reached.
    ///
    /// # Errors
    ///
    /// A number that is NaN or infinite; joints of another skeleton. Nothing has then changed.
    pub fn hold(&mut self, limb: &Limb, grip: &Mat34, weight: f32) -> Result<bool, JobError> {
        let Some(matrices) = self.limb(limb)? else { return Ok(false) };
        let mut found = ArmCorrection::default();
        let [shoulder, elbow, hand] = &matrices;
        let job = HandJob::new([shoulder, elbow, hand], grip, &mut found);
        HandJob { elbow_axis: limb.axis_of(&matrices), weight, ..job }.run()?;
        let turns = [found.shoulder, found.elbow, found.hand];
        limb.joints.into_iter().zip(turns).try_for_each(|(joint, by)| self.turn(joint, by))?;
        Ok(found.reached)
    }

    /// Keeps a foot where it came down, as long as it is in contact; `world` is where the character stands. The foot keeps its turn,
    /// and rolls from heel to ball: see [`FootLock::roll`]. True while the foot is held.
    ///
    /// # Errors
    ///
    /// A number that is NaN or infinite, a time or length below 0; joints of another skeleton. Nothing has then changed.
    pub fn plant(
        &mut self,
        limb: &Limb,
        lock: &mut FootLock,
        rule: &FootLockRule,
        contact: bool,
        world: &Mat34,
        dt_s: f32,
    ) -> Result<bool, JobError> {
        let Some([.., mut foot]) = self.limb(limb)? else { return Ok(false) };
        let Some(into) = world.inverse() else { return Ok(false) };
        let mut next = *lock;
        let sole = limb.sole.map(|own| point(world, point(&foot, own)));
        let off = Vec3::from_array(into.mul_vector(next.roll(sole, contact, dt_s, rule)?.to_array()));
        foot.columns[3] = add(foot.translation(), off).to_array();
        self.hold(limb, &foot, 1.0)?;
        *lock = next;
        Ok(next.held)
    }

    /// The matrices of a limb; `None` if the level of detail leaves a joint out.
    pub(super) fn limb(&mut self, limb: &Limb) -> Result<Option<[Mat34; 3]>, JobError> {
        let [start, mid, end] = limb.joints;
        let matrices = [self.model(start)?, self.model(mid)?, self.model(end)?];
        Ok(self.shows(&limb.joints).then_some(matrices))
    }
}
