//! One-shots: clips that a program plays over a layer.

use super::{Step, risen};
use crate::{
    frame::{Entry, What, until, within},
    graph::{ClipKey, Graph, RootUse},
    limits::MAX_SHOTS,
    state::{LayerState, Shot},
    time::{Head, Rate, Ticks},
};
use lissom::track::Repeat;

impl Shot {
    fn share(&self, graph: &Graph) -> f64 {
        let mut share = risen(self.age.seconds(), self.fade_in_s);
        let mut fall = |left_s: f64| {
            let left = if left_s > 0.0 { risen(left_s, self.fade_out_s) } else { 0.0 };
            share = if left < share { left } else { share };
        };
        if self.is_stopped() {
            fall(f64::from(self.fade_out_s) - self.age.minus(self.stopped_at).seconds());
        }
        if let Some(left_s) = self.left_s(graph) {
            fall(left_s);
        }
        share
    }

    /// Seconds until its end; none for what repeats.
    fn left_s(&self, graph: &Graph) -> Option<f64> {
        (self.repeat == Repeat::Once).then(|| (1.0 - self.head.laps()) / self.laps_per_s(graph))
    }

    /// True if it fades out before a step is over.
    fn gives_way(&self, graph: &Graph, step_s: f64) -> bool {
        let left_s = self.left_s(graph).unwrap_or(f64::INFINITY);
        self.is_stopped() || left_s - step_s < f64::from(self.fade_out_s)
    }

    fn laps_per_s(&self, graph: &Graph) -> f64 {
        let duration_s = graph.clips[usize::from(self.clip)].duration_s;
        let speed = f64::from(self.speed);
        if duration_s > 0.0 { speed / duration_s } else { speed }
    }

    /// If it has gone for good: whether by itself or since it was stopped, and when in the step. `until` is when its head came
    /// to where it is.
    fn over(&self, dt_s: f64, until: f64) -> Option<(What<'static>, f64)> {
        let (clip, fade_s) = (ClipKey(self.clip), f64::from(self.fade_out_s));
        let since_s = self.is_stopped().then(|| self.age.minus(self.stopped_at).seconds());
        let stopped = since_s.filter(|since_s| *since_s >= fade_s);
        let stopped = stopped.map(|since_s| within(1.0 - (since_s - fade_s) / dt_s));
        let ended = (self.repeat == Repeat::Once && self.head.lap > 0).then_some(until);
        match (stopped, ended) {
            (Some(stopped), Some(ended)) if ended <= stopped => Some((What::ShotEnded(clip), ended)),
            (Some(stopped), _) => Some((What::ShotInterrupted(clip), stopped)),
            (None, ended) => ended.map(|ended| (What::ShotEnded(clip), ended)),
        }
    }
}

impl Step<'_> {
    /// One-shots go on and become entries; returns what they leave of the layer, and what they take.
    pub(super) fn shots(&mut self, number: usize, layer: &mut LayerState) -> (f64, f64) {
        let begin = self.frame.entries.len();
        let mut shares = [0.0; MAX_SHOTS];
        if self.dt_s > 0.0 {
            let gives_way = |shot: &Shot| shot.gives_way(self.graph, self.dt_s);
            if let Some(next) = layer.queued.take_if(|_| layer.shots.as_slice().iter().all(gives_way)) {
                layer.push_shot(next.begin());
            }
            if let Some(out) = layer.pushed_out.take() {
                self.tell(number, What::ShotInterrupted(ClipKey(out.clip)), 0.0, 0.0);
                self.frame.dropped.push(Entry::dropped(out.clip, number, out.repeat, out.head().playhead()));
            }
        }
        for (shot, share) in layer.shots.as_mut_slice().iter_mut().zip(&mut shares) {
            let (from, repeat) = (shot.head, shot.repeat);
            let came = shot.age == Ticks::ZERO && self.step > Ticks::ZERO;
            if came {
                self.tell(number, What::ShotBegan(ClipKey(shot.clip)), 0.0, 0.0);
            }
            let laps_per_s = shot.laps_per_s(self.graph);
            shot.head = self.moved(from, repeat, laps_per_s, None);
            let until = until(repeat, from, shot.head, Rate::of(laps_per_s).over(self.step));
            shot.age = shot.age.plus(self.step);
            *share = shot.share(self.graph);
            let (clip, layer, root) = (shot.clip, number as u16, RootUse::Take);
            let [from, to] = [from, shot.head].map(Head::playhead);
            let (weight, goes) = (0.0, None);
            self.frame.entries.push(Entry { clip, layer, weight, repeat, from, to, until, root, came, goes });
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
            let (dt_s, mut at) = (self.dt_s, begin);
            layer.shots.retain(|shot| {
                let until = self.frame.entries[at].until;
                let over = shot.over(dt_s, until);
                if let Some((what, share)) = over {
                    self.tell(number, what, share, 0.0);
                    self.frame.entries[at].goes = Some(1.0);
                }
                at += 1;
                over.is_none()
            });
        }
        (left, seen)
    }
}
