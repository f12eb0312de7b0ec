//! A crowd as bytes: how many, then each member's state, what its pose remembers, and its place.

use super::{
    PLACE,
    played::{Played, step_numbers},
};
use crate::{
    errors::{argument, defect, format},
    skeleton::Skeleton,
};
use lissom_motion::{Graph, GraphState, PoseMemory, RootStep, Save, StateError};
use pyo3::PyResult;

/// What they start with.
const SAVED: &[u8; 4] = b"LPS1";

pub(super) fn write(all: &Played) -> PyResult<Vec<u8>> {
    let mut bytes = SAVED.to_vec();
    bytes.extend_from_slice(&(all.members.len() as u64).to_le_bytes());
    for member in &all.members {
        let (state, memory) = (all.crowd.state(*member), all.crowd.memory(*member));
        put_part(&mut bytes, |bytes| state.map(|state| state.write(bytes))).map_err(defect)?;
        put_part(&mut bytes, |bytes| memory.map(|memory| memory.write(bytes))).map_err(defect)?;
        for number in step_numbers(all.crowd.place(*member).map_err(defect)?) {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
    }
    Ok(bytes)
}

/// Reads what [`write`] wrote of this number of members of this graph and skeleton.
pub(super) fn read(
    saved: &[u8],
    members: usize,
    graph: &Graph,
    body: &Skeleton,
) -> PyResult<(Vec<Save>, Vec<RootStep>)> {
    let broken = || format("saved: these are not the bytes of a saved crowd");
    let mut rest = saved.strip_prefix(SAVED).ok_or_else(broken)?;
    let count = u64::from_le_bytes(number(&mut rest).ok_or_else(broken)?);
    if count != members as u64 {
        return Err(argument("saved", format!("a crowd of {count}"), format!("one of {}", members)));
    }
    let (mut saves, mut places) = (Vec::with_capacity(members), Vec::with_capacity(members));
    for at in 0..members {
        let state = part(&mut rest).ok_or_else(broken)?;
        let state = GraphState::read(graph, state).map_err(|error| match error {
            StateError::OtherGraph => argument("saved", "a crowd of another graph", "one of the same graph"),
            other => format(format!("saved: member {at}: {other}")),
        })?;
        let memory = part(&mut rest).ok_or_else(broken)?;
        let memory = PoseMemory::read(graph, &body.0.built.skeleton, memory)
            .map_err(|error| format(format!("saved: member {at}: {error}")))?;
        saves.push(Save::new(state, memory));
        let mut place = [0.0; PLACE];
        for value in &mut place {
            *value = f64::from_le_bytes(number(&mut rest).ok_or_else(broken)?);
        }
        let [x, y, z, a, b, c, d] = place;
        if place.iter().any(|value| !value.is_finite()) {
            return Err(broken());
        }
        places.push(RootStep { translation: [x, y, z], rotation: [a, b, c, d] });
    }
    if rest.is_empty() { Ok((saves, places)) } else { Err(broken()) }
}

/// Adds what `write` does, after its count of bytes.
fn put_part<E>(bytes: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> Result<(), E> {
    let start = bytes.len();
    bytes.extend_from_slice(&[0; 8]);
    write(bytes)?;
    let length = (bytes.len() - start - 8) as u64;
    bytes[start..start + 8].copy_from_slice(&length.to_le_bytes());
    Ok(())
}

/// The next eight bytes.
fn number(rest: &mut &[u8]) -> Option<[u8; 8]> {
    let (first, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*first)
}

/// The next bytes, after their count.
fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(u64::from_le_bytes(number(rest)?)).ok()?;
    let (part, after) = rest.split_at_checked(length)?;
    *rest = after;
    Some(part)
}
