//! Members that are recorded.

use super::{Crowd, CrowdError, Member, members::Mind};
use crate::{
    frame::Event,
    recording::{Recorder, Recording},
};

impl Crowd {
    /// Records what is done to a member from now on: see [`recording`](crate::recording). What was recorded of it before is gone. A replay
    /// plays it as one character. A recording grows with every update, so it allocates.
    ///
    /// # Errors
    ///
    /// [`CrowdError::Unknown`]; a member without a graph.
    pub fn record(&mut self, member: Member) -> Result<(), CrowdError> {
        let (state, memory) = (self.state(member)?, self.memory(member)?);
        let Mind::Graph { graph, .. } = &self.members.minds[member.index()] else {
            return Err(CrowdError::OtherMind { member, expected: "a graph" });
        };
        let graph = &self.casts[usize::from(*graph)].graph;
        let recorder = Recorder::new(self.body.skeleton(), graph, state, memory);
        self.recorders.retain(|(of, _)| *of != member);
        self.recorders.push((member, recorder));
        Ok(())
    }

    /// What has been recorded of a member so far, also of one that went; `None` if it is not recorded.
    #[must_use]
    pub fn recording(&self, member: Member) -> Option<&Recording> {
        self.recorders.iter().find(|(of, _)| *of == member).map(|(_, recorder)| recorder.recording())
    }

    /// Ends the recording of a member, and returns it; `None` if it is not recorded.
    pub fn stop_recording(&mut self, member: Member) -> Option<Recording> {
        let at = self.recorders.iter().position(|(of, _)| *of == member)?;
        Some(self.recorders.swap_remove(at).1.into_recording())
    }

    /// Before an update.
    pub(super) fn begin_records(&mut self) {
        let mut recorders = core::mem::take(&mut self.recorders);
        self.recorded_mixes.clear();
        if !recorders.is_empty() {
            self.recorded_mixes.resize(self.members.slots(), None);
        }
        for (member, recorder) in &mut recorders {
            if let (Ok(state), Ok(memory)) = (self.state(*member), self.memory(*member)) {
                recorder.begin(state, memory);
                self.recorded_mixes[member.index()] = Some(0);
            }
        }
        self.recorders = recorders;
    }

    /// After it.
    pub(super) fn end_records(&mut self, dt_s: f64) {
        let mut recorders = core::mem::take(&mut self.recorders);
        for (member, recorder) in &mut recorders {
            let (Ok(state), Ok(memory), Ok(root)) =
                (self.state(*member), self.memory(*member), self.root_step(*member))
            else {
                continue;
            };
            let mix = self.recorded_mixes.get(member.index()).copied().flatten().unwrap_or_default();
            let dt_s = dt_s * f64::from(self.members.cares[member.index()].pace);
            let events = self.events().filter(|event| event.member == *member).map(|event| Event {
                what: event.what,
                layer: event.layer,
                share: event.share,
                weight: event.weight,
            });
            recorder.end(dt_s, (state, memory), mix, events, root, None);
        }
        self.recorders = recorders;
    }
}
