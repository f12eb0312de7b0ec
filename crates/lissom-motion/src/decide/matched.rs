//! States that are played by motion matching: where they begin, and where a search leads them.

use super::{
    Step,
    voices::{Playing, Voices},
};
use crate::{
    frame::Entry,
    graph::{Asking, Entered, Fade, Interruption, Matched, State},
    state::{Coming, Float, TrajectoryPoint},
};

impl Step<'_> {
    /// What a matched state begins with, after the clips of a frame; none for another state.
    pub(super) fn enter_matched(&mut self, state: u16, playing: &[Playing]) -> Option<Entered> {
        let graph = self.graph;
        let of = graph.state(state);
        let matched = graph.matched_of(of)?;
        // What is seen most of what played before.
        let mut shown: Option<&Entry> = None;
        if let Some(last) = playing.last() {
            for entry in &self.frame.entries[last.entries.0..last.entries.1] {
                if shown.is_none_or(|other| entry.weight > other.weight) {
                    shown = Some(entry);
                }
            }
        }
        let place = |entry: &Entry| {
            let duration_s = graph.matched_clip(entry.clip).duration_s;
            (entry.clip, entry.ratio() * duration_s)
        };
        let shown = shown.map(place);
        let number = usize::from(of.matched?);
        let matching = self.matching.as_deref_mut()?;
        let is_led = matching.steering.get(number)?.is_led;
        let points = points(matched, &matching.points);
        let floats = self.floats;
        let float = |at: u16| value(floats, at);
        let asking = Asking { graph, state: of, matched, points, float };
        let entered = if self.may_search {
            let mut entered = asking.enter(shown, is_led);
            entered.steering.searches = 1;
            entered
        } else {
            asking.enter_without_search(shown, is_led)
        };
        *matching.steering.get_mut(number)? = entered.steering;
        Some(entered)
    }

    /// Makes the searches of a layer that are due, and goes where they lead; true if that is elsewhere.
    pub(super) fn search(&mut self, number: usize, playing: &mut Voices) -> bool {
        let graph = self.graph;
        let Some(lead) = playing.as_slice().last() else { return false };
        let of: &State = graph.state(lead.voice.state);
        let (Some(matched), true) = (graph.matched_of(of), self.may_search) else { return false };
        let (clip, to_s) = (lead.voice.clip, lead.voice.age.seconds());
        let Some(matching) = self.matching.as_deref_mut() else { return false };
        let (points, floats) = (points(matched, &matching.points), self.floats);
        let steering = of.matched.and_then(|at| matching.steering.get_mut(usize::from(at)));
        let Some(steering) = steering else { return false };
        let asking = Asking { graph, state: of, matched, points, float: |at: u16| value(floats, at) };
        let Some((clip, head)) = asking.search(clip, steering, to_s - self.dt_s, to_s) else { return false };
        let inertial = self.note_inertia(
            Coming {
                fade_s: matched.blend_s,
                fade: Fade::Smooth,
                interruption: Interruption::Target,
                inertial: true,
            },
            playing,
        );
        let Some(lead) = playing.as_mut_slice().last_mut() else { return inertial };
        // Its entry is the last one: what it leaves, then what it goes to.
        if let Some(old) = self.frame.entries[lead.entries.0..lead.entries.1].last_mut() {
            (old.weight, old.goes) = (0.0, Some(1.0));
        }
        (lead.voice.clip, lead.voice.head, lead.voice.points, lead.jumped) = (clip, head, 0, true);
        let repeat = graph.repeat_of(lead.voice.state, clip);
        self.frame.entries.push(Entry::new(clip, number, repeat, head.playhead(), of.root));
        lead.entries.1 += 1;
        lead.laps_per_s = graph.laps_per_s_of(clip);
        inertial
    }
}

fn points<'p>(matched: &Matched, points: &'p [TrajectoryPoint]) -> &'p [TrajectoryPoint] {
    points.get(matched.points.start as usize..matched.points.end as usize).unwrap_or_default()
}

fn value(floats: &[Float], at: u16) -> f32 {
    floats[usize::from(at)].value
}
