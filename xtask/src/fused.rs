//! Fused and estimated arithmetic: its bits depend on the CPU, so no library may use it.
//!
//! Looked for twice: in the sources, and in the machine code of every library. The machine code is that
//! of the libraries' own objects before they are linked: kernels with everything inlined into them, for
//! every backend, and nothing of the standard library.

use crate::{source, step::Outcome, workspace};
use std::{fs, path::Path};

/// Words that have no place in a library's source.
const WORDS: [&str; 16] = [
    "mul_add",
    "mul_sub",
    "fma",
    "fmaf",
    "fmaf32",
    "fmaf64",
    "fmadd",
    "fmsub",
    "approximate_recip",
    "rcp",
    "rsqrt",
    "vfma",
    "vrecpe",
    "vrsqrte",
    "relaxed_madd",
    "algebraic",
];

/// Starts of mnemonics, x86 and AArch64.
const X86: [&str; 8] = ["vfmadd", "vfmsub", "vfnmadd", "vfnmsub", "vrcp", "vrsqrt", "rcp", "rsqrt"];
const ARM: [&str; 10] =
    ["fmla", "fmls", "fmadd", "fmsub", "fnmadd", "fnmsub", "frecp", "frsqrt", "bfmla", "fmlal"];

/// Fewer instructions than this in all libraries together mean that the wrong files were read.
const MIN_INSTRUCTIONS: usize = 5_000;

/// The sources of all libraries.
pub fn sources() -> Result<Outcome, String> {
    // The check must be able to fail.
    for planted in ["let y = x.mul_add(a, b);", "_mm256_fmadd_ps(a, b, c)", "v.approximate_recip()"] {
        if find_words(planted).is_empty() {
            return Err(format!("the planted violation `{planted}` was not found"));
        }
    }
    let mut found = String::new();
    let mut files = 0;
    for (name, folder) in libraries()? {
        for path in source::rust_files(&folder.join("src"))? {
            files += 1;
            let text = source::read(&path)?;
            for (line, word) in find_words(&text) {
                found.push_str(&format!("{name}: {}:{line}: {word}\n", source::shown(&path)));
            }
        }
    }
    println!("   {files} source files read");
    if files < 20 {
        return Err(format!("only {files} source files found"));
    }
    if found.is_empty() { Ok(Outcome::Passed) } else { Err(found) }
}

/// The machine code of all libraries, for x86-64.
pub fn machine_code() -> Result<Outcome, String> {
    if !cfg!(target_arch = "x86_64") {
        return Ok(Outcome::Skipped("this machine is not x86-64".into()));
    }
    if !workspace::has("objdump") {
        return Ok(Outcome::Skipped("there is no objdump (Debian: apt-get install binutils)".into()));
    }
    let target = workspace::target()?;
    planted_x86(&target.join("ci/fused"))?;

    // What the step `build` built. Without link-time optimisation the objects hold machine code.
    workspace::run(workspace::cargo().args(["build", "--release"]))?;
    // The one library that is no default member, without the graphics device that it hands its bytes to; the others as they are.
    let mut gpu = workspace::cargo();
    gpu.args(["build", "--release", "--lib", "--no-default-features", "--features", &defaults()?]);
    workspace::run(
        gpu.args(workspace::named(workspace::DEFAULT_MEMBERS.into_iter().chain([workspace::GPU]))),
    )?;
    let libraries = libraries()?;
    let mut all = Code::default();
    for (name, _) in &libraries {
        let file = target.join(format!("release/lib{}.rlib", name.replace('-', "_")));
        all.read("objdump", &file, &X86)?;
    }
    // Kernels of every width must be there, or nothing was proved.
    all.verdict(&["mulps %xmm", "vmulps %ymm", "vmulps %zmm"])
}

/// The default features of all default members.
fn defaults() -> Result<String, String> {
    let metadata = workspace::metadata()?;
    let has_default = |p: &&serde_json::Value| !p["features"]["default"].is_null();
    let names = workspace::packages(&metadata)?.iter().filter(has_default).filter_map(|p| p["name"].as_str());
    let features =
        names.filter(|name| workspace::DEFAULT_MEMBERS.contains(name)).map(|name| format!("{name}/default"));
    Ok(features.collect::<Vec<_>>().join(","))
}

/// The machine code of the libraries that the NEON step built.
pub fn neon_code(folder: &Path, names: &[&str]) -> Result<(), String> {
    const OBJDUMP: &str = "aarch64-linux-gnu-objdump";
    let object = folder.join("planted.o");
    let source = workspace::root().join("xtask/planted/fused.c");
    let mut compile = workspace::command("aarch64-linux-gnu-gcc");
    workspace::run(compile.args(["-O2", "-c", "-o"]).arg(&object).arg(source))?;
    must_find(OBJDUMP, &object, &ARM, &["fmla", "frecpe", "frsqrte"])?;

    let mut all = Code::default();
    for name in names {
        all.read(OBJDUMP, &folder.join(format!("lib{}.rlib", name.replace('-', "_"))), &ARM)?;
    }
    all.verdict(&["fmul v"]).map(|_| ())
}

fn planted_x86(target: &Path) -> Result<(), String> {
    fs::create_dir_all(target).map_err(|e| format!("{}: {e}", target.display()))?;
    let object = target.join("planted.o");
    let mut compile = workspace::command("rustc");
    compile.args(["--edition", "2024", "--crate-type", "lib", "--emit", "obj", "-O", "-o"]);
    workspace::run(compile.arg(&object).arg("xtask/planted/fused.rs"))?;
    must_find("objdump", &object, &X86, &["vfmadd", "rcpss", "rsqrtss"])
}

/// The planted violations of an object file must be found, each of them.
fn must_find(objdump: &str, object: &Path, forbidden: &[&str], wanted: &[&str]) -> Result<(), String> {
    let mut planted = Code::default();
    planted.read(objdump, object, forbidden)?;
    for mnemonic in wanted {
        if !planted.found.iter().any(|line| line.contains(mnemonic)) {
            return Err(format!("the planted {mnemonic} was not found: {:?}", planted.found));
        }
    }
    println!("   the planted violations were found ({})", planted.found.len());
    Ok(())
}

/// What disassembling found.
#[derive(Default)]
struct Code {
    instructions: usize,
    text: String,
    found: Vec<String>,
}

impl Code {
    fn read(&mut self, objdump: &str, file: &Path, forbidden: &[&str]) -> Result<(), String> {
        let mut command = workspace::command(objdump);
        command.args(["--disassemble", "--demangle", "--no-show-raw-insn"]).arg(file);
        let output = workspace::output(&mut command)?;
        self.scan(&String::from_utf8_lossy(&output.stdout), forbidden);
        Ok(())
    }

    /// Lines are `   12: <tab>vmulps %ymm0,%ymm1,%ymm2`, under `0000 <function>:`.
    fn scan(&mut self, text: &str, forbidden: &[&str]) {
        let mut function = "";
        for line in text.lines() {
            if let Some((_, name)) = line.strip_suffix(">:").and_then(|l| l.split_once('<')) {
                function = name;
            }
            let Some((_, instruction)) = line.split_once(":\t") else { continue };
            self.instructions += 1;
            let instruction = instruction.trim();
            if forbidden.iter().any(|f| instruction.starts_with(f)) {
                self.found.push(format!("{instruction}   in {function}"));
            }
        }
        self.text.push_str(text);
    }

    /// Passes if something was read, kernels of every width are there, and nothing forbidden is.
    fn verdict(&self, witnesses: &[&str]) -> Result<Outcome, String> {
        println!("   {} instructions read", self.instructions);
        if self.instructions < MIN_INSTRUCTIONS {
            return Err(format!("only {} instructions read", self.instructions));
        }
        // Columns are aligned with blanks of any number.
        let text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        for witness in witnesses {
            if !text.contains(witness) {
                return Err(format!("no `{witness}` anywhere: the kernels are not in these files"));
            }
        }
        if self.found.is_empty() { Ok(Outcome::Passed) } else { Err(self.found.join("\n")) }
    }
}

/// The libraries: members under `crates/` with a library, except the test kit and the viewer, which no one
/// links, and Bevy's plugin, which has no arithmetic of its own. All but `lissom-gpu` are default members.
pub fn libraries() -> Result<Vec<(String, std::path::PathBuf)>, String> {
    let metadata = workspace::metadata()?;
    let crates = workspace::root().join("crates");
    let mut libraries = Vec::new();
    for package in workspace::packages(&metadata)? {
        let (Some(name), Some(manifest)) = (package["name"].as_str(), package["manifest_path"].as_str())
        else {
            continue;
        };
        let is_lib =
            |t: &serde_json::Value| t["kind"].as_array().is_some_and(|k| k.iter().any(|k| k == "lib"));
        let has_lib = package["targets"].as_array().is_some_and(|t| t.iter().any(is_lib));
        let folder = Path::new(manifest).parent().unwrap_or(Path::new("")).to_path_buf();
        if has_lib
            && folder.starts_with(&crates)
            && ![workspace::BEVY, workspace::TESTKIT, workspace::VIEWER].contains(&name)
        {
            libraries.push((name.to_owned(), folder));
        }
    }
    Ok(libraries)
}

/// Line numbers and words. A word is also found as a part of `_mm_rcp_ps` or `vfmaq_f32`; comments may
/// speak of what is forbidden.
fn find_words(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (i, line) in source.lines().enumerate() {
        let code = line.split("//").next().unwrap_or("");
        for word in code.split(|c: char| !c.is_alphanumeric() && c != '_') {
            let part = |p: &str| word == p || word.split('_').any(|piece| piece.starts_with(p));
            if WORDS.iter().any(|w| part(w) || (w.contains('_') && word.contains(w))) {
                found.push((i + 1, word.to_owned()));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_code_and_not_in_comments() {
        assert_eq!(find_words("a\nlet x = a.mul_add(b, c);"), [(2, "mul_add".into())]);
        for bad in ["_mm512_rsqrt14_ps(a)", "vfmaq_f32(a, b, c)", "libm::fmaf(a, b, c)", "x.algebraic_mul(y)"]
        {
            assert_eq!(find_words(bad).len(), 1, "{bad}");
        }
        assert!(find_words("/// no mul_add here\nlet format = parse(); // fma").is_empty());
    }

    #[test]
    fn forbidden_instructions_are_found_with_their_function() {
        let text = "0000 <lissom_math::batch::planted>:\n   0:\tvmulps %ymm0,%ymm1,%ymm2\n   4:\tvfmadd213ps %ymm0,%ymm1,%ymm2\n";
        let mut code = Code::default();
        code.scan(text, &X86);
        assert_eq!(code.instructions, 2);
        assert_eq!(code.found, ["vfmadd213ps %ymm0,%ymm1,%ymm2   in lissom_math::batch::planted"]);
        let mut code = Code::default();
        code.scan("0000 <f>:\n   0:\tfmul\tv0.4s, v1.4s, v2.4s\n   4:\tfmla\tv0.4s, v1.4s, v2.4s\n", &ARM);
        assert_eq!(code.found.len(), 1);
    }
}
