//! Where members are, and how much care is taken of each: whether it is seen, how often it is posed, with how many joints.

use super::{
    Crowd, CrowdError, Detail, DetailStep, Level, Member,
    error::{same_length, value},
    members::Members,
};
use crate::RootStep;
use lissom::{JointLod, job::LocalToModelJob, player::PlayError};

impl Crowd {
    /// Where a member stands.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn place(&self, member: Member) -> Result<&RootStep, CrowdError> {
        Ok(&self.members.places[self.members.find(member)?])
    }

    /// Puts a member somewhere.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a place that is not finite.
    pub fn set_place(&mut self, member: Member, place: RootStep) -> Result<(), CrowdError> {
        self.set_places(&[member], &[place])
    }

    /// Puts several somewhere.
    ///
    /// # Errors
    ///
    /// Those of [`Crowd::set_place`]; other numbers of members and places. Nobody has then moved.
    pub fn set_places(&mut self, members: &[Member], places: &[RootStep]) -> Result<(), CrowdError> {
        same_length("places", places.len(), members.len())?;
        places.iter().try_for_each(check_place)?;
        self.with_each(members, |all, at, i| all.places[at] = places[i])
    }

    /// The step that a member made in the last update, in the space that it stands in.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn root_step(&self, member: Member) -> Result<&RootStep, CrowdError> {
        Ok(&self.members.steps[self.members.find(member)?])
    }

    /// Whether root motion moves a member's place; at first it does. Who steers it otherwise takes [`Crowd::root_step`].
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn set_travels(&mut self, members: &[Member], travels: bool) -> Result<(), CrowdError> {
        self.with_each(members, |all, at, _| all.cares[at].travels = travels)
    }

    /// Whether members are seen; at first they are. Who is not keeps its time, its events and its way, and is not posed.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; nothing has then changed.
    pub fn set_seen(&mut self, members: &[Member], seen: bool) -> Result<(), CrowdError> {
        self.with_each(members, |all, at, _| {
            all.cares[at].show(seen);
        })
    }

    /// Poses members every n-th update only; in between they hold their pose, or move to it ([`Outputs::between`](super::Outputs::between)), while time, events
    /// and their way go on. The i-th of the list has its turn i updates from now, so that they do not all have it at once.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; 0 updates. Nothing has then changed.
    pub fn set_rate(&mut self, members: &[Member], every: u8) -> Result<(), CrowdError> {
        if every == 0 {
            return Err(value("every", 0.0, "1 to 255"));
        }
        self.with_each(members, |all, at, i| {
            all.cares[at].turn.set_rate(every, (i % usize::from(every)) as u8);
        })
    }

    /// How fast time goes for members: 1 at first, 2 twice as fast. At 0 they stand still: nothing is computed for them, not even a
    /// decision, until they go on; what they are told meanwhile counts from then on, a state or clips that are put back are
    /// shown at once.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a pace that is negative, NaN or infinite. Nothing has then changed.
    pub fn set_pace(&mut self, members: &[Member], pace: f32) -> Result<(), CrowdError> {
        if !(pace.is_finite() && pace >= 0.0) {
            return Err(value("pace", pace.into(), "finite, at least 0; a negative speed plays backward"));
        }
        self.with_each(members, |all, at, _| all.cares[at].pace = pace)
    }

    /// The number of the update that posed a member, or moved it to its pose: as long as it stays, so do its matrices. 0 before the
    /// first.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`].
    pub fn posed_in(&self, member: Member) -> Result<u64, CrowdError> {
        Ok(self.members.cares[self.members.find(member)?].posed_in)
    }

    /// A level of detail, for [`Crowd::set_level`]. Level 0 has all joints.
    ///
    /// # Errors
    ///
    /// A level that was made for another skeleton; more than 255.
    pub fn add_level(&mut self, lod: JointLod) -> Result<u8, CrowdError> {
        let full = CrowdError::Full { what: "levels" };
        let number = u8::try_from(self.levels.len() + 1).map_err(|_| full)?;
        let (skeleton, mut models) = (self.body.skeleton(), self.rest.clone());
        let job = LocalToModelJob::new(skeleton, skeleton.rest_pose(), &mut models);
        LocalToModelJob { lod: Some(&lod), ..job }.validate().map_err(PlayError::from)?;
        self.levels.push(Level::new(lod, skeleton, &self.binds));
        self.workers.iter_mut().for_each(|worker| worker.add_level(skeleton));
        Ok(number)
    }

    /// How detailed members are, from the next update on, whosever turn it is. Joints that a level has not keep the matrices that
    /// they had; in palettes they move with the nearest joint above them that it has.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a level that this crowd has not. Nothing has then changed.
    pub fn set_level(&mut self, members: &[Member], level: u8) -> Result<(), CrowdError> {
        self.check_level(level)?;
        self.with_each(members, |all, at, _| {
            all.cares[at].set_level(level);
        })
    }

    fn check_level(&self, level: u8) -> Result<(), CrowdError> {
        if usize::from(level) <= self.levels.len() {
            return Ok(());
        }
        Err(value("level", level.into(), "0, or what `add_level` gave"))
    }

    /// Sets level of detail, rate and visibility by how large each member is on the screen: see [`Detail::share_of_screen`]. A member whose
    /// rate stays keeps its turn.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; other numbers of members and shares; a level that this crowd has not. Nothing has then changed.
    pub fn set_detail(
        &mut self,
        members: &[Member],
        shares: &[f32],
        detail: &Detail,
    ) -> Result<(), CrowdError> {
        same_length("shares", shares.len(), members.len())?;
        detail.steps().iter().try_for_each(|step| self.check_level(step.level))?;
        self.with_each(members, |all, at, i| {
            let care = &mut all.cares[at];
            let step = detail.step(shares[i]);
            care.show(step.is_some());
            if let Some(DetailStep { level, every, .. }) = step {
                care.set_level(*level);
                if care.turn.every() != *every {
                    care.turn.set_rate(*every, (i % usize::from(*every)) as u8);
                }
            }
        })
    }

    /// Finds everybody before anything is done.
    fn with_each(
        &mut self,
        members: &[Member],
        mut each: impl FnMut(&mut Members, usize, usize),
    ) -> Result<(), CrowdError> {
        members.iter().try_for_each(|member| self.members.find(*member).map(|_| ()))?;
        for (i, member) in members.iter().enumerate() {
            each(&mut self.members, member.index(), i);
        }
        Ok(())
    }
}

pub(super) fn check_place(place: &RootStep) -> Result<(), CrowdError> {
    let numbers = place.translation.iter().chain(&place.rotation);
    match numbers.copied().find(|number| !number.is_finite()) {
        Some(number) => Err(value("place", number, "finite numbers")),
        None => Ok(()),
    }
}
