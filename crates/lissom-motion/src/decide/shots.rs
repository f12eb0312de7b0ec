//! One-shots: clips and montages that a program plays over a layer.
//!
//! What a layer's one-shots leave to its states is known three times: as the frame shows it, as it was while the step was made, and as it was
//! before those that come or go by inertia did so in this step. Without these, the three are the same.

use super::{Step, risen};
use crate::{
    frame::{Change, Entry, What, until, within},
    graph::{ClipKey, Course, Graph, Montage, RootUse, SectionKey, ShotOf},
    limits::{MAX_JUMPS, MAX_SHOTS},
    state::{LayerState, Shot},
    time::{Head, Laps, Rate, Ticks},
};
use lissom::track::{Playhead, Repeat};

/// Sections that a one-shot goes through in one step, at most; then it waits where it is.
const MAX_SECTIONS_A_STEP: usize = 4096;

/// Shares of a step that differ by less are one time: they were rounded on different ways.
const SAME_TIME: f64 = 1.0e-9;

/// Something of a layer: as it is shown, as it was in the step, and before changes by inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Thrice {
    pub now: f64,
    pub heard: f64,
    pub before: f64,
}

impl Thrice {
    pub const ALL: Self = Self { now: 1.0, heard: 1.0, before: 1.0 };
    const NONE: Self = Self { now: 0.0, heard: 0.0, before: 0.0 };
}

/// What the one-shots of a layer leave to its states, and what they take.
pub(super) struct Shared {
    pub left: Thrice,
    pub seen: Thrice,
}

/// A one-shot in this step.
#[derive(Clone, Copy, Debug, Default)]
struct Playing {
    /// Its entries in the frame: sections that it left, then what it plays.
    entries: (usize, usize),
    /// When in the step it came to its end, if it did.
    ended: Option<f64>,
    /// It has begun in this step.
    begins: bool,
    over: bool,
}

impl Shot {
    fn share(&self, graph: &Graph) -> f64 {
        if self.inertial {
            return 1.0;
        }
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

    /// Without time it is a cut.
    fn comes_by_inertia(&self) -> bool {
        self.inertial && self.fade_in_s > 0.0
    }

    fn goes_by_inertia(&self) -> bool {
        self.inertial && self.fade_out_s > 0.0
    }

    /// Seconds until its end; none for what repeats.
    fn left_s(&self, graph: &Graph) -> Option<f64> {
        let laps = match graph.montage_of(self.plays) {
            Some(montage) => montage.left(self.section, self.head, self.course)?,
            None if self.repeat == Repeat::Once => 1.0 - self.head.laps(),
            None => return None,
        };
        Some(laps / self.laps_per_s(graph))
    }

    /// True if it fades out before a step is over.
    fn gives_way(&self, graph: &Graph, step_s: f64) -> bool {
        let left_s = self.left_s(graph).unwrap_or(f64::INFINITY);
        let fade_s = if self.inertial { 0.0 } else { f64::from(self.fade_out_s) };
        self.is_stopped() || left_s - step_s < fade_s
    }

    fn laps_per_s(&self, graph: &Graph) -> f64 {
        let duration_s = graph.clips[usize::from(graph.clip_of(self.plays))].duration_s;
        let speed = f64::from(self.speed);
        if duration_s > 0.0 { speed / duration_s } else { speed }
    }

    /// If it has gone for good: whether by itself or since it was stopped, and when in the step. `ended` is when it came to its end.
    fn over(&self, graph: &Graph, dt_s: f64, ended: Option<f64>) -> Option<(What<'static>, f64)> {
        let (clip, fade_s) = (ClipKey(graph.clip_of(self.plays)), f64::from(self.fade_out_s));
        let stopped = if self.inertial {
            // It goes at the end of the step, as a state does that is left by inertia.
            self.is_stopped().then_some(1.0)
        } else {
            let since_s = self.is_stopped().then(|| self.age.minus(self.stopped_at).seconds());
            let stopped = since_s.filter(|since_s| *since_s >= fade_s);
            stopped.map(|since_s| within(1.0 - (since_s - fade_s) / dt_s))
        };
        match (stopped, ended) {
            (Some(stopped), Some(ended)) if ended <= stopped + SAME_TIME => {
                Some((What::ShotEnded(clip), ended))
            }
            (Some(stopped), _) => Some((What::ShotInterrupted(clip), stopped)),
            (None, ended) => ended.map(|ended| (What::ShotEnded(clip), ended)),
        }
    }
}

impl Step<'_> {
    /// One-shots go on and become entries.
    pub(super) fn shots(&mut self, number: usize, layer: &mut LayerState) -> Shared {
        if self.dt_s > 0.0 {
            let gives_way = |shot: &Shot| shot.gives_way(self.graph, self.dt_s);
            if let Some(next) = layer.queued.take_if(|_| layer.shots.as_slice().iter().all(gives_way)) {
                layer.push_shot(next.begin(self.graph));
            }
            if let Some(out) = layer.pushed_out.take() {
                let clip = self.graph.clip_of(out.plays);
                self.tell(number, What::ShotInterrupted(ClipKey(clip)), 0.0, 0.0);
                self.frame.dropped.push(Entry::dropped(clip, number, out.repeat, out.head().playhead()));
            }
        }
        if layer.shots.as_slice().is_empty() {
            return Shared { left: Thrice::ALL, seen: Thrice::NONE };
        }
        let mut all = [Playing::default(); MAX_SHOTS];
        for (shot, playing) in layer.shots.as_mut_slice().iter_mut().zip(&mut all) {
            *playing = self.shot(number, shot);
        }
        if self.dt_s > 0.0 {
            for (shot, playing) in layer.shots.as_slice().iter().zip(&mut all) {
                self.end_shot(number, shot, playing);
            }
        }
        // A layer without states is there as far as its one-shots are.
        let alone = self.graph.layers[number].states.is_empty();
        let shared = self.share_shots(layer.shots.as_slice(), &all, alone);
        let mut nth = 0;
        layer.shots.retain(|_| {
            nth += 1;
            !all[nth - 1].over
        });
        shared
    }

    /// Whether a one-shot is over after the step.
    fn end_shot(&mut self, number: usize, shot: &Shot, playing: &mut Playing) {
        let Some((what, share)) = shot.over(self.graph, self.dt_s, playing.ended) else { return };
        self.tell(number, what, share, 0.0);
        self.frame.entries[playing.entries.1 - 1].goes = Some(1.0);
        playing.over = true;
        if shot.goes_by_inertia() {
            self.note_shot_inertia(shot.fade_out_s);
        }
    }

    /// Gives the entries of a layer's one-shots their weights: the newest takes its share first.
    fn share_shots(&mut self, shots: &[Shot], all: &[Playing], alone: bool) -> Shared {
        let own = |i: usize| shots[i].share(self.graph);
        let heard = Taken::new(shots.len(), alone, own);
        let changes = |(shot, one): (&Shot, &Playing)| shot.inertial && (one.begins || one.over);
        let (now, before) = if shots.iter().zip(all).any(changes) {
            let gone = |i: usize| shots[i].inertial && all[i].over;
            let now = Taken::new(shots.len(), alone, |i| if gone(i) { 0.0 } else { own(i) });
            let was_not = |i: usize| all[i].begins && shots[i].comes_by_inertia();
            let before = Taken::new(shots.len(), alone, |i| {
                let cut = gone(i) && !shots[i].goes_by_inertia();
                if was_not(i) || cut { 0.0 } else { own(i) }
            });
            (now, before)
        } else {
            (heard, heard)
        };
        for (i, playing) in all.iter().enumerate().take(shots.len()) {
            let (first, end) = playing.entries;
            // Of a jump by inertia the section that was left.
            let old = if shots[i].comes_by_inertia() && end - first > 1 { end - 2 } else { end - 1 };
            for at in first..end {
                let entry = &mut self.frame.entries[at];
                // Sections that were left are heard alone.
                entry.weight = if at + 1 == end { now.shares[i] as f32 } else { 0.0 };
                entry.heard = heard.shares[i] as f32;
                if let Some(change) = self.frame.changes.get_mut(at) {
                    change.old_weight = if at == old { before.shares[i] as f32 } else { 0.0 };
                }
            }
        }
        Shared {
            left: Thrice { now: now.left, heard: heard.left, before: before.left },
            seen: Thrice { now: now.seen, heard: heard.seen, before: before.seen },
        }
    }

    /// One of them.
    fn shot(&mut self, number: usize, shot: &mut Shot) -> Playing {
        let graph = self.graph;
        let (begin, from) = (self.frame.entries.len(), shot.head);
        let begins = shot.age == Ticks::ZERO && self.step > Ticks::ZERO;
        let clip = graph.clip_of(shot.plays);
        if begins {
            self.tell(number, What::ShotBegan(ClipKey(clip)), 0.0, 0.0);
        }
        let montage = graph.montage_of(shot.plays);
        let laps_per_s = shot.laps_per_s(graph);
        let ended = match montage {
            None => {
                shot.head = self.moved(from, shot.repeat, laps_per_s, None);
                let until = until(shot.repeat, from, shot.head, Rate::of(laps_per_s).over(self.step));
                let [from, to] = [from, shot.head].map(Head::playhead);
                let entry = Entry::new(clip, number, shot.repeat, from, RootUse::Take);
                self.push_shot_entry(Entry { to, until, came: begins, ..entry }, None);
                (shot.repeat == Repeat::Once && shot.head.lap > 0).then_some(until)
            }
            Some(montage) => self.montage(number, shot, montage, begins),
        };
        shot.age = shot.age.plus(self.step);
        if begins && shot.comes_by_inertia() {
            self.note_shot_inertia(shot.fade_in_s);
        }
        Playing { entries: (begin, self.frame.entries.len()), ended, begins, over: false }
    }

    /// The same of a montage; says when in the step it came to its end, if it did.
    fn montage(&mut self, number: usize, shot: &mut Shot, montage: &Montage, begins: bool) -> Option<f64> {
        let all = Rate::of(shot.laps_per_s(self.graph)).over(self.step);
        let entry =
            |head: Head| Entry::new(montage.clip, number, Repeat::Once, head.playhead(), montage.root);
        let mut tells = MAX_JUMPS;
        let mut tell = |step: &mut Self, section: u8, share: f64| {
            if tells > 0 {
                tells -= 1;
                step.tell(number, What::SectionBegan(key(shot.plays, section)), share, 0.0);
            }
        };
        if begins {
            tell(self, shot.section, 0.0);
        }
        let (mut left, mut told, mut head) = (all, 0, shot.head);
        let mut now = Entry { came: begins, ..entry(head) };
        let mut ended = None;
        for _ in 0..MAX_SECTIONS_A_STEP {
            if self.step == Ticks::ZERO {
                break;
            }
            let own = montage.section(shot.section);
            let room = head.until(own.to);
            if left < room {
                head = head.gone(left, Repeat::Once);
                break;
            }
            head = own.to;
            if let Course::Jumps(_) = shot.course {
                // It waits there until it jumps.
                now.until = share_of(left.minus(room), all);
                break;
            }
            left = left.minus(room);
            let share = share_of(left, all);
            let Some(next) = montage.following(shot.section, shot.course) else {
                (ended, now.until) = (Some(share), share);
                break;
            };
            (shot.course, shot.section) = (Course::AsDescribed, next);
            tell(self, next, share);
            let begin = montage.section(next).from;
            if begin != own.to {
                let old = Entry { to: own.to.playhead(), until: share, goes: Some(share as f32), ..now };
                head = begin;
                now = Entry { came: true, since: share, ..entry(head) };
                told += 1;
                if told <= MAX_JUMPS {
                    self.push_shot_entry(old, None);
                }
                if shot.comes_by_inertia() {
                    self.note_shot_inertia(shot.fade_in_s);
                }
            }
        }
        now.to = head.playhead();
        if let (Course::Jumps(section), true) = (shot.course, self.step > Ticks::ZERO) {
            (shot.course, shot.section) = (Course::AsDescribed, section);
            tell(self, section, 1.0);
            self.push_shot_entry(Entry { goes: Some(1.0), ..now }, None);
            head = montage.section(section).from;
            now = Entry { came: true, since: 1.0, ..entry(head) };
            if shot.comes_by_inertia() {
                self.note_shot_inertia(shot.fade_in_s);
            }
        }
        shot.head = head;
        // What began on the way has not made a whole step yet, which would say how fast it is.
        let whole = (now.since > 0.0).then(|| {
            let [before, after] = [all.back(), all].map(|by| head.gone(by, Repeat::Once).playhead());
            if now.since < 1.0 { (before, now.to) } else { (now.to, after) }
        });
        self.push_shot_entry(now, whole);
        ended
    }

    /// Adds an entry, and from where to where it goes in a whole step, if that is not what it did.
    fn push_shot_entry(&mut self, entry: Entry, step: Option<(Playhead, Playhead)>) {
        self.frame.entries.push(entry);
        if self.graph.is_inertial() {
            let (from, to) = step.unwrap_or((entry.from, entry.to));
            self.frame.changes.push(Change { old_weight: 0.0, from, to });
        }
    }

    fn note_shot_inertia(&mut self, fade_s: f32) {
        let longest = self.frame.inertia_s.filter(|other| *other > fade_s);
        self.frame.inertia_s = longest.or(Some(fade_s));
    }
}

fn key(plays: u16, section: u8) -> SectionKey {
    let montage = match ShotOf::of_code(plays) {
        ShotOf::Montage(key) => key.0,
        ShotOf::Clip(key) => key.0,
    };
    SectionKey { montage, section }
}

/// When in a step so much of its way is left.
fn share_of(left: Laps, all: Laps) -> f64 {
    if all > Laps::NONE { within(1.0 - left.to_f64() / all.to_f64()) } else { 1.0 }
}

/// The shares of a layer's one-shots, what they leave, and what they take together.
#[derive(Clone, Copy)]
struct Taken {
    shares: [f64; MAX_SHOTS],
    left: f64,
    seen: f64,
}

impl Taken {
    fn new(count: usize, alone: bool, own: impl Fn(usize) -> f64) -> Self {
        let mut taken = Self { shares: [0.0; MAX_SHOTS], left: 1.0, seen: 0.0 };
        for i in (0..count).rev() {
            let own = own(i);
            taken.shares[i] = taken.left * own;
            taken.seen += taken.shares[i];
            taken.left *= 1.0 - own;
        }
        // Alone in their layer they share all of it.
        if alone && taken.seen > 0.0 {
            taken.shares = taken.shares.map(|share| share / taken.seen);
        }
        taken
    }
}
