//! From files to a document: what each is, what is brought onto what, and how it is cooked.

#[cfg(not(target_arch = "wasm32"))]
use crate::export;
use crate::{
    document::{CookedFacts, Document, Failure, Source, title},
    origin::Origin,
};
use lissom_build::{
    cook::{ClipBuilder, Effort},
    export::write_glb,
    graph,
    import::{self, ImportError, ImportLimits, ImportOptions, Place},
    pipeline::{self, Input, Recipe, Watch},
};
use lissom_motion::Graph;

/// Extensions of files that others name, and of graphs.
const PARTS: [&str; 6] = ["bin", "png", "jpg", "jpeg", "ktx2", "webp"];
const GRAPHS: [&str; 1] = ["json"];

/// How files are opened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opening {
    /// The precision to cook to, in millimetres.
    pub precision_mm: Option<f64>,
    /// What is open. If it has a character and the files have none, their motions are brought onto it; a graph alone is played
    /// with its clips.
    pub onto: Vec<Source>,
}

/// What became of a file whose motions were brought onto a character.
pub(crate) struct Brought {
    pub file: String,
    /// Clips that the character has now.
    pub clips: Vec<String>,
    /// What was not matched; or why nothing came of it.
    pub notes: Vec<String>,
}

/// What cooking gave, before it is a document.
struct Cooked {
    archive: Vec<u8>,
    facts: Vec<(String, CookedFacts)>,
    notes: Vec<String>,
    /// One an input.
    brought: Vec<Brought>,
}

impl Source {
    /// True if it is a graph's description.
    pub(crate) fn is_graph(&self) -> bool {
        self.has_extension(&GRAPHS)
    }

    /// True if it can be opened by itself.
    fn is_whole(&self) -> bool {
        !self.has_extension(&PARTS) && !self.is_graph()
    }
}

impl Document {
    /// Opens files: one archive, or whatever the pipeline reads, cooked together; files that others name (buffers, images)
    /// may be among them, and a graph's description. Motions among them are brought onto the one file that has meshes.
    /// `watch` hears how far it is and can end it.
    ///
    /// # Errors
    ///
    /// What is wrong with the first file that cannot be read, with its name.
    pub fn open(sources: &[Source], watch: &mut Watch<'_>) -> Result<Self, Failure> {
        Self::open_by(sources, &Opening::default(), watch)
    }

    pub(crate) fn open_by(
        sources: &[Source],
        opening: &Opening,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Failure> {
        let graph = sources.iter().all(Source::is_graph);
        if opening.onto.is_empty() || (!graph && (moves_meshes(sources) || !moves_meshes(&opening.onto))) {
            return Self::open_within(sources, opening.precision_mm, watch);
        }
        let mut all = opening.onto.clone();
        all.extend_from_slice(sources);
        if graph {
            return Self::open_within(&all, opening.precision_mm, watch);
        }
        let new = sources.iter().filter(|s| s.is_whole()).count();
        let refused = match Self::open_within(&all, opening.precision_mm, watch) {
            Ok(mut document) => {
                let came = &document.brought[document.brought.len().saturating_sub(new)..];
                if let Some(clip) = came.iter().flat_map(|b| &b.clips).next() {
                    document.player.play(clip)?;
                    document.measure()?;
                    return Ok(document);
                }
                came.iter().flat_map(|b| b.notes.iter().cloned()).collect()
            }
            Err(Failure(why)) => vec![why],
        };
        // It moves something else: that is what is shown.
        let mut document = Self::open_within(sources, opening.precision_mm, watch)?;
        document.notes.extend(refused);
        Ok(document)
    }

    /// Cooked to a precision in millimetres; the mannequin if there is nothing but a graph.
    fn open_within(
        sources: &[Source],
        precision_mm: Option<f64>,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Failure> {
        let mut whole: Vec<&Source> = sources.iter().filter(|s| s.is_whole()).collect();
        if whole.is_empty() {
            whole.extend(sources.iter().find(|s| !s.is_graph()));
        }
        let mut document = match whole[..] {
            [] => Self::mannequin_within(precision_mm)?,
            [source] if source.has_extension(&["lsm"]) && precision_mm.is_none() => {
                let named = |e: Failure| Failure(format!("{}: {e}", source.title()));
                Self::of_archive(source.title(), source.read()?.into_owned(), Vec::new()).map_err(named)?
            }
            _ => Self::of_files(sources, &whole, precision_mm, watch)?,
        };
        document.sources = sources.to_vec();
        if let Some(graph) = sources.iter().rfind(|s| s.is_graph()) {
            document.open_graph(graph)?;
        }
        Ok(document)
    }

    fn of_files(
        sources: &[Source],
        whole: &[&Source],
        precision_mm: Option<f64>,
        watch: &mut Watch<'_>,
    ) -> Result<Self, Failure> {
        let beside = |uri: &str| beside(sources, uri);
        let mut meshes = (0..whole.len()).filter(|i| whole.len() > 1 && has_meshes(whole[*i], sources));
        let character = meshes.next().filter(|_| meshes.next().is_none());
        let mut inputs: Vec<Input<'_>> = Vec::new();
        for source in whole {
            inputs.push(match source {
                Source::File(path) => Input::file(path),
                Source::Bytes(name, bytes) => Input::bytes(name, bytes).with_files(&beside),
            });
        }
        let Cooked { archive, facts, notes, mut brought } =
            cook(&inputs, character.map(|i| inputs[i].clone()), precision_mm, watch)?;
        let name = character.or(Some(0)).and_then(|i| inputs.get(i)).map(|i| title(i.name()));
        let mut document = Self::of_archive(name.unwrap_or_default(), archive, notes)?;
        document.origin = Origin::of_sources(whole, sources, document.player.skeleton());
        document.remember(precision_mm, facts);
        if let Some(character) = character {
            brought.remove(character);
            // What was brought is what is to be seen.
            if let Some(clip) = brought.iter().flat_map(|b| &b.clips).next() {
                document.player.play(clip)?;
                document.measure()?;
            }
            document.brought = brought;
        }
        Ok(document)
    }

    /// Reads a graph's description for the document's clips.
    ///
    /// # Errors
    ///
    /// What is wrong with it, and in which line; the graph before it stays.
    pub(crate) fn open_graph(&mut self, source: &Source) -> Result<(), Failure> {
        let named = |e: &dyn core::fmt::Display| Failure(format!("{}: {e}", source.title()));
        let file = graph::read(&source.read()?).map_err(|e| named(&e))?;
        let made = Graph::of_archive(file.parts(), &self.archive);
        made.map_err(|e| named(&file.place(&e)))?;
        self.set_graph(file.parts().clone());
        self.sources.retain(|s| !s.is_graph());
        self.sources.push(source.clone());
        self.graph_file = Some(source.clone());
        Ok(())
    }

    /// Where the graph is saved: the file that it is from, or a new one by the document's name in the folder that the viewer was
    /// started in.
    pub(crate) fn graph_path(&self) -> std::path::PathBuf {
        let stem = || std::path::Path::new(&self.name).file_stem().unwrap_or_default().to_string_lossy();
        match &self.graph_file {
            Some(Source::File(path)) => path.clone(),
            #[cfg(not(target_arch = "wasm32"))]
            _ => export::free(std::path::Path::new(""), &stem(), GRAPHS[0]),
            // A page has no folder: the browser finds a name that is free.
            #[cfg(target_arch = "wasm32")]
            Some(Source::Bytes(name, _)) => name.into(),
            #[cfg(target_arch = "wasm32")]
            None => format!("{}.{}", stem(), GRAPHS[0]).into(),
        }
    }

    /// Writes the graph as it is now.
    ///
    /// # Errors
    ///
    /// What the file system says.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn save_graph(&mut self) -> Result<(), Failure> {
        let Some(parts) = &self.graph else { return Ok(()) };
        let path = self.graph_path();
        export::write(&path, Ok(graph::to_json(parts).into()))?;
        self.sources.retain(|s| !s.is_graph());
        self.sources.push(Source::File(path));
        self.graph_file = self.sources.last().cloned();
        Ok(())
    }

    /// Everything in the archive as glTF.
    ///
    /// # Errors
    ///
    /// What the writer says.
    pub(crate) fn to_glb(&self) -> Result<Vec<u8>, Failure> {
        let wrong = |e: &dyn core::fmt::Display| Failure(e.to_string());
        let name = std::path::Path::new(&self.name).with_extension("lsm");
        let mut none = |uri: &str| {
            let place = Place::Path(uri.into());
            Err(ImportError::Format { place, reason: "an archive names no files".into() })
        };
        let scene =
            import::open_bytes(&name, self.archive.bytes(), &mut none, None, &ImportOptions::default());
        write_glb(&scene.map_err(|e| wrong(&e))?).map_err(|e| wrong(&e))
    }

    /// What cooking gave.
    pub(crate) fn remember(&mut self, precision_mm: Option<f64>, facts: Vec<(String, CookedFacts)>) {
        self.precision_mm = precision_mm;
        for (name, fact) in facts {
            if let Some(clip) = self.clips.iter_mut().find(|clip| clip.name == name) {
                clip.cooked = Some(fact);
            }
        }
    }
}

/// True if one of these files has meshes.
fn moves_meshes(sources: &[Source]) -> bool {
    sources.iter().filter(|s| s.is_whole()).any(|source| has_meshes(source, sources))
}

/// A file that cannot be read has none; whoever opens it says why.
fn has_meshes(source: &Source, sources: &[Source]) -> bool {
    // These never have any.
    let motion = source.has_extension(&["bvh", "ozz"]);
    !motion && source.scene(sources).is_some_and(|scene| !scene.meshes.is_empty())
}

impl Source {
    /// What is in it; `None` if it cannot be read.
    pub(crate) fn scene(&self, sources: &[Self]) -> Option<lissom_build::scene::Scene> {
        let bytes = self.read().ok()?;
        let mut files = |uri: &str| match self {
            Self::File(path) => import::read_beside(path, uri, &ImportLimits::default()),
            Self::Bytes(..) => beside(sources, uri),
        };
        import::open_bytes(self.path(), &bytes, &mut files, None, &ImportOptions::default()).ok()
    }
}

/// Files that bytes name are looked for among the others, by the last part of their name.
fn beside(sources: &[Source], uri: &str) -> Result<Vec<u8>, ImportError> {
    let wanted = uri.rsplit('/').next();
    let found = sources.iter().find(|s| Some(s.title().as_str()) == wanted);
    match found.map(Source::read) {
        Some(Ok(bytes)) => Ok(bytes.into_owned()),
        _ => Err(ImportError::Format {
            place: Place::Path(uri.into()),
            reason: "this file is named, but was not given: drop both together".into(),
        }),
    }
}

/// One archive of all inputs; motions are brought onto the skeleton of `character`.
fn cook(
    inputs: &[Input<'_>],
    character: Option<Input<'_>>,
    precision_mm: Option<f64>,
    watch: &mut Watch<'_>,
) -> Result<Cooked, Failure> {
    let wrong = |e: &dyn core::fmt::Display| Failure(e.to_string());
    // What is opened to be looked at should be there soon.
    let cook = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let precision = precision_mm.map(|mm| mm * 1e-3);
    let options = pipeline::Options { cook, precision, retarget: character, ..Default::default() };
    let recipe = Recipe::new(options).map_err(|e| wrong(&e))?;
    let cooked = recipe.cook(inputs, &executor, watch).map_err(|e| wrong(&e))?;
    let (mut facts, mut brought, mut first_error) = (Vec::new(), Vec::new(), None);
    for (input, own) in cooked.inputs.iter().zip(inputs) {
        let file = title(own.name());
        brought.push(match input {
            Ok(report) => {
                let fact =
                    |c: &pipeline::ClipReport| (c.name.clone(), CookedFacts::new(&c.cook, &c.worst_joint));
                facts.extend(report.clips.iter().map(fact));
                let notes = report.warnings.iter().map(ToString::to_string).collect();
                Brought { file, clips: report.clips.iter().map(|c| c.name.clone()).collect(), notes }
            }
            Err(e) => {
                first_error.get_or_insert_with(|| wrong(e));
                Brought { file, clips: Vec::new(), notes: vec![e.to_string()] }
            }
        });
    }
    let notes = brought.iter().flat_map(|b| b.notes.iter().cloned()).collect();
    match (cooked.archive, first_error) {
        (Some(archive), _) => Ok(Cooked { archive, facts, notes, brought }),
        (None, Some(failure)) => Err(failure),
        (None, None) => Err(Failure("there is nothing to open".into())),
    }
}

/// All cores on the desktop; a page has one.
fn executor(tasks: usize, task: &(dyn Fn(usize) + Sync)) {
    #[cfg(not(target_arch = "wasm32"))]
    {
        use rayon::prelude::*;
        (0..tasks).into_par_iter().for_each(task);
    }
    #[cfg(target_arch = "wasm32")]
    pipeline::serial(tasks, task);
}

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_motion::{GraphParts, LayerParts, StateParts};

    #[test]
    fn a_graph_alone_is_played_with_the_clips_that_are_open() {
        let bvh: &[u8] =
            b"HIERARCHY ROOT hips { OFFSET 0 1 0 CHANNELS 1 Xposition End Site { OFFSET 0 1 0 } }
            MOTION Frames: 3 Frame Time: 0.5 0 1 2";
        let bytes = |name: &str, bytes: &[u8]| Source::Bytes(name.into(), bytes.into());
        let parts =
            |clip: &str| GraphParts::new().layer(LayerParts::new("body").state(StateParts::clip("go", clip)));
        let json = |clip: &str| bytes("own.json", graph::to_json(&parts(clip)).as_bytes());
        let onto = vec![bytes("slide.bvh", bvh), json("not there")];
        let opening = Opening { onto, ..Opening::default() };
        let open = |clip: &str| Document::open_by(&[json(clip)], &opening, &mut pipeline::unwatched);
        let document = open("slide").unwrap();
        assert_eq!((document.name.as_str(), &document.graph), ("slide.bvh", &Some(parts("slide"))));
        assert_eq!(document.sources.len(), 2, "the graph before it has gone");
        let refused = open("walk").err().unwrap().to_string();
        assert!(refused.contains("own.json") && refused.contains("line"), "{refused}");
        // Without anything open it is the mannequin's.
        let alone = Document::open(&[json("walk")], &mut pipeline::unwatched).unwrap();
        assert_eq!((alone.name.as_str(), alone.graph), ("mannequin", Some(parts("walk"))));
    }
}
