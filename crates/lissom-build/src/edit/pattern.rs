//! Names with `*` and `?`, and the name that was meant.

/// What the first `*` of a pattern stands for in a text, the whole text if there is none; `None` if the pattern does not
/// fit all of it. `*` stands for any characters, `?` for one; upper and lower case are the same.
pub(super) fn fit<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
    let pattern: Vec<char> = pattern.chars().collect();
    let letters: Vec<(usize, char)> = text.char_indices().collect();
    let same = |a: char, b: char| a == b || a.to_lowercase().eq(b.to_lowercase());
    let (mut p, mut t) = (0, 0);
    // The latest star: the place after it in the pattern, and where the text goes on behind what it stands for.
    let mut star: Option<(usize, usize)> = None;
    let mut first: Option<(usize, Option<usize>)> = None;
    while t < letters.len() {
        match pattern.get(p) {
            Some('*') => {
                match (&mut first, star) {
                    (None, _) => first = Some((t, None)),
                    (Some((_, end @ None)), Some((_, behind))) => *end = Some(behind),
                    _ => {}
                }
                p += 1;
                star = Some((p, t));
            }
            Some(c) if *c == '?' || same(*c, letters[t].1) => (p, t) = (p + 1, t + 1),
            _ => {
                let (after, behind) = star?;
                // Only the latest star grows: what stands before it fits as early as it can.
                (p, t) = (after, behind + 1);
                star = Some((after, t));
            }
        }
    }
    if pattern.get(p..)?.iter().any(|c| *c != '*') {
        return None;
    }
    let byte = |letter: usize| letters.get(letter).map_or(text.len(), |l| l.0);
    match (first, star) {
        (Some((start, end)), Some((_, behind))) => text.get(byte(start)..byte(end.unwrap_or(behind))),
        (Some((start, _)), None) => text.get(byte(start)..),
        (None, _) if pattern.contains(&'*') => Some(""),
        (None, _) => Some(text),
    }
}

/// Of some words the one that was probably meant: the nearest, if few letters are wrong.
#[must_use]
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer words are not typing mistakes of each other, and take long to compare.
    const LONGEST: usize = 64;
    let letters = |w: &str| w.chars().flat_map(char::to_lowercase).take(LONGEST).collect::<Vec<char>>();
    let word = letters(word);
    let mut best: Option<(usize, &str)> = None;
    for other in known {
        let off = distance(&word, &letters(other));
        if off <= 1 + word.len() / 4 && off < word.len() && best.is_none_or(|(b, _)| off < b) {
            best = Some((off, other));
        }
    }
    best.map(|(_, word)| word)
}

/// Letters to add, to leave out, to replace or to swap with their neighbour.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut two_up: Vec<usize> = Vec::new();
    let mut up: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1; b.len() + 1];
        for (j, y) in b.iter().enumerate() {
            row[j + 1] = (up[j] + usize::from(x != y)).min(up[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                row[j + 1] = row[j + 1].min(two_up[j - 1] + 1);
            }
        }
        two_up = core::mem::replace(&mut up, row);
    }
    up[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything_and_the_first_is_told() {
        for (pattern, text, stands) in [
            ("walk", "walk", Some("walk")),
            ("walk", "WALK", Some("WALK")),
            ("walk", "walks", None),
            ("walk", "wal", None),
            ("*", "", Some("")),
            ("*", "a b", Some("a b")),
            ("Armature|*", "armature|Run", Some("Run")),
            ("*|*", "a|b|c", Some("a")),
            ("*_??", "walk_01", Some("walk")),
            ("*a*b", "xayab", Some("x")),
            ("*b", "abab", Some("aba")),
            ("?", "ä", Some("ä")),
            ("*ü?", "grün", Some("gr")),
            ("a*", "a", Some("")),
            ("**", "ab", Some("")),
            ("", "", Some("")),
            ("", "a", None),
        ] {
            assert_eq!(fit(pattern, text), stands, "{pattern} on {text}");
        }
        // A pattern that a careless matcher needs ages for.
        assert_eq!(fit(&"*a".repeat(2000), &"b".repeat(20_000)), None);
    }

    #[test]
    fn the_word_that_was_meant_is_found() {
        let known = ["precision", "shell", "in-place", "loop"];
        for (word, meant) in [
            ("precisoin", Some("precision")),
            ("Precision", Some("precision")),
            ("inplace", Some("in-place")),
            ("lop", Some("loop")),
            ("banana", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), meant, "{word}");
        }
    }
}
