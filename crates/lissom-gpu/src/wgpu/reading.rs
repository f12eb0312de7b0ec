//! Palettes that come back.

use crate::GpuError;
use lissom_motion::crowd::{PaletteFormat, PaletteRows};
use std::sync::{Arc, Mutex, PoisonError};
use wgpu::{Buffer, BufferDescriptor, BufferUsages, Device, MapMode, PollType, Queue};

/// The value of a half float.
fn from_half(half: u16) -> f32 {
    let (sign, exponent, part) = (u32::from(half >> 15), u32::from(half >> 10 & 31), u32::from(half & 1023));
    match exponent {
        // A part of 2⁻²⁴: exact.
        0 => part as f32 * (1.0 / (1 << 24) as f32) * if sign == 0 { 1.0 } else { -1.0 },
        31 => f32::from_bits(sign << 31 | 0xff << 23 | part << 13),
        _ => f32::from_bits(sign << 31 | (exponent + 112) << 23 | part << 13),
    }
}

/// Palettes on their way from the device: see [`GpuCrowd::read_palettes`](crate::GpuCrowd::read_palettes).
#[derive(Debug)]
pub struct Reading {
    buffer: Buffer,
    done: Arc<Mutex<Option<Result<(), String>>>>,
    lost: Arc<Mutex<Option<String>>>,
    format: PaletteFormat,
    joints: usize,
}

impl Reading {
    pub(super) fn new(
        device: &Device,
        queue: &Queue,
        from: &[(&Buffer, u64)],
        bytes: usize,
        format: PaletteFormat,
        joints: usize,
        lost: &Arc<Mutex<Option<String>>>,
    ) -> Self {
        let buffer = device.create_buffer(&BufferDescriptor {
            label: Some("lissom reading"),
            size: (from.len() * bytes).max(16) as u64,
            usage: BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (i, (of, at)) in from.iter().enumerate() {
            encoder.copy_buffer_to_buffer(of, *at, &buffer, (i * bytes) as u64, bytes as u64);
        }
        queue.submit([encoder.finish()]);
        let done: Arc<Mutex<Option<Result<(), String>>>> = Arc::default();
        let told = Arc::clone(&done);
        buffer.slice(..).map_async(MapMode::Read, move |result| {
            *told.lock().unwrap_or_else(PoisonError::into_inner) =
                Some(result.map_err(|error| error.to_string()));
        });
        Self { buffer, done, lost: Arc::clone(lost), format, joints }
    }

    /// The palettes, in the order in which they were asked for, if they are there; the device must be polled meanwhile.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`]; [`GpuError::Device`].
    pub fn take(&self) -> Result<Option<Vec<Vec<PaletteRows>>>, GpuError> {
        if let Some(why) = &*self.lost.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(GpuError::Lost { why: why.clone() });
        }
        match &*self.done.lock().unwrap_or_else(PoisonError::into_inner) {
            None => return Ok(None),
            Some(Err(why)) => return Err(GpuError::Device { why: why.clone() }),
            Some(Ok(())) => {}
        }
        let view = self
            .buffer
            .slice(..)
            .get_mapped_range()
            .map_err(|error| GpuError::Device { why: error.to_string() })?;
        let bytes: &[u8] = &view;
        let words = |size: usize| bytes.chunks_exact(size);
        let float = |b: &[u8]| f32::from_le_bytes(b.try_into().unwrap_or_default());
        let half = |b: &[u8]| from_half(u16::from_le_bytes(b.try_into().unwrap_or_default()));
        let numbers: Vec<f32> = match self.format {
            PaletteFormat::F32 => words(4).map(float).collect(),
            PaletteFormat::F16 => words(2).map(half).collect(),
        };
        let matrix =
            |m: &[f32]| -> PaletteRows { core::array::from_fn(|r| core::array::from_fn(|c| m[r * 4 + c])) };
        let palette = |all: &[f32]| all.chunks_exact(12).map(matrix).collect();
        Ok(Some(numbers.chunks_exact(self.joints * 12).map(palette).collect()))
    }

    /// Waits for them.
    ///
    /// # Errors
    ///
    /// [`GpuError::Lost`]; [`GpuError::Device`].
    pub fn wait(&self, device: &Device) -> Result<Vec<Vec<PaletteRows>>, GpuError> {
        device
            .poll(PollType::wait_indefinitely())
            .map_err(|error| GpuError::Device { why: error.to_string() })?;
        self.take()?.ok_or_else(|| GpuError::Device { why: "it did not answer".into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom::math::scalar::half;

    #[test]
    fn every_half_float_comes_back() {
        for bits in 0..=u16::MAX {
            let value = from_half(bits);
            assert!(value.is_nan() || half(value) == bits, "{bits:#06x} {value}");
            assert_eq!(value.is_nan(), bits & 0x7fff > 0x7c00);
        }
    }
}
