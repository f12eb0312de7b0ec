//! Small ozz archives of every kind, written here: what tests read and what fuzzing starts from.

/// The half float nearest to a number that has one: a whole number or a simple fraction.
fn half(v: f32) -> u16 {
    if v == 0.0 {
        return 0;
    }
    let bits = v.to_bits();
    assert!(bits.trailing_zeros() >= 13, "{v} is no half float");
    (bits >> 16 & 0x8000) as u16 | ((bits >> 13 & 0x3_ffff) - (112 << 10)) as u16
}

/// Writes ozz archives, in either byte order.
#[derive(Clone, Debug)]
pub struct Writer {
    /// What was written so far.
    pub bytes: Vec<u8>,
    big: bool,
}

impl Writer {
    /// An archive without objects.
    #[must_use]
    pub fn new(big: bool) -> Self {
        Self { bytes: vec![u8::from(!big)], big }
    }
    /// Starts an object: its tag and its version.
    pub fn object(&mut self, tag: &str, version: u32) {
        self.bytes.extend(tag.as_bytes());
        self.bytes.push(0);
        self.u32(version);
    }
    /// Bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }
    /// A number.
    pub fn u16(&mut self, v: u16) {
        self.bytes.extend(if self.big { v.to_be_bytes() } else { v.to_le_bytes() });
    }
    /// A number.
    pub fn u32(&mut self, v: u32) {
        self.bytes.extend(if self.big { v.to_be_bytes() } else { v.to_le_bytes() });
    }
    /// A number.
    pub fn f32(&mut self, v: f32) {
        self.u32(v.to_bits());
    }
    /// Numbers.
    pub fn u32s(&mut self, v: &[u32]) {
        v.iter().for_each(|v| self.u32(*v));
    }
    /// Numbers.
    pub fn u16s(&mut self, v: &[u16]) {
        v.iter().for_each(|v| self.u16(*v));
    }
    /// Numbers.
    pub fn f32s(&mut self, v: &[f32]) {
        v.iter().for_each(|v| self.f32(*v));
    }
}

/// Packs a quaternion whose largest component is `largest`.
fn quat_bits(q: [f64; 4], largest: usize) -> [u16; 3] {
    let others: Vec<u64> = (0..4)
        .filter(|i| *i != largest)
        .map(|i| ((q[i] + 0.5f64.sqrt()) * 32767.0 / 2f64.sqrt()).round() as u64)
        .collect();
    let sign = u64::from(q[largest] < 0.0);
    let bits = largest as u64 | sign << 2 | others[0] << 3 | others[1] << 18 | others[2] << 33;
    [bits as u16, (bits >> 16) as u16, (bits >> 32) as u16]
}

fn write_skeleton(w: &mut Writer) {
    w.object("ozz-skeleton", 2);
    w.u32s(&[5, 18]);
    w.raw(b"hips\0leg\0\0arm\0h\xffd\0");
    w.u16s(&[0xffff, 0, 0, 2, 3]);
    for group in 0..2 {
        for component in 0..10 {
            for lane in 0..4 {
                let joint = group * 4 + lane;
                w.f32(match component {
                    0 => joint as f32,
                    6..10 => 1.0,
                    _ => 0.0,
                });
            }
        }
    }
}

/// Two tracks, `points` timepoints: translation of track 0 is 2, 4 and -6 at 0, the middle and the end; track
/// 1 turns from the identity to half a turn about y.
fn write_animation(w: &mut Writer, points: usize) {
    let (middle, last) = (points / 2, points - 1);
    let half_turn = quat_bits([0.0, 1.0, 0.0, 0.0], 1);
    let identity = quat_bits([0.0, 0.0, 0.0, -1.0], 3);
    w.object("ozz-animation", 7);
    w.f32(2.0);
    w.u32s(&[2, 4, points as u32, 9, 8, 8, 5, 1, 0, 0, 0, 0]);
    w.raw(b"turn");
    (0..points).for_each(|i| w.f32(i as f32 / last as f32));
    let index = |w: &mut Writer, i: usize| if points > 255 { w.u16(i as u16) } else { w.raw(&[i as u8]) };

    // Translations: first keys, second keys, one third key of track 0 (five back).
    for i in [0, 0, 0, 0, middle, last, last, last, last] {
        index(w, i);
    }
    w.u16s(&[0, 0, 0, 0, 4, 4, 4, 4, 4]);
    w.raw(&[1, 2, 3, 4, 5]);
    w.u32(0);
    w.f32(1.0);
    for x in [2.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, -6.0] {
        w.u16s(&[half(x), 0, half(0.5)]);
    }
    // Rotations.
    for i in [0, 0, 0, 0, last, last, last, last] {
        index(w, i);
    }
    w.u16s(&[0, 0, 0, 0, 4, 4, 4, 4]);
    w.f32(1.0);
    for key in 0..8 {
        w.u16s(if key == 5 { &half_turn } else { &identity });
    }
    // Scales.
    for i in [0, 0, 0, 0, last, last, last, last] {
        index(w, i);
    }
    w.u16s(&[0, 0, 0, 0, 4, 4, 4, 4]);
    w.f32(1.0);
    (0..8).for_each(|_| w.u16s(&[half(1.0); 3]));
}

fn write_raw_animation(w: &mut Writer) {
    w.object("ozz-raw_animation", 3);
    w.f32(1.5);
    w.u32s(&[2, 1]);
    w.u32s(&[2, 1]);
    w.f32s(&[0.0, 1.0, 2.0, 3.0, 1.5, 4.0, 5.0, 6.0]);
    w.u32s(&[1, 1]);
    w.f32s(&[0.5, 0.0, 0.6, 0.0, 0.8]);
    w.u32(0);
    w.u32s(&[0, 0, 0]);
    w.u32(3);
    w.raw(b"raw");
}

fn write_tracks(w: &mut Writer) {
    for (tag, components) in [("float", 1), ("float2", 2), ("float3", 3), ("float4", 4), ("quat", 4)] {
        w.object(&format!("ozz-{tag}_track"), 1);
        w.u32s(&[9, 2]);
        (0..9).for_each(|i| w.f32(i as f32 / 8.0));
        (0..9 * components).for_each(|i| w.f32(i as f32 + 1.0));
        w.raw(&[0b10, 1]);
        w.raw(b"tr");
    }
}

fn write_mesh(w: &mut Writer) {
    w.object("ozz-sample-Mesh", 1);
    w.u32s(&[2, 1]);
    for influences in [1u32, 2] {
        w.u32(9);
        w.f32s(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        w.u32(9);
        w.f32s(&[0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0]);
        w.u32(12);
        w.f32s(&[1.0; 12]);
        w.u32(6);
        w.f32s(&[0.25; 6]);
        w.u32(12);
        w.raw(&[255; 12]);
        w.u32(3 * influences);
        (0..3 * influences).for_each(|i| w.u16((i % 2) as u16));
        w.u32(3 * (influences - 1));
        (0..3 * (influences - 1)).for_each(|_| w.f32(0.75));
    }
    w.u32(6);
    w.u16s(&[0, 1, 2, 3, 4, 5]);
    w.u32(2);
    w.u16s(&[4, 0]);
    w.u32(2);
    for x in [0.0, 5.0] {
        w.f32s(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, 0.0, 0.0, 1.0]);
    }
}

/// One archive an object kind, in one byte order: a skeleton of 5 joints, an animation with 8-bit and one with
/// 16-bit times, a raw animation, a mesh, and one of user tracks, which holds five objects.
#[must_use]
pub fn archives(big: bool) -> Vec<Vec<u8>> {
    let writers: [fn(&mut Writer); 6] = [
        write_skeleton,
        |w| write_animation(w, 5),
        |w| write_animation(w, 300),
        write_raw_animation,
        write_mesh,
        write_tracks,
    ];
    let one = |write: &fn(&mut Writer)| {
        let mut w = Writer::new(big);
        write(&mut w);
        w.bytes
    };
    writers.iter().map(one).collect()
}
