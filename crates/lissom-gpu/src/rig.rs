//! What the kernel reads of a skeleton: tables of four words an entry, a row a field.

use crate::{GpuError, GpuOptions, clips::GpuClips, math};
use lissom_motion::crowd::{Crowd, PaletteFormat};

/// The most joints that a kernel poses.
pub const MOST_JOINTS: usize = 1024;
/// Lanes of the largest workgroup that every device allows: a larger skeleton is posed in blocks of so many joints.
pub(crate) const MOST_LANES: usize = 256;
/// No such joint.
pub(crate) const NONE: u32 = u32::MAX;

/// What the shader's text depends on, and where each table starts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rig {
    pub joints: usize,
    /// Lanes of a workgroup.
    pub lanes: usize,
    /// Jumps that lead from any joint of a block to the first of its chain in this block.
    pub jumps: usize,
    pub scaled: bool,
    pub levels: usize,
    pub masks: usize,
    pub format: PaletteFormat,
    pub models: bool,
    pub before: bool,
    pub boxes: bool,
    /// Places of tables, in entries of four words.
    pub fields: usize,
    pub nearest: usize,
    pub mask_rows: usize,
    pub words: Vec<u32>,
}

/// Rows of the fields of joints.
pub(crate) mod field {
    pub const REST_ROTATION: usize = 0;
    pub const REST_TRANSLATION: usize = 1;
    pub const REST_SCALE: usize = 2;
    pub const BIND: usize = 3;
    /// Place among translations, place among scales, nearest joint above in an earlier block.
    pub const MISC: usize = 6;
    pub const SPHERE: usize = 7;
    /// Joints 1, 2, 4, 8 … above, four an entry.
    pub const ABOVE: usize = 8;
}

impl Rig {
    pub fn new(crowd: &Crowd, clips: &GpuClips, options: &GpuOptions) -> Result<Self, GpuError> {
        let skeleton = crowd.skeleton();
        let joints = skeleton.joint_count();
        if joints > MOST_JOINTS {
            return Err(GpuError::Joints { found: joints, most: MOST_JOINTS });
        }
        let lanes = joints.next_multiple_of(32).clamp(32, MOST_LANES);
        let block = |joint: usize| joint / lanes;
        // The chain of a joint within its block.
        let mut above: Vec<Vec<u32>> = Vec::new();
        let mut outer = vec![NONE; joints];
        let mut depth = vec![0_usize; joints];
        for joint in 0..joints {
            if let Some(parent) = skeleton.parent(joint) {
                if block(parent) == block(joint) {
                    depth[joint] = depth[parent] + 1;
                    outer[joint] = outer[parent];
                } else {
                    outer[joint] = parent as u32;
                }
            }
        }
        let deepest = depth.iter().copied().fold(0, usize::max);
        let jumps = (usize::BITS - deepest.leading_zeros()) as usize;
        let inside = |joint: usize| {
            skeleton.parent(joint).filter(|parent| block(*parent) == block(joint)).map_or(NONE, |p| p as u32)
        };
        for jump in 0..jumps {
            let row = match jump.checked_sub(1) {
                None => (0..joints).map(inside).collect(),
                Some(before) => {
                    let half = &above[before];
                    half.iter().map(|a| if *a == NONE { NONE } else { half[*a as usize] }).collect()
                }
            };
            above.push(row);
        }

        let scaled = clips.is_scaled();
        let spheres = options.spheres.as_deref();
        if let Some(spheres) = spheres
            && spheres.len() != joints
        {
            return Err(GpuError::Length { what: "spheres", found: spheres.len(), needed: joints });
        }
        let mut words = Vec::new();
        let fields = 0;
        let rest = math::rest(skeleton);
        let floats = |words: &mut Vec<u32>, row: &[f32]| {
            words.extend((0..4).map(|i| row.get(i).copied().unwrap_or(0.0).to_bits()));
        };
        rest.iter().for_each(|local| floats(&mut words, &local.q));
        rest.iter().for_each(|local| floats(&mut words, &local.t));
        rest.iter().for_each(|local| floats(&mut words, &local.s));
        for row in 0..3 {
            crowd.binds().iter().for_each(|bind| floats(&mut words, &bind[row]));
        }
        let place = |list: &[u16], joint: usize| {
            list.iter().position(|of| usize::from(*of) == joint).map_or(NONE, |at| at as u32)
        };
        let layout = &clips.layout;
        for (joint, outer) in outer.iter().enumerate() {
            words.extend([place(&layout.moving, joint), place(&layout.scaled, joint), *outer, 0]);
        }
        for joint in 0..joints {
            floats(&mut words, spheres.map_or(&[0.0, 0.0, 0.0, -1.0], |spheres| &spheres[joint]));
        }
        for four in 0..jumps.div_ceil(4) {
            for joint in 0..joints {
                words.extend((0..4).map(|i| above.get(four * 4 + i).map_or(NONE, |row| row[joint])));
            }
        }
        let nearest = words.len() / 4;
        let levels = crowd.levels();
        for level in 1..=levels {
            let nearest = crowd.level_joints(level as u8).unwrap_or_default();
            words.extend(
                (0..joints.next_multiple_of(4)).map(|joint| nearest.get(joint).map_or(0, |j| u32::from(*j))),
            );
        }
        let mask_rows = words.len() / 4;
        let mut masks = 0;
        for mask in crowd.masks() {
            let flat = mask.iter().flat_map(|lanes| lanes.0).take(joints.next_multiple_of(4));
            words.extend(flat.map(f32::to_bits));
            words.resize(mask_rows * 4 + (masks + 1) * joints.next_multiple_of(4), 0);
            masks += 1;
        }
        Ok(Self {
            joints,
            lanes,
            jumps,
            scaled,
            levels,
            masks,
            format: options.format,
            // A block reads what an earlier one has written there.
            models: options.models || joints > lanes,
            before: options.before,
            boxes: spheres.is_some(),
            fields,
            nearest,
            mask_rows,
            words,
        })
    }

    /// Joints are posed in several blocks, one after the other.
    pub fn blocks(&self) -> usize {
        self.joints.div_ceil(self.lanes)
    }

    /// Bytes of a palette.
    pub fn palette_bytes(&self) -> usize {
        self.joints
            * match self.format {
                PaletteFormat::F32 => 48,
                PaletteFormat::F16 => 24,
            }
    }
}
