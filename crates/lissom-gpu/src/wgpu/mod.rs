//! The thin part: buffers and pipelines on a device of wgpu's.

mod reading;

pub use reading::Reading;

use crate::{
    Core, GpuError, GpuOptions,
    core::{FRAME, Target},
    math,
};
use lissom_motion::crowd::{Crowd, Member, PaletteFormat};
use std::sync::{Arc, Mutex, PoisonError};
use wgpu::{
    BindGroup, BindGroupDescriptor, BindGroupEntry, BindGroupLayout, BindGroupLayoutDescriptor,
    BindGroupLayoutEntry, BindingType, Buffer, BufferBindingType, BufferDescriptor, BufferUsages,
    CommandEncoder, ComputePassDescriptor, ComputePassTimestampWrites, ComputePipeline,
    ComputePipelineDescriptor, Device, PipelineLayoutDescriptor, Queue, ShaderModuleDescriptor, ShaderSource,
    ShaderStages,
};

/// A crowd on a device that the host owns: its buffers, its two pipelines. See [the crate](crate).
///
/// ```no_run
/// use lissom_gpu::{GpuCrowd, GpuOptions};
/// use lissom_motion::crowd::{Crowd, Outputs};
/// # fn frame(device: &wgpu::Device, queue: &wgpu::Queue, crowd: &mut Crowd) -> Result<(), Box<dyn core::error::Error>> {
/// crowd.set_outputs(Outputs { mixes: true, ..Outputs::default() });
/// let mut gpu = GpuCrowd::new(device, crowd, GpuOptions::default())?;
/// loop {
///     crowd.update(1.0 / 60.0)?; // decides
///     gpu.upload(device, queue, crowd)?; // what changed
///     let mut encoder = device.create_command_encoder(&Default::default());
///     gpu.encode(&mut encoder, None); // poses
///     for member in crowd.members() {
///         let palette = gpu.palette(member); // a buffer, and the first matrix: bind it and draw
/// #       let _ = palette;
///     }
///     queue.submit([encoder.finish()]);
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct GpuCrowd {
    core: Core,
    /// Of plain members, and of rich ones.
    pose: [ComputePipeline; 2],
    pose_layout: BindGroupLayout,
    patch: ComputePipeline,
    patch_layout: BindGroupLayout,
    rig: Buffer,
    keys: Buffer,
    remembered: Buffer,
    chunks: Vec<Chunk>,
    lost: Arc<Mutex<Option<String>>>,
    places: Vec<[f32; 3]>,
}

#[derive(Debug)]
struct Chunk {
    frame: Buffer,
    members: Buffer,
    patches: Buffer,
    /// Two where the frame before is kept.
    palettes: Vec<Buffer>,
    models: Option<Buffer>,
    boxes: Option<Buffer>,
    /// For each of the palettes.
    pose: Vec<BindGroup>,
    patch: BindGroup,
}

/// What an upload was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uploaded {
    /// Bytes in all.
    pub bytes: usize,
    /// Members whose record changed, of those that were not uploaded chunk by chunk.
    pub records: usize,
    /// Members that the CPU posed.
    pub on_cpu: usize,
    /// Buffers were made anew: bind groups of the host's are stale.
    pub grown: bool,
}

/// Where the palette of a member is.
#[derive(Clone, Copy, Debug)]
pub struct Palette<'a> {
    /// The buffer: palettes of a chunk of the crowd, one after the other.
    pub buffer: &'a Buffer,
    /// That of the frame before, where it is kept.
    pub before: Option<&'a Buffer>,
    /// The first matrix, counted in matrices.
    pub first: usize,
}

impl GpuCrowd {
    /// Buffers and pipelines for a crowd as it is.
    ///
    /// # Errors
    ///
    /// Those of [`Core::new`]; [`GpuError::Limit`]: a device with less than WebGPU's default limits.
    pub fn new(device: &Device, crowd: &Crowd, options: GpuOptions) -> Result<Self, GpuError> {
        let core = Core::new(crowd, options)?;
        check_limits(device, &core)?;
        let module = |label, text: String| {
            device.create_shader_module(ShaderModuleDescriptor {
                label: Some(label),
                source: ShaderSource::Wgsl(text.into()),
            })
        };
        let pose_layout = layout(device, "lissom pose", &pose_bindings(&core));
        let patch_layout =
            layout(device, "lissom patch", &[(0, Kind::Uniform), (1, Kind::Write), (2, Kind::Read)]);
        let pipeline = |label, layout, text, entry| {
            let layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
                label: Some(label),
                bind_group_layouts: &[Some(layout)],
                immediate_size: 0,
            });
            device.create_compute_pipeline(&ComputePipelineDescriptor {
                label: Some(label),
                layout: Some(&layout),
                module: &module(label, text),
                entry_point: Some(entry),
                // Every lane writes its place before another one reads it.
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        };
        let pose = [false, true].map(|rich| pipeline("lissom pose", &pose_layout, core.shader(rich), "pose"));
        let patch = pipeline("lissom patch", &patch_layout, core.patch_shader().into(), "patch_members");
        let shared = |label, of| {
            buffer(device, label, core.buffer_bytes(of, 0), BufferUsages::STORAGE | BufferUsages::COPY_DST)
        };
        let places = math::bind_places(crowd.binds());
        Ok(Self {
            rig: shared("lissom rig", Target::Rig),
            keys: shared("lissom keys", Target::Keys),
            remembered: shared("lissom inertia", Target::Remembered),
            core,
            pose,
            pose_layout,
            patch,
            patch_layout,
            chunks: Vec::new(),
            lost: Arc::default(),
            places,
        })
    }

    /// What knows no GPU: clips, members on the CPU, the origin.
    #[must_use]
    pub fn core(&self) -> &Core {
        &self.core
    }

    /// The same, to be told something.
    pub fn core_mut(&mut self) -> &mut Core {
        &mut self.core
    }

    /// Notices when the device is lost, by its callback; a host with a callback of its own calls [`GpuCrowd::lose`] instead.
    pub fn watch(&self, device: &Device) {
        let lost = Arc::clone(&self.lost);
        device.set_device_lost_callback(move |reason, message| {
            *lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("{reason:?}: {message}"));
        });
    }

    /// The device is lost: every later call says so.
    pub fn lose(&self, why: &str) {
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.into());
    }

    fn check(&self) -> Result<(), GpuError> {
        match &*self.lost.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(why) => Err(GpuError::Lost { why: why.clone() }),
            None => Ok(()),
        }
    }

    /// After an update of the crowd: uploads what changed. The work is then to be encoded once ([`GpuCrowd::encode`]).
    ///
    /// # Errors
    ///
    /// Those of [`Core::step`]; [`GpuError::Lost`].
    pub fn upload(&mut self, device: &Device, queue: &Queue, crowd: &Crowd) -> Result<Uploaded, GpuError> {
        self.check()?;
        let grown = self.core.step(crowd)?;
        if grown {
            self.make_chunks(device);
        }
        for (write, bytes) in self.core.writes() {
            let Some(chunk) = self.chunks.get(write.chunk) else { continue };
            let to = match write.to {
                Target::Rig => &self.rig,
                Target::Keys => &self.keys,
                Target::Remembered => &self.remembered,
                Target::Frame => &chunk.frame,
                Target::Members => &chunk.members,
                Target::Patches => &chunk.patches,
                Target::Palettes => &chunk.palettes[self.core.side()],
                Target::Models => chunk.models.as_ref().unwrap_or(&chunk.frame),
                Target::Boxes => chunk.boxes.as_ref().unwrap_or(&chunk.frame),
            };
            queue.write_buffer(to, write.at, bytes);
        }
        let records = self.core.dispatches().iter().map(|of| of.patches as usize).sum();
        Ok(Uploaded { bytes: self.core.written_bytes(), records, on_cpu: self.core.on_cpu().len(), grown })
    }

    /// One compute pass: records, then poses. `timestamps` are written at its begin and end.
    pub fn encode(&self, encoder: &mut CommandEncoder, timestamps: Option<ComputePassTimestampWrites<'_>>) {
        let label = Some("lissom crowd");
        let mut pass =
            encoder.begin_compute_pass(&ComputePassDescriptor { label, timestamp_writes: timestamps });
        let work = || self.chunks.iter().zip(self.core.dispatches());
        if work().any(|(_, of)| of.patches > 0) {
            pass.set_pipeline(&self.patch);
            for (chunk, of) in work().filter(|(_, of)| of.patches > 0) {
                pass.set_bind_group(0, &chunk.patch, &[]);
                pass.dispatch_workgroups(of.patches, 1, 1);
            }
        }
        let [plain, rich] = &self.pose;
        for (pipeline, is) in [(plain, false), (rich, true)] {
            pass.set_pipeline(pipeline);
            for (chunk, of) in work().filter(|(_, of)| if is { of.rich } else { of.plain }) {
                pass.set_bind_group(0, &chunk.pose[self.core.side()], &[]);
                pass.dispatch_workgroups(of.slots, 1, 1);
            }
        }
    }

    /// Where the palette of a member is; `None` before the first upload.
    #[must_use]
    pub fn palette(&self, member: Member) -> Option<Palette<'_>> {
        let (chunk, at) = self.core.place_of(member.index());
        let (chunk, side) = (self.chunks.get(chunk)?, self.core.side());
        let before = (chunk.palettes.len() > 1).then(|| &chunk.palettes[1 - side]);
        Some(Palette { buffer: &chunk.palettes[side], before, first: at * self.core.joints() })
    }

    /// The model-space matrices of a chunk, as rows, as many a slot as there are joints; `None` where they are not written.
    #[must_use]
    pub fn models(&self, chunk: usize) -> Option<&Buffer> {
        self.chunks.get(chunk)?.models.as_ref()
    }

    /// The boxes of a chunk: eight floats a slot, least corner, 0, greatest corner, 0; `None` where they are not written.
    #[must_use]
    pub fn boxes(&self, chunk: usize) -> Option<&Buffer> {
        self.chunks.get(chunk)?.boxes.as_ref()
    }

    /// How many chunks there are.
    #[must_use]
    pub fn chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Bytes on the device, all buffers together.
    #[must_use]
    pub fn device_bytes(&self) -> u64 {
        let of = |chunk: &Chunk| {
            let more = chunk.palettes.iter().chain(&chunk.models).chain(&chunk.boxes);
            chunk.frame.size()
                + chunk.members.size()
                + chunk.patches.size()
                + more.map(Buffer::size).sum::<u64>()
        };
        self.rig.size() + self.keys.size() + self.remembered.size() + self.chunks.iter().map(of).sum::<u64>()
    }

    /// Compares poses of the device with those of the CPU: of up to 128 members that the last upload posed, after its work was submitted.
    /// It waits for the device. Returns the largest distance of joints and points 0.1 m beside them, in metres.
    ///
    /// # Errors
    ///
    /// [`GpuError::TooFar`] above `most_m`; [`GpuError::Lost`]; [`GpuError::Device`].
    pub fn self_test(
        &self,
        device: &Device,
        queue: &Queue,
        crowd: &Crowd,
        most_m: f64,
    ) -> Result<f64, GpuError> {
        let mixes = crowd.mixes().ok_or(GpuError::NoMixes)?;
        let posed = |member: &Member| {
            mixes
                .heads()
                .get(member.index())
                .is_some_and(|head| head.is_posed(mixes.turn(), mixes.is_paused()))
        };
        let members: Vec<Member> = crowd.members().filter(posed).take(128).collect();
        let reading = self.read_palettes(device, queue, &members)?;
        let (mut pose, mut worst) = (crowd.member_pose(), 0.0);
        let found = reading.wait(device)?;
        for (member, palette) in members.iter().zip(&found) {
            crowd.pose_of(*member, &mut pose)?;
            let own = self.core.placed(crowd, *member, pose.palette());
            let off = math::palettes_apart_m(palette, &own, &self.places);
            // NaN is too far.
            if off > worst || off.is_nan() {
                worst = off;
            }
        }
        if worst <= most_m {
            return Ok(worst);
        }
        Err(GpuError::TooFar { found_mm: worst * 1000.0, most_mm: most_m * 1000.0 })
    }

    /// Asks for the palettes of some members as the last submitted work leaves them: they come a frame or two later.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`].
    pub fn read_palettes(
        &self,
        device: &Device,
        queue: &Queue,
        members: &[Member],
    ) -> Result<Reading, GpuError> {
        self.check()?;
        let bytes = self.core.joints()
            * match self.core.options().format {
                PaletteFormat::F32 => 48,
                PaletteFormat::F16 => 24,
            };
        let from: Vec<(&Buffer, u64)> = members
            .iter()
            .filter_map(|member| self.palette(*member))
            .map(|palette| (palette.buffer, (palette.first / self.core.joints() * bytes) as u64))
            .collect();
        Ok(Reading::new(
            device,
            queue,
            &from,
            bytes,
            self.core.options().format,
            self.core.joints(),
            &self.lost,
        ))
    }

    fn make_chunks(&mut self, device: &Device) {
        self.chunks.clear();
        let sides = if self.core.options().before { 2 } else { 1 };
        let mut chunk = 0;
        while self.core.room(chunk) > 0 {
            let make = |label, of, usage| {
                let bytes = self.core.buffer_bytes(of, chunk);
                (bytes > 0).then(|| buffer(device, label, bytes, usage | BufferUsages::COPY_DST))
            };
            let storage = BufferUsages::STORAGE;
            let read = storage | BufferUsages::COPY_SRC | BufferUsages::VERTEX;
            // These are never empty.
            let (Some(frame), Some(members), Some(patches)) = (
                make("lissom frame", Target::Frame, BufferUsages::UNIFORM),
                make("lissom members", Target::Members, storage),
                make("lissom patches", Target::Patches, storage),
            ) else {
                return;
            };
            let palettes: Vec<Buffer> =
                (0..sides).filter_map(|_| make("lissom palettes", Target::Palettes, read)).collect();
            let models = make("lissom models", Target::Models, read);
            let boxes = make("lissom boxes", Target::Boxes, read);
            let pose = (0..palettes.len())
                .map(|side| {
                    let mut entries = vec![
                        (0, &frame),
                        (1, &members),
                        (2, &self.rig),
                        (3, &self.keys),
                        (4, &self.remembered),
                        (5, &palettes[side]),
                    ];
                    entries.extend((palettes.len() > 1).then(|| (6, &palettes[1 - side])));
                    entries.extend(models.as_ref().map(|models| (7, models)));
                    entries.extend(boxes.as_ref().map(|boxes| (8, boxes)));
                    group(device, "lissom pose", &self.pose_layout, &entries)
                })
                .collect();
            let patch = group(
                device,
                "lissom patch",
                &self.patch_layout,
                &[(0, &frame), (1, &members), (2, &patches)],
            );
            self.chunks.push(Chunk { frame, members, patches, palettes, models, boxes, pose, patch });
            chunk += 1;
        }
    }
}

enum Kind {
    Uniform,
    Read,
    Write,
}

fn pose_bindings(core: &Core) -> Vec<(u32, Kind)> {
    let mut all = vec![(0, Kind::Uniform)];
    all.extend((1..=4).map(|binding| (binding, Kind::Read)));
    all.push((5, Kind::Write));
    if core.options().before {
        all.push((6, Kind::Read));
    }
    if core.writes_models() {
        all.push((7, Kind::Write));
    }
    if core.options().spheres.is_some() {
        all.push((8, Kind::Write));
    }
    all
}

fn layout(device: &Device, label: &str, bindings: &[(u32, Kind)]) -> BindGroupLayout {
    let entry = |(binding, kind): &(u32, Kind)| BindGroupLayoutEntry {
        binding: *binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty: match kind {
                Kind::Uniform => BufferBindingType::Uniform,
                Kind::Read => BufferBindingType::Storage { read_only: true },
                Kind::Write => BufferBindingType::Storage { read_only: false },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<BindGroupLayoutEntry> = bindings.iter().map(entry).collect();
    device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: Some(label), entries: &entries })
}

fn group(device: &Device, label: &str, layout: &BindGroupLayout, buffers: &[(u32, &Buffer)]) -> BindGroup {
    let entries: Vec<BindGroupEntry<'_>> = buffers
        .iter()
        .map(|(binding, buffer)| BindGroupEntry { binding: *binding, resource: buffer.as_entire_binding() })
        .collect();
    device.create_bind_group(&BindGroupDescriptor { label: Some(label), layout, entries: &entries })
}

fn buffer(device: &Device, label: &str, bytes: usize, usage: BufferUsages) -> Buffer {
    // A binding is never empty, and copies are of whole words.
    let size = bytes.max(FRAME).next_multiple_of(16) as u64;
    device.create_buffer(&BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}

fn check_limits(device: &Device, core: &Core) -> Result<(), GpuError> {
    let limits = device.limits();
    let storage = pose_bindings(core).len() as u64 - 1;
    let least = wgpu::Limits::default();
    let needed = [
        (
            "max_storage_buffers_per_shader_stage",
            u64::from(limits.max_storage_buffers_per_shader_stage),
            storage,
        ),
        (
            "max_compute_invocations_per_workgroup",
            u64::from(limits.max_compute_invocations_per_workgroup),
            core.lanes() as u64,
        ),
        ("max_compute_workgroup_size_x", u64::from(limits.max_compute_workgroup_size_x), core.lanes() as u64),
        (
            "max_compute_workgroup_storage_size",
            u64::from(limits.max_compute_workgroup_storage_size),
            u64::from(least.max_compute_workgroup_storage_size),
        ),
        (
            "max_compute_workgroups_per_dimension",
            u64::from(limits.max_compute_workgroups_per_dimension),
            core.chunk_slots() as u64,
        ),
        ("max_storage_buffer_binding_size", limits.max_storage_buffer_binding_size, 128 << 20),
    ];
    for (limit, found, needed) in needed {
        if found < needed {
            return Err(GpuError::Limit { limit, found, needed });
        }
    }
    Ok(())
}
