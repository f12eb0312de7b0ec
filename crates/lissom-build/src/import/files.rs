//! Where bytes come from that the file only names: data URIs, and files beside it.

use super::{ImportError, ImportLimits, Place};
use std::{
    fs::File,
    io::Read,
    path::{Component, Path, PathBuf},
};

/// The bytes of a `data:` URI; `None` if it is not one.
#[cfg_attr(not(feature = "gltf"), allow(dead_code, reason = "only glTF has them"))]
pub(super) fn data_uri(uri: &str, place: impl Fn() -> Place) -> Option<Result<Vec<u8>, ImportError>> {
    let rest = uri.get(..5).filter(|s| s.eq_ignore_ascii_case("data:")).and(uri.get(5..))?;
    let fail = |reason: &str| ImportError::Format { place: place(), reason: reason.into() };
    let Some((media, data)) = rest.split_once(',') else {
        return Some(Err(fail("its data URI has no comma")));
    };
    Some(if media.ends_with(";base64") {
        base64(data).ok_or_else(|| fail("its data URI is not base64"))
    } else {
        percent_decode(data).ok_or_else(|| fail("its data URI has a broken % sequence"))
    })
}

/// The bytes of a URI, which may hold them itself.
#[cfg_attr(not(feature = "gltf"), allow(dead_code, reason = "only glTF has them"))]
pub(crate) fn bytes_of(
    uri: &str,
    files: &mut dyn FnMut(&str) -> Result<Vec<u8>, ImportError>,
) -> Result<Vec<u8>, ImportError> {
    data_uri(uri, || Place::Path(shown(uri))).unwrap_or_else(|| files(uri))
}

/// Plain and URL-safe alphabets; white space and padding are passed over.
#[cfg_attr(not(feature = "gltf"), allow(dead_code, reason = "only glTF has them"))]
fn base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len().checked_div(4)?.saturating_add(1).saturating_mul(3));
    let (mut bits, mut have) = (0_u32, 0_u32);
    for c in text.bytes() {
        let v = match c {
            b'A'..=b'Z' => c.wrapping_sub(b'A'),
            b'a'..=b'z' => c.wrapping_sub(b'a').wrapping_add(26),
            b'0'..=b'9' => c.wrapping_sub(b'0').wrapping_add(52),
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' | b'\n' | b'\r' | b' ' | b'\t' => continue,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(v);
        have = have.wrapping_add(6);
        if have >= 8 {
            have = have.wrapping_sub(8);
            out.push((bits >> have) as u8);
            bits &= (1_u32 << have).wrapping_sub(1);
        }
    }
    Some(out)
}

fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    loop {
        match rest {
            [] => return Some(out),
            [b'%', high, low, after @ ..] => {
                let digit = |c: u8| char::from(c).to_digit(16);
                out.push((digit(*high)?.wrapping_mul(16)).wrapping_add(digit(*low)?) as u8);
                rest = after;
            }
            [b'%', ..] => return None,
            [c, after @ ..] => {
                out.push(*c);
                rest = after;
            }
        }
    }
}

/// Reads files that a model names, from the model's own folder and below, never from elsewhere: an absolute path,
/// a `..`, another scheme (`http:`), or a link that leads out of the folder is refused.
///
/// ```no_run
/// # use lissom_build::import::{ImportLimits, gltf};
/// let (path, limits) = (std::path::Path::new("models/fox.gltf"), ImportLimits::default());
/// let mut folder = gltf::Folder::of(path, &limits);
/// let scene = gltf::read(&std::fs::read(path)?, &mut |uri| folder.read(uri), &limits)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Folder {
    folder: PathBuf,
    max_bytes: u64,
}

impl Folder {
    /// The folder that the model stands in.
    #[must_use]
    pub fn of(model: &Path, limits: &ImportLimits) -> Self {
        let folder = model.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Self { folder: folder.to_owned(), max_bytes: limits.max_bytes }
    }

    /// The bytes of a file, by the URI that the model has for it (`%20` and the like are decoded).
    ///
    /// # Errors
    ///
    /// [`ImportError::Format`] with the URI as its place: the URI leads out of the folder, or the file cannot be
    /// read. [`ImportError::Limit`] if it is larger than [`ImportLimits::max_bytes`].
    pub fn read(&self, uri: &str) -> Result<Vec<u8>, ImportError> {
        let place = || Place::Path(shown(uri));
        let fail = |reason: String| ImportError::Format { place: place(), reason };
        let path = self.resolve(uri).map_err(|reason| fail(reason.into()))?;
        let file = File::open(&path).map_err(|e| fail(format!("the file cannot be opened: {e}")))?;
        if !file.metadata().is_ok_and(|m| m.is_file()) {
            return Err(fail("this is not a file".into()));
        }
        let mut bytes = Vec::new();
        let most = self.max_bytes.saturating_add(1);
        file.take(most).read_to_end(&mut bytes).map_err(|e| fail(format!("the file cannot be read: {e}")))?;
        if bytes.len() as u64 > self.max_bytes {
            let (found, allowed) = (bytes.len() as u64, self.max_bytes);
            return Err(ImportError::Limit { place: place(), what: "the size in bytes", found, allowed });
        }
        Ok(bytes)
    }

    fn resolve(&self, uri: &str) -> Result<PathBuf, &'static str> {
        let decoded = percent_decode(uri).ok_or("a broken % sequence")?;
        let name = String::from_utf8(decoded).map_err(|_| "the name is not UTF-8")?;
        // Backslashes separate on some systems, and ':' starts a drive or follows a scheme.
        if name.contains(['\\', '\0']) || name.split('/').next().is_some_and(|first| first.contains(':')) {
            return Err("only a file in the model's own folder can be read");
        }
        let relative = Path::new(&name);
        let inside = |c: Component<'_>| matches!(c, Component::Normal(_) | Component::CurDir);
        if name.is_empty() || !relative.components().all(inside) {
            return Err("only a file in the model's own folder can be read");
        }
        // Links are followed only where they stay inside.
        let folder = self.folder.canonicalize().map_err(|_| "the model's folder cannot be found")?;
        let path = folder.join(relative).canonicalize().map_err(|_| "there is no such file")?;
        if path.starts_with(&folder) {
            Ok(path)
        } else {
            Err("the file is a link that leads out of the model's folder")
        }
    }
}

/// A URI, cut so that a message stays readable.
pub(super) fn shown(uri: &str) -> String {
    if uri.chars().count() <= 80 {
        return format!("{uri:?}");
    }
    let cut: String = uri.chars().take(77).collect();
    format!("{:?}", cut + "...")
}
