//! What fuzzing at length found worth keeping: the fewest inputs that reach all that was reached, the shortest of
//! them, one file a target in `corpus/`. A length (u32, little-endian) stands before each.

use super::Target;
use std::{fs, io, path::PathBuf};

/// The most bytes of inputs that are kept for a target.
const MOST: usize = 128 << 10;

fn place(target: &Target) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(format!("{}.bin", target.name))
}

/// Keeps the shortest of these inputs, as many as there is room for; says how many.
///
/// # Errors
///
/// If the file cannot be written.
pub fn keep(target: &Target, mut inputs: Vec<Vec<u8>>) -> io::Result<usize> {
    inputs.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let mut packed = Vec::new();
    let mut count = 0;
    for input in inputs {
        if packed.len() + 4 + input.len() > MOST {
            break;
        }
        packed.extend((input.len() as u32).to_le_bytes());
        packed.extend(input);
        count += 1;
    }
    fs::write(place(target), packed)?;
    Ok(count)
}

/// What is kept for the target.
///
/// # Errors
///
/// If the file is not there, or is not one that [`keep`] wrote.
pub fn kept(target: &Target) -> io::Result<Vec<Vec<u8>>> {
    let packed = fs::read(place(target))?;
    let mut rest = packed.as_slice();
    let mut inputs = Vec::new();
    while !rest.is_empty() {
        let (length, after) = rest.split_first_chunk().ok_or(io::ErrorKind::UnexpectedEof)?;
        let length = u32::from_le_bytes(*length) as usize;
        let (input, after) = after.split_at_checked(length).ok_or(io::ErrorKind::UnexpectedEof)?;
        inputs.push(input.to_vec());
        rest = after;
    }
    Ok(inputs)
}
