//! The viewer as a page.
//!
//! `?file=hero.glb` opens a file of the server's, `?clip=walk` shows that clip first, `?panel=graph` opens that panel, `?light` is
//! dark on light. What is shown stands in the canvas's attributes, for scripts: `data-document`, `data-clip`, `data-time`
//! (seconds), `data-states` (of a graph that plays, one a layer), `data-failure`, `data-memory` (bytes that the program has taken), and
//! while time stands still `data-pose`, the hash of the pose.

use crate::{
    document::{Document, Failure, Source},
    loading::Loading,
    opening::Opening,
    viewer::Viewer,
    window,
};
use lissom_build::graph;
use std::{collections::BTreeMap, path::Path};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, HtmlAnchorElement, HtmlCanvasElement, Response, Url, UrlSearchParams};

/// What the page calls its canvas, and the element that says what went wrong.
const CANVAS: &str = "viewer";
const SAID: &str = "said";

/// Shows the viewer on the page's canvas.
pub fn start() {
    spawn_local(async {
        let Err(Failure(why)) = run().await else { return };
        let page = web_sys::window().and_then(|w| w.document());
        if let Some(said) = page.and_then(|page| page.get_element_by_id(SAID)) {
            said.set_text_content(Some(&why));
        }
    });
}

async fn run() -> Result<(), Failure> {
    let window = web_sys::window().ok_or_else(|| Failure("there is no page".into()))?;
    let canvas = window.document().and_then(|page| page.get_element_by_id(CANVAS));
    let canvas = canvas.and_then(|found| found.dyn_into::<HtmlCanvasElement>().ok());
    let canvas = canvas.ok_or_else(|| Failure(format!("the page has no canvas {CANVAS}")))?;
    let asked = window.location().search().map_err(said)?;
    let asked = UrlSearchParams::new_with_str(&asked).map_err(said)?;
    let shown = canvas.clone();
    let make: eframe::AppCreator<'_> = Box::new(move |cc| {
        let mut viewer = window::start(cc, asked.has("light"))?;
        viewer.want_clip(asked.get("clip"));
        match asked.get("file") {
            Some(file) => {
                let ctx = cc.egui_ctx.clone();
                viewer.wait_for(Loading::start_async(
                    file.clone(),
                    fetched(file),
                    Opening::default(),
                    move || {
                        ctx.request_repaint();
                    },
                ));
            }
            None => viewer.show(Document::mannequin()),
        }
        if let Some(panel) = asked.get("panel") {
            match panel.parse() {
                Ok(panel) => viewer.settings.panel = Some(panel),
                Err(failure) => viewer.failure = Some(failure),
            }
        }
        Ok(Box::new(Page { viewer, canvas: shown, told: BTreeMap::new(), hashed: None }))
    });
    let started = eframe::WebRunner::new().start(canvas, eframe::WebOptions::default(), make).await;
    started.map_err(|e| Failure(format!("this browser shows neither WebGPU nor WebGL2: {}", said(e))))
}

fn said(e: JsValue) -> Failure {
    let text = e.as_string().or_else(|| e.dyn_ref::<js_sys::Error>().map(|e| e.message().into()));
    Failure(text.unwrap_or_else(|| format!("{e:?}")))
}

struct Page {
    viewer: Viewer,
    canvas: HtmlCanvasElement,
    told: BTreeMap<&'static str, String>,
    /// The time whose pose was hashed last, and the hash.
    hashed: Option<(f64, String)>,
}

impl eframe::App for Page {
    fn ui(&mut self, ui: &mut egui::Ui, _: &mut eframe::Frame) {
        self.viewer.ui(ui);
        self.tell();
    }

    fn save(&mut self, storage: &mut dyn eframe::Storage) {
        self.viewer.save(storage);
    }
}

impl Page {
    fn tell(&mut self) {
        let failure = self.viewer.failure().map(ToString::to_string).unwrap_or_default();
        let time_s = self.viewer.time_s();
        let (name, clip) = self.viewer.title();
        let pose = match time_s.filter(|_| !self.viewer.is_playing()) {
            Some(time_s) => self.hash(time_s, &format!("{name} {clip}")),
            None => String::new(),
        };
        let states = self.viewer.states().join(" ");
        let time = time_s.map(|t| t.to_string()).unwrap_or_default();
        for (key, value) in [
            ("data-document", name),
            ("data-clip", clip),
            ("data-time", time),
            ("data-states", states),
            ("data-pose", pose),
            ("data-failure", failure),
            ("data-memory", memory_bytes().to_string()),
        ] {
            if self.told.get(key) != Some(&value) && self.canvas.set_attribute(key, &value).is_ok() {
                self.told.insert(key, value);
            }
        }
    }

    fn hash(&mut self, time_s: f64, of: &str) -> String {
        match &self.hashed {
            Some((at, hash)) if *at == time_s && hash.starts_with(of) => {}
            _ => {
                let hash = self.viewer.pose_hash().map_or_else(String::new, |h| format!("{h:016x}"));
                self.hashed = Some((time_s, format!("{of} {hash}")));
            }
        }
        let hash = self.hashed.as_ref().and_then(|(_, text)| text.rsplit(' ').next());
        hash.unwrap_or_default().into()
    }
}

impl Viewer {
    /// The graph as it is now, as a download.
    pub(crate) fn save_graph(&mut self) {
        let Some(document) = &self.document else { return };
        let Some(parts) = &document.graph else { return };
        let done = download(&document.graph_path(), graph::to_json(parts).as_bytes());
        self.tell(done);
    }

    /// The character and all of its clips, as a download.
    pub(crate) fn save_glb(&mut self) {
        let Some(document) = &self.document else { return };
        let path = Path::new(&document.name).with_extension("glb");
        let done = document.to_glb().and_then(|bytes| download(&path, &bytes));
        self.tell(done);
    }
}

/// Gives the user a file.
fn download(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
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
    Url::revoke_object_url(&url).map_err(named)
}

/// What the program has taken of the machine's memory. It is never given back, but used again.
fn memory_bytes() -> u32 {
    let memory = wasm_bindgen::memory().dyn_into::<js_sys::WebAssembly::Memory>().ok();
    let buffer = memory.and_then(|memory| memory.buffer().dyn_into::<js_sys::ArrayBuffer>().ok());
    buffer.map_or(0, |buffer| buffer.byte_length())
}

/// The bytes of files that were dropped.
pub(crate) async fn dropped(files: Vec<egui::DroppedFileHandle>) -> Result<Vec<Source>, Failure> {
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
pub(crate) async fn drawn() {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        let window = web_sys::window();
        let set = window.map(|w| w.set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, 60));
        debug_assert!(matches!(set, Some(Ok(_))), "a page has time");
    });
    // It is never rejected.
    let _ = JsFuture::from(promise).await;
}
