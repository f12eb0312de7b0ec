//! A page: files come as bytes and go as downloads, and there is one thread.

use crate::{failure::Failure, picture::Picture, source::Source};
use egui_wgpu::RenderState;
use lissom_build::pipeline;
use lissom_motion::crowd::{Crowd, CrowdError, PalettesMut, Serial};
use std::{
    path::{Path, PathBuf},
    pin::Pin,
};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, HtmlAnchorElement, Response, Url};

/// What can be opened; a page has no C library, which reads FBX.
pub(crate) const READS: &str = ".lsm, .glb, .gltf, .vrm, .bvh, .ozz";

/// Files are dropped onto the page, and the browser knows where downloads go.
pub(crate) const HAS_FOLDERS: bool = false;

/// The one core that a page has.
pub(crate) fn executor(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    pipeline::serial(tasks, task);
}

/// Threads that a crowd may have.
pub(crate) fn most_threads() -> usize {
    1
}

type Files = Pin<Box<dyn Future<Output = Result<Vec<Source>, Failure>>>>;

/// Files that are to be opened, and may be on their way.
pub(crate) struct Asked {
    pub name: String,
    files: Files,
}

impl Asked {
    /// Files whose bytes are here; none: the mannequin.
    pub fn of(sources: Vec<Source>) -> Self {
        let name = sources.first().map_or_else(|| "mannequin".into(), Source::title);
        Self { name, files: Box::pin(core::future::ready(Ok(sources))) }
    }

    /// Files that were dropped onto the page.
    pub fn dropped(files: Vec<egui::DroppedFileHandle>) -> Self {
        let name = files.first().map(|file| file.path().to_string_lossy().into_owned()).unwrap_or_default();
        Self { name, files: Box::pin(dropped(files)) }
    }

    /// A file of the server's.
    pub fn fetched(url: String) -> Self {
        Self { name: url.clone(), files: Box::pin(fetched(url)) }
    }

    /// Nothing is known of files that are on their way.
    pub fn graph(&self) -> Option<&Source> {
        None
    }

    /// No file is on a disk.
    pub fn paths(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Gets the files and works on them, after what is to be seen now was drawn.
    pub fn then(
        self,
        wake: impl Fn() + Send + Sync + 'static,
        work: impl FnOnce(Result<Vec<Source>, Failure>) + 'static,
    ) {
        spawn_local(async move {
            let sources = self.files.await;
            wake();
            // There is one thread: until it is done, the page shows what it shows now.
            drawn().await;
            work(sources);
        });
    }
}

/// Files of a page do not change.
#[derive(Default)]
pub(crate) struct Watch;

impl Watch {
    pub fn set(&mut self, _: Vec<PathBuf>, _: impl Fn() + Send + 'static) -> Result<(), Failure> {
        Ok(())
    }

    pub fn paths(&self) -> &[PathBuf] {
        &[]
    }

    pub fn take_change(&self) -> bool {
        false
    }
}

/// The one thread.
#[derive(Default)]
pub(crate) struct Pool;

impl Pool {
    pub fn update(
        &mut self,
        crowd: &mut Crowd,
        dt_s: f64,
        _: usize,
        palettes: PalettesMut<'_>,
    ) -> Result<(), CrowdError> {
        crowd.update_into(dt_s, &Serial, palettes)
    }
}

/// What a download is called: the browser finds a name that is free.
pub(crate) fn new_path(folder: &Path, stem: &str, extension: &str) -> PathBuf {
    folder.join(format!("{}.{extension}", stem.trim().replace(['/', '\\', ':'], "_")))
}

/// Gives the user a file. It cannot be read again.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<Option<Source>, Failure> {
    let named = |e: JsValue| Failure(format!("{}: {}", path.display(), said(e)));
    let parts = js_sys::Array::of1(&js_sys::Uint8Array::from(bytes));
    let blob = Blob::new_with_u8_array_sequence(&parts).map_err(named)?;
    let url = Url::create_object_url_with_blob(&blob).map_err(named)?;
    let page = web_sys::window().and_then(|w| w.document());
    let link = page.ok_or(JsValue::NULL).and_then(|page| page.create_element("a")).map_err(named)?;
    let link: HtmlAnchorElement = link.dyn_into().map_err(|e| named(e.into()))?;
    link.set_href(&url);
    link.set_download(&path.file_name().unwrap_or_default().to_string_lossy());
    link.click();
    Url::revoke_object_url(&url).map_err(named)?;
    Ok(None)
}

/// A page cannot wait for its device.
pub(crate) fn read_back(_: &RenderState, _: &wgpu::Texture) -> Result<Picture, Failure> {
    Err(Failure("a page cannot save pictures yet".into()))
}

/// What JavaScript says, in words.
pub(crate) fn said(e: JsValue) -> Failure {
    let text = e.as_string().or_else(|| e.dyn_ref::<js_sys::Error>().map(|e| e.message().into()));
    Failure(text.unwrap_or_else(|| format!("{e:?}")))
}

/// The bytes of files that were dropped.
async fn dropped(files: Vec<egui::DroppedFileHandle>) -> Result<Vec<Source>, Failure> {
    let mut sources = Vec::new();
    for file in files {
        let name = file.path().to_string_lossy().into_owned();
        let bytes = file.bytes_async().await.map_err(|e| Failure(format!("{name}: {e}")))?;
        sources.push(Source::Bytes(name, bytes.into()));
    }
    Ok(sources)
}

/// The bytes of a file of the server's.
async fn fetched(url: String) -> Result<Vec<Source>, Failure> {
    let named = |why: String| Failure(format!("{url}: {why}"));
    let window = web_sys::window().ok_or_else(|| named("there is no page".into()))?;
    let answer = JsFuture::from(window.fetch_with_str(&url)).await.map_err(|e| named(said(e).0))?;
    let answer: Response = answer.dyn_into().map_err(|e| named(said(e).0))?;
    if !answer.ok() {
        return Err(named(format!("the server says {}", answer.status())));
    }
    let bytes = answer.array_buffer().map_err(|e| named(said(e).0))?;
    let bytes = JsFuture::from(bytes).await.map_err(|e| named(said(e).0))?;
    let name = url.rsplit('/').next().unwrap_or(&url).to_owned();
    Ok(vec![Source::Bytes(name, js_sys::Uint8Array::new(&bytes).to_vec().into())])
}

/// Waits until what is to be seen now was drawn.
async fn drawn() {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        let window = web_sys::window();
        let set = window.map(|w| w.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, 60));
        debug_assert!(matches!(set, Some(Ok(_))), "a page has time");
    });
    // It is never rejected.
    let _ = JsFuture::from(promise).await;
}
