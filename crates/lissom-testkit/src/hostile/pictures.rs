//! Pictures: what is done with them, small good ones, and checksums that fit spoiled ones.

use super::Seed;
use lissom_draw::{Image, Pixels, Texture};

/// A PNG, JPEG or WebP file becomes a texture, as `render` makes one of any imported file, and pixels for a graphics device, as the
/// viewer does.
pub(super) fn picture(bytes: &[u8]) -> bool {
    let decoded = |bytes: &[u8]| {
        let as_pixels = Pixels::decode(bytes, 8).is_ok_and(|pixels| {
            assert!(pixels.width <= 8 && pixels.height <= 8);
            pixels.rgba.len() == pixels.width * pixels.height
        });
        let texture = Texture::decode(bytes);
        assert_eq!(texture.is_ok(), as_pixels);
        let Ok(texture) = texture else { return false };
        let (width, height) = texture.size();
        assert_eq!(texture.to_srgb().len(), width * height);
        true
    };
    let as_it_is = decoded(bytes);
    let mut sealed = bytes.to_vec();
    reseal(&mut sealed);
    sealed != bytes && decoded(&sealed) || as_it_is
}

pub(super) fn seeds() -> Vec<Seed> {
    let seed = |name: &str, bytes| Seed { name: name.into(), bytes };
    let pixels = (0..12 * 9 * 4).map(|i| (i * 37) as u8).collect();
    let written = Image { width: 12, height: 9, pixels }.encode_png().expect("our own picture is written");
    vec![
        seed("written", written),
        // A bit per pixel, and a row of 3 bytes after its filter.
        seed("grey-1", png([20, 2], [1, 0, 0], &[], &[0, 0xaa, 0x55, 0xa0, 1, 1, 2, 0x30])),
        seed(
            "palette-2",
            png([4, 2], [2, 3, 0], &[1, 2, 3, 40, 50, 60, 7, 8, 9, 255, 255, 255], &[0, 0x1b, 2, 0]),
        ),
        seed("rgb-16-interlaced", png([1, 1], [16, 2, 1], &[], &[0, 1, 2, 3, 4, 5, 6])),
        seed("jpeg-grey", jpeg(1, false)),
        seed("jpeg-colour", jpeg(3, false)),
        seed("jpeg-progressive", jpeg(3, true)),
        seed("webp-lossless", WEBP.to_vec()),
    ]
}

/// A lossless WebP of 3 x 2 pixels of two colours.
const WEBP: &[u8] = &[
    82, 73, 70, 70, 26, 0, 0, 0, 87, 69, 66, 80, 86, 80, 56, 76, 14, 0, 0, 0, 47, 2, 64, 0, 0, 184, 130, 126,
    145, 11, 208, 255, 2, 152,
];

/// A PNG of these rows, which are stored as they are; depth, colour type, interlacing.
fn png(size: [u32; 2], [depth, color, interlaced]: [u8; 3], palette: &[u8], rows: &[u8]) -> Vec<u8> {
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8; 4], body: &[u8]| {
        out.extend((body.len() as u32).to_be_bytes());
        out.extend(kind);
        out.extend(body);
        out.extend([0; 4]);
    };
    let [width, height] = size.map(u32::to_be_bytes);
    chunk(b"IHDR", &[&width[..], &height, &[depth, color, 0, 0, interlaced]].concat());
    if !palette.is_empty() {
        chunk(b"PLTE", palette);
    }
    let length = (rows.len() as u16).to_le_bytes();
    let (mut a, mut b) = (1_u32, 0_u32);
    for byte in rows {
        a = (a + u32::from(*byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    let sum = (b << 16 | a).to_be_bytes();
    chunk(b"IDAT", &[&[0x78, 1, 1][..], &length, &length.map(|byte| !byte), rows, &sum].concat());
    chunk(b"IEND", &[]);
    reseal(&mut out);
    out
}

/// A square of 8 x 8 pixels of one colour: a mean per component, and no frequencies.
fn jpeg(components: u8, progressive: bool) -> Vec<u8> {
    let each = |of: &dyn Fn(u8) -> Vec<u8>| (1..=components).flat_map(of).collect::<Vec<u8>>();
    let segment = |marker: u8, body: Vec<u8>| {
        let length = (body.len() as u16 + 2).to_be_bytes();
        [&[0xff, marker][..], &length, &body].concat()
    };
    let frame = [vec![8, 0, 8, 0, 8, components], each(&|id| vec![id, 0x11, 0])].concat();
    // One code of one bit: it stands for this symbol.
    let table = |class: u8, symbol: u8| segment(0xc4, [&[class, 1][..], &[0; 15], &[symbol]].concat());
    let last = if progressive { 0 } else { 63 };
    let scan = [vec![components], each(&|id| vec![id, 0]), vec![0, last, 0]].concat();
    // Per component: the code of 7 bits, the mean in 7 bits; then, if not progressive, the code of no frequencies.
    let one: &[u8] = if progressive { &[0, 1, 1, 0, 0, 1, 0, 0] } else { &[0, 1, 1, 0, 0, 1, 0, 0, 0] };
    let bits = one.repeat(usize::from(components));
    let byte = |bits: &[u8]| (0..8).fold(0, |byte, i| byte << 1 | bits.get(i).copied().unwrap_or(1));
    let coded: Vec<u8> = bits.chunks(8).map(byte).collect();
    let parts = [
        vec![0xff, 0xd8],
        segment(0xdb, [&[0][..], &[8; 64]].concat()),
        segment(if progressive { 0xc2 } else { 0xc0 }, frame),
        table(0x00, 7),
        table(0x10, 0),
        segment(0xda, scan),
        coded,
        vec![0xff, 0xd9],
    ];
    parts.concat()
}

/// Makes the checksums of a PNG's chunks right.
fn reseal(bytes: &mut [u8]) {
    const HEAD: usize = 8;
    if !bytes.starts_with(b"\x89PNG") {
        return;
    }
    let mut at = HEAD;
    while let Some(length) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let end = (at + 8).saturating_add(u32::from_be_bytes(*length) as usize);
        let Some(covered) = bytes.get(at + 4..end) else { return };
        let sum = crc32fast::hash(covered).to_be_bytes();
        let Some(to) = bytes.get_mut(end..end.saturating_add(4)) else { return };
        to.copy_from_slice(&sum);
        at = end + 4;
    }
}
