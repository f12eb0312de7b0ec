//! The viewer as a page.
//!
//! `?file=hero.glb` opens a file of the server's, `?clip=walk` shows that clip first, `?panel=graph` opens that panel, `?light` is
//! dark on light. What is shown stands in the canvas's attributes, for scripts: `data-document`, `data-clip`, `data-time`
//! (seconds), `data-states` (of a graph that plays, one a layer), `data-failure`, `data-memory` (bytes that the program has taken), and
//! while time stands still `data-pose`, the hash of the pose.

use super::start::start as viewer_of;
use crate::{
    document::Document,
    failure::Failure,
    platform::{Asked, said},
    viewer::Viewer,
};
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{HtmlCanvasElement, UrlSearchParams};

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
        let mut viewer = viewer_of(cc, asked.has("light"))?;
        viewer.open.wanted_clip = asked.get("clip");
        match asked.get("file") {
            Some(file) => viewer.load(Asked::fetched(file), &cc.egui_ctx),
            None => viewer.show(Document::mannequin()),
        }
        if let Some(panel) = asked.get("panel") {
            match panel.parse() {
                Ok(panel) => viewer.open_panel(panel),
                Err(failure) => viewer.ui.failure = Some(failure),
            }
        }
        Ok(Box::new(Page { viewer, canvas: shown, told: BTreeMap::new(), hashed: None }))
    });
    let started = eframe::WebRunner::new().start(canvas, eframe::WebOptions::default(), make).await;
    started.map_err(|e| Failure(format!("this browser shows neither WebGPU nor WebGL2: {}", said(e))))
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

/// What the program has taken of the machine's memory. It is never given back, but used again.
fn memory_bytes() -> u32 {
    let memory = wasm_bindgen::memory().dyn_into::<js_sys::WebAssembly::Memory>().ok();
    let buffer = memory.and_then(|memory| memory.buffer().dyn_into::<js_sys::ArrayBuffer>().ok());
    buffer.map_or(0, |buffer| buffer.byte_length())
}
