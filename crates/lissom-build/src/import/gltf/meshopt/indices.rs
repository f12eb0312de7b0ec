//! Modes 1 and 2: triangle lists, and other sequences of indices.

use super::{Reason, Stream, unzigzag};

const TABLE: usize = 16;
const SEQUENCE_TAIL: usize = 4;

/// The last sixteen things, newest at 0. What was never written cannot be read.
struct Fifo<T> {
    slots: [Option<T>; 16],
    at: usize,
}

impl<T: Copy> Fifo<T> {
    fn new() -> Self {
        Self { slots: [None; 16], at: 0 }
    }

    fn push(&mut self, value: T) {
        self.at = self.at.wrapping_add(1) & 15;
        if let Some(slot) = self.slots.get_mut(self.at) {
            *slot = Some(value);
        }
    }

    fn get(&self, back: u8) -> Result<T, Reason> {
        let at = self.at.wrapping_sub(usize::from(back)) & 15;
        self.slots.get(at).copied().flatten().ok_or_else(|| "it refers to a triangle before the first".into())
    }
}

/// What the decoder of triangles remembers.
struct Triangles<'a> {
    data: Stream<'a>,
    next: u32,
    last: u32,
    edges: Fifo<(u32, u32)>,
    vertices: Fifo<u32>,
}

impl Triangles<'_> {
    fn fresh(&mut self) -> u32 {
        let v = self.next;
        self.next = v.wrapping_add(1);
        v
    }

    fn explicit(&mut self) -> Result<u32, Reason> {
        self.last = self.last.wrapping_add(unzigzag(varint(&mut self.data)?));
        Ok(self.last)
    }

    /// A vertex by its four-bit code: 0 is a new one, 15 stands in the data, others were seen lately.
    fn coded(&mut self, code: u8) -> Result<u32, Reason> {
        match code {
            0 => Ok(self.fresh()),
            15 => self.explicit(),
            seen => self.vertices.get(seen.wrapping_sub(1)),
        }
    }

    fn on_edge(&mut self, edge: u8, code: u8) -> Result<[u32; 3], Reason> {
        let (a, b) = self.edges.get(edge)?;
        let c = match code {
            0 => self.fresh(),
            1..=12 => self.vertices.get(code)?,
            13 | 14 => {
                self.last = if code == 13 { self.last.wrapping_sub(1) } else { self.last.wrapping_add(1) };
                self.last
            }
            _ => self.explicit()?,
        };
        if !(1..=12).contains(&code) {
            self.vertices.push(c);
        }
        self.edges.push((c, b));
        self.edges.push((a, c));
        Ok([a, b, c])
    }

    /// Three vertices by their codes.
    fn apart(&mut self, first: u8, two: u8) -> Result<[u32; 3], Reason> {
        let (second, third) = (two >> 4, two & 15);
        let a = self.coded(first)?;
        let b = self.coded(second)?;
        let c = self.coded(third)?;
        self.vertices.push(a);
        for (v, code) in [(b, second), (c, third)] {
            if code == 0 || code == 15 {
                self.vertices.push(v);
            }
        }
        for edge in [(b, a), (c, b), (a, c)] {
            self.edges.push(edge);
        }
        Ok([a, b, c])
    }
}

pub(super) fn triangles(count: usize, stride: usize, compressed: &[u8]) -> Result<Vec<u8>, Reason> {
    index_size(stride)?;
    if !count.is_multiple_of(3) {
        return Err(format!("{count} indices are not whole triangles"));
    }
    let mut stream = Stream { rest: compressed };
    header(&mut stream, 0xe1)?;
    let codes = stream.take(count.checked_div(3).unwrap_or_default())?;
    let data = stream.rest.len().checked_sub(TABLE).ok_or("the compressed bytes end too early")?;
    let (data, table) = stream.rest.split_at_checked(data).ok_or("the compressed bytes end too early")?;
    let mut state = Triangles {
        data: Stream { rest: data },
        next: 0,
        last: 0,
        edges: Fifo::new(),
        vertices: Fifo::new(),
    };
    let mut out = Vec::with_capacity(count.saturating_mul(stride));
    for code in codes {
        let triangle = match (code >> 4, code & 15) {
            (15, 14 | 15) => {
                let two = state.data.byte()?;
                if two == 0 {
                    state.next = 0;
                }
                state.apart(if code & 1 == 0 { 0 } else { 15 }, two)?
            }
            (15, entry) => {
                let two = table.get(usize::from(entry)).copied().unwrap_or_default();
                if two >> 4 == 15 || two & 15 == 15 {
                    return Err(format!("entry {entry} of its table is {two:#04x}"));
                }
                state.apart(0, two)?
            }
            (edge, third) => state.on_edge(edge, third)?,
        };
        for index in triangle {
            put(&mut out, index, stride);
        }
    }
    state.data.end()?;
    Ok(out)
}

pub(super) fn sequence(count: usize, stride: usize, compressed: &[u8]) -> Result<Vec<u8>, Reason> {
    index_size(stride)?;
    let mut stream = Stream { rest: compressed };
    header(&mut stream, 0xd1)?;
    let data = stream.rest.len().checked_sub(SEQUENCE_TAIL).ok_or("the compressed bytes end too early")?;
    stream.rest = stream.rest.get(..data).unwrap_or_default();
    let (mut even, mut odd) = (0_u32, 0_u32);
    let mut out = Vec::with_capacity(count.saturating_mul(stride));
    for _ in 0..count {
        let v = varint(&mut stream)?;
        let last = if v & 1 == 0 { &mut even } else { &mut odd };
        *last = last.wrapping_add(unzigzag(v >> 1));
        put(&mut out, *last, stride);
    }
    stream.end()?;
    Ok(out)
}

fn index_size(stride: usize) -> Result<(), Reason> {
    if stride == 2 || stride == 4 {
        Ok(())
    } else {
        Err(format!("its byteStride is {stride}; indices need 2 or 4"))
    }
}

fn header(stream: &mut Stream<'_>, expected: u8) -> Result<(), Reason> {
    match stream.byte()? {
        found if found == expected => Ok(()),
        found => Err(format!("compressed indices start with byte {found:#04x}, not {expected:#04x}")),
    }
}

/// Seven bits a byte, the lowest first; five bytes at most.
fn varint(stream: &mut Stream<'_>) -> Result<u32, Reason> {
    let mut value = 0;
    for shift in [0, 7, 14, 21, 28] {
        let byte = stream.byte()?;
        value |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Ok(value);
        }
    }
    Err("a compressed number is longer than 5 bytes".into())
}

fn put(out: &mut Vec<u8>, index: u32, stride: usize) {
    let bytes = index.to_le_bytes();
    out.extend_from_slice(bytes.get(..stride).unwrap_or_default());
}
