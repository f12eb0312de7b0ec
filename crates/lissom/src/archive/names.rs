//! Finding sections by kind and name: their places, sorted once.

use super::{Section, SectionKind};
use alloc::vec::Vec;

/// The places of an archive's sections by kind, then name; equal names keep their order in the file.
#[derive(Clone, Debug)]
pub(super) struct Names {
    order: Vec<u32>,
}

/// What sections are sorted by.
pub(super) type Key<'a> = (u32, &'a [u8]);

impl Names {
    pub fn new(sections: &[Section<'_>]) -> Self {
        let mut order: Vec<u32> = (0..).take(sections.len()).collect();
        order.sort_by_key(|at| sections.get(*at as usize).map(Section::key));
        Self { order }
    }

    /// The place of the first section of this kind and name; `key` tells what stands at a place.
    pub fn find<'a>(&self, kind: SectionKind, name: &str, key: impl Fn(u32) -> Key<'a>) -> Option<u32> {
        let wanted = (kind.code(), name.as_bytes());
        let at = self.order.partition_point(|at| key(*at) < wanted);
        self.order.get(at).copied().filter(|at| key(*at) == wanted)
    }

    /// Splits `OWNER/NAME` by the longest name of this kind that fits.
    pub fn owner<'a, 'n>(
        &self,
        kind: SectionKind,
        name: &'n str,
        key: impl Fn(u32) -> Key<'a>,
    ) -> Option<(&'n str, &'n str)> {
        let kind = kind.code();
        let mut below = self.order.as_slice();
        let mut bound = name.as_bytes();
        loop {
            // Of what begins a name, the longest stands last, and all of it before the name.
            let end = below.partition_point(|at| key(*at) <= (kind, bound));
            let (last, rest) = below.get(..end)?.split_last()?;
            let (found, owner) = key(*last);
            if found != kind {
                return None;
            }
            let common = owner.iter().zip(name.as_bytes()).take_while(|(a, b)| a == b).count();
            if common == owner.len()
                && let Some((owner, rest)) = name.split_at_checked(common)
                && let Some(rest) = rest.strip_prefix('/')
            {
                return Some((owner, rest));
            }
            // One that begins the name and stands before this one is no longer than what both share.
            (below, bound) = (rest, name.as_bytes().get(..common)?);
        }
    }
}

impl<'a> Section<'a> {
    pub(super) fn key(&self) -> Key<'a> {
        (self.kind.code(), self.name.as_bytes())
    }
}

#[cfg(test)]
#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test panics where it is wrong"
)]
mod tests {
    use super::{super::SectionKind, Names, Section};
    use alloc::{format, string::String, vec::Vec};
    use core::cell::Cell;

    const KINDS: [SectionKind; 2] = [SectionKind::Clip, SectionKind::Mesh];

    fn section(kind: SectionKind, name: &str) -> Section<'_> {
        Section { kind, version: 1, flags: 0, name, offset: 0, payload: &[] }
    }

    /// The longest owner that fits, found by looking at all.
    fn owner_by_looking<'n>(
        all: &[Section<'_>],
        kind: SectionKind,
        name: &'n str,
    ) -> Option<(&'n str, &'n str)> {
        let mut slashes = name.match_indices('/').map(|(at, _)| (&name[..at], &name[at + 1..]));
        let there = |(owner, _): &(&str, &str)| all.iter().any(|s| s.kind == kind && s.name == *owner);
        slashes.rfind(there)
    }

    #[test]
    fn sections_and_owners_are_those_that_looking_at_all_finds() {
        // Every name of up to four letters, half of them there, some twice.
        let letters = ["a", "b", "/", "é"];
        let mut names: Vec<String> = Vec::from([String::new()]);
        for from in 0..85 {
            let longer = letters.map(|letter| format!("{}{letter}", names[from]));
            names.extend(longer);
        }
        assert_eq!(names.len(), 1 + 4 + 16 + 64 + 256);
        let mut state = 7_u32;
        let mut random = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 16
        };
        for _ in 0..20 {
            let all: Vec<Section<'_>> = (0..names.len())
                .map(|_| section(KINDS[random() as usize % 2], &names[random() as usize % names.len()]))
                .collect();
            let index = Names::new(&all);
            let key = |at: u32| all[at as usize].key();
            for kind in KINDS {
                for name in &names {
                    let first = all.iter().position(|s| s.kind == kind && s.name == name);
                    assert_eq!(index.find(kind, name, key).map(|at| at as usize), first, "{name}");
                    let owner = owner_by_looking(&all, kind, name);
                    assert_eq!(index.owner(kind, name, key), owner, "{name}");
                }
            }
        }
    }

    #[test]
    fn few_sections_are_looked_at_however_many_there_are() {
        let names: Vec<String> = (0..20_000).map(|i| format!("clips/{i:05}")).collect();
        let all: Vec<Section<'_>> = names.iter().map(|name| section(SectionKind::Clip, name)).collect();
        let index = Names::new(&all);
        let looked = Cell::new(0);
        let key = |at: u32| {
            looked.set(looked.get() + 1);
            all[at as usize].key()
        };
        assert_eq!(index.find(SectionKind::Clip, "clips/12345", key), Some(12_345));
        let owner = index.owner(SectionKind::Clip, "clips/12345/morph/body/smile", key);
        assert_eq!(owner, Some(("clips/12345", "morph/body/smile")));
        assert_eq!(index.owner(SectionKind::Clip, "clips/1234/x", key), None);
        assert!(looked.get() < 150, "{} of 20,000", looked.get());
    }
}
