//! Lengths, bytes, ranges, axes as people write them: in recipes, and on the command line.

use crate::import::{Axis, Unit};

/// A precision above this, in metres, needs its unit: `5` is not five metres, and hardly five of anything.
const LARGEST_BARE_M: f64 = 0.01;

/// Metres, from `0.1mm`, `3cm`, `2m` or a number of metres.
///
/// # Errors
///
/// What is allowed.
pub fn parse_length(text: &str) -> Result<f64, String> {
    let (number, factor) = [("mm", 1e-3), ("cm", 1e-2), ("m", 1.0)]
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, *factor)))
        .unwrap_or((text, 1.0));
    match number.trim().parse::<f64>() {
        Ok(v) if v.is_finite() && v > 0.0 => Ok(v * factor),
        _ => Err("it must be a length above 0: 0.1mm, 3cm, or metres".into()),
    }
}

/// [`parse_length`], but a number above 0.01 must name its unit.
///
/// # Errors
///
/// What is allowed.
pub fn parse_precision(text: &str) -> Result<f64, String> {
    let metres = parse_length(text)?;
    let bare = !text.trim_end().ends_with('m');
    if bare && metres > LARGEST_BARE_M {
        // What was meant, if that can be told.
        let meant =
            if metres < 100.0 { text.trim().to_owned() + "mm" } else { "its unit, as in 0.1mm".into() };
        return Err(format!("a number alone is metres, and that is a lot: write {meant}"));
    }
    Ok(metres)
}

/// Bytes, from `4096`, `4KB` or `1.5MB`; a KB is 1,024.
///
/// # Errors
///
/// What is allowed.
pub fn parse_bytes(text: &str) -> Result<u64, String> {
    let wrong = || "it must be a number of bytes above 0: 4096, 4KB, 1.5MB".to_owned();
    let lower = text.trim().to_ascii_lowercase();
    let (number, factor) =
        [("kib", 1024.0), ("kb", 1024.0), ("mib", 1048576.0), ("mb", 1048576.0), ("b", 1.0)]
            .iter()
            .find_map(|(unit, factor)| Some((lower.strip_suffix(unit)?, *factor)))
            .unwrap_or((&lower, 1.0));
    let bytes = number.trim().parse::<f64>().map_err(|_| wrong())? * factor;
    if bytes.is_finite() && (1.0..1e15).contains(&bytes) { Ok(bytes as u64) } else { Err(wrong()) }
}

/// Two times in seconds, from `0.5..2`, `0.5..` or `..2`; `None` is the clip's own end.
///
/// # Errors
///
/// What is allowed.
pub fn parse_range(text: &str) -> Result<(Option<f64>, Option<f64>), String> {
    let wrong = || "it must be a range of seconds: 0.5..2, 0.5.. or ..2".to_owned();
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let time = |t: &str| match t.trim() {
        "" => Ok(None),
        t => t.parse::<f64>().ok().filter(|s| s.is_finite() && *s >= 0.0).map(Some).ok_or_else(wrong),
    };
    let (from, to) = (time(from)?, time(to)?);
    if to.is_some_and(|to| to <= from.unwrap_or(0.0)) { Err(wrong()) } else { Ok((from, to)) }
}

/// `x`, `-z` and so on.
///
/// # Errors
///
/// What is allowed.
pub fn parse_axis(text: &str) -> Result<Axis, String> {
    match text.to_ascii_lowercase().as_str() {
        "x" => Ok(Axis::X),
        "y" => Ok(Axis::Y),
        "z" => Ok(Axis::Z),
        "-x" => Ok(Axis::MinusX),
        "-y" => Ok(Axis::MinusY),
        "-z" => Ok(Axis::MinusZ),
        _ => Err("it must be an axis: x, y, z, -x, -y or -z".into()),
    }
}

/// `m`, `cm`, `mm`, `inch`, `foot`, `auto`, or a number of metres.
///
/// # Errors
///
/// What is allowed.
pub fn parse_unit(text: &str) -> Result<Unit, String> {
    let metres = match text {
        "auto" => return Ok(Unit::Auto),
        "m" => 1.0,
        "cm" => 0.01,
        "mm" => 0.001,
        "inch" => 0.0254,
        "foot" => 0.3048,
        _ => text.parse().unwrap_or(f64::NAN),
    };
    if metres.is_finite() && metres > 0.0 {
        Ok(Unit::Metres(metres))
    } else {
        Err("it must be m, cm, mm, inch, foot, auto, or a number of metres above 0".into())
    }
}

/// A text or a key as a recipe has it, in quotes.
///
/// ```
/// use lissom_build::recipe::quoted;
///
/// assert_eq!(quoted("a \"b\" \\ c\n"), r#""a \"b\" \\ c\u000A""#);
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}
