//! The viewer as a page: built into a folder that any file server can host, hosted on localhost, and looked at in a browser.

use crate::{
    Options, foreign, guests,
    step::{self, Outcome},
    viewer, workspace,
};
use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    thread,
};

const TARGET: &str = "wasm32-unknown-unknown";
/// What a page may take, compressed.
const MOST_BYTES: usize = 8_000_000;

/// `cargo xtask web [--serve]`.
pub fn command(arguments: &[String]) -> Result<(), String> {
    let serve = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => false,
        ["--serve"] => true,
        _ => return Err("usage: cargo xtask web [--serve]".into()),
    };
    let args = [
        "build",
        "--release",
        "--no-default-features",
        "--features",
        "draco",
        "--package",
        workspace::VIEWER,
    ];
    let folder = build(&args, false)?.map_err(|why| format!("the page cannot be built: {why}"))?;
    println!("   {}", folder.display());
    if serve {
        let listener = TcpListener::bind("127.0.0.1:8000").map_err(|e| format!("127.0.0.1:8000: {e}"))?;
        println!("   http://127.0.0.1:8000/ until you press control-C");
        host(&listener, &folder);
    }
    Ok(())
}

/// The step: one build, and a real browser on it.
pub fn run(options: &Options) -> Result<Outcome, String> {
    if let Some(why) = foreign::missing(&["node", "npm"], &["nodejs", "npm"], options.install) {
        return Ok(Outcome::Skipped(why));
    }
    if let Some(why) = foreign::missing(&["chromium"], &["chromium"], options.install) {
        return Ok(Outcome::Skipped(why));
    }
    let modules = match step::node_package("playwright-core")? {
        Ok(folder) => folder,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    let folder = match build(&foreign::WASM, options.install)? {
        Ok(folder) => folder,
        Err(why) => return Ok(Outcome::Skipped(why)),
    };
    // The native viewer tells which poses are right. The step before this one has built it.
    workspace::run(&mut guests::test(&["--no-run", "--test", "ui"]))?;
    let native = workspace::target()?.join("debug").join(workspace::VIEWER);

    let listener = TcpListener::bind("127.0.0.1:0").map_err(|e| format!("127.0.0.1: {e}"))?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    thread::spawn(move || host(&listener, &folder));
    let mut browser = workspace::command("node");
    browser.args(["scripts/web.mjs", "--modules"]).arg(&modules).arg("--native").arg(&native);
    browser.arg("--url").arg(format!("http://{address}/")).arg("--pictures").arg(step::scratch("web")?);
    if let Some(assets) = &options.assets {
        // A page has no C library, which reads FBX.
        let read = viewer::VARIED.iter().filter(|file| !file.ends_with(".fbx"));
        browser.args(read.map(|file| assets.join(file)));
    }
    workspace::run(&mut browser).map(|()| Outcome::Passed)
}

/// Builds the folder with these arguments for cargo; or why that is not possible here.
fn build(args: &[&str], install: bool) -> Result<Result<PathBuf, String>, String> {
    let Some(toolchain) = foreign::Toolchain::find(TARGET, install) else {
        return Ok(Err(foreign::no_toolchain(TARGET)));
    };
    let mut cargo = match toolchain.wasm(install)? {
        Ok(cargo) => cargo,
        Err(why) => return Ok(Err(why)),
    };
    workspace::run(cargo.args(args).args(["--bin", workspace::VIEWER]))?;
    let wasm = toolchain.folder()?.join("release/lissom-viewer.wasm");
    let folder = workspace::target()?.join("web");
    let mut bind = workspace::cargo();
    bind.args(["run", "--package", workspace::BINDGEN, "--"]).arg(&wasm).arg(workspace::VIEWER).arg(&folder);
    workspace::run(&mut bind)?;
    let page = workspace::root().join("crates/lissom-viewer/web/index.html");
    fs::copy(&page, folder.join("index.html")).map_err(|e| format!("{}: {e}", page.display()))?;
    let wasm = folder.join("lissom-viewer_bg.wasm");
    let packed = workspace::output(workspace::command("gzip").args(["-9", "-c"]).arg(&wasm))?.stdout.len();
    let whole = fs::metadata(&wasm).map_err(|e| format!("{}: {e}", wasm.display()))?.len();
    println!("   the page's program: {whole} bytes, {packed} compressed");
    if packed > MOST_BYTES {
        return Err(format!("the page's program is {packed} bytes compressed, above {MOST_BYTES}"));
    }
    Ok(Ok(folder))
}

/// Answers every request with a file of the folder, until the program ends.
fn host(listener: &TcpListener, folder: &Path) {
    thread::scope(|scope| {
        for stream in listener.incoming().flatten() {
            // Whoever hangs up early gets no answer, and wants none.
            scope.spawn(move || answer(stream, folder).ok());
        }
    });
}

fn answer(mut stream: TcpStream, folder: &Path) -> std::io::Result<()> {
    let mut request = String::new();
    BufReader::new(&stream).read_line(&mut request)?;
    let path = request.split(' ').nth(1).unwrap_or("/").split('?').next().unwrap_or("/");
    let (status, kind, bytes) = match file_of(path).map(|file| (file, fs::read(folder.join(file)))) {
        Some((file, Ok(bytes))) => ("200 OK", kind_of(file), bytes),
        _ => ("404 Not Found", "text/plain", b"there is no such file".to_vec()),
    };
    let length = bytes.len();
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    )?;
    stream.write_all(&bytes)
}

/// The file that a path means; the folder has no folders, so a path with one leads nowhere.
fn file_of(path: &str) -> Option<&str> {
    let name = path.strip_prefix('/')?;
    let plain = !name.contains(['/', '\\', '%']) && !name.starts_with('.');
    plain.then_some(if name.is_empty() { "index.html" } else { name })
}

fn kind_of(file: &str) -> &'static str {
    match file.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leads_out_of_the_folder() {
        assert_eq!(file_of("/"), Some("index.html"));
        assert_eq!(file_of("/lissom-viewer_bg.wasm"), Some("lissom-viewer_bg.wasm"));
        for path in ["/../Cargo.toml", "/..", "/a/b", "/%2e%2e", "/\\x", "x", "/.git"] {
            assert_eq!(file_of(path), None, "{path}");
        }
    }
}
