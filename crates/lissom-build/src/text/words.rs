//! Typing mistakes: which word was meant.

/// Longer words are not typing mistakes of each other, and take long to compare.
const LONGEST: usize = 64;

/// How many letters may be wrong in a word of this length.
pub(crate) fn allowed(letters: usize) -> usize {
    1 + letters / 4
}

/// Of some words the one that was probably meant: the nearest, if few letters are wrong.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let mut best: Option<(usize, &str)> = None;
    for other in known {
        let off = letters_between(word, other);
        if off <= allowed(length) && off < length && best.is_none_or(|(b, _)| off < b) {
            best = Some((off, other));
        }
    }
    best.map(|(_, word)| word)
}

/// Letters to put in, to leave out, to change or to swap with their neighbour; case does not count.
pub(crate) fn letters_between(a: &str, b: &str) -> usize {
    let letters = |w: &str| w.chars().flat_map(char::to_lowercase).take(LONGEST).collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
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
