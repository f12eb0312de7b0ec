//! Charts of our own: few shapes, no fonts to be found, the same picture on every machine.

mod axes;
mod bars;
mod sketch;

pub(crate) use axes::{Panel, legend, nice};
pub(crate) use bars::{Bar, Bars};
pub(crate) use sketch::{Anchor, Ink, Shape, Sketch, escape};

/// Bytes as a link that holds them.
pub(crate) fn data_uri(kind: &str, bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = format!("data:{kind};base64,");
    out.reserve(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0_u32, |b, v| b << 8 | u32::from(*v)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let letter = ALPHABET[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= three.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn data_uris_are_base64() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(super::data_uri("a/b", bytes.as_bytes()), format!("data:a/b;base64,{text}"));
        }
        assert_eq!(super::data_uri("a/b", &[255, 239]), "data:a/b;base64,/+8=");
    }
}
