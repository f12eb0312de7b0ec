//! Deflate, as ZIP archives have it (RFC 1951): a length that is known before, and nothing beyond it.

/// Lengths of codes in the order in which they stand in a block's header.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// Longest code, in bits.
const LONGEST: usize = 15;

/// The bytes that were packed; `None` if they are damaged or not of this length.
pub(super) fn inflate(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut bits = Bits { bytes: packed, at: 0, held: 0, count: 0 };
    // Deflate makes at most 1,032 bytes of one: what cannot come is not reserved.
    let mut out = Vec::with_capacity(length.min(packed.len().saturating_mul(1032)));
    loop {
        let last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => stored(&mut bits, &mut out, length)?,
            1 => {
                let mut lengths = [8_u8; 288];
                lengths.get_mut(144..256)?.fill(9);
                lengths.get_mut(256..280)?.fill(7);
                block(&mut bits, &Codes::new(&lengths)?, &Codes::new(&[5; 30])?, &mut out, length)?;
            }
            2 => {
                let (literals, distances) = tables(&mut bits)?;
                block(&mut bits, &literals, &distances, &mut out, length)?;
            }
            _ => return None,
        }
        if last {
            return (out.len() == length).then_some(out);
        }
    }
}

/// Bits, the lowest of a byte first.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
    held: u32,
    count: u32,
}

impl Bits<'_> {
    /// At most 16.
    fn take(&mut self, count: u32) -> Option<u32> {
        while self.count < count {
            let byte = *self.bytes.get(self.at)?;
            self.held |= u32::from(byte) << self.count;
            self.at = self.at.saturating_add(1);
            self.count = self.count.saturating_add(8);
        }
        let taken = self.held & (1_u32 << count).wrapping_sub(1);
        self.held >>= count;
        self.count = self.count.saturating_sub(count);
        Some(taken)
    }
}

/// Codes of Huffman: how many there are of each length, and what they stand for in order.
struct Codes {
    counts: [u16; LONGEST + 1],
    symbols: Vec<u16>,
}

impl Codes {
    fn new(lengths: &[u8]) -> Option<Self> {
        let mut counts = [0_u16; LONGEST + 1];
        for length in lengths {
            let count = counts.get_mut(usize::from(*length))?;
            *count = count.checked_add(1)?;
        }
        // No more codes than there is room for; fewer are allowed.
        let mut room = 1_i32;
        for count in counts.iter().skip(1) {
            room = room.checked_mul(2)?.checked_sub(i32::from(*count))?;
            if room < 0 {
                return None;
            }
        }
        let mut symbols = Vec::with_capacity(lengths.len());
        for wanted in 1..=LONGEST {
            let own = lengths.iter().enumerate().filter(|(_, l)| usize::from(**l) == wanted);
            symbols.extend(own.map(|(symbol, _)| symbol as u16));
        }
        Some(Self { counts, symbols })
    }

    fn read(&self, bits: &mut Bits<'_>) -> Option<u16> {
        let (mut code, mut first, mut index) = (0_u32, 0_u32, 0_u32);
        for count in self.counts.iter().skip(1) {
            code |= bits.take(1)?;
            let count = u32::from(*count);
            let above = code.checked_sub(first)?;
            if above < count {
                return self.symbols.get(index.saturating_add(above) as usize).copied();
            }
            index = index.saturating_add(count);
            first = first.saturating_add(count) << 1;
            code <<= 1;
        }
        None
    }
}

fn stored(bits: &mut Bits<'_>, out: &mut Vec<u8>, length: usize) -> Option<()> {
    // What is left of a byte is passed over.
    bits.take(bits.count & 7)?;
    let (count, inverse) = (bits.take(16)?, bits.take(16)?);
    if count != !inverse & 0xffff || out.len().saturating_add(count as usize) > length {
        return None;
    }
    for _ in 0..count {
        out.push(bits.take(8)? as u8);
    }
    Some(())
}

fn tables(bits: &mut Bits<'_>) -> Option<(Codes, Codes)> {
    let literals = bits.take(5)?.saturating_add(257) as usize;
    let distances = bits.take(5)?.saturating_add(1) as usize;
    let count = bits.take(4)?.saturating_add(4) as usize;
    let mut lengths = [0_u8; 19];
    for at in ORDER.iter().take(count) {
        *lengths.get_mut(*at)? = bits.take(3)? as u8;
    }
    let codes = Codes::new(&lengths)?;
    let all = literals.saturating_add(distances);
    let mut lengths: Vec<u8> = Vec::with_capacity(all);
    while lengths.len() < all {
        let (value, times) = match codes.read(bits)? {
            symbol @ 0..=15 => (symbol as u8, 1),
            16 => (*lengths.last()?, bits.take(2)?.saturating_add(3)),
            17 => (0, bits.take(3)?.saturating_add(3)),
            _ => (0, bits.take(7)?.saturating_add(11)),
        };
        let end = lengths.len().saturating_add(times as usize);
        if end > all {
            return None;
        }
        lengths.resize(end, value);
    }
    let (literals, distances) = lengths.split_at_checked(literals)?;
    Some((Codes::new(literals)?, Codes::new(distances)?))
}

fn block(
    bits: &mut Bits<'_>,
    literals: &Codes,
    distances: &Codes,
    out: &mut Vec<u8>,
    length: usize,
) -> Option<()> {
    loop {
        match literals.read(bits)? {
            byte @ 0..=255 => {
                if out.len() >= length {
                    return None;
                }
                out.push(byte as u8);
            }
            256 => return Some(()),
            symbol => {
                let run = run(symbol, bits)?;
                let back = distance(distances.read(bits)?, bits)?;
                if out.len().saturating_add(run) > length {
                    return None;
                }
                let start = out.len().checked_sub(back)?;
                for at in (start..).take(run) {
                    out.push(*out.get(at)?);
                }
            }
        }
    }
}

fn run(symbol: u16, bits: &mut Bits<'_>) -> Option<usize> {
    let step = u32::from(symbol.checked_sub(257)?);
    let (base, extra) = match step {
        0..=7 => (step.saturating_add(3), 0),
        8..=27 => {
            let extra = (step >> 2).saturating_sub(1);
            ((4 | step & 3) << extra, extra)
        }
        28 => (258, 0),
        _ => return None,
    };
    // From the second group on, three more than the powers of two say.
    let base = if (8..=27).contains(&step) { base.saturating_add(3) } else { base };
    Some(base.saturating_add(bits.take(extra)?) as usize)
}

fn distance(symbol: u16, bits: &mut Bits<'_>) -> Option<usize> {
    let step = u32::from(symbol);
    let (base, extra) = match step {
        0..=3 => (step.saturating_add(1), 0),
        4..=29 => {
            let extra = (step >> 1).saturating_sub(1);
            (((2 | step & 1) << extra).saturating_add(1), extra)
        }
        _ => return None,
    };
    Some(base.saturating_add(bits.take(extra)?) as usize)
}

#[cfg(test)]
mod tests {
    use super::inflate;

    #[test]
    fn every_kind_of_block_is_unpacked() {
        // Made by zlib: one stored block, one of fixed codes, one of codes of its own.
        let stored = [1, 5, 0, 250, 255, b'h', b'e', b'l', b'l', b'o'];
        assert_eq!(inflate(&stored, 5).unwrap(), b"hello");
        let fixed = [0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x27, 0x01];
        assert_eq!(inflate(&fixed, 23).unwrap(), b"hello hello hello hello");
        let own = "edce810d032108405144a80ae22987ee3f6aaf499768d23fc0cb078084994bd3b122713307d6052f0beac176eaa291f4c896a3607996ddb30bba528c8a7109a79826851076dcbe9efc8e0d48456c3ea25c817504a9a378eebbcc6cf005d3a0558f71740a7bc15206b7f6886b682b9c31c1a7ffe0ef0dbe01";
        let digits = own.as_bytes().chunks_exact(2).map(|d| std::str::from_utf8(d).unwrap());
        let own: Vec<u8> = digits.map(|d| u8::from_str_radix(d, 16).unwrap()).collect();
        let wanted: Vec<u8> = (0..600_u32).map(|i| (i * i / 7 % 23) as u8).collect();
        assert_eq!(own[0] >> 1 & 3, 2, "codes of its own");
        assert_eq!(inflate(&own, 600).unwrap(), wanted);
        for length in [0, 22, 24] {
            assert_eq!(inflate(&fixed, length), None);
        }
        for cut in 0..fixed.len() - 1 {
            assert_eq!(inflate(&fixed[..cut], 23), None);
        }
        assert_eq!(inflate(&[7], 0), None, "a fourth kind does not exist");
    }
}
