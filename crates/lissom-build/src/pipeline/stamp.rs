//! What an archive was made of, so that it is not made again: a section of the kind `STMP`, called `import`.
//!
//! It holds text, one line each: the version of this library, what clips were to be like and a hash of all options, then
//! each file that was read, a hash of its bytes before its name. Files that an input names by URI stand under it, indented. An archive whose lines
//! would be written the same again is left alone.

use super::{Input, Plan};
use crate::{
    cook::ClipBuilder,
    graph::GraphRule,
    import::{ImportLimits, ImportOptions},
    matching::MatchingRule,
};
use lissom::archive::{AlignedBytes, ArchiveView, Limits, SectionKind};
use lissom::hash::Fnv64;

/// The kind of the section.
pub(super) const KIND: SectionKind = SectionKind::Other(u32::from_le_bytes(*b"STMP"));
pub(super) const NAME: &str = "import";
pub(super) const VERSION: u16 = 1;

/// A hash of bytes and their length.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    // A word at a time: four times faster than byte by byte.
    let (words, rest) = bytes.as_chunks::<4>();
    let of_words = words.iter().fold(Fnv64::new(), |h, w| h.word(u32::from_le_bytes(*w)));
    of_words.bytes(rest).bytes(&(bytes.len() as u64).to_le_bytes()).finish()
}

/// The first line. The other skeleton, and the one that motions are brought onto, count by
/// their bytes, not by their paths.
pub(super) fn head(plan: &Plan, [skeleton, retarget]: [Option<u64>; 2]) -> String {
    let Plan {
        import, cook, asked_precision, asked_shell, clips, files, rules, graphs, like, matching, ..
    } = plan;
    // Not where they were said: a recipe with a comment more is the same recipe.
    let rules =
        rules.iter().map(|r| (&r.clips, &r.from, r.edits.iter().map(|e| &e.kind).collect::<Vec<_>>()));
    let rules: Vec<_> = rules.collect();
    let files: Vec<_> = files.iter().map(|rule| (&rule.files, &rule.says)).collect();
    // Limits refuse a file; they do not change what is made of it.
    let plain = ImportOptions::default();
    let import = ImportOptions { skeleton: None, retarget: None, limits: plain.limits, ..import.clone() };
    let mut text = format!(
        "{import:?} {skeleton:?} {retarget:?} {clips:?} {files:?} {rules:?} {cook:?} {asked_precision} {asked_shell}"
    );
    for rule in matching {
        text.push_str(&format!(" {:?}", MatchingRule { line: None, ..rule.clone() }));
    }
    for graph in graphs {
        text.push_str(&format!(" {:?} {:016x}", graph.name, graph.hash));
    }
    for rule in like {
        text.push_str(&format!(" {:?}", GraphRule { line: None, ..rule.clone() }));
    }
    let version = env!("CARGO_PKG_VERSION");
    format!("lissom {version} cook {}{OPTIONS}{:016x}\n", cooked_with(cook), hash(text.as_bytes()))
}

const OPTIONS: &str = " options ";

/// What clips should be like, as the first line tells it. Not the effort: that is how long one looks for it.
fn cooked_with(cook: &ClipBuilder) -> String {
    let ClipBuilder { precision, shell, form, jumps, budget, .. } = cook;
    [
        format!("{precision}"),
        format!("{shell}"),
        format!("{form:?}"),
        format!("{jumps:?}"),
        format!("{budget:?}"),
    ]
    .join("; ")
}

/// True if clips of this archive need not be cooked again: nobody asks for other ones than it has. A finer precision than
/// theirs cannot be had from them.
pub(super) fn has_what_is_asked(archive: &[u8], plan: &Plan) -> bool {
    let Plan { cook, asked_precision, asked_shell, .. } = plan;
    let plain = ClipBuilder::default();
    let asked = [
        *asked_precision,
        *asked_shell,
        cook.form != plain.form,
        cook.jumps != plain.jumps,
        cook.budget != plain.budget,
    ];
    if !asked.contains(&true) {
        return true;
    }
    let Ok(bytes) = AlignedBytes::of_archive(archive, &Limits::default()) else { return false };
    let Ok(archive) = ArchiveView::read(&bytes, &Limits::default()) else { return false };
    let Some(stamp) = archive.find(KIND, NAME).ok().filter(|s| s.version == VERSION) else { return false };
    let head = std::str::from_utf8(stamp.payload).ok().and_then(|text| text.lines().next());
    let Some((_, stored)) = head.and_then(|head| head.split_once(" cook ")) else { return false };
    let stored: Vec<&str> = stored.split(OPTIONS).next().unwrap_or_default().split("; ").collect();
    let wanted = cooked_with(cook);
    let wanted: Vec<&str> = wanted.split("; ").collect();
    let is_finer = stored.first().and_then(|p| p.parse::<f64>().ok()).is_some_and(|p| cook.precision <= p);
    stored.len() == wanted.len()
        && stored
            .iter()
            .zip(&wanted)
            .zip(asked)
            .enumerate()
            .all(|(place, ((stored, wanted), asked))| !asked || stored == wanted || (place == 0 && is_finer))
}

/// The names of databases for matching in an archive. What is no archive has none.
pub(super) fn databases(archive: &[u8]) -> Vec<String> {
    let Ok(bytes) = AlignedBytes::of_archive(archive, &Limits::default()) else { return Vec::new() };
    let Ok(archive) = ArchiveView::read(&bytes, &Limits::default()) else { return Vec::new() };
    archive.names(SectionKind::Matching).map(str::to_owned).collect()
}

/// The lines of one input.
pub(super) fn lines(input: &Input<'_>, bytes: &[u8], others: &[(String, u64)]) -> String {
    let mut text = format!("{:016x} {}\n", hash(bytes), one_line(&input.recorded()));
    for (uri, hash) in others {
        text.push_str(&format!("  {hash:016x} {}\n", one_line(uri)));
    }
    text
}

fn one_line(name: &str) -> String {
    name.replace(['\n', '\r'], "?")
}

/// True if the archive is whole and was made of these inputs as they are now.
pub(super) fn is_unchanged(
    archive: &AlignedBytes,
    head: &str,
    inputs: &[Input<'_>],
    limits: &ImportLimits,
) -> bool {
    let same = || {
        let archive = ArchiveView::read(archive, &Limits::default()).ok()?;
        let stamp = archive.find(KIND, NAME).ok().filter(|s| s.version == VERSION)?;
        let text = std::str::from_utf8(stamp.payload).ok()?.strip_prefix(head)?;
        let mut lines = text.lines().peekable();
        for input in inputs {
            let stored = lines.next()?;
            let now = input.read(limits).ok()?;
            if stored != self::lines(input, &now, &[]).trim_end_matches('\n') {
                return None;
            }
            while let Some(other) = lines.next_if(|l| l.starts_with("  ")) {
                let (stored, uri) = other.trim_start().split_once(' ')?;
                if format!("{:016x}", hash(&input.read_beside(uri, limits).ok()?)) != stored {
                    return None;
                }
            }
        }
        lines.next().is_none().then_some(())
    };
    same().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_and_the_length_count() {
        let base = hash(b"0123456789");
        for at in 0..10 {
            let mut other = *b"0123456789";
            other[at] ^= 1;
            assert_ne!(hash(&other), base);
        }
        assert_ne!(hash(b"012345678"), base);
        assert_ne!(hash(&[0; 4]), hash(&[0; 8]));
    }
}
