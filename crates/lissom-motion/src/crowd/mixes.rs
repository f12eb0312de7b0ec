//! What members play, as functions of time: for whoever poses them elsewhere, such as a GPU.
//!
//! ```text
//!  slot ─▶ MixHead    since, counts, level of detail, when it is posed, inertia
//!          MixedClip  clip, layer, phase + rate · age, weight + slope · age      (as many a slot as a mix can have)
//!          MixedLayer weight + slope · age, mask, additive                       (as many a slot as a graph can have)
//! ```
//!
//! An entry says where its clip is and how much of it is seen from a moment on. As long as that is what the member plays, within
//! [`TIME_ERROR_S`] and [`WEIGHT_ERROR`], the entry stays as it is: a member that walks on changes nothing. Where it is no longer so, the
//! slot is written anew and listed by [`Mixes::changed`]. Clips, layers, masks and their order are exact at all times. Of a member that is
//! not seen a slot says what it played when it was seen last.
//!
//! **Time** is counted in ticks of 2⁻²² s, modulo 2³², and a phase in units of 2⁻³² of a clip's length. A rate has 64 bits, so that whole
//! numbers alone say where a clip is: the same on every device, for as long as the tick counter goes round (17 minutes). A
//! clip that plays in a loop goes round by itself.

use super::{
    Crowd, CrowdError, GraphId, Member, PaletteRows,
    members::{is_live, member_at},
    worker::Worker,
};
use crate::{
    RootStep,
    cast::Cast,
    frame::{Entry, Frame},
    memory::PoseMemory,
    time::Ticks,
    turn::Show,
};
use alloc::vec::Vec;
use lissom::{
    job::{Mix, MixEntry, SampleTime},
    math::soa::Lanes,
    track::Repeat,
};

/// Ticks a second.
pub const TICKS_PER_S: f64 = (1_u32 << 22) as f64;
/// How far, in seconds of its clip at speed 1, an entry may be from what the member plays. At a higher speed half a tick times the speed is
/// added.
pub const TIME_ERROR_S: f64 = 2.0e-6;
/// How far a weight may be from what the member plays.
pub const WEIGHT_ERROR: f32 = 1.0 / 32768.0;
/// No mask: the whole body.
pub const NO_MASK: u16 = u16::MAX;

/// What is said of a slot as a whole; plain bytes, little-endian, as a GPU reads them.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct MixHead {
    /// The tick from which on all entries of the slot count.
    pub since: u32,
    /// The turn ([`Mixes::turn`]) in which it is posed out of the order of its rate.
    pub posed: u32,
    /// How many entries it has.
    pub clips: u8,
    /// How many layers; 0: every entry moves the whole body.
    pub layers: u8,
    /// Its level of detail.
    pub level: u8,
    /// It is posed in every n-th turn; 0: nobody is there, or it is not seen or stands still, and is posed in the turn `posed` alone.
    pub every: u8,
    /// Of these turns, which: `turn % every`.
    pub offset: u8,
    /// 1 if somebody is there.
    pub live: u8,
    /// Counts the changes of what [`Crowd::memory`] remembers of it.
    pub remembered: u16,
    /// Seconds since the transition by inertia that is remembered.
    pub elapsed_s: f32,
    /// How fast these go: the member's pace.
    pub pace: f32,
    /// How long it takes, in seconds; 0: nothing is remembered.
    pub duration_s: f32,
    /// Of whoever reads this: always 0 here.
    pub spare: u32,
}

/// One clip of a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct MixedClip {
    /// Its number in the crowd.
    pub clip: u16,
    /// Its layer.
    pub layer: u8,
    /// 1 if it is added.
    pub additive: u8,
    /// Where it is at the head's `since`, in 2⁻³² of its length.
    pub phase: u32,
    /// Its change a tick, in 2⁻⁶⁴ of its length: low word, high word, two's complement.
    pub rate: [u32; 2],
    /// Its share of its layer.
    pub weight: f32,
    /// Its change a second.
    pub slope: f32,
}

/// One layer of a slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct MixedLayer {
    /// In [0, 1].
    pub weight: f32,
    /// Its change a second.
    pub slope: f32,
    /// Its place in [`Crowd::masks`]; [`NO_MASK`] for the whole body.
    pub mask: u16,
    /// 1 if it is added.
    pub additive: u8,
    #[doc(hidden)]
    pub pad: u8,
}

impl MixHead {
    /// Seconds since the transition by inertia, so many ticks later.
    #[must_use]
    pub fn elapsed_s(&self, ticks: u32) -> f32 {
        self.elapsed_s + self.pace * seconds(ticks)
    }

    /// Whether it is posed in a turn; `paused`: in an update of 0, which shows whoever is seen.
    #[must_use]
    pub fn is_posed(&self, turn: u32, paused: bool) -> bool {
        let due = self.every > 0 && (paused || turn % u32::from(self.every) == u32::from(self.offset));
        self.live != 0 && (due || self.posed == turn)
    }
}

impl MixedClip {
    /// Where it is, so many ticks later, in 2⁻³² of its length.
    #[must_use]
    pub fn phase_at(&self, ticks: u32) -> u32 {
        let gone = self.rate64().wrapping_mul(u64::from(ticks));
        self.phase.wrapping_add((gone >> 32) as u32)
    }

    /// How much of it is seen, so many ticks later.
    #[must_use]
    pub fn weight_at(&self, ticks: u32) -> f32 {
        self.weight + self.slope * seconds(ticks)
    }

    fn rate64(&self) -> u64 {
        u64::from(self.rate[0]) | u64::from(self.rate[1]) << 32
    }
}

impl MixedLayer {
    /// How much of it is seen, so many ticks later.
    #[must_use]
    pub fn weight_at(&self, ticks: u32) -> f32 {
        self.weight + self.slope * seconds(ticks)
    }
}

/// What all members of a crowd play; made by [`Crowd::mixes`].
#[derive(Clone, Copy, Debug)]
pub struct Mixes<'a> {
    all: &'a AllMixes,
    workers: &'a [Worker],
}

impl<'a> Mixes<'a> {
    /// A head a slot.
    #[must_use]
    pub fn heads(&self) -> &'a [MixHead] {
        &self.all.heads
    }

    /// The most entries of a slot.
    #[must_use]
    pub fn clips_each(&self) -> usize {
        self.all.clips_each
    }

    /// The most layers of a slot.
    #[must_use]
    pub fn layers_each(&self) -> usize {
        self.all.layers_each
    }

    /// The entries of a slot; none where there is no such slot.
    #[must_use]
    pub fn clips(&self, slot: usize) -> &'a [MixedClip] {
        let count = self.all.heads.get(slot).map_or(0, |head| usize::from(head.clips));
        let first = slot * self.all.clips_each;
        // A slot that waits to be written has too many.
        let count = if count > self.all.clips_each { 0 } else { count };
        self.all.clips.get(first..first + count).unwrap_or_default()
    }

    /// The layers of a slot; none where every entry moves the whole body.
    #[must_use]
    pub fn layers(&self, slot: usize) -> &'a [MixedLayer] {
        let count = self.all.heads.get(slot).map_or(0, |head| usize::from(head.layers));
        let first = slot * self.all.layers_each;
        self.all.layers.get(first..first + count).unwrap_or_default()
    }

    /// The slots that the last update wrote, each once.
    pub fn changed(&self) -> impl Iterator<Item = usize> + 'a {
        self.workers.iter().flat_map(|worker| &worker.changed).map(|slot| *slot as usize)
    }

    /// Now.
    #[must_use]
    pub fn tick(&self) -> u32 {
        self.all.now.tick
    }

    /// How many updates of more than 0 seconds there have been, modulo 2³².
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.all.now.turn
    }

    /// How many updates there have been in all: who missed one reads every slot, not those alone that the last one wrote.
    #[must_use]
    pub fn update(&self) -> u64 {
        self.all.now.update
    }

    /// True if the last update was one of 0 seconds: everybody who is seen is posed.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.all.now.dt_s <= 0.0
    }

    /// What a slot plays now, for a [`MixJob`](lissom::job::MixJob): entries name clips by their numbers in the crowd, and layers as masks
    /// ([`cover`](crate::frame::cover())).
    #[must_use]
    pub fn mix(&self, slot: usize) -> Mix {
        let (mut mix, layered) = (Mix::EMPTY, !self.layers(slot).is_empty());
        let Some(head) = self.all.heads.get(slot) else { return mix };
        let ticks = self.tick().wrapping_sub(head.since);
        for clip in self.clips(slot) {
            let ratio = f64::from(clip.phase_at(ticks)) / PHASES;
            let mut entry =
                MixEntry::new(usize::from(clip.clip), SampleTime::Ratio(ratio), clip.weight_at(ticks));
            if layered {
                entry = entry.masked(u16::from(clip.layer));
            }
            if clip.additive != 0 {
                entry = entry.added();
            }
            // A slot has no more than a mix.
            let _ = mix.push(entry);
        }
        mix
    }
}

impl Crowd {
    /// What members play, as functions of time; `None` where it is not written ([`Outputs::mixes`](super::Outputs::mixes)).
    #[must_use]
    pub fn mixes(&self) -> Option<Mixes<'_>> {
        self.outputs.mixes.then_some(Mixes { all: &self.mixes, workers: &self.workers })
    }

    /// The joint weights of all masks, those of one graph after those of another: what [`MixedLayer::mask`] speaks of.
    pub fn masks(&self) -> impl Iterator<Item = &[Lanes]> {
        self.casts.iter().flat_map(|cast| cast.masks.iter()).map(Vec::as_slice)
    }

    /// How many levels of detail there are beside level 0.
    #[must_use]
    pub fn levels(&self) -> usize {
        self.levels.len()
    }

    /// Whose palette entry each joint has at a level of detail: its own, or that of the nearest joint above it. `None` at level 0, where each has
    /// its own, and where there is no such level.
    #[must_use]
    pub fn level_joints(&self, level: u8) -> Option<&[u16]> {
        let level = self.levels.get(usize::from(level).checked_sub(1)?)?;
        Some(&level.joints)
    }

    /// The inverse bind matrices that palettes are made with, by rows.
    #[must_use]
    pub fn binds(&self) -> &[PaletteRows] {
        &self.binds
    }

    /// Places, one a slot; of a slot without a member anything.
    #[must_use]
    pub fn places(&self) -> &[RootStep] {
        &self.members.places
    }

    /// The member in a slot, if there is one.
    #[must_use]
    pub fn member_at(&self, slot: usize) -> Option<Member> {
        let generation = *self.members.generations.get(slot)?;
        is_live(generation).then(|| member_at(slot, generation))
    }

    /// The numbers of the clips that a graph plays, for whoever prepares them.
    ///
    /// # Errors
    ///
    /// [`CrowdError::NoSuchGraph`].
    pub fn graph_clips(&self, graph: GraphId) -> Result<&[usize], CrowdError> {
        let (found, graphs) = (usize::from(graph.0), self.casts.len());
        let cast = self.casts.get(found).ok_or(CrowdError::NoSuchGraph { found, graphs })?;
        Ok(&cast.clips)
    }
}

/// The mixes of all slots.
#[derive(Clone, Debug, Default)]
pub(super) struct AllMixes {
    pub heads: Vec<MixHead>,
    pub clips: Vec<MixedClip>,
    pub layers: Vec<MixedLayer>,
    pub clips_each: usize,
    pub layers_each: usize,
    clock: Ticks,
    pub now: Now,
}

/// The moment of an update.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Now {
    pub tick: u32,
    /// Ticks from there to the moment itself, which falls between two.
    beyond: f64,
    /// The moment of the update before.
    before: u32,
    pub turn: u32,
    pub update: u64,
    pub dt_s: f64,
}

/// Values of a phase.
const PHASES: f64 = (1_u64 << 32) as f64;
/// An entry that is never right.
const SPOILED: u8 = u8::MAX;

impl AllMixes {
    pub fn clear(&mut self) {
        *self = Self { clock: self.clock, now: self.now, ..Self::default() };
    }

    /// Rows for so many slots, of so many entries and layers each; wider rows are written anew.
    pub fn resize(&mut self, slots: usize, clips_each: usize, layers_each: usize) {
        let wider = clips_each > self.clips_each || layers_each > self.layers_each;
        if wider {
            (self.clips_each, self.layers_each) = (clips_each, layers_each);
            self.spoil_all();
        }
        self.heads.resize(slots, MixHead::default());
        self.clips.resize(slots * self.clips_each, MixedClip::default());
        self.layers.resize(slots * self.layers_each, MixedLayer::default());
    }

    /// The next update writes a slot, whatever is there.
    pub fn spoil(&mut self, slot: usize) {
        if let Some(head) = self.heads.get_mut(slot) {
            head.clips = SPOILED;
            head.layers = 0;
            head.remembered = head.remembered.wrapping_add(1);
        }
    }

    pub fn spoil_all(&mut self) {
        (0..self.heads.len()).for_each(|slot| self.spoil(slot));
    }

    /// A step begins.
    pub fn advance(&mut self, step: Ticks) {
        let clock = self.clock.plus(step);
        // A tick of a slot is 2¹⁰ of the clock's.
        let whole = clock.plus(Ticks(1 << 9)).0 >> 10;
        let beyond = clock.minus(Ticks(whole << 10)).0 as f64 / 1024.0;
        let Now { tick: before, turn, update, .. } = self.now;
        let turn = if step > Ticks::ZERO { turn.wrapping_add(1) } else { turn };
        self.clock = clock;
        // Modulo 2³²: seventeen minutes.
        let tick = whole as u32;
        self.now = Now { tick, beyond, before, turn, update: update + 1, dt_s: step.seconds() };
    }
}

/// The rows of one slot.
pub(super) struct SlotMix<'a> {
    pub head: &'a mut MixHead,
    pub clips: &'a mut [MixedClip],
    pub layers: &'a mut [MixedLayer],
}

/// What a member plays in an update.
pub(super) struct Played<'a> {
    pub frame: &'a Frame,
    pub cast: &'a Cast,
    /// The place of the graph's first mask among those of the crowd.
    pub first_mask: u16,
    pub memory: Option<&'a PoseMemory>,
    /// A transition by inertia started.
    pub started: bool,
    pub level: u8,
    pub pace: f32,
    pub show: Show,
    /// It is seen.
    pub seen: bool,
    pub every: u8,
    /// Updates to its next turn.
    pub wait: u8,
}

impl SlotMix<'_> {
    /// Nobody is there any more. True if somebody was.
    pub fn leave(&mut self) -> bool {
        let changed = self.head.live != 0;
        *self.head = MixHead { remembered: self.head.remembered, ..MixHead::default() };
        changed
    }

    /// A member that stands still: all stays where it is. True if that changes anything.
    pub fn freeze(&mut self, now: &Now) -> bool {
        let ticks = now.before.wrapping_sub(self.head.since);
        let head = &mut *self.head;
        if head.clips == SPOILED {
            // It waits to be written until it goes on; until then it is not posed.
            let changed = head.every != 0;
            (head.every, head.pace, head.posed) = (0, 0.0, now.turn.wrapping_sub(1));
            return changed;
        }
        let clips = self.clips.get_mut(..usize::from(head.clips)).unwrap_or_default();
        let layers = self.layers.get_mut(..usize::from(head.layers)).unwrap_or_default();
        let moves = head.pace != 0.0
            || head.every != 0
            || clips.iter().any(|clip| clip.rate != [0; 2] || clip.slope != 0.0)
            || layers.iter().any(|layer| layer.slope != 0.0);
        if !moves {
            return false;
        }
        for clip in clips {
            (clip.phase, clip.weight) = (clip.phase_at(ticks), clip.weight_at(ticks));
            (clip.rate, clip.slope) = ([0; 2], 0.0);
        }
        for layer in layers {
            (layer.weight, layer.slope) = (layer.weight_at(ticks), 0.0);
        }
        head.elapsed_s = head.elapsed_s(ticks);
        (head.since, head.pace, head.every) = (now.tick, 0.0, 0);
        // It has been posed; that it is posed once more is nobody's wish.
        head.posed = now.turn.wrapping_sub(1);
        true
    }

    /// Goes along with an update. True if the slot was written anew.
    pub fn follow(&mut self, now: &Now, played: &Played<'_>) -> bool {
        if !played.seen && self.head.every == 0 && self.head.live != 0 {
            // Nobody looks: it is written when it is seen again.
            if played.started {
                self.head.remembered = self.head.remembered.wrapping_add(1);
            }
            return false;
        }
        if self.holds(now, played) {
            return false;
        }
        self.write(now, played);
        true
    }

    /// True if what was written is still what is played.
    fn holds(&self, now: &Now, played: &Played<'_>) -> bool {
        let Self { head, clips, layers } = self;
        let ticks = now.tick.wrapping_sub(head.since);
        let every = if played.seen { played.every } else { 0 };
        let shown = played.show != Show::Hold;
        let paused = now.dt_s <= 0.0;
        if head.live == 0
            || head.level != played.level
            || head.every != every
            || head.is_posed(now.turn, paused) != shown
            || played.started
        {
            return false;
        }
        let (elapsed_s, duration_s) = played.inertia();
        if head.duration_s != duration_s as f32
            || (duration_s > 0.0 && (f64::from(head.elapsed_s(ticks)) - elapsed_s).abs() > TIME_ERROR_S)
        {
            return false;
        }
        if now.dt_s > 0.0 && head.pace != played.pace {
            return false;
        }
        let layered = played.frame.is_layered();
        if usize::from(head.layers) != if layered { played.frame.layers().len() } else { 0 } {
            return false;
        }
        for (layer, own) in layers.iter().zip(played.frame.layers()).take(usize::from(head.layers)) {
            if layer.mask != played.mask(own.mask)
                || (layer.additive != 0) != own.additive
                || !near(layer.weight_at(ticks), own.weight)
            {
                return false;
            }
        }
        let mut count = 0;
        for (_, entry, weight) in played.frame.shown() {
            let Some(clip) = clips.get(count).filter(|_| count < usize::from(head.clips)) else {
                return false;
            };
            count += 1;
            if usize::from(clip.clip) != played.cast.clips[usize::from(entry.clip)]
                || u16::from(clip.layer) != entry.layer
                || (clip.additive != 0) != played.is_added(entry)
                || !near(clip.weight_at(ticks), weight)
                || !played.is_at(entry, clip, ticks)
            {
                return false;
            }
        }
        count == usize::from(head.clips)
    }

    fn write(&mut self, now: &Now, played: &Played<'_>) {
        let Self { head, clips, layers } = self;
        let old = **head;
        let spoiled = old.clips == SPOILED || old.live == 0;
        // What the weights were in the update before: the slot was right then.
        let before = now.before.wrapping_sub(old.since);
        let slope = |weight: f32, before: Option<f32>| match before {
            Some(before) if now.dt_s > 0.0 && !near(before, weight) => {
                ((f64::from(weight) - f64::from(before)) / now.dt_s) as f32
            }
            _ => 0.0,
        };
        let mut count = 0;
        if played.frame.is_layered() {
            for (out, layer) in layers.iter_mut().zip(played.frame.layers()) {
                let same = !spoiled && count < old.layers;
                let was = same.then(|| out.weight_at(before));
                *out = MixedLayer {
                    weight: layer.weight,
                    slope: slope(layer.weight, was),
                    mask: played.mask(layer.mask),
                    additive: u8::from(layer.additive),
                    pad: 0,
                };
                count += 1;
            }
        }
        head.layers = count;
        count = 0;
        for (out, (_, entry, weight)) in clips.iter_mut().zip(played.frame.shown()) {
            let number = played.cast.clips[usize::from(entry.clip)] as u16;
            let layer = entry.layer as u8;
            let same = !spoiled && count < old.clips && out.clip == number && out.layer == layer;
            let was = same.then(|| out.weight_at(before));
            let rate = if now.dt_s > 0.0 {
                rate(entry, now.dt_s)
            } else if same {
                out.rate64()
            } else {
                0
            };
            let mut clip = MixedClip {
                clip: number,
                layer,
                additive: u8::from(played.is_added(entry)),
                phase: phase(entry.ratio()),
                rate: [rate as u32, (rate >> 32) as u32],
                weight,
                slope: slope(weight, was),
            };
            // To where it is at the whole tick, unless that is on the other side of an end.
            let part = rate as i64 as f64 * now.beyond / PHASES;
            let exact = clip.phase;
            clip.phase = exact.wrapping_sub(part as i64 as u32);
            if exact.abs_diff(clip.phase) > u32::MAX / 2 {
                clip.phase = exact;
            }
            *out = clip;
            count += 1;
        }
        head.clips = count;
        let (elapsed_s, duration_s) = played.inertia();
        if played.started {
            head.remembered = head.remembered.wrapping_add(1);
        }
        let shown = played.show != Show::Hold;
        let every = if played.seen { played.every } else { 0 };
        let next = now.turn.wrapping_add(u32::from(played.wait)).wrapping_add(1);
        // A number that comes round after four thousand million turns.
        let never = now.turn.wrapping_sub(1);
        **head = MixHead {
            since: now.tick,
            posed: if shown { now.turn } else { never },
            level: played.level,
            every,
            offset: next.checked_rem(u32::from(every)).unwrap_or(0) as u8,
            live: 1,
            elapsed_s: elapsed_s as f32,
            pace: played.pace,
            duration_s: duration_s as f32,
            ..**head
        };
    }
}

impl Played<'_> {
    fn mask(&self, mask: Option<crate::graph::MaskKey>) -> u16 {
        mask.map_or(NO_MASK, |mask| self.first_mask.saturating_add(mask.0))
    }

    fn is_added(&self, entry: &Entry) -> bool {
        self.frame.layers().get(usize::from(entry.layer)).is_some_and(|layer| layer.additive)
    }

    /// Seconds since a transition by inertia, and how long it takes; 0 where nothing is left of one.
    fn inertia(&self) -> (f64, f64) {
        self.memory.filter(|memory| memory.is_running()).map_or((0.0, 0.0), PoseMemory::times_s)
    }

    /// True if an entry of a slot is where an entry of the frame is.
    fn is_at(&self, entry: &Entry, clip: &MixedClip, ticks: u32) -> bool {
        let duration_s = self.cast.graph.clips()[usize::from(entry.clip)].duration_s;
        // A phase that came round an end is at the other end: a clip need not go round.
        let off = f64::from(phase(entry.ratio()).abs_diff(clip.phase_at(ticks)));
        let jitter = (clip.rate64() as i64 as f64).abs() / PHASES;
        off * duration_s <= TIME_ERROR_S * PHASES + jitter * duration_s
    }
}

/// How fast the share of a clip grows, in 2⁻⁶⁴ a tick.
fn rate(entry: &Entry, dt_s: f64) -> u64 {
    let laps = laps_at_difference(entry) / (dt_s * TICKS_PER_S);
    let laps = match entry.repeat {
        // At its end it stays there.
        Repeat::Once if entry.to.lap() > 0 => 0.0,
        Repeat::PingPong if entry.to.lap() & 1 != 0 => -laps,
        _ => laps,
    };
    (laps * (PHASES * PHASES)) as i64 as u64
}

/// Laps that an entry went. Whole ones and parts apart: exact after any time.
fn laps_at_difference(entry: &Entry) -> f64 {
    let laps = entry.to.lap().saturating_sub(entry.from.lap());
    laps as f64 + (entry.to.progress_s() - entry.from.progress_s())
}

fn phase(ratio: f64) -> u32 {
    // A conversion stays within the type: the end of a clip is the last of its phases.
    (ratio * PHASES) as u32
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() <= WEIGHT_ERROR
}

fn seconds(ticks: u32) -> f32 {
    ticks as f32 * (1.0 / TICKS_PER_S as f32)
}
