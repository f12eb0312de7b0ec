//! Warnings: on standard error, the same ones together, with what can be done about them.

use crate::style::{Style, plain};
use anyhow::Result;
use std::collections::BTreeMap;
use std::io::Write;

/// How many lines are shown where nobody asked for all.
pub(crate) const SHOWN: usize = 4;

/// Prints the warnings of a file: those that say the same of several things in one line. At most `shown` lines, and how
/// many more there are.
pub(crate) fn write(file: &str, warnings: &[String], shown: usize) -> Result<()> {
    let style = Style::stderr();
    let mut err = std::io::stderr().lock();
    let lines = grouped(warnings);
    for line in lines.iter().take(shown) {
        writeln!(err, "{}: {}: {}", style.odd("warning"), plain(file), plain(line))?;
    }
    if lines.len() > shown {
        let more = lines.len() - shown;
        writeln!(err, "{}: {}: {more} more (import -v shows them)", style.odd("warning"), plain(file))?;
    }
    Ok(())
}

/// Files that say the very same, from which on one line stands for all.
const SAME: usize = 3;

/// Prints the warnings of several files: what many say of themselves in the same words in one line, then what is each
/// file's own.
pub(crate) fn write_all(files: &[(&str, &[String])], shown: usize) -> Result<()> {
    let (common, own) = common(files);
    let style = Style::stderr();
    let mut err = std::io::stderr().lock();
    for line in common {
        writeln!(err, "{}: {}", style.odd("warning"), plain(&line))?;
    }
    drop(err);
    own.iter().try_for_each(|(file, warnings)| write(file, warnings, shown))
}

/// The lines that stand for many files, and what remains of each.
fn common<'f>(files: &[(&'f str, &[String])]) -> (Vec<String>, Vec<(&'f str, Vec<String>)>) {
    let mut by_text: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for (file, warnings) in files {
        for warning in *warnings {
            let all = by_text.entry(warning).or_default();
            if all.is_empty() {
                order.push(warning);
            }
            if all.last() != Some(file) {
                all.push(file);
            }
        }
    }
    let is_common = |text: &str| by_text.get(text).is_some_and(|files| files.len() >= SAME);
    let line = |text: &&str| {
        let files = &by_text[text];
        format!("{} and {} more files: {text}", files[0], files.len() - 1)
    };
    let lines = order.iter().filter(|text| is_common(text)).map(line).collect();
    let rest = |warnings: &[String]| warnings.iter().filter(|w| !is_common(w)).cloned().collect();
    (lines, files.iter().map(|(file, warnings)| (*file, rest(warnings))).collect())
}

/// One line for warnings that differ only in where: `node 3 "a": it ...` and `node 7 "b": it ...` become
/// `node 3 "a" and 1 more: it ...`.
pub(crate) fn grouped(warnings: &[String]) -> Vec<String> {
    let mut order: Vec<&str> = Vec::new();
    let mut places: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for warning in warnings {
        let (place, text) = warning.split_once(": ").unwrap_or(("", warning));
        let all = places.entry(text).or_default();
        if all.is_empty() {
            order.push(text);
        }
        all.push(place);
    }
    let line = |text: &str| {
        let places = &places[text];
        match places.as_slice() {
            [""] => text.to_owned(),
            [one] => format!("{one}: {text}"),
            [first, rest @ ..] => format!("{first} and {} more: {text}", rest.len()),
            [] => text.to_owned(),
        }
    };
    order.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::{common, grouped};

    #[test]
    fn what_says_the_same_is_said_once() {
        let all = ["a 1: it is odd", "the file is odd", "a 2: it is odd", "b: it is not", "a 3: it is odd"];
        let all = all.map(str::to_owned);
        assert_eq!(grouped(&all), ["a 1 and 2 more: it is odd", "the file is odd", "b: it is not"]);
    }

    #[test]
    fn what_many_files_say_is_said_once() {
        let say = |list: &[&str]| list.iter().map(|t| (*t).to_owned()).collect::<Vec<String>>();
        let all = [say(&["guessed", "own"]), say(&["guessed"]), say(&["x", "guessed", "x"]), say(&["x"])];
        let names = ["a", "b", "c", "d"];
        let files: Vec<(&str, &[String])> = names.into_iter().zip(all.iter().map(Vec::as_slice)).collect();
        let (lines, rest) = common(&files);
        assert_eq!(lines, ["a and 2 more files: guessed"]);
        let rest: Vec<_> = rest.iter().map(|(_, own)| own.join(",")).collect();
        assert_eq!(rest, ["own", "", "x,x", "x"]);
    }
}
