//! What goes to a GPU, frame by frame, as bytes: no API of a GPU is known here.

use crate::{
    GpuError,
    clips::{GpuClips, TABLE_WORDS},
    keys::KeyFormat,
    math,
    rig::{NONE, Rig},
    shader,
};
use lissom::{
    job::{BlendJob, Mix},
    math::{scalar::half, soa::GROUP},
};
use lissom_motion::{
    Graph, GraphState, RootStep,
    crowd::{Crowd, Member, MemberPose, MixHead, MixedClip, MixedLayer, Mixes, PaletteFormat, PaletteRows},
    frame::Frame,
};
use std::{ops::Range, sync::Arc};

/// Words of a head, an entry and a layer.
const HEAD: usize = size_of::<MixHead>() / 4;
/// An entry has two words more: where its keys are, and how many steps.
const CLIP: usize = size_of::<MixedClip>() / 4 + 2;
const LAYER: usize = size_of::<MixedLayer>() / 4;
/// Words of a place.
const PLACE: usize = 8;
/// Bytes of what a dispatch knows of its frame.
pub(crate) const FRAME: usize = 32;
/// WebGPU's default limits.
const MOST_BINDING: usize = 128 << 20;
const MOST_GROUPS: usize = 65_535;

/// How a crowd is posed on a GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct GpuOptions {
    /// What the numbers of palettes are.
    pub format: PaletteFormat,
    /// How rotations of keys are stored.
    pub keys: KeyFormat,
    /// Model-space matrices are written, too.
    pub models: bool,
    /// The palettes of the frame before are kept, for motion vectors.
    pub before: bool,
    /// Palettes are of the world: places are uploaded with every frame. Else they are of the model, and the host knows places.
    pub places: bool,
    /// Around each joint, in the space of the mesh, a sphere that has every vertex that the joint moves: x, y, z, radius; a radius below
    /// 0 where there is none. A box a member is then written.
    pub spheres: Option<Vec<[f32; 4]>>,
    /// The most bytes of keys.
    pub most_key_bytes: usize,
    /// The most transitions by inertia at once.
    pub most_changes: usize,
    /// How far keys may be from their clip, in metres.
    pub most_key_error_m: f64,
    /// The most members of a chunk: fewer than fit is for tests.
    pub most_chunk: usize,
}

impl Default for GpuOptions {
    fn default() -> Self {
        Self {
            format: PaletteFormat::F32,
            keys: KeyFormat::F32,
            models: false,
            before: false,
            places: false,
            spheres: None,
            most_key_bytes: 64 << 20,
            most_changes: 1024,
            most_key_error_m: 3.0e-5,
            most_chunk: MOST_GROUPS,
        }
    }
}

/// A buffer that is written to. Those of a chunk are a buffer a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// What dispatches know of the frame: a uniform buffer a chunk.
    Frame,
    /// What members play, and their places.
    Members,
    /// Records that changed; [`Dispatch::patches`] of them are copied into the members.
    Patches,
    /// Tables: one for all chunks.
    Rig,
    /// Keys: one for all chunks.
    Keys,
    /// What is remembered of transitions by inertia: one for all chunks.
    Remembered,
    /// Palettes of members that the CPU posed.
    Palettes,
    /// Model-space matrices of members that the CPU posed.
    Models,
    /// Boxes of members that the CPU posed.
    Boxes,
}

/// Bytes to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Where to.
    pub to: Target,
    /// The chunk, where there is a buffer a chunk.
    pub chunk: usize,
    /// From which byte on.
    pub at: u64,
    bytes: Range<usize>,
}

/// What is dispatched for a chunk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dispatch {
    /// Workgroups that copy records, first.
    pub patches: u32,
    /// Workgroups that pose: one a slot, for each of the two kernels that has somebody to pose.
    pub slots: u32,
    /// Somebody is posed by the plain kernel.
    pub plain: bool,
    /// Somebody is posed by the rich kernel.
    pub rich: bool,
}

/// The part that knows no GPU: it turns the mixes of a crowd into bytes, and says which buffers they are for.
#[derive(Clone, Debug)]
pub struct Core {
    options: GpuOptions,
    rig: Rig,
    clips: GpuClips,
    /// Slots of a full chunk.
    chunk: usize,
    /// Slots that there is room for.
    room: usize,
    stride: usize,
    clips_each: usize,
    layers_each: usize,
    /// What the device has of each slot.
    mirror: Vec<u32>,
    /// Plain and rich members of each chunk.
    kinds: Vec<[u32; 2]>,
    slots: usize,
    pool_of: Vec<u32>,
    pool_free: Vec<u32>,
    remembered: Vec<Option<u16>>,
    /// Why a slot is posed by the CPU.
    held: Vec<u8>,
    on_cpu: Vec<u32>,
    pending: Vec<u32>,
    dirty: Vec<u32>,
    arena: Vec<u8>,
    writes: Vec<Write>,
    dispatches: Vec<Dispatch>,
    /// The update that was told last.
    update: u64,
    all: bool,
    origin: [f64; 3],
    /// Which of two buffers of palettes is written.
    side: usize,
    pose: Option<MemberPose>,
    trouble: Option<GpuError>,
    frames: u64,
    /// Of each graph, below which weight of a joint the rest pose fills in.
    thresholds: Vec<(Arc<Graph>, f32)>,
}

/// Reasons to be posed by the CPU.
const ASKED: u8 = 1;
const NO_CLIP: u8 = 2;
const NO_ROOM: u8 = 4;

impl Core {
    /// For a crowd as it is: graphs, levels of detail and inverse bind matrices that come later need another one.
    ///
    /// # Errors
    ///
    /// [`GpuError::Joints`]; [`GpuError::Length`]; clips that cannot be played.
    pub fn new(crowd: &Crowd, options: GpuOptions) -> Result<Self, GpuError> {
        let skeleton = crowd.skeleton();
        let joints = skeleton.joint_count();
        if joints > crate::MOST_JOINTS {
            return Err(GpuError::Joints { found: joints, most: crate::MOST_JOINTS });
        }
        let most_keys = options.most_key_bytes.clamp(1024, MOST_BINDING) / 16 * 16;
        let clips =
            GpuClips::new(skeleton, crowd.clips(), options.keys, most_keys, options.most_key_error_m)?;
        let rig = Rig::new(crowd, &clips, &options)?;
        let largest = if rig.models { joints * 48 } else { rig.palette_bytes() };
        let chunk = (MOST_BINDING / largest).min(MOST_GROUPS).min(options.most_chunk).max(1);
        let entry = Self::inertia_fields(&rig) * joints * 16;
        let changes = options.most_changes.min(MOST_BINDING / entry);
        Ok(Self {
            rig,
            clips,
            chunk,
            room: 0,
            stride: 0,
            clips_each: 0,
            layers_each: 0,
            mirror: Vec::new(),
            kinds: Vec::new(),
            slots: 0,
            pool_of: Vec::new(),
            pool_free: (0..changes as u32).rev().collect(),
            remembered: Vec::new(),
            held: Vec::new(),
            on_cpu: Vec::new(),
            pending: Vec::new(),
            dirty: Vec::new(),
            arena: Vec::new(),
            writes: Vec::new(),
            dispatches: Vec::new(),
            update: 0,
            all: true,
            origin: [0.0; 3],
            side: 0,
            pose: Some(crowd.member_pose()),
            trouble: None,
            frames: 0,
            thresholds: Vec::new(),
            options: GpuOptions { most_changes: changes, ..options },
        })
    }

    /// The kernel that poses, in WGSL; its entry point is `pose`. There are two: `rich` members have layers, added clips, inertia or a level of
    /// detail.
    #[must_use]
    pub fn shader(&self, rich: bool) -> String {
        shader::text(&self.rig, &self.clips.layout, rich)
    }

    /// The kernel that copies records that changed; its entry point is `patch_members`.
    #[must_use]
    pub fn patch_shader(&self) -> &'static str {
        shader::PATCH
    }

    /// The options it was made with.
    #[must_use]
    pub fn options(&self) -> &GpuOptions {
        &self.options
    }

    /// The clips.
    #[must_use]
    pub fn clips(&self) -> &GpuClips {
        &self.clips
    }

    /// The clips, to bring some before they are played, or to take some away.
    pub fn clips_mut(&mut self) -> &mut GpuClips {
        &mut self.clips
    }

    /// Joints of the skeleton.
    #[must_use]
    pub fn joints(&self) -> usize {
        self.rig.joints
    }

    /// Invocations of a workgroup.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.rig.lanes
    }

    /// Slots of a full chunk; the last one may have fewer.
    #[must_use]
    pub fn chunk_slots(&self) -> usize {
        self.chunk
    }

    /// Slots that each chunk's buffers must have room for now.
    #[must_use]
    pub fn room(&self, chunk: usize) -> usize {
        self.room.saturating_sub(chunk * self.chunk).min(self.chunk)
    }

    /// The bytes of a buffer; of a chunk's, for its [`Core::room`].
    #[must_use]
    pub fn buffer_bytes(&self, of: Target, chunk: usize) -> usize {
        let room = self.room(chunk);
        match of {
            Target::Frame => FRAME,
            Target::Members => room * (self.stride + if self.options.places { PLACE } else { 0 }) * 4,
            Target::Patches => room * (self.stride + 3) * 4 / PATCHED + 64,
            Target::Rig => self.rig.words.len() * 4,
            Target::Keys => self.clips.total_words() * 4,
            Target::Remembered => {
                self.options.most_changes.max(1) * Self::inertia_fields(&self.rig) * self.rig.joints * 16
            }
            Target::Palettes => room * self.rig.palette_bytes(),
            Target::Models => {
                if self.rig.models {
                    room * self.rig.joints * 48
                } else {
                    0
                }
            }
            Target::Boxes => {
                if self.rig.boxes {
                    room * 32
                } else {
                    0
                }
            }
        }
    }

    /// Which of the two buffers of palettes the frame writes; 0 where one is kept.
    #[must_use]
    pub fn side(&self) -> usize {
        self.side
    }

    /// What is to be written before the frame is dispatched.
    pub fn writes(&self) -> impl Iterator<Item = (&Write, &[u8])> {
        self.writes.iter().map(|write| (write, &self.arena[write.bytes.clone()]))
    }

    /// Bytes of all of these.
    #[must_use]
    pub fn written_bytes(&self) -> usize {
        self.arena.len()
    }

    /// What is to be dispatched, a chunk an entry.
    #[must_use]
    pub fn dispatches(&self) -> &[Dispatch] {
        &self.dispatches
    }

    /// The chunk of a slot, and its place in it.
    #[must_use]
    pub fn place_of(&self, slot: usize) -> (usize, usize) {
        (slot / self.chunk, slot % self.chunk)
    }

    /// Who is posed by the CPU, by slot.
    #[must_use]
    pub fn on_cpu(&self) -> &[u32] {
        &self.on_cpu
    }

    /// Why somebody was posed by the CPU in the last step who was not asked to: the last such reason.
    #[must_use]
    pub fn trouble(&self) -> Option<&GpuError> {
        self.trouble.as_ref()
    }

    /// What world palettes are relative to; from the next step on.
    pub fn set_origin(&mut self, origin: [f64; 3]) {
        self.origin = origin;
    }

    /// Poses a member on the CPU from the next step on, or no longer.
    ///
    /// # Errors
    ///
    /// The crowd's, for somebody who is not in it.
    pub fn set_on_cpu(&mut self, crowd: &Crowd, member: Member, on_cpu: bool) -> Result<(), GpuError> {
        crowd.place(member)?;
        let slot = member.index();
        if self.held.len() <= slot {
            self.held.resize(slot + 1, 0);
        }
        self.held[slot] = if on_cpu { self.held[slot] | ASKED } else { self.held[slot] & !ASKED };
        self.pending.push(slot as u32);
        Ok(())
    }

    /// All buffers are new, as on a new device: the next step writes all of them.
    pub fn begin_anew(&mut self) {
        (self.all, self.frames, self.side) = (true, 0, 0);
        // Rows are made anew, and what they need is brought again.
        (self.room, self.clips_each) = (0, 0);
        self.clips.forget();
        self.remembered.fill(None);
    }

    /// After an update of the crowd: what is to be written and dispatched. It allocates where the crowd grew, and for clips that
    /// come. A step may be left out; the next one then looks at every slot.
    ///
    /// True if buffers must be made anew, larger, before anything is written.
    ///
    /// # Errors
    ///
    /// [`GpuError::NoMixes`]; [`GpuError::Changed`]: another crowd, or graphs or levels that came later. Nothing is then to be written.
    pub fn step(&mut self, crowd: &Crowd) -> Result<bool, GpuError> {
        self.arena.clear();
        self.writes.clear();
        self.dispatches.clear();
        let mixes = crowd.mixes().ok_or(GpuError::NoMixes)?;
        let same = |what, found, made| {
            if found == made { Ok(()) } else { Err(GpuError::Changed { what, found, made }) }
        };
        same("joints", crowd.skeleton().joint_count(), self.rig.joints)?;
        same("clips", crowd.clips().len(), self.clips.len())?;
        same("levels of detail", crowd.levels(), self.rig.levels)?;
        same("masks", crowd.masks().count(), self.rig.masks)?;
        self.trouble = None;

        let grown = self.reserve(&mixes);
        let missed = mixes.update() != self.update.wrapping_add(1) || grown || self.all;
        self.update = mixes.update();
        self.dirty.clear();
        if missed {
            self.dirty.extend(0..self.slots as u32);
        } else {
            self.dirty.extend(mixes.changed().map(|slot| slot as u32));
            self.dirty.append(&mut self.pending);
            // Perhaps there is room now.
            let waits = |slot: &&u32| self.held[**slot as usize] & !ASKED != 0;
            self.dirty.extend(self.on_cpu.iter().filter(waits));
            self.dirty.sort_unstable();
            self.dirty.dedup();
        }
        self.pending.clear();
        for i in 0..self.dirty.len() {
            self.record(crowd, &mixes, self.dirty[i] as usize);
        }
        // What the last ones gave up may be what the first ones lacked.
        self.trouble = None;
        for i in 0..self.dirty.len() {
            let slot = self.dirty[i] as usize;
            if self.held[slot] & !ASKED != 0 {
                self.record(crowd, &mixes, slot);
            }
        }
        self.list_on_cpu();
        self.write_tables();
        self.write_members(missed);
        if self.options.places {
            self.write_places(crowd);
        }
        if self.options.before && self.frames > 0 {
            self.side ^= 1;
        }
        self.write_frames(&mixes, missed && (grown || self.all));
        self.pose_held(crowd, &mixes);
        self.all = false;
        self.frames += 1;
        Ok(grown)
    }

    fn inertia_fields(rig: &Rig) -> usize {
        if rig.scaled { 6 } else { 4 }
    }

    /// Room for all slots. True if there was less.
    fn reserve(&mut self, mixes: &Mixes<'_>) -> bool {
        let (slots, clips, layers) = (mixes.heads().len(), mixes.clips_each(), mixes.layers_each());
        let wider = (clips, layers) != (self.clips_each, self.layers_each);
        if wider {
            (self.clips_each, self.layers_each) = (clips, layers);
            // Sectors of 32 bytes.
            self.stride = (HEAD + clips * CLIP + layers * LAYER + 1).next_multiple_of(8);
            self.mirror.clear();
            self.kinds.clear();
            self.clips.users.iter_mut().for_each(|users| *users = 0);
        }
        let grown = wider || slots > self.room;
        if grown {
            self.room = slots.next_power_of_two().max(64);
        }
        self.slots = slots;
        self.mirror.resize(slots * self.stride, 0);
        self.kinds.resize(slots.div_ceil(self.chunk), [0; 2]);
        self.pool_of.resize(slots, NONE);
        self.remembered.resize(slots, None);
        if self.held.len() < slots {
            self.held.resize(slots, 0);
        }
        grown
    }

    /// What a slot plays, into the mirror: with whatever it needs on the device.
    fn record(&mut self, crowd: &Crowd, mixes: &Mixes<'_>, slot: usize) {
        let row = slot * self.stride..(slot + 1) * self.stride;
        let Some(head) = mixes.heads().get(slot).copied() else { return };
        let (clips, layers) = (mixes.clips(slot), mixes.layers(slot));
        let old = &self.mirror[row.clone()];
        for entry in old[HEAD..].chunks_exact(CLIP).take((old[2] & 0xff) as usize) {
            let users = &mut self.clips.users[(entry[0] & 0xffff) as usize];
            *users = users.saturating_sub(1);
        }
        let mut held = self.held[slot] & ASKED;
        if head.live == 0 {
            held = 0;
        }
        let member = crowd.member_at(slot).filter(|_| head.live != 0);
        // Counted first: none of them makes room for another.
        clips.iter().for_each(|entry| self.clips.users[usize::from(entry.clip)] += 1);
        for entry in clips.iter().filter(|_| member.is_some()) {
            if let Err(error) = self.clips.add(crowd.skeleton(), usize::from(entry.clip)) {
                self.trouble = Some(error);
                held |= NO_CLIP;
            }
        }
        let remembers = head.duration_s > 0.0 && head.live != 0;
        if remembers && self.pool_of[slot] == NONE {
            self.pool_of[slot] = self.pool_free.pop().unwrap_or(NONE);
            self.remembered[slot] = None;
        } else if !remembers && self.pool_of[slot] != NONE {
            self.pool_free.push(self.pool_of[slot]);
            self.pool_of[slot] = NONE;
        }
        if remembers && self.pool_of[slot] == NONE {
            held |= NO_ROOM;
        }
        if let Some(member) = member.filter(|_| self.pool_of[slot] != NONE)
            && (self.remembered[slot] != Some(head.remembered) || self.all)
        {
            self.write_remembered(crowd, member);
            self.remembered[slot] = Some(head.remembered);
        }
        self.held[slot] = held;
        let mut entries = [[0; TABLE_WORDS]; Mix::MAX_ENTRIES];
        for (entry, clip) in entries.iter_mut().zip(clips) {
            *entry = self.clips.entry(usize::from(clip.clip));
        }
        let added = clips.iter().zip(&entries).any(|(clip, entry)| clip.additive != 0 || entry[2] != 0);
        let threshold = member.map_or(BlendJob::DEFAULT_THRESHOLD, |member| self.threshold(crowd, member));
        let rich = added
            || threshold != BlendJob::DEFAULT_THRESHOLD
            || !layers.is_empty()
            || head.level > 0
            || head.duration_s > 0.0;
        let old = self.mirror[slot * self.stride..][..HEAD].to_owned();
        let written = MixHead {
            clips: clips.len() as u8,
            layers: layers.len() as u8,
            // Nothing is posed, and nothing kept: the CPU writes it.
            live: if held != 0 || head.live == 0 { 0 } else { shader::kind(rich) },
            spare: self.pool_of[slot],
            ..head
        };
        let counts = &mut self.kinds[slot / self.chunk];
        for (kind, is) in [((old[3] >> 8) as u8, false), (written.live, true)] {
            if let Some(count) = usize::from(kind).checked_sub(1).and_then(|kind| counts.get_mut(kind)) {
                *count = if is { *count + 1 } else { *count - 1 };
            }
        }
        let row = &mut self.mirror[row];
        row[..HEAD].copy_from_slice(bytemuck::cast_slice(&[written]));
        let end = HEAD + clips.len() * CLIP;
        for (out, (clip, entry)) in row[HEAD..end].chunks_exact_mut(CLIP).zip(clips.iter().zip(&entries)) {
            out[..CLIP - 2].copy_from_slice(bytemuck::cast_slice(&[*clip]));
            // Beside the bit that says that it is added: at 0 where it does not move.
            out[0] |= entry[2] << 25;
            out[CLIP - 2..].copy_from_slice(&entry[..2]);
        }
        row[end..end + layers.len() * LAYER].copy_from_slice(bytemuck::cast_slice(layers));
        row[end + layers.len() * LAYER] = threshold.to_bits();
    }

    /// Below which weight of a joint the rest pose fills in: what a mix of the member's graph says.
    fn threshold(&mut self, crowd: &Crowd, member: Member) -> f32 {
        let Some(graph) = crowd.graph(member) else { return BlendJob::DEFAULT_THRESHOLD };
        if let Some((_, threshold)) = self.thresholds.iter().find(|(of, _)| Arc::ptr_eq(of, graph)) {
            return *threshold;
        }
        let (mut state, mut frame) = (GraphState::new(graph), Frame::new(graph));
        // A step of 0 of a state of its own is never refused.
        let threshold = graph
            .update(&mut state, 0.0, &mut frame)
            .map_or(BlendJob::DEFAULT_THRESHOLD, |()| frame.mix(|clip| clip).threshold());
        self.thresholds.push((Arc::clone(graph), threshold));
        threshold
    }

    fn write_remembered(&mut self, crowd: &Crowd, member: Member) {
        let Ok(memory) = crowd.memory(member) else { return };
        let (joints, fields) = (self.rig.joints, Self::inertia_fields(&self.rig));
        let pool = self.pool_of[member.index()] as usize;
        let mut write = self.begin_write(Target::Remembered, 0, pool * fields * joints * 16);
        for half in 0..2 {
            for field in 0..fields / 2 {
                for joint in 0..joints {
                    let (group, lane) = (joint / GROUP, joint % GROUP);
                    let numbers = memory.offsets().get(group).map_or([0.0; 4], |of| {
                        let offset = if half == 0 { &of.offset } else { &of.rate };
                        let v = [&offset.translation, &offset.rotation, &offset.scale][field];
                        [v.x.0[lane], v.y.0[lane], v.z.0[lane], 0.0]
                    });
                    self.arena.extend_from_slice(bytemuck::cast_slice(&numbers));
                }
            }
        }
        write.bytes.end = self.arena.len();
        self.writes.push(write);
    }

    fn begin_write(&self, to: Target, chunk: usize, at: usize) -> Write {
        Write { to, chunk, at: at as u64, bytes: self.arena.len()..self.arena.len() }
    }

    fn write(&mut self, to: Target, chunk: usize, at: usize, bytes: &[u8]) {
        let mut write = self.begin_write(to, chunk, at);
        self.arena.extend_from_slice(bytes);
        write.bytes.end = self.arena.len();
        self.writes.push(write);
    }

    fn list_on_cpu(&mut self) {
        let Self { on_cpu, held, dirty, slots, .. } = self;
        on_cpu.retain(|slot| held[*slot as usize] != 0 && (*slot as usize) < *slots);
        on_cpu.extend(dirty.iter().filter(|slot| held[**slot as usize] != 0));
        on_cpu.sort_unstable();
        on_cpu.dedup();
    }

    fn write_tables(&mut self) {
        if self.all {
            let rig = core::mem::take(&mut self.rig.words);
            self.write(Target::Rig, 0, 0, bytemuck::cast_slice(&rig));
            self.rig.words = rig;
        }
        for (at, words) in core::mem::take(&mut self.clips.written) {
            self.write(Target::Keys, 0, at * 4, bytemuck::cast_slice(&words));
        }
    }

    fn write_members(&mut self, whole: bool) {
        let mut from = 0;
        for chunk in 0..self.slots.div_ceil(self.chunk) {
            let first = chunk * self.chunk;
            let slots = (self.slots - first).min(self.chunk);
            let to = from + self.dirty[from..].partition_point(|slot| (*slot as usize) < first + slots);
            let dirty = from..to;
            from = to;
            let mut patches = 0;
            if whole || dirty.len() * PATCHED > slots {
                let mirror = core::mem::take(&mut self.mirror);
                let words = &mirror[first * self.stride..(first + slots) * self.stride];
                self.write(Target::Members, chunk, 0, bytemuck::cast_slice(words));
                self.mirror = mirror;
            } else if !dirty.is_empty() {
                patches = dirty.len();
                self.write_patches(chunk, first, dirty);
            }
            let [plain, rich] = self.kinds[chunk].map(|count| count > 0);
            self.dispatches.push(Dispatch { patches: patches as u32, slots: slots as u32, plain, rich });
        }
    }

    fn write_patches(&mut self, chunk: usize, first: usize, dirty: Range<usize>) {
        let mut write = self.begin_write(Target::Patches, chunk, 0);
        let used =
            |row: &[u32]| HEAD + (row[2] & 0xff) as usize * CLIP + (row[2] >> 8 & 0xff) as usize * LAYER + 1;
        let Self { arena, mirror, stride, .. } = self;
        let mut at = dirty.len();
        for slot in &self.dirty[dirty.clone()] {
            let row = &mirror[*slot as usize * *stride..][..*stride];
            arena.extend_from_slice(&(at as u32).to_le_bytes());
            at += 2 + used(row);
        }
        for slot in &self.dirty[dirty] {
            let row = &mirror[*slot as usize * *stride..][..*stride];
            let words = used(row);
            arena.extend_from_slice(bytemuck::cast_slice(&[*slot - first as u32, words as u32]));
            arena.extend_from_slice(bytemuck::cast_slice(&row[..words]));
        }
        write.bytes.end = arena.len();
        self.writes.push(write);
    }

    fn place_words(&self, place: &RootStep) -> [f32; PLACE] {
        let [x, y, z, w] = place.rotation.map(|v| v as f32);
        let t: [f32; 3] = core::array::from_fn(|i| (place.translation[i] - self.origin[i]) as f32);
        [x, y, z, w, t[0], t[1], t[2], 0.0]
    }

    fn write_places(&mut self, crowd: &Crowd) {
        for chunk in 0..self.slots.div_ceil(self.chunk) {
            let first = chunk * self.chunk;
            let slots = (self.slots - first).min(self.chunk);
            let mut write = self.begin_write(Target::Members, chunk, self.room(chunk) * self.stride * 4);
            for place in &crowd.places()[first..first + slots] {
                let words = self.place_words(place);
                self.arena.extend_from_slice(bytemuck::cast_slice(&words));
            }
            write.bytes.end = self.arena.len();
            self.writes.push(write);
        }
    }

    fn write_frames(&mut self, mixes: &Mixes<'_>, everybody: bool) {
        for chunk in 0..self.dispatches.len() {
            let paused = if everybody { 2 } else { u32::from(mixes.is_paused()) };
            let places = if self.options.places { self.room(chunk) * self.stride } else { NONE as usize };
            let keep = u32::from(self.options.before && self.frames > 0 && !everybody);
            let words = [
                mixes.tick(),
                mixes.turn(),
                paused,
                self.stride as u32,
                places as u32,
                keep,
                self.clips_each as u32,
                0_u32,
            ];
            self.write(Target::Frame, chunk, 0, bytemuck::cast_slice(&words));
        }
    }

    /// The palettes of those whom the CPU poses.
    fn pose_held(&mut self, crowd: &Crowd, mixes: &Mixes<'_>) {
        for i in 0..self.on_cpu.len() {
            let slot = self.on_cpu[i] as usize;
            let Some(member) = crowd.member_at(slot) else { continue };
            let head = mixes.heads()[slot];
            // Who is not seen stays as it was; who stands still may have been changed.
            let hidden = head.every == 0 && head.pace != 0.0 && head.posed != mixes.turn();
            if hidden && !self.options.before {
                continue;
            }
            let Some(mut pose) = self.pose.take() else { continue };
            if let Err(error) = crowd.pose_of(member, &mut pose) {
                self.trouble = Some(error.into());
            } else {
                self.write_pose(crowd, member, &pose);
            }
            self.pose = Some(pose);
        }
    }

    /// The palette of a member, in the world where palettes are.
    pub(crate) fn placed(&self, crowd: &Crowd, member: Member, palette: &[PaletteRows]) -> Vec<PaletteRows> {
        if !self.options.places {
            return palette.to_vec();
        }
        let place = math::place_rows(&self.place_words(&crowd.places()[member.index()]));
        palette.iter().map(|rows| math::product(&place, rows)).collect()
    }

    /// True if model-space matrices are written, asked for or needed.
    #[cfg(feature = "wgpu")]
    pub(crate) fn writes_models(&self) -> bool {
        self.rig.models
    }

    fn write_pose(&mut self, crowd: &Crowd, member: Member, pose: &MemberPose) {
        let (chunk, at) = self.place_of(member.index());
        let palette = self.placed(crowd, member, pose.palette());
        let bytes = self.rig.palette_bytes();
        match self.options.format {
            PaletteFormat::F32 => {
                self.write(Target::Palettes, chunk, at * bytes, bytemuck::cast_slice(&palette));
            }
            PaletteFormat::F16 => {
                let halves: Vec<[[u16; 4]; 3]> =
                    palette.iter().map(|rows| rows.map(|row| row.map(half))).collect();
                self.write(Target::Palettes, chunk, at * bytes, bytemuck::cast_slice(&halves));
            }
        }
        if self.rig.models {
            let rows: Vec<PaletteRows> = pose.models().iter().map(math::rows_of).collect();
            self.write(Target::Models, chunk, at * self.rig.joints * 48, bytemuck::cast_slice(&rows));
        }
        if let Some(spheres) = &self.options.spheres {
            let [low, high] = math::box_of(&palette, spheres).unwrap_or([[1.0e30; 3], [-1.0e30; 3]]);
            let words = [low[0], low[1], low[2], 0.0, high[0], high[1], high[2], 0.0];
            self.write(Target::Boxes, chunk, at * 32, bytemuck::cast_slice(&words));
        }
    }
}

/// One of so many members of a chunk may change before the whole chunk is uploaded.
const PATCHED: usize = 3;
