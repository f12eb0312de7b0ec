//! Montages: clips in sections, which one-shots play.

use super::{ClipKey, Graph, MontageKey, RootUse, SectionKey};
use crate::{error::StateError, time::Head};
use alloc::{boxed::Box, string::String, vec::Vec};

/// The most sections of a montage.
pub const MAX_SECTIONS: usize = 32;

/// A clip in sections that is played as a one-shot. Sections lead to one another, and code may say which one is next, or jump.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MontageParts {
    /// Unique among montages; one-shots are played by it.
    pub name: String,
    /// The clip.
    pub clip: String,
    /// One after the other. The first begins at 0, each ends where the next begins, the last at 1.
    pub sections: Vec<SectionParts>,
    /// What becomes of the root motion of its clip.
    pub root: RootUse,
}

/// A section of a montage.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionParts {
    /// Unique in its montage.
    pub name: String,
    /// Where it begins, as a share of the clip in [0, 1).
    pub from: f32,
    /// What comes after it.
    pub next: Next,
}

/// What comes after a section.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Next {
    /// The section behind it; of the last one nothing.
    #[default]
    On,
    /// A section of the montage; if it is this one, it repeats.
    Section(String),
    /// Nothing: the one-shot ends.
    End,
}

impl MontageParts {
    /// A montage of a clip, without sections yet.
    #[must_use]
    pub fn new(name: &str, clip: &str) -> Self {
        Self { name: name.into(), clip: clip.into(), ..Self::default() }
    }

    /// Adds a section that begins at a share of the clip.
    #[must_use]
    pub fn section(mut self, name: &str, from: f32) -> Self {
        self.sections.push(SectionParts { name: name.into(), from, next: Next::On });
        self
    }

    /// The same with this after the section that was added last.
    #[must_use]
    pub fn then(mut self, next: Next) -> Self {
        if let Some(last) = self.sections.last_mut() {
            last.next = next;
        }
        self
    }

    /// The same with its root motion used so.
    #[must_use]
    pub fn root(self, root: RootUse) -> Self {
        Self { root, ..self }
    }
}

/// What a one-shot plays; keys of both turn into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShotOf {
    /// A clip.
    Clip(ClipKey),
    /// A montage.
    Montage(MontageKey),
}

impl From<ClipKey> for ShotOf {
    fn from(key: ClipKey) -> Self {
        Self::Clip(key)
    }
}

impl From<MontageKey> for ShotOf {
    fn from(key: MontageKey) -> Self {
        Self::Montage(key)
    }
}

/// The same in a state: a clip's number, or a montage's and this bit. There are fewer of both.
const MONTAGE: u16 = 1 << 15;

impl ShotOf {
    pub(crate) fn code(self) -> u16 {
        match self {
            Self::Clip(key) => key.0,
            Self::Montage(key) => key.0 | MONTAGE,
        }
    }

    pub(crate) fn of_code(code: u16) -> Self {
        if code & MONTAGE == 0 {
            Self::Clip(ClipKey(code))
        } else {
            Self::Montage(MontageKey(code & !MONTAGE))
        }
    }
}

/// A montage, checked.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Montage {
    pub(crate) name: Box<str>,
    pub(crate) clip: u16,
    pub(crate) root: RootUse,
    pub(crate) sections: Box<[Section]>,
}

/// From where to where in its clip.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Section {
    pub(crate) name: Box<str>,
    pub(crate) from: Head,
    pub(crate) to: Head,
    pub(crate) next: Option<u8>,
}

/// What code wants of a montage that plays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Course {
    /// Nothing: sections follow as they are described.
    #[default]
    AsDescribed,
    /// This one after the section that plays.
    Then(u8),
    /// Nothing after the section that plays.
    Ends,
    /// This one at the end of the next step.
    Jumps(u8),
}

impl Montage {
    /// A section; one that does not exist is the last.
    pub(crate) fn section(&self, number: u8) -> &Section {
        let last = self.sections.len() - 1;
        &self.sections[if usize::from(number) < last { usize::from(number) } else { last }]
    }

    /// The section at a place of the clip.
    pub(crate) fn section_at(&self, head: Head) -> u8 {
        self.sections.partition_point(|section| section.from <= head).saturating_sub(1) as u8
    }

    /// What comes after a section.
    pub(crate) fn following(&self, section: u8, course: Course) -> Option<u8> {
        match course {
            Course::AsDescribed => self.section(section).next,
            Course::Then(next) | Course::Jumps(next) => Some(next),
            Course::Ends => None,
        }
    }

    /// Laps from a place in a section to the end of all; none if it goes round.
    pub(crate) fn left(&self, section: u8, at: Head, course: Course) -> Option<f64> {
        let mut left = match course {
            Course::Jumps(_) => 0.0,
            _ => at.until(self.section(section).to).to_f64(),
        };
        let mut following = self.following(section, course);
        for _ in 0..=self.sections.len() {
            let Some(number) = following else { return Some(left) };
            let own = self.section(number);
            left += own.from.until(own.to).to_f64();
            following = own.next;
        }
        None
    }
}

impl Graph {
    /// The montage of this name.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn montage(&self, name: &str) -> Result<MontageKey, StateError> {
        self.find_montage(name).ok_or_else(|| StateError::unknown("montage", name))
    }

    fn find_montage(&self, name: &str) -> Option<MontageKey> {
        let at = self.montages.iter().position(|montage| *montage.name == *name);
        at.map(|at| MontageKey(at as u16))
    }

    /// The section of this name of a montage.
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn section(&self, montage: MontageKey, name: &str) -> Result<SectionKey, StateError> {
        let sections = self.montages.get(usize::from(montage.0)).map_or(&[][..], |montage| &montage.sections);
        let at = sections.iter().position(|section| *section.name == *name);
        let at = at.ok_or_else(|| StateError::unknown("section", name))?;
        Ok(SectionKey { montage: montage.0, section: at as u8 })
    }

    /// What a one-shot of this name plays: a montage, or else a clip ([`Graph::clip`]).
    ///
    /// # Errors
    ///
    /// [`StateError::Unknown`].
    pub fn one_shot(&self, name: &str) -> Result<ShotOf, StateError> {
        match self.find_montage(name) {
            Some(montage) => Ok(montage.into()),
            None => Ok(self.clip(name)?.into()),
        }
    }

    /// The name of a montage; `None` if it is of another graph.
    #[must_use]
    pub fn montage_name(&self, montage: MontageKey) -> Option<&str> {
        self.montages.get(usize::from(montage.0)).map(|montage| &*montage.name)
    }

    /// The name of a section; `None` if it is of another graph.
    #[must_use]
    pub fn section_name(&self, section: SectionKey) -> Option<&str> {
        let montage = self.montages.get(usize::from(section.montage))?;
        montage.sections.get(usize::from(section.section)).map(|section| &*section.name)
    }

    /// The names of all montages, and of the sections of each.
    pub fn montages(&self) -> impl Iterator<Item = (&str, impl Iterator<Item = &str>)> {
        self.montages
            .iter()
            .map(|montage| (&*montage.name, montage.sections.iter().map(|section| &*section.name)))
    }

    /// Where a section begins, as a share of its clip.
    #[must_use]
    pub fn section_start(&self, section: SectionKey) -> Option<f32> {
        let montage = self.montages.get(usize::from(section.montage))?;
        // It was read as one of 32 bits.
        montage.sections.get(usize::from(section.section)).map(|section| section.from.laps() as f32)
    }

    pub(crate) fn montage_of(&self, shot: u16) -> Option<&Montage> {
        match ShotOf::of_code(shot) {
            ShotOf::Clip(_) => None,
            ShotOf::Montage(key) => self.montages.get(usize::from(key.0)),
        }
    }

    /// The clip that a one-shot plays.
    pub(crate) fn clip_of(&self, shot: u16) -> u16 {
        self.montage_of(shot).map_or(shot, |montage| montage.clip)
    }

    /// True if it is a clip or a montage of this graph.
    pub(crate) fn has_shot(&self, shot: ShotOf) -> bool {
        match shot {
            ShotOf::Clip(key) => usize::from(key.0) < self.clips.len(),
            ShotOf::Montage(key) => usize::from(key.0) < self.montages.len(),
        }
    }
}
