//! One-shots: clips that a program plays over a layer.

use super::{Step, risen};
use crate::{
    frame::Entry,
    graph::Graph,
    limits::MAX_SHOTS,
    state::{LayerState, Shot},
};
use lissom::track::Repeat;

impl Shot {
    fn share(&self, graph: &Graph) -> f64 {
        let mut share = risen(self.age_s, self.how.fade_in_s);
        let mut fall = |left_s: f64| {
            let left = if left_s > 0.0 { risen(left_s, self.how.fade_out_s) } else { 0.0 };
            share = if left < share { left } else { share };
        };
        if let Some(stopping_s) = self.stopping_s {
            fall(f64::from(self.how.fade_out_s) - stopping_s);
        }
        if self.how.repeat == Repeat::Once {
            let left = 1.0 - (self.head.lap() as f64 + self.head.progress_s());
            fall(left / self.laps_per_s(graph));
        }
        share
    }

    fn laps_per_s(&self, graph: &Graph) -> f64 {
        let duration_s = graph.clips[usize::from(self.clip)].duration_s;
        let speed = f64::from(self.how.speed);
        if duration_s > 0.0 { speed / duration_s } else { speed }
    }

    /// True if it has gone for good.
    fn is_over(&self) -> bool {
        let stopped = self.stopping_s.is_some_and(|since_s| since_s >= f64::from(self.how.fade_out_s));
        stopped || (self.how.repeat == Repeat::Once && self.head.lap() > 0)
    }
}

impl Step<'_> {
    /// One-shots go on and become entries; returns what they leave of the layer, and what they take.
    pub(super) fn shots(&mut self, number: usize, layer: &mut LayerState) -> (f64, f64) {
        let begin = self.frame.entries.len();
        let mut shares = [0.0; MAX_SHOTS];
        for (shot, share) in layer.shots.as_mut_slice().iter_mut().zip(&mut shares) {
            let (from, repeat) = (shot.head, shot.how.repeat);
            shot.head = self.moved(from, repeat, shot.laps_per_s(self.graph), None);
            shot.age_s += self.dt_s;
            shot.stopping_s = shot.stopping_s.map(|since_s| since_s + self.dt_s);
            *share = shot.share(self.graph);
            let (clip, layer, to) = (shot.clip, number as u16, shot.head);
            self.frame.entries.push(Entry { clip, layer, weight: 0.0, repeat, from, to });
        }
        // The newest first.
        let (mut left, mut seen) = (1.0, 0.0);
        for share in shares.iter_mut().rev() {
            let own = left * *share;
            left *= 1.0 - *share;
            seen += own;
            *share = own;
        }
        // Alone in their layer they share all of it.
        let alone = layer.voices.as_slice().is_empty() && seen > 0.0;
        for (entry, share) in self.frame.entries[begin..].iter_mut().zip(shares) {
            entry.weight = (if alone { share / seen } else { share }) as f32;
        }
        if self.dt_s > 0.0 {
            layer.shots.retain(|shot| !shot.is_over());
        }
        (left, seen)
    }
}
