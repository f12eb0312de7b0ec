//! Colours and tables. Colours only where a person looks: on a terminal, and not if `NO_COLOR` is set.

use std::io::{IsTerminal, Write};

/// How text is painted, or that it is not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    colours: bool,
}

impl Style {
    /// For what goes to standard output.
    pub(crate) fn stdout() -> Self {
        Self::on(std::io::stdout().is_terminal())
    }

    /// For what goes to standard error.
    pub(crate) fn stderr() -> Self {
        Self::on(std::io::stderr().is_terminal())
    }

    fn on(terminal: bool) -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|t| t == "dumb");
        Self { colours: wanted && !dumb && terminal }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }

    pub(crate) fn odd(self, text: &str) -> String {
        self.paint("33", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }
}

/// A table: the first column to the left, the others to the right.
pub(crate) struct Table {
    head: Vec<&'static str>,
    rows: Vec<(Vec<String>, Tone)>,
}

/// What a row is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Bold,
    Faint,
    Bad,
}

impl Table {
    pub(crate) fn new(head: &[&'static str]) -> Self {
        Self { head: head.to_vec(), rows: Vec::new() }
    }

    pub(crate) fn write(&self, style: Style, out: &mut impl Write) -> std::io::Result<()> {
        self.write_within(None, style, out)
    }

    pub(crate) fn row(&mut self, cells: Vec<String>, tone: Tone) {
        self.rows.push((cells, tone));
    }

    /// As wide as its cells are. Where `columns` is less (a narrow terminal), the first column is cut from the left: it has
    /// paths and names, whose ends tell most.
    pub(crate) fn write_within(
        &self,
        columns: Option<usize>,
        style: Style,
        out: &mut impl Write,
    ) -> std::io::Result<()> {
        let mut widths: Vec<usize> = self.head.iter().map(|h| h.chars().count()).collect();
        for (cells, _) in &self.rows {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(cell.chars().count());
            }
        }
        if let (Some(columns), Some((first, others))) = (columns, widths.split_first_mut()) {
            let others: usize = others.iter().map(|width| width + 2).sum();
            *first = (*first).min(columns.saturating_sub(others).max(NARROWEST));
        }
        let line = |cells: &[String]| {
            let mut text = String::new();
            for (i, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let cell = &if i == 0 { end_of(cell, *width) } else { cell.clone() };
                let space = " ".repeat(width.saturating_sub(cell.chars().count()));
                if i == 0 {
                    text.push_str(&format!("{cell}{space}"));
                } else {
                    text.push_str(&format!("  {space}{cell}"));
                }
            }
            text.trim_end().to_owned()
        };
        let head: Vec<String> = self.head.iter().map(|h| (*h).to_owned()).collect();
        writeln!(out, "{}", style.bold(&line(&head)))?;
        for (cells, tone) in &self.rows {
            let text = line(cells);
            let painted = match tone {
                Tone::Plain => text,
                Tone::Bold => style.bold(&text),
                Tone::Faint => style.faint(&text),
                Tone::Bad => style.bad(&text),
            };
            writeln!(out, "{painted}")?;
        }
        Ok(())
    }
}

/// A first column is never cut to less, in characters.
const NARROWEST: usize = 24;

/// The end of a long text.
pub(crate) fn end_of(text: &str, longest: usize) -> String {
    let length = text.chars().count();
    if length <= longest {
        return text.to_owned();
    }
    let mut end = String::from("…");
    end.extend(text.chars().skip(length + 1 - longest));
    end
}

/// Text from a file, safe for a terminal: control characters are shown, not obeyed.
pub(crate) fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}

/// `1 mesh`, `2 meshes`.
pub(crate) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Metres as millimetres, three digits.
pub(crate) fn millimetres(metres: f64) -> String {
    format!("{:.4} mm", metres * 1e3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_line_up_and_text_cannot_steer_a_terminal() {
        let mut table = Table::new(&["file", "bytes"]);
        table.row(vec!["a".into(), grouped(1_234_567)], Tone::Plain);
        table.row(vec!["longer".into(), grouped(12)], Tone::Bad);
        let mut out = Vec::new();
        table.write(Style { colours: false }, &mut out).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "file        bytes\na       1,234,567\nlonger         12\n"
        );
        let mut narrow = Table::new(&["file", "bytes"]);
        let path = "a/folder/with/a/long/name/walk.glb";
        narrow.row(vec![path.into(), grouped(12)], Tone::Plain);
        for (columns, shown) in [(None, path), (Some(80), path), (Some(10), "…th/a/long/name/walk.glb")] {
            let mut out = Vec::new();
            narrow.write_within(columns, Style { colours: false }, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert_eq!(text.lines().nth(1).unwrap(), format!("{shown}     12"), "{columns:?}");
        }
        let mut out = Vec::new();
        table.write(Style { colours: true }, &mut out).unwrap();
        assert!(String::from_utf8(out).unwrap().contains("\x1b[31mlonger"));
        assert_eq!(plain("a\x1b[2Jb\n"), "a\\u{1b}[2Jb\\n");
        assert_eq!((grouped(0), grouped(999), grouped(1000)), ("0".into(), "999".into(), "1,000".into()));
    }
}
