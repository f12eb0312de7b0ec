//! Which clip a short name means.

/// What stands between the words of a clip's name: `Armature|Walk`, `hero/walk`, `hero_walk`.
const SEPARATORS: [char; 7] = ['|', '/', ':', '_', '.', '-', ' '];

/// What stands between an armature, a folder or a name space and the clip's own name.
const BARS: [char; 3] = ['|', '/', ':'];

/// The place of the clip that a name means: the one of this name, of this name without case, the one whose last part is
/// this (`walk` for `Armature|Walk`), or the one that ends with it (`walk` for `hero_walk`). `None` if there is none, or
/// if two could be meant. Nothing allocates.
///
/// ```
/// let names = ["Rig|Walk", "Rig|Walk_Back", "Rig|Idle"];
/// let called = |wanted| lissom::archive::clip_called(names.into_iter(), wanted);
/// assert_eq!((called("walk"), called("back"), called("run")), (Some(0), Some(1), None));
/// ```
#[must_use]
pub fn clip_called<'a>(names: impl Iterator<Item = &'a str> + Clone, wanted: &str) -> Option<usize> {
    let is_called = |name: &str| same(name, wanted) || is_last_part(name, wanted);
    let by_name = names.clone().position(|name| name == wanted);
    let without_case = || only(names.clone(), |name| same(name, wanted));
    let by_last_part = || only(names.clone(), |name| is_last_part(name, wanted));
    // Two that are called so hide those that only end so.
    let is_taken = || names.clone().any(is_called);
    let by_end = || only(names.clone(), |name| clip_ends_with(name, wanted)).filter(|_| !is_taken());
    by_name.or_else(without_case).or_else(by_last_part).or_else(by_end)
}

/// Whether the last words of a clip's name are these, without case.
#[must_use]
pub fn clip_ends_with(name: &str, end: &str) -> bool {
    let Some(last) = end.chars().count().checked_sub(1) else { return false };
    let Some((at, _)) = name.char_indices().rev().nth(last) else { return false };
    let (start, own) = name.split_at(at);
    same(own, end) && (start.is_empty() || start.ends_with(SEPARATORS))
}

/// A clip's whole name, its own name behind the last bar, and its last word.
#[must_use]
pub fn clip_name_ends(name: &str) -> [&str; 3] {
    let behind = |bars: &[char]| name.rsplit(bars).next().unwrap_or(name);
    [name, behind(&BARS), behind(&SEPARATORS)]
}

/// The one that it is true of; `None` if there are two.
fn only<'a>(names: impl Iterator<Item = &'a str>, is: impl Fn(&str) -> bool) -> Option<usize> {
    let mut found = names.enumerate().filter(|(_, name)| is(name)).map(|(index, _)| index);
    found.next().filter(|_| found.next().is_none())
}

/// Whether a name, behind its last bar, is this word.
fn is_last_part(name: &str, word: &str) -> bool {
    !word.is_empty() && name.rsplit_once(BARS).is_some_and(|(_, last)| same(last, word))
}

/// Equal but for case.
fn same(a: &str, b: &str) -> bool {
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}
