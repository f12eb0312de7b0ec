//! Small NumPy archives, written here: what tests read and what fuzzing starts from.

/// Collects arrays.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    members: Vec<(String, Vec<u8>, bool)>,
}

/// Bytes of an array: its header, then numbers.
#[must_use]
pub fn array(kind: &str, shape: &[usize], numbers: &[u8], columns_first: bool) -> Vec<u8> {
    let shape: Vec<String> = shape.iter().map(|n| format!("{n},")).collect();
    let order = if columns_first { "True" } else { "False" };
    let mut header =
        format!("{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({}), }}", shape.join(" "));
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let length = u16::try_from(header.len()).expect("a short header").to_le_bytes();
    [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), numbers].concat()
}

impl Writer {
    /// An array of f32.
    pub fn floats(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let numbers: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.member(name, array("<f4", shape, &numbers, false), false);
    }

    /// An array of f64.
    pub fn doubles(&mut self, name: &str, shape: &[usize], values: &[f64]) {
        let numbers: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        self.member(name, array("<f8", shape, &numbers, false), false);
    }

    /// Any bytes; deflated as blocks that are stored, if asked for.
    pub fn member(&mut self, name: &str, bytes: Vec<u8>, deflated: bool) {
        self.members.push((format!("{name}.npy"), bytes, deflated));
    }

    /// The archive. Sums of the members are not written: nobody asks for them here.
    #[must_use]
    pub fn finish(&self) -> Vec<u8> {
        let (mut out, mut list) = (Vec::new(), Vec::new());
        let four = |n: usize| u32::try_from(n).expect("a small archive").to_le_bytes();
        let two = |n: usize| u16::try_from(n).expect("a small archive").to_le_bytes();
        for (name, bytes, deflated) in &self.members {
            let packed = if *deflated { deflate(bytes) } else { bytes.clone() };
            let at = four(out.len());
            let method = if *deflated { [8, 0] } else { [0, 0] };
            let sizes = [[0; 4], four(packed.len()), four(bytes.len())].concat();
            let common = [&[20, 0, 0, 0][..], &method, &[0; 4], &sizes, &two(name.len()), &[0; 2]].concat();
            out.extend([b"PK\x03\x04", &common[..], name.as_bytes(), &packed].concat());
            list.extend([b"PK\x01\x02\x14\0", &common[..], &[0; 10], &at, name.as_bytes()].concat());
        }
        let count = two(self.members.len());
        let end = [&[0; 4][..], &count, &count, &four(list.len()), &four(out.len()), &[0; 2]].concat();
        [&out[..], &list, b"PK\x05\x06", &end].concat()
    }
}

/// Blocks that are stored, as deflate has them.
fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let blocks: Vec<&[u8]> = bytes.chunks(1000).collect();
    for (i, block) in blocks.iter().enumerate() {
        let length = u16::try_from(block.len()).expect("a short block");
        out.push(u8::from(i + 1 == blocks.len()));
        out.extend(length.to_le_bytes());
        out.extend((!length).to_le_bytes());
        out.extend(*block);
    }
    out
}

/// A body of this number of joints that nods for three frames, as AMASS stores it: axis and angle, z up.
#[must_use]
pub fn nodding(joints: usize) -> Writer {
    let mut poses = vec![0.0; 3 * joints * 3];
    for frame in 0..3 {
        let row = &mut poses[frame * joints * 3..];
        // The pelvis stands upright where z is up; the head (joint 15) turns about x.
        row[0] = core::f64::consts::FRAC_PI_2;
        row[15 * 3] = 0.25 * frame as f64;
    }
    let mut w = Writer::default();
    w.doubles("poses", &[3, joints * 3], &poses);
    w.doubles("trans", &[3, 3], &[0.0, 0.0, 0.9, 0.0, -0.5, 0.9, 0.0, -1.0, 0.9]);
    w.doubles("mocap_framerate", &[], &[2.0]);
    w
}
