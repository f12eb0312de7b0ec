//! Which instruction set runs.

use alloc::string::String;
use core::fmt;
use fearless_simd::Level;

/// An instruction set that this CPU has.
///
/// A value is proof: it can only be made by asking the CPU (or for what the build takes for granted).
#[derive(Clone, Copy)]
pub struct Backend(Level);

/// A backend name that is unknown, or that this CPU lacks. Its message lists what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownBackend {
    /// The name that was asked for.
    pub name: String,
}

impl fmt::Display for UnknownBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no SIMD backend \"{}\" on this CPU; there are", self.name)?;
        for (i, backend) in Backend::all().enumerate() {
            write!(f, "{} {backend}", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownBackend {}

impl Backend {
    /// The widest backend this CPU has, or the one that the environment variable `LISSOM_SIMD` names.
    ///
    /// Decided at the first call. Work must not stop because of a variable, so a name that this CPU lacks counts as
    /// unset here; a program that wants to say so asks [`Backend::from_env`] when it starts, as the `lissom` command
    /// does.
    /// Without the `std` feature this is [`Backend::baseline`].
    #[inline]
    #[must_use]
    pub fn best() -> Self {
        #[cfg(feature = "std")]
        {
            static BEST: std::sync::OnceLock<Backend> = std::sync::OnceLock::new();
            *BEST.get_or_init(|| Self::from_env().ok().flatten().unwrap_or_else(Self::detect))
        }
        #[cfg(not(feature = "std"))]
        {
            Self::baseline()
        }
    }

    /// What `LISSOM_SIMD` asks for: `None` if it is unset, an error if this CPU cannot do it.
    #[cfg(feature = "std")]
    pub fn from_env() -> Result<Option<Self>, UnknownBackend> {
        match std::env::var("LISSOM_SIMD") {
            Ok(name) => Self::named(&name).map(Some),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(name)) => {
                Err(UnknownBackend { name: name.to_string_lossy().into_owned() })
            }
        }
    }

    /// The widest backend this CPU has, whatever the environment says.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn detect() -> Self {
        Self(Level::new())
    }

    /// The backend that every CPU of the build's target has.
    #[must_use]
    pub const fn baseline() -> Self {
        Self(Level::baseline())
    }

    /// Plain scalar code. A target whose every CPU has vectors has it with the feature `scalar` alone.
    #[cfg(feature = "scalar")]
    #[must_use]
    pub const fn scalar() -> Self {
        Self(Level::fallback())
    }

    /// Every backend that this CPU has, the scalar one first (if the build has it) and the widest last.
    pub fn all() -> impl Iterator<Item = Self> {
        #[cfg(feature = "std")]
        let top = Level::new();
        #[cfg(not(feature = "std"))]
        let top = Level::baseline();

        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        let simd = [
            top.as_sse2().map(Level::Sse2),
            top.as_sse4_2().map(Level::Sse4_2),
            top.as_avx2().map(Level::Avx2),
            top.as_avx512().map(Level::Avx512),
        ];
        #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
        let simd = [(!top.is_fallback()).then_some(top)];
        #[cfg(feature = "scalar")]
        let scalar = Some(Self::scalar());
        #[cfg(not(feature = "scalar"))]
        let scalar = top.is_fallback().then_some(Self(top));
        scalar.into_iter().chain(simd.into_iter().flatten().map(Self))
    }

    /// By name: `scalar`, `sse2`, `sse4.2`, `avx2`, `avx512`, `neon`, `simd128`.
    pub fn named(name: &str) -> Result<Self, UnknownBackend> {
        Self::all().find(|b| b.name() == name).ok_or_else(|| UnknownBackend { name: name.into() })
    }

    /// The name that [`Backend::named`] and `LISSOM_SIMD` take.
    #[must_use]
    pub fn name(self) -> &'static str {
        #[allow(unreachable_patterns, reason = "which variants exist depends on the target")]
        match self.0 {
            level if level.is_fallback() => "scalar",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse2(_) => "sse2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Sse4_2(_) => "sse4.2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx2(_) => "avx2",
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            Level::Avx512(_) => "avx512",
            #[cfg(target_arch = "aarch64")]
            Level::Neon(_) => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Level::WasmSimd128(_) => "simd128",
            _ => "unknown",
        }
    }

    /// For [`dispatch!`](crate::dispatch).
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn level(self) -> Level {
        self.0
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl PartialEq for Backend {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Backend {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_of_this_cpu_answers_to_its_name() {
        let all: Vec<_> = Backend::all().collect();
        let narrowest = if cfg!(feature = "scalar") { "scalar" } else { Backend::baseline().name() };
        assert_eq!(all[0].name(), narrowest);
        assert_eq!(all.last(), Some(&Backend::detect()));
        for b in all {
            assert_eq!(Backend::named(b.name()), Ok(b));
        }
        let error = Backend::named("mmx").unwrap_err();
        assert_eq!(error.name, "mmx");
        for b in Backend::all() {
            assert!(error.to_string().contains(b.name()), "{error}");
        }
    }
}
