//! Names with `*` and `?`, and the name that was meant.

/// True if a pattern fits all of a text.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    fit(pattern, text).is_some()
}

/// What the first `*` of a pattern stands for in a text, the whole text if there is none; `None` if the pattern does not
/// fit all of it. `*` stands for any characters, `?` for one; upper and lower case are the same.
pub(crate) fn fit<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
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
}
