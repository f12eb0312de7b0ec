//! Events through transitions, layers and one-shots, against a naive model on whole numbers.
//!
//! A lap is 256 ticks, a step a number of sixteenths of a second, speeds are halves: everything is exact in f64, so that the
//! model's whole numbers are the same times. The model follows the documentation, keeps every voice in a list and a place on
//! one long line, and looks at every marker of every lap. It has fades, transitions by inertia and transitions in step, states that
//! loop, stop and turn round, blends that drop clips, one-shots of clips and of montages, at any speed and by inertia, layers of any
//! weight, and markers that last. Laps in step by markers are in `sync.rs`.

use super::Played;
use lissom::{
    archive::{Archive, SectionKind},
    track::{Markers, Repeat},
};
use lissom_build::{archive::ArchiveWriter, scene::Marker};
use lissom_motion::{
    Graph, GraphParts,
    frame::What,
    graph::{
        ClipKey, Fade, Interruption, LayerParts, MontageParts, Next, SectionKey, ShotOf, StateParts, Test,
        TransitionParts,
    },
    state::{GraphState, OneShot, ShotKey},
};
use lissom_testkit::rng::Rng;
use std::collections::BTreeMap;

const LAP: i64 = 256;
/// Places of markers, exits and offsets are whole steps of a lap; states in step may stand between them.
const STEP: i64 = 8;
const CLIPS: usize = 5;
const TRIGGERS: usize = 3;
const SWITCHES: usize = 2;
/// Ticks per sixteenth of a second of a one-shot at its own speed.
const PACE: i64 = LAP / 16;
/// What is told of a montage in one step.
const TOLD: usize = 4;

struct StateSpec {
    /// Two are a blend.
    clips: Vec<usize>,
    /// True if a parameter is the weight of the second, rather than a place between them: which is the same.
    direct: bool,
    repeat: Repeat,
    /// Ticks per sixteenth of a second.
    speed: i64,
}

struct WaySpec {
    from: Option<usize>,
    to: usize,
    /// Triggers first, then switches; and what a switch must be.
    when: Vec<(usize, bool)>,
    exit: Option<i64>,
    /// Sixteenths of a second.
    fade: i64,
    interruption: Interruption,
    offset: i64,
    priority: i32,
    inertial: bool,
    sync: bool,
}

struct LayerSpec {
    weight: f32,
    states: Vec<StateSpec>,
    ways: Vec<WaySpec>,
}

/// A clip, where its sections begin, and what follows each.
struct MontageSpec {
    clip: usize,
    sections: Vec<(i64, Option<usize>)>,
}

struct Spec {
    layers: Vec<LayerSpec>,
    montages: Vec<MontageSpec>,
    /// Code may ask for inertia.
    inertia: bool,
    /// Of each clip: ticks, rising, up to and with the end.
    markers: Vec<Vec<i64>>,
    /// How many ticks each of them lasts; 0 for a moment. Some last beyond the end.
    lasts: Vec<Vec<i64>>,
}

/// A place in a lap, or its end.
fn place(rng: &mut Rng) -> i64 {
    rng.below((LAP / STEP) as usize + 1) as i64 * STEP
}

fn flag_name(flag: usize) -> String {
    if flag < TRIGGERS { format!("trigger {flag}") } else { format!("switch {flag}") }
}

impl Spec {
    fn random(rng: &mut Rng) -> Self {
        let layers = (0..1 + rng.below(3)).map(|_| LayerSpec::random(rng)).collect();
        let montages = (0..rng.below(4)).map(|_| MontageSpec::random(rng)).collect();
        let inertia = rng.one_in(2);
        let markers = (0..CLIPS).map(|_| {
            let mut ticks: Vec<i64> = (0..1 + rng.below(5)).map(|_| place(rng)).collect();
            // Places from which something lasts over a turn, or a whole lap.
            if rng.one_in(3) {
                ticks[0] = 0;
            }
            ticks.sort_unstable();
            ticks
        });
        let markers: Vec<Vec<i64>> = markers.collect();
        let mut length = || if rng.one_in(2) { place(rng) } else { 0 };
        let lasts = markers.iter().map(|ticks| ticks.iter().map(|_| length()).collect()).collect();
        Self { markers, lasts, layers, montages, inertia }
    }

    fn parts(&self) -> GraphParts {
        let mut parts = GraphParts { inertia: self.inertia, ..GraphParts::new().float("half", 0.5) };
        for (i, montage) in self.montages.iter().enumerate() {
            parts = parts.montage(montage.parts(&format!("m{i}")));
        }
        for flag in 0..TRIGGERS + SWITCHES {
            let name = flag_name(flag);
            parts = if flag < TRIGGERS { parts.trigger(&name) } else { parts.bool(&name, false) };
        }
        for clip in 0..CLIPS {
            parts = parts.clip(&clip.to_string());
        }
        for (i, layer) in self.layers.iter().enumerate() {
            parts = parts.layer(layer.parts(&i.to_string()));
        }
        parts
    }

    /// As an archive holds them, named by their place.
    fn archive(&self) -> Archive {
        let mut writer = ArchiveWriter::new();
        for (clip, ticks) in self.markers.iter().enumerate() {
            let named = |(i, tick): (usize, &i64)| Marker {
                name: i.to_string(),
                time_s: *tick as f64 / LAP as f64,
                duration_s: self.lasts[clip][i] as f64 / LAP as f64,
            };
            let markers: Vec<Marker> = ticks.iter().enumerate().map(named).collect();
            writer = writer.markers(&clip.to_string(), &markers).unwrap();
        }
        Archive::read(&writer.finish().unwrap()).unwrap()
    }
}

impl MontageSpec {
    fn random(rng: &mut Rng) -> Self {
        let count = 1 + rng.below(4);
        let mut begins: Vec<i64> = (1..count).map(|_| place(rng)).filter(|at| *at > 0 && *at < LAP).collect();
        begins.push(0);
        begins.sort_unstable();
        begins.dedup();
        let count = begins.len();
        let clip = rng.below(CLIPS);
        let next = |(s, from): (usize, i64)| {
            let on = (s + 1 < count).then_some(s + 1);
            let any = Some(rng.below(count));
            (from, [on, on, None, any][rng.below(4)])
        };
        Self { clip, sections: begins.into_iter().enumerate().map(next).collect() }
    }

    fn parts(&self, name: &str) -> MontageParts {
        let mut parts = MontageParts::new(name, &self.clip.to_string());
        for (s, (from, next)) in self.sections.iter().enumerate() {
            let next = next.map_or(Next::End, |next| Next::Section(next.to_string()));
            parts = parts.section(&s.to_string(), *from as f32 / LAP as f32).then(next);
        }
        parts
    }

    fn end(&self, section: usize) -> i64 {
        self.sections.get(section + 1).map_or(LAP, |(from, _)| *from)
    }

    fn section_at(&self, at: i64) -> usize {
        self.sections.iter().rposition(|(from, _)| *from <= at).unwrap()
    }
}

impl LayerSpec {
    fn random(rng: &mut Rng) -> Self {
        // One in five has one-shots alone.
        let count = if rng.one_in(5) { 0 } else { 1 + rng.below(4) };
        let in_step = rng.one_in(3);
        let states = (0..count).map(|_| StateSpec {
            clips: if rng.one_in(3) {
                vec![rng.below(CLIPS), rng.below(CLIPS)]
            } else {
                vec![rng.below(CLIPS)]
            },
            direct: rng.one_in(2),
            repeat: [Repeat::Loop, Repeat::Once, Repeat::PingPong][rng.below(3)],
            speed: [2, 1, 4, -2, 0][rng.below(5)] * STEP,
        });
        let states: Vec<_> = states.collect();
        let mut ways = Vec::new();
        // A chain, so that every state is reached; then whatever comes.
        for to in 1..count {
            ways.push(WaySpec::random(rng, Some(to - 1), to, in_step));
        }
        for _ in 0..rng.below(5).min(count * 5) {
            let from = (!rng.one_in(3)).then(|| rng.below(count));
            let to = rng.below(count);
            ways.push(WaySpec::random(rng, from, to, in_step));
        }
        Self { weight: [1.0, 0.5, 0.25][rng.below(3)], states, ways }
    }

    fn parts(&self, name: &str) -> LayerParts {
        let mut layer = LayerParts { weight: self.weight, ..LayerParts::new(name) };
        for (i, state) in self.states.iter().enumerate() {
            let name = i.to_string();
            let clips: Vec<String> = state.clips.iter().map(ToString::to_string).collect();
            let parts = match &*clips {
                [one] => StateParts::clip(&name, one),
                two if state.direct => StateParts::direct(&name, &two[0], &[("half", &two[1])]),
                two => StateParts::line(&name, "half", &[(0.0, &two[0]), (1.0, &two[1])]),
            };
            let parts = parts.at_speed((state.speed / STEP) as f32 * 0.5);
            layer = layer.state(StateParts { repeat: state.repeat, ..parts });
        }
        for way in &self.ways {
            let from = way.from.map_or(TransitionParts::ANY.into(), |from| from.to_string());
            let mut parts = TransitionParts::new(&from, &way.to.to_string())
                .fade(way.fade as f32 / 16.0)
                .fading(Fade::Linear)
                .offset(way.offset as f32 / LAP as f32)
                .priority(way.priority)
                .interrupted_by(way.interruption);
            parts.exit = way.exit.map(|exit| exit as f32 / LAP as f32);
            (parts.inertial, parts.sync) = (way.inertial, way.sync);
            for (flag, on) in &way.when {
                parts = parts.when(&flag_name(*flag), if *on { Test::On } else { Test::Off });
            }
            layer = layer.transition(parts);
        }
        layer
    }
}

impl WaySpec {
    /// Without time it is a cut.
    fn is_by_inertia(&self) -> bool {
        self.inertial && self.fade > 0
    }

    /// In a layer whose states go in step nothing interrupts a fade, and fades are powers of two: then two voices are played at most,
    /// and the speed that they share is a whole number of ticks.
    fn random(rng: &mut Rng, from: Option<usize>, to: usize, in_step: bool) -> Self {
        use Interruption::{Both, Never, Source, Target};
        let when = (0..rng.below(3)).map(|_| {
            let flag = rng.below(TRIGGERS + SWITCHES);
            (flag, flag < TRIGGERS || rng.one_in(2))
        });
        Self {
            from,
            to,
            when: when.collect(),
            exit: rng.one_in(2).then(|| place(rng)),
            fade: if in_step { [0, 1, 2, 4, 8][rng.below(5)] } else { rng.below(12) as i64 },
            interruption: if in_step { Never } else { [Never, Target, Source, Both][rng.below(4)] },
            offset: if rng.one_in(2) { place(rng) % LAP } else { 0 },
            priority: rng.below(3) as i32,
            inertial: rng.one_in(3),
            sync: in_step && rng.one_in(2),
        }
    }
}

#[derive(Clone)]
struct Voice {
    state: usize,
    way: Option<usize>,
    /// It goes at one speed with the voice before it.
    in_step: bool,
    age: i64,
    from: i64,
    at: i64,
    /// Which of its state's clips the last step played, and which of them the step before did not.
    on: Vec<usize>,
    came: Vec<usize>,
}

#[derive(Clone)]
struct Shot {
    key: ShotKey,
    clip: usize,
    /// Which montage, and its section.
    montage: Option<(usize, usize)>,
    course: Course,
    /// Ticks per sixteenth of a second.
    speed: i64,
    inertial: bool,
    fade_in: i64,
    fade_out: i64,
    age: i64,
    /// Since it was stopped.
    stopping: Option<i64>,
    at: i64,
    /// What it did in the step, one way after the other; and when it came to its end.
    ways: Vec<Way>,
    ended: Option<f64>,
}

/// What code wants of a montage.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Course {
    AsDescribed,
    Next(Option<usize>),
    Jump(usize),
}

/// A way that a one-shot went in one direction, without a jump.
#[derive(Clone, Copy, Debug)]
struct Way {
    from: i64,
    to: i64,
    /// When in the step it began.
    since: f64,
    came: bool,
    /// When it was left.
    left: Option<f64>,
}

impl Shot {
    /// When it was gone since it was stopped.
    fn stopped(&self, dt: i64) -> Option<f64> {
        let since = self.stopping?;
        if self.inertial {
            return Some(1.0);
        }
        (since >= self.fade_out).then(|| (dt - (since - self.fade_out)) as f64 / dt as f64)
    }

    fn is_over(&self, dt: i64) -> bool {
        self.ended.is_some() || self.stopped(dt).is_some()
    }

    /// Goes on tick by tick; tells which sections begin, and when.
    fn step(&mut self, spec: &Spec, dt: i64) -> Vec<(usize, f64)> {
        let all = self.speed * dt;
        let mut begun = Vec::new();
        let mut way = Way { from: self.at, to: self.at, since: 0.0, came: self.age == 0, left: None };
        let mut ways = Vec::new();
        self.ended = None;
        if let Some((_, section)) = self.montage.filter(|_| self.age == 0) {
            begun.push((section, 0.0));
        }
        for tick in 0..=all {
            let share = tick as f64 / all as f64;
            let end = self.montage.map_or(LAP, |(m, section)| spec.montages[m].end(section));
            if way.to == end {
                if matches!(self.course, Course::Jump(_)) {
                    // It waits for its jump.
                    continue;
                }
                let (Some((m, _)), Some(next)) = (self.montage, self.next(spec)) else {
                    self.ended = Some(share);
                    break;
                };
                self.course = Course::AsDescribed;
                begun.push((next, share));
                self.montage = Some((m, next));
                let begin = spec.montages[m].sections[next].0;
                if begin != way.to {
                    ways.push(Way { left: Some(share), ..way });
                    way = Way { from: begin, to: begin, since: share, came: true, left: None };
                }
            }
            way.to += i64::from(tick < all);
        }
        if let (Course::Jump(section), Some((m, _))) = (self.course, self.montage) {
            begun.push((section, 1.0));
            ways.push(Way { left: Some(1.0), ..way });
            let begin = spec.montages[m].sections[section].0;
            way = Way { from: begin, to: begin, since: 1.0, came: true, left: None };
            (self.montage, self.course) = (Some((m, section)), Course::AsDescribed);
        }
        // Many are not told.
        ways.truncate(TOLD);
        ways.push(way);
        begun.truncate(TOLD);
        (self.at, self.ways) = (way.to, ways);
        self.age += dt;
        self.stopping = self.stopping.map(|since| since + dt);
        begun
    }

    /// The section behind this one.
    fn next(&self, spec: &Spec) -> Option<usize> {
        let (m, section) = self.montage?;
        match self.course {
            Course::AsDescribed => spec.montages[m].sections[section].1,
            Course::Next(next) => next,
            Course::Jump(to) => Some(to),
        }
    }

    /// Ticks to its end; none if it goes round.
    fn left(&self, spec: &Spec) -> Option<i64> {
        let Some((m, section)) = self.montage else { return Some(LAP - self.at) };
        let montage = &spec.montages[m];
        let mut left =
            if matches!(self.course, Course::Jump(_)) { 0 } else { montage.end(section) - self.at };
        let (mut next, mut seen) = (self.next(spec), Vec::new());
        while let Some(section) = next {
            if seen.contains(&section) {
                return None;
            }
            seen.push(section);
            left += montage.end(section) - montage.sections[section].0;
            next = montage.sections[section].1;
        }
        Some(left)
    }
}

#[derive(Clone, Default)]
struct LayerModel {
    voices: Vec<Voice>,
    shots: Vec<Shot>,
    /// Those that newer ones pushed out.
    pushed_out: Vec<Shot>,
    /// One that waits.
    queued: Option<Shot>,
    /// Every way that was taken.
    started: Vec<usize>,
    /// How often one that waited has begun.
    queue_ends: usize,
    /// How often a blend dropped a clip.
    dropped: usize,
    /// How often a section began on the way, and how often a one-shot came or went by inertia.
    sections: usize,
    inertial: usize,
}

/// When in the step, layer, what; and how much of it is seen.
type Event = (f64, u16, String, f64);

fn marker(clip: usize, marker: usize, lap: i64, backward: bool) -> String {
    format!("clip {clip} marker {marker} lap {lap} backward {backward}")
}

/// What happens to a marker that lasts.
fn lasting(clip: usize, marker: usize, what: &str) -> String {
    format!("clip {clip} marker {marker} {what}")
}

/// From where to where a marker lasts, on a line of half ticks, over some laps. What goes over a turn is one stay; what ends with a
/// lap does so just before the next.
fn stays(begin: i64, lasts: i64, repeat: Repeat, laps: (i64, i64)) -> Vec<(i64, i64)> {
    let end = (begin + lasts).min(LAP);
    let mut all: Vec<(i64, i64)> = Vec::new();
    for lap in laps.0 - 3..=laps.1 + 3 {
        let mirrored = repeat == Repeat::PingPong && lap.rem_euclid(2) == 1;
        let (from, to) = if mirrored { (LAP - end, LAP - begin) } else { (begin, end) };
        if begin >= end {
            continue;
        }
        let (from, to) = (2 * (lap * LAP + from), 2 * (lap * LAP + to));
        match all.last_mut() {
            Some(last) if repeat == Repeat::PingPong && last.1 == from => last.1 = to,
            _ => all.push((from, to)),
        }
    }
    if repeat != Repeat::PingPong {
        all.iter_mut().filter(|stay| stay.1 % (2 * LAP) == 0).for_each(|stay| stay.1 -= 1);
    }
    all
}

fn is_in(stays: &[(i64, i64)], at: i64) -> bool {
    stays.iter().any(|(from, to)| *from < 2 * at && 2 * at <= *to)
}

/// Every half tick on the way at which it comes in (true) or goes out, as a tick.
fn edges(stays: &[(i64, i64)], from: i64, to: i64) -> Vec<(i64, bool)> {
    let (low, high) = (2 * from.min(to), 2 * from.max(to));
    let mut found = Vec::new();
    for half in low..high {
        // Where one stay ends before another begins, they are half a tick apart.
        let tick = (half + 1).div_euclid(2);
        found.extend(stays.iter().filter(|stay| stay.1 == half).map(|_| (tick, from > to)));
        found.extend(stays.iter().filter(|stay| stay.0 == half).map(|_| (tick, from < to)));
    }
    if to < from {
        found.reverse();
    }
    found
}

impl Spec {
    /// The stays of each marker of a clip that lasts.
    fn stays(&self, clip: usize, repeat: Repeat, (from, to): (i64, i64)) -> Vec<(usize, Vec<(i64, i64)>)> {
        let laps = (from.min(to).div_euclid(LAP), from.max(to).div_euclid(LAP));
        let own = self.markers[clip].iter().zip(&self.lasts[clip]).enumerate();
        own.map(|(i, (begin, lasts))| (i, stays(*begin, *lasts, repeat, laps))).collect()
    }
}

/// A clip, as markers see it in a step.
struct Carried {
    clip: usize,
    repeat: Repeat,
    way: (i64, i64),
    /// Ticks of the whole step, and when in it the way began.
    ticks: i64,
    since: f64,
    came: bool,
    goes: Option<f64>,
    weight: f64,
}

impl Carried {
    /// When it is at a tick.
    fn share(&self, tick: i64) -> f64 {
        self.since + (tick - self.way.0).abs() as f64 / self.ticks.abs() as f64
    }

    fn tell(&self, number: u16, spec: &Spec, events: &mut Vec<Event>) {
        let (from, to) = self.way;
        for (i, stays) in spec.stays(self.clip, self.repeat, self.way) {
            let mut tell = |share: f64, what: &str| {
                events.push((share, number, lasting(self.clip, i, what), self.weight));
            };
            if self.came && is_in(&stays, from) {
                tell(self.since, "began");
            }
            for (tick, comes) in edges(&stays, from, to) {
                tell(self.share(tick), if comes { "began" } else { "ended" });
            }
            if let Some(share) = self.goes.filter(|_| is_in(&stays, to)) {
                tell(share, "interrupted");
            }
        }
    }
}

fn rises(age: i64, fade: i64) -> f64 {
    if age >= fade { 1.0 } else { age as f64 / fade as f64 }
}

/// The newest takes its share of what is left; the oldest voice takes the rest.
fn shares(own: &[f64], left: &mut f64) -> Vec<f64> {
    let mut out = vec![0.0; own.len()];
    for i in (0..own.len()).rev() {
        out[i] = *left * own[i];
        *left *= 1.0 - own[i];
    }
    out
}

/// Every marker of every lap around the way, on a line of half ticks: the end of a lap stands just before the next. Its tick on the
/// line comes first.
fn passed(ticks: &[i64], repeat: Repeat, from: i64, to: i64) -> Vec<(i64, usize, i64, bool)> {
    let mut line = Vec::new();
    let laps = from.min(to).div_euclid(LAP) - 2..=from.max(to).div_euclid(LAP) + 2;
    for lap in laps {
        for (i, tick) in ticks.iter().enumerate() {
            // Played to and fro, odd laps run backward, and the even ones have what stands at the turns.
            let mirrored = repeat == Repeat::PingPong && lap.rem_euclid(2) == 1;
            if mirrored && (*tick == 0 || *tick == LAP) {
                continue;
            }
            let into = if mirrored { LAP - tick } else { *tick };
            let place = 2 * (lap * LAP + into) - i64::from(*tick == LAP);
            let (low, high) = if from < to { (2 * from, 2 * to) } else { (2 * to, 2 * from) };
            if low <= place && place < high {
                let order = if mirrored { -(i as i64) } else { i as i64 };
                line.push((place, order, i, lap, mirrored));
            }
        }
    }
    line.sort_unstable();
    if to < from {
        line.reverse();
    }
    let tick =
        |lap: i64, i: usize, mirrored: bool| lap * LAP + if mirrored { LAP - ticks[i] } else { ticks[i] };
    line.iter()
        .map(|(.., i, lap, mirrored)| (tick(*lap, *i, *mirrored), *i, *lap, *mirrored != (to < from)))
        .collect()
}

impl LayerModel {
    fn new(spec: &LayerSpec) -> Self {
        let mut model = Self::default();
        if let Some(first) = spec.states.first() {
            let at = if first.speed < 0 { LAP } else { 0 };
            let (on, came) = (Vec::new(), Vec::new());
            model.voices.push(Voice { state: 0, way: None, in_step: false, age: 0, from: at, at, on, came });
        }
        model
    }

    /// `half` is where blends of two are, in halves.
    fn step(&mut self, number: u16, spec: &Spec, dt: i64, half: i64, flags: &mut [bool]) -> Vec<Event> {
        let layer = &spec.layers[usize::from(number)];
        let mut events: Vec<Event> = Vec::new();
        let mut dropped: Vec<Event> = Vec::new();
        let leave = |clip: usize, repeat: Repeat, at: i64, dropped: &mut Vec<Event>| {
            for (i, _) in spec.stays(clip, repeat, (at, at)).iter().filter(|(_, stays)| is_in(stays, at)) {
                dropped.push((0.0, number, lasting(clip, *i, "interrupted"), 0.0));
            }
        };
        for voice in &mut self.voices {
            let StateSpec { clips, repeat, .. } = &layer.states[voice.state];
            let now: Vec<usize> = (0..clips.len()).filter(|point| blend(clips, half)[*point] > 0.0).collect();
            for point in voice.on.iter().filter(|point| !now.contains(point)) {
                leave(clips[*point], *repeat, voice.at, &mut dropped);
                self.dropped += 1;
            }
            voice.came = now.iter().copied().filter(|point| !voice.on.contains(point)).collect();
            voice.on = now;
        }
        let mut speeds = self.speeds(layer);
        let begin_shares = shares(&self.own_shares(layer), &mut 1.0);
        for (voice, speed) in self.voices.iter_mut().zip(speeds.iter().copied()) {
            voice.from = voice.at;
            voice.at += dt * speed;
            if layer.states[voice.state].repeat == Repeat::Once {
                voice.at = voice.at.clamp(0, LAP);
            }
            voice.age += dt;
        }
        let share_of = |part: i64, of: i64| part as f64 / of as f64;
        for ((voice, speed), seen) in self.voices.iter().zip(&speeds).zip(begin_shares) {
            let mut tell = |what: &str, share: f64| {
                events.push((
                    share,
                    number,
                    format!("{what} {}", voice.state),
                    seen * f64::from(layer.weight),
                ));
            };
            if voice.way.is_none() && voice.age == dt {
                tell("entered", 0.0);
            }
            let fade = voice.way.map_or(0, |way| layer.ways[way].fade);
            if voice.age - dt < fade && fade <= voice.age {
                tell("ended", share_of(fade - (voice.age - dt), dt));
            }
            let (end, is_once) =
                (if *speed < 0 { 0 } else { LAP }, layer.states[voice.state].repeat == Repeat::Once);
            if is_once && voice.from != end && voice.at == end && *speed != 0 {
                tell("finished", share_of((end - voice.from).abs(), (dt * speed).abs()));
            }
        }
        // What was passed in this step counts by the shares before a change by inertia.
        let mut own = self.own_shares(layer);
        if let Some((way, source)) = self.pick(layer, flags) {
            let taken = &layer.ways[way];
            for (flag, _) in taken.when.iter().filter(|(flag, _)| *flag < TRIGGERS) {
                flags[*flag] = false;
            }
            let to = &layer.states[taken.to];
            let at = if taken.sync {
                let at = self.voices[source].at.rem_euclid(LAP) + taken.offset;
                if to.repeat == Repeat::Once { at.min(LAP) } else { at }
            } else if to.speed < 0 {
                LAP - taken.offset
            } else {
                taken.offset
            };
            let in_step = taken.sync && source + 1 == self.voices.len();
            let (on, came) = (Vec::new(), Vec::new());
            let voice = Voice { state: taken.to, way: Some(way), in_step, age: 0, from: at, at, on, came };
            let over = taken.fade == 0;
            for what in ["started", "entered", "ended"].iter().take(if over { 3 } else { 2 }) {
                let seen = voice.share(layer) * f64::from(layer.weight);
                events.push((1.0, number, format!("{what} {}", taken.to), seen));
            }
            speeds.push(0);
            self.voices.push(voice);
            if taken.is_by_inertia() {
                own.push(0.0);
            } else {
                own = self.own_shares(layer);
            }
            self.started.push(way);
        }
        let gives_way = |shot: &Shot| {
            let fade = if shot.inertial { 0 } else { shot.speed * shot.fade_out };
            shot.stopping.is_some() || shot.left(spec).is_some_and(|left| left - shot.speed * dt < fade)
        };
        if self.shots.iter().all(gives_way)
            && let Some(next) = self.queued.take()
        {
            self.queue_ends += 1;
            self.push_shot(next);
        }
        for out in self.pushed_out.drain(..) {
            events.push((0.0, number, format!("shot {} interrupted", out.clip), 0.0));
            leave(out.clip, Repeat::Once, out.at, &mut dropped);
        }
        for shot in &mut self.shots {
            if shot.age == 0 {
                events.push((0.0, number, format!("shot {} began", shot.clip), 0.0));
                self.inertial += usize::from(shot.inertial);
            }
            let montage = shot.montage;
            for (section, share) in shot.step(spec, dt) {
                let (montage, _) = montage.unwrap();
                events.push((share, number, format!("section {section} of m{montage} has begun"), 0.0));
                self.sections += usize::from(share > 0.0);
            }
        }
        let mut left = 1.0;
        let of_shot = |shot: &Shot| {
            if shot.inertial {
                // It is all there, up to the step in which it goes.
                return 1.0;
            }
            let out = match shot.left(spec).filter(|_| shot.ended.is_none()) {
                Some(0) => 0.0,
                Some(left) => rises(left, shot.speed * shot.fade_out),
                None => f64::from(u8::from(shot.ended.is_none())),
            };
            let stop = shot.stopping.map_or(1.0, |since| match shot.fade_out - since {
                left @ 1.. => rises(left, shot.fade_out),
                _ => 0.0,
            });
            let least = |a: f64, b: f64| if b < a { b } else { a };
            least(least(rises(shot.age, shot.fade_in), out), stop)
        };
        let shot_shares = shares(&self.shots.iter().map(of_shot).collect::<Vec<_>>(), &mut left);
        let voice_shares = shares(&own, &mut left);

        for shot in self.shots.iter().filter(|shot| shot.is_over(dt)) {
            // Whichever comes first; its own end at the same time.
            let [end, gone] = [shot.ended, shot.stopped(dt)].map(|share| share.unwrap_or(2.0));
            self.inertial += usize::from(shot.inertial);
            let (what, share) = if end <= gone { ("ended", end) } else { ("interrupted", gone) };
            events.push((share, number, format!("shot {} {what}", shot.clip), 0.0));
        }
        // What is hidden is over, and no more than four voices go on.
        let hides = self.voices.iter().rposition(|voice| voice.share(layer) >= 1.0).unwrap_or(0);
        let from = hides.max(self.voices.len().saturating_sub(4));
        events.append(&mut dropped);
        let mut tell = |one: Carried| {
            let Carried { clip, repeat, way: (from, to), weight, .. } = one;
            for (tick, i, lap, backward) in passed(&spec.markers[clip], repeat, from, to) {
                events.push((one.share(tick), number, marker(clip, i, lap, backward), weight));
            }
            one.tell(number, spec, &mut events);
        };
        let mut late = Vec::new();
        for (v, ((voice, share), speed)) in self.voices.iter().zip(voice_shares).zip(speeds).enumerate() {
            let StateSpec { clips, repeat, .. } = &layer.states[voice.state];
            for point in &voice.on {
                tell(Carried {
                    clip: clips[*point],
                    repeat: *repeat,
                    way: (voice.from, voice.at),
                    ticks: dt * speed,
                    since: 0.0,
                    came: voice.came.contains(point),
                    goes: (v < from).then_some(1.0),
                    weight: share * blend(clips, half)[*point] * f64::from(layer.weight),
                });
            }
        }
        for (shot, share) in self.shots.iter().zip(shot_shares) {
            for (w, way) in shot.ways.iter().enumerate() {
                let is_last = w + 1 == shot.ways.len();
                tell(Carried {
                    clip: shot.clip,
                    repeat: Repeat::Once,
                    way: (way.from, way.to),
                    ticks: shot.speed * dt,
                    since: way.since,
                    came: way.came,
                    goes: way.left.or((is_last && shot.is_over(dt)).then_some(1.0)),
                    weight: share * f64::from(layer.weight),
                });
            }
        }

        let hiding = &self.voices[from..];
        let since = hiding.first().and_then(|voice| {
            let fade = layer.ways[voice.way?].fade;
            (fade > 0 && voice.age - dt < fade && fade <= voice.age)
                .then(|| share_of(fade - (voice.age - dt), dt))
        });
        for voice in self.voices.drain(..from) {
            late.push((since.unwrap_or(1.0), number, format!("left {}", voice.state), 0.0));
        }
        if let Some(oldest) = self.voices.first_mut() {
            oldest.in_step = false;
        }
        self.shots.retain(|shot| !shot.is_over(dt));
        // What states and one-shots did stands before markers of the same moment.
        let first_marker =
            events.iter().position(|event| event.2.starts_with("clip")).unwrap_or(events.len());
        events.splice(first_marker..first_marker, late);
        events
    }

    /// The markers that last which it is in.
    fn active(&self, number: u16, spec: &Spec) -> Vec<(u16, usize, usize)> {
        let layer = &spec.layers[usize::from(number)];
        let of_voices = self.voices.iter().flat_map(|voice| {
            let StateSpec { clips, repeat, .. } = &layer.states[voice.state];
            voice.on.iter().map(move |point| (clips[*point], *repeat, voice.at))
        });
        let begun = self.shots.iter().filter(|shot| shot.age > 0);
        let shots = self.pushed_out.iter().chain(begun);
        let all = of_voices.chain(shots.map(|shot| (shot.clip, Repeat::Once, shot.at)));
        let mut found = Vec::new();
        for (clip, repeat, at) in all {
            let stays = spec.stays(clip, repeat, (at, at));
            let inside = stays.iter().filter(|(_, stays)| is_in(stays, at));
            found.extend(inside.map(|(i, _)| (number, clip, *i)));
        }
        found
    }

    /// Two are played at once. One too many: who has not begun gives way, else the oldest.
    fn push_shot(&mut self, shot: Shot) {
        if self.shots.len() == 2 {
            match self.shots.pop_if(|newest| newest.age == 0) {
                Some(_) => {}
                None => self.pushed_out.push(self.shots.remove(0)),
            }
        }
        self.shots.push(shot);
    }

    /// How much each voice takes of what the newer ones leave; the oldest takes the rest.
    fn own_shares(&self, layer: &LayerSpec) -> Vec<f64> {
        let mut own: Vec<f64> = self.voices.iter().map(|voice| voice.share(layer)).collect();
        if let Some(oldest) = own.first_mut() {
            *oldest = 1.0;
        }
        own
    }

    /// The speed of each voice. Voices in step have one: the mean of their own, by what is seen of each when the step begins.
    fn speeds(&self, layer: &LayerSpec) -> Vec<i64> {
        let mut speeds: Vec<i64> = self.voices.iter().map(|voice| layer.states[voice.state].speed).collect();
        if let [_, Voice { in_step: true, .. }] = &*self.voices {
            let seen = shares(&self.own_shares(layer), &mut 1.0);
            let mean: f64 = seen.iter().zip(&speeds).map(|(share, speed)| share * *speed as f64).sum();
            assert_eq!(mean % 1.0, 0.0, "the model is exact");
            speeds.fill(mean as i64);
        } else {
            assert!(self.voices.iter().all(|voice| !voice.in_step), "in step only by twos");
        }
        speeds
    }

    /// The way that is taken, and the voice that it leaves.
    fn pick(&self, layer: &LayerSpec, flags: &[bool]) -> Option<(usize, usize)> {
        let lead = self.voices.last()?;
        let running = lead.way.filter(|way| {
            let way = &layer.ways[*way];
            if way.is_by_inertia() { lead.age < way.fade } else { lead.share(layer) < 1.0 }
        });
        let rule = running.map_or(Interruption::Target, |way| layer.ways[way].interruption);
        let may_leave = |voice: &Voice, way: &WaySpec| match way.from {
            Some(from) => from == voice.state,
            None => way.to != voice.state,
        };
        // Every way out of either, with whose it is: the best by priority, the leading state's before the other's, then
        // by place.
        let mut best: Option<(i32, bool, usize)> = None;
        for (w, way) in layer.ways.iter().enumerate() {
            let holds = way.when.iter().all(|(flag, on)| flags[*flag] == *on);
            let of_lead = matches!(rule, Interruption::Target | Interruption::Both)
                && may_leave(lead, way)
                && lead.is_due(layer, way);
            let of_source = matches!(rule, Interruption::Source | Interruption::Both)
                && self.voices.iter().rev().nth(1).is_some_and(|source| {
                    way.to != lead.state && may_leave(source, way) && source.is_due(layer, way)
                });
            for (due, leads) in [(of_lead, true), (of_source, false)] {
                let better = best.is_none_or(|(p, l, _)| (way.priority, leads) > (p, l));
                if holds && due && better {
                    best = Some((way.priority, leads, w));
                }
            }
        }
        best.map(|(_, leads, way)| (way, self.voices.len() - if leads { 1 } else { 2 }))
    }
}

/// The weights of a state's clips, where blends of two are at so many halves.
fn blend(clips: &[usize], half: i64) -> Vec<f64> {
    let after = half as f64 / 2.0;
    if clips.len() == 1 { vec![1.0] } else { vec![1.0 - after, after] }
}

/// A section, as the model writes that it begins.
fn section(graph: &Graph, key: SectionKey) -> String {
    let name = graph.section_name(key).unwrap();
    let of = graph.montages().map(|(montage, _)| montage);
    let montage = of.into_iter().find(|montage| {
        let montage = graph.montage(montage).unwrap();
        graph.section(montage, name) == Ok(key)
    });
    format!("section {name} of {} has begun", montage.unwrap())
}

/// An event as the model writes it.
fn told_of(graph: &Graph, what: What<'_>, name: impl Fn(u16) -> usize) -> String {
    let state = |key| graph.state_name(key).unwrap().to_owned();
    let shot = |key: ClipKey| graph.clip_name(key).unwrap().to_owned();
    match what {
        What::Marker { marker: m, clip, lap, backward } => {
            marker(name(clip), m.name.parse().unwrap(), lap, backward)
        }
        What::MarkerBegan { marker: m, clip } => lasting(name(clip), m.name.parse().unwrap(), "began"),
        What::MarkerEnded { marker: m, clip, interrupted } => {
            let what = if interrupted { "interrupted" } else { "ended" };
            lasting(name(clip), m.name.parse().unwrap(), what)
        }
        What::Entered(key) => format!("entered {}", state(key)),
        What::Left(key) => format!("left {}", state(key)),
        What::Finished(key) => format!("finished {}", state(key)),
        What::TransitionStarted(key) => format!("started {}", state(key)),
        What::TransitionEnded(key) => format!("ended {}", state(key)),
        What::ShotBegan(key) => format!("shot {} began", shot(key)),
        What::ShotEnded(key) => format!("shot {} ended", shot(key)),
        What::ShotInterrupted(key) => format!("shot {} interrupted", shot(key)),
        What::SectionBegan(key) => section(graph, key),
        other => panic!("{other:?}"),
    }
}

impl Voice {
    fn share(&self, layer: &LayerSpec) -> f64 {
        // By inertia it is all there at once.
        let fades = self.way.map(|way| &layer.ways[way]).filter(|way| !way.is_by_inertia());
        fades.map_or(1.0, |way| rises(self.age, way.fade))
    }

    fn is_due(&self, layer: &LayerSpec, way: &WaySpec) -> bool {
        let Some(exit) = way.exit else { return true };
        let state = &layer.states[self.state];
        if state.repeat == Repeat::Once {
            return if state.speed < 0 { self.at <= LAP - exit } else { self.at >= exit };
        }
        let passed = |at: i64| at.div_euclid(LAP) + i64::from(at.rem_euclid(LAP) > exit);
        passed(self.from) != passed(self.at)
    }
}

#[test]
fn events_are_those_of_a_naive_model_in_the_same_order_none_twice_none_lost() {
    // How often something was told, and of which kinds of layers and states; and which transitions were taken.
    let (mut told, mut deeds, mut light, mut turning, mut transitions) = (0, 0, 0, 0, [0; 3]);
    let (mut queued, mut stopped, mut lasts, mut dropped) = (0, 0, [0; 3], 0);
    let (mut sections, mut by_inertia) = (0, 0);
    for seed in 0..300 {
        let rng = &mut Rng::new(seed);
        let spec = Spec::random(rng);
        let graph = Graph::new(&spec.parts(), |_| Some(1.0)).unwrap();
        let archive = spec.archive();
        let markers: Vec<Markers> =
            graph.clips().iter().map(|clip| archive.markers(&clip.name).unwrap()).collect();
        assert_eq!(archive.names(SectionKind::Markers).count(), CLIPS);
        let mut played = Played::new(graph);
        let mut models: Vec<LayerModel> = spec.layers.iter().map(LayerModel::new).collect();
        let mut flags = [false; TRIGGERS + SWITCHES];
        let mut keys: Vec<(usize, ShotKey)> = Vec::new();
        let (mut half, mut stays) = (1, BTreeMap::<(u16, usize, usize), i64>::new());
        for step in 0..150 {
            for (flag, on) in flags.iter_mut().enumerate() {
                let name = flag_name(flag);
                if flag < TRIGGERS {
                    if rng.one_in(10) {
                        *on = true;
                        played.state.set(played.graph.trigger(&name).unwrap(), true).unwrap();
                    }
                } else if rng.one_in(6) {
                    *on = !*on;
                    played.state.set(played.graph.bool(&name).unwrap(), *on).unwrap();
                }
            }
            if rng.one_in(15) {
                half = rng.below(3) as i64;
                played.state.set(played.graph.float("half").unwrap(), half as f32 / 2.0).unwrap();
            }
            if rng.one_in(20) {
                played.state = GraphState::read(&played.graph, &played.state.to_bytes()).unwrap();
            }
            if rng.one_in(25) {
                let layer = rng.below(models.len());
                let montage =
                    (!spec.montages.is_empty() && rng.one_in(2)).then(|| rng.below(spec.montages.len()));
                let clip = montage.map_or_else(|| rng.below(CLIPS), |montage| spec.montages[montage].clip);
                let (fade_in, fade_out) = (rng.below(6) as i64, rng.below(6) as i64);
                let (at, queued) = (if rng.one_in(3) { place(rng) } else { 0 }, rng.one_in(3));
                let (double, inertial) = (1 << rng.below(3), spec.inertia && rng.one_in(2));
                let how = OneShot {
                    speed: double as f32 / 2.0,
                    fade_in_s: fade_in as f32 / 16.0,
                    fade_out_s: fade_out as f32 / 16.0,
                    at: at as f32 / LAP as f32,
                    inertial,
                    queued,
                    ..OneShot::NEW
                };
                let key = played.graph.layer(&layer.to_string()).unwrap();
                let what = montage.map_or_else(|| clip.to_string(), |montage| format!("m{montage}"));
                let what: ShotOf = played.graph.one_shot(&what).unwrap();
                let key = played.state.play(&played.graph, key, what, how).unwrap();
                let montage = montage.map(|montage| (montage, spec.montages[montage].section_at(at)));
                let (course, speed, stopping) = (Course::AsDescribed, PACE / 2 * double, None);
                let (age, ways, ended) = (0, Vec::new(), None);
                let shot = Shot {
                    key,
                    clip,
                    montage,
                    course,
                    speed,
                    inertial,
                    fade_in,
                    fade_out,
                    age,
                    stopping,
                    at,
                    ways,
                    ended,
                };
                models[layer].queued = queued.then(|| shot.clone());
                if !queued {
                    models[layer].push_shot(shot);
                }
                keys.push((layer, key));
            }
            if rng.one_in(12)
                && let Some((layer, key)) = keys.get(rng.below(keys.len().max(1))).copied()
            {
                let model = &mut models[layer];
                let waits = model.queued.take_if(|shot| shot.key == key).is_some();
                let own = model.shots.iter_mut().find(|shot| shot.key == key && shot.stopping.is_none());
                let stops = own.is_some();
                own.into_iter().for_each(|shot| shot.stopping = Some(0));
                assert_eq!(played.state.stop_shot(key), waits || stops, "seed {seed}, step {step}");
                stopped += usize::from(stops);
            }
            if rng.one_in(8)
                && let Some((layer, key)) = keys.get(rng.below(keys.len().max(1))).copied()
            {
                let model = &mut models[layer];
                let waits = model.queued.as_mut().filter(|shot| shot.key == key);
                let is_queued = waits.is_some();
                let shot = waits.or_else(|| model.shots.iter_mut().find(|shot| shot.key == key));
                let double = 1 << rng.below(3);
                let found = played.state.set_shot_speed(key, double as f32 / 2.0).unwrap();
                assert_eq!(found, shot.is_some(), "seed {seed}, step {step}");
                if let Some(shot) = shot {
                    shot.speed = PACE / 2 * double;
                    if let Some((m, _)) = shot.montage {
                        let to = rng.below(spec.montages[m].sections.len());
                        let montage = played.graph.montage(&format!("m{m}")).unwrap();
                        let section = played.graph.section(montage, &to.to_string()).unwrap();
                        let Played { graph, state, .. } = &mut played;
                        match rng.below(4) {
                            0 => {
                                assert!(state.jump_shot(graph, key, section).unwrap());
                                if is_queued || shot.age == 0 {
                                    shot.at = spec.montages[m].sections[to].0;
                                    shot.montage = Some((m, to));
                                } else {
                                    shot.course = Course::Jump(to);
                                }
                            }
                            1 => {
                                assert!(state.set_next_section(graph, key, Some(section)).unwrap());
                                shot.course = Course::Next(Some(to));
                            }
                            2 => {
                                assert!(state.set_next_section(graph, key, None).unwrap());
                                shot.course = Course::Next(None);
                            }
                            _ => {}
                        }
                    }
                }
            }
            if rng.one_in(40) {
                let layer = rng.below(models.len());
                let key = played.graph.layer(&layer.to_string()).unwrap();
                played.state.stop(key).unwrap();
                models[layer].queued = None;
                for shot in &mut models[layer].shots {
                    shot.stopping = shot.stopping.or(Some(0));
                }
            }
            // Now and then a step over laps.
            let dt = if rng.one_in(30) { rng.below(60) as i64 } else { 1 + rng.below(3) as i64 };
            played.update(dt as f64 / 16.0);
            let mut expected = Vec::new();
            if dt > 0 {
                for (number, model) in models.iter_mut().enumerate() {
                    expected.extend(model.step(number as u16, &spec, dt, half, &mut flags));
                    let turns = |voice: &Voice| {
                        let state = &spec.layers[number].states[voice.state];
                        state.repeat == Repeat::PingPong && voice.at.div_euclid(LAP) != 0
                    };
                    turning += usize::from(model.voices.iter().any(turns));
                }
            }
            let name = |clip: u16| played.graph.clips()[usize::from(clip)].name.parse().unwrap();
            // By time as it is told, then by layer, else as the layers found it.
            expected.sort_by(|a, b| (a.0 as f32).total_cmp(&(b.0 as f32)).then(a.1.cmp(&b.1)));
            let found: Vec<Event> = played
                .frame
                .events(&played.graph, |clip| Some(markers[clip].view()))
                .map(|event| {
                    let what = told_of(&played.graph, event.what, name);
                    (f64::from(event.share), event.layer, what, f64::from(event.weight))
                })
                .collect();
            let what =
                |events: &[Event]| events.iter().map(|event| (event.1, event.2.clone())).collect::<Vec<_>>();
            assert_eq!(what(&found), what(&expected), "seed {seed}, step {step}");
            for (found, expected) in found.iter().zip(&expected) {
                let near = |a: f64, b: f64| (a - b).abs() < 1.0e-6;
                assert!(
                    near(found.0, expected.0) && near(found.3, expected.3),
                    "seed {seed}, step {step}: {found:?} {expected:?}"
                );
            }
            // Those that began and have not ended are those that last.
            for (_, layer, what, _) in &found {
                let [_, clip, _, marker, what] = what.split(' ').collect::<Vec<_>>()[..] else { continue };
                let kind = ["began", "ended", "interrupted"].iter().position(|kind| *kind == what).unwrap();
                lasts[kind] += 1;
                let key = (*layer, clip.parse().unwrap(), marker.parse().unwrap());
                *stays.entry(key).or_default() += if kind == 0 { 1 } else { -1 };
            }
            let mut active: Vec<(u16, usize, usize)> = Vec::new();
            for one in played.state.active_markers(&played.graph, |clip| Some(markers[clip].view())) {
                active.push((one.layer, name(one.clip), one.marker.name.parse().unwrap()));
                let lasts = one.into_s >= 0.0 && one.into_s <= one.marker.duration_s;
                assert!(lasts, "seed {seed}, step {step}: {one:?}");
            }
            let expected =
                models.iter().enumerate().flat_map(|(number, model)| model.active(number as u16, &spec));
            assert_eq!(active, expected.collect::<Vec<_>>(), "seed {seed}, step {step}");
            let mut counted = BTreeMap::new();
            active.iter().for_each(|key| *counted.entry(*key).or_default() += 1);
            stays.retain(|_, count| *count != 0);
            assert_eq!(stays, counted, "seed {seed}, step {step}");
            told += found.iter().filter(|event| event.2.starts_with("clip")).count();
            deeds += found.iter().filter(|event| !event.2.starts_with("clip")).count();
            light += found.iter().filter(|event| spec.layers[usize::from(event.1)].weight < 1.0).count();
        }
        for (model, layer) in models.iter().zip(&spec.layers) {
            queued += model.queue_ends;
            dropped += model.dropped;
            sections += model.sections;
            by_inertia += model.inertial;
            for way in model.started.iter().map(|way| &layer.ways[*way]) {
                let kinds = [!way.is_by_inertia(), way.is_by_inertia(), way.sync];
                transitions.iter_mut().zip(kinds).for_each(|(count, is)| *count += usize::from(is));
            }
        }
    }
    // Otherwise nothing was compared.
    assert!(told > 50_000 && light > 20_000, "{told} events, {light} of layers that weigh less");
    assert!(deeds > 10_000, "{deeds} things that states and one-shots did");
    assert!(turning > 5_000, "{turning} steps beyond the first turn");
    let [began, ended, interrupted] = lasts;
    assert!(
        began > 20_000 && ended > 15_000 && interrupted > 2_000 && dropped > 500,
        "{began} stays in markers that last, {ended} ended, {interrupted} were broken off; {dropped} clips were dropped"
    );
    assert!(queued > 200 && stopped > 200, "{queued} had waited, {stopped} were stopped by their keys");
    assert!(sections > 500 && by_inertia > 500, "{sections} sections, {by_inertia} one-shots by inertia");
    let [faded, inertial, in_step] = transitions;
    assert!(
        faded > 2_000 && inertial > 1_000 && in_step > 500,
        "{faded} fades, {inertial} by inertia, {in_step} in step"
    );
}
