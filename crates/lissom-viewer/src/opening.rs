//! From files to a document: what each is, what is brought onto what, and how it is cooked.

use crate::{
    clip_list::CookedFacts,
    document::{Brought, Document},
    failure::Failure,
    origin::Origin,
    platform::executor,
    retargeted::{Corrections, Retargeted},
    source::{Source, title},
};
use lissom_build::{
    cook::{ClipBuilder, Effort},
    export::write_glb,
    graph,
    import::{self, ImportError, ImportOptions, OpenError, Place},
    pipeline::{self, Input, InputError, Parsed, Plan, Resolve, Watch},
    scene::{Fitted, Scene},
};
use lissom_motion::Graph;
use std::cell::OnceCell;

/// How files are opened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opening {
    /// The precision to cook to, in millimetres.
    pub precision_mm: Option<f64>,
    /// What is open. If it has a character and the files have none, their motions are brought onto it; a graph alone is played
    /// with its clips.
    pub onto: Vec<Source>,
    /// What the user says of bones.
    pub says: Corrections,
    /// If that is why they are opened again: the files that clips must come of, as they did before; at least of one.
    pub must_come: Option<Vec<String>>,
}

impl Opening {
    /// After a correction: refuses to lose what was there.
    fn check(&self, brought: &[Brought]) -> Result<(), Failure> {
        let Some(must_come) = &self.must_come else { return Ok(()) };
        let none = brought.iter().all(|b| b.clips.is_empty());
        let lost = |b: &&Brought| b.clips.is_empty() && (none || must_come.contains(&b.file));
        match brought.iter().find(lost) {
            Some(lost) => Err(Failure(lost.notes.join("; "))),
            None => Ok(()),
        }
    }
}

/// What cooking gave, before it is a document.
struct Cooked {
    archive: Vec<u8>,
    facts: Vec<(String, CookedFacts)>,
    notes: Vec<String>,
    /// One an input.
    brought: Vec<Brought>,
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
        // Each file is parsed once, whatever is asked of it and however often it is opened.
        let beside_new = |uri: &str| beside(sources, uri);
        let beside_onto = |uri: &str| beside(&opening.onto, uri);
        let (new, onto) = (&Set::new(sources, &beside_new), &Set::new(&opening.onto, &beside_onto));
        if opening.onto.is_empty() || (!graph && (new.has_meshes() || !onto.has_meshes())) {
            return Self::open_within(&[new], opening, watch);
        }
        if graph {
            return Self::open_within(&[onto, new], opening, watch);
        }
        let count = sources.iter().filter(|s| s.is_whole()).count();
        let mut retargeted = None;
        let refused = match Self::open_within(&[onto, new], opening, watch) {
            Ok(mut document) => {
                let came = &document.brought[document.brought.len().saturating_sub(count)..];
                if let Some(clip) = came.iter().flat_map(|b| &b.clips).next() {
                    document.player.play(clip)?;
                    document.measure()?;
                    return Ok(document);
                }
                retargeted = document.retargeted.take();
                let refused = Some(document.sources.clone());
                retargeted.iter_mut().for_each(|retargeted| retargeted.refused = refused.clone());
                came.iter().flat_map(|b| b.notes.iter().cloned()).collect()
            }
            Err(Failure(why)) => vec![why],
        };
        // It moves something else: that is what is shown.
        let mut document = Self::open_within(&[new], opening, watch)?;
        document.notes.extend(refused);
        document.retargeted = document.retargeted.or(retargeted);
        Ok(document)
    }

    /// Cooked to a precision in millimetres; the mannequin if there is nothing but a graph.
    fn open_within(sets: &[&Set<'_>], opening: &Opening, watch: &mut Watch<'_>) -> Result<Self, Failure> {
        let all = || sets.iter().flat_map(|set| set.members());
        let mut whole: Vec<Member<'_, '_>> = all().filter(|m| m.source().is_whole()).collect();
        if whole.is_empty() {
            whole.extend(all().find(|m| !m.source().is_graph()));
        }
        let only = |m: &Member<'_, '_>| m.source().has_extension(&["lsm"]) && opening.precision_mm.is_none();
        let mut document = match whole[..] {
            [] => Self::mannequin_within(opening.precision_mm)?,
            [only_one] if only(&only_one) => {
                let source = only_one.source();
                let named = |e: Failure| Failure(format!("{}: {e}", source.title()));
                Self::of_archive(source.title(), source.read()?.into_owned(), Vec::new()).map_err(named)?
            }
            _ => Self::of_files(&whole, opening, watch)?,
        };
        document.sources = all().map(|m| m.source().clone()).collect();
        if let Some(graph) = document.sources.iter().rfind(|s| s.is_graph()).cloned() {
            document.open_graph(&graph)?;
        }
        Ok(document)
    }

    fn of_files(whole: &[Member<'_, '_>], opening: &Opening, watch: &mut Watch<'_>) -> Result<Self, Failure> {
        let inputs: Vec<Input<'_>> = whole.iter().map(Member::input).collect();
        let mut meshes = (0..whole.len()).filter(|i| whole.len() > 1 && whole[*i].has_meshes());
        let character = meshes.next().filter(|_| meshes.next().is_none());
        let Cooked { archive, facts, notes, mut brought } =
            cook(&inputs, character.map(|i| inputs[i].clone()), opening, watch)?;
        let name = character.or(Some(0)).and_then(|i| inputs.get(i)).map(|i| title(i.name()));
        let mut document = Self::of_archive(name.unwrap_or_default(), archive, notes)?;
        let scenes: Vec<Option<Scene>> = whole.iter().map(Member::scene).collect();
        if let Some((character, Some(scene))) =
            character.and_then(|i| Some((&inputs[i], scenes.get(i)?.as_ref())))
        {
            let others = brought.iter().zip(&scenes).filter(|(brought, _)| brought.is_retargeted);
            let others = others.filter_map(|(brought, scene)| Some((brought.file.as_str(), scene.as_ref()?)));
            let onto = (title(character.name()), scene);
            document.retargeted = Retargeted::new(onto, others, opening.says.clone());
        }
        document.origin = Origin::of_scenes(scenes.into_iter().flatten(), document.player.skeleton());
        document.remember(opening.precision_mm, facts);
        if let Some(character) = character {
            brought.remove(character);
            opening.check(&brought)?;
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
}

/// Files that came together. Each is parsed when the first question is asked of it, and never again.
struct Set<'a> {
    sources: &'a [Source],
    /// Gives the files that bytes name.
    beside: &'a Resolve<'a>,
    /// `None` in a cell: the file cannot be read. Whoever cooks it is told why.
    parsed: Vec<OnceCell<Option<Parsed<'a>>>>,
}

impl<'a> Set<'a> {
    fn new(sources: &'a [Source], beside: &'a Resolve<'a>) -> Self {
        Self { sources, beside, parsed: sources.iter().map(|_| OnceCell::new()).collect() }
    }

    fn members(&self) -> impl Iterator<Item = Member<'_, 'a>> {
        (0..self.sources.len()).map(|index| Member { set: self, index })
    }

    /// True if one of these files has meshes.
    fn has_meshes(&self) -> bool {
        self.members().any(|member| member.source().is_whole() && member.has_meshes())
    }
}

/// One file of a set.
#[derive(Clone, Copy)]
struct Member<'s, 'a> {
    set: &'s Set<'a>,
    index: usize,
}

impl<'s, 'a> Member<'s, 'a> {
    fn source(&self) -> &'a Source {
        &self.set.sources[self.index]
    }

    fn parsed(&self) -> Option<&'s Parsed<'a>> {
        let parse = || Parsed::new(self.unparsed(), &ImportOptions::default()).ok();
        self.set.parsed[self.index].get_or_init(parse).as_ref()
    }

    fn unparsed(&self) -> Input<'a> {
        match self.source() {
            Source::File(path) => Input::file(path),
            Source::Bytes(name, bytes) => Input::bytes(name, bytes).with_files(self.set.beside),
        }
    }

    /// For the pipeline: what was parsed, or the file itself if it cannot be, so that the pipeline says why.
    fn input(&self) -> Input<'s> {
        match self.parsed() {
            Some(parsed) => Input::parsed(parsed),
            None => self.unparsed(),
        }
    }

    fn has_meshes(&self) -> bool {
        self.parsed().is_some_and(Parsed::has_meshes)
    }

    /// What is in it; `None` if it cannot be read.
    fn scene(&self) -> Option<Scene> {
        self.parsed()?.scene(&ImportOptions::default()).ok()
    }
}

/// Files that bytes name are looked for among the others, by the last part of their name.
fn beside(sources: &[Source], uri: &str) -> Result<Vec<u8>, ImportError> {
    #[cfg(test)]
    tests::ASKED.lock().expect("no test panics while it holds this").push(uri.into());
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
    opening: &Opening,
    watch: &mut Watch<'_>,
) -> Result<Cooked, Failure> {
    let wrong = |e: &dyn core::fmt::Display| Failure(e.to_string());
    // What is opened to be looked at should be there soon.
    let cook = ClipBuilder { effort: Effort::Fast, ..ClipBuilder::default() };
    let precision = opening.precision_mm.map(|mm| mm * 1e-3);
    let import = ImportOptions { bones: opening.says.of_all(), ..ImportOptions::default() };
    let (files, retarget) = (opening.says.rules(), character);
    let options = pipeline::Options { import, cook, precision, files, retarget, ..Default::default() };
    let plan = Plan::new(options).map_err(|e| wrong(&e))?;
    let cooked = plan.cook(inputs, &executor, watch).map_err(|e| wrong(&e))?;
    let (mut facts, mut brought, mut first_error) = (Vec::new(), Vec::new(), None);
    for (input, own) in cooked.inputs.iter().zip(inputs) {
        let file = title(own.name());
        brought.push(match input {
            Ok(report) => {
                let fact =
                    |c: &pipeline::ClipReport| (c.name.clone(), CookedFacts::new(&c.cook, &c.worst_joint));
                facts.extend(report.clips.iter().map(fact));
                let notes = report.warnings.iter().map(ToString::to_string).collect();
                let clips = report.clips.iter().map(|c| c.name.clone()).collect();
                Brought { file, clips, notes, is_retargeted: report.fitted == Some(Fitted::Retargeted) }
            }
            Err(e) => {
                first_error.get_or_insert_with(|| wrong(e));
                let is_retargeted = matches!(e, InputError::Open(OpenError::Retarget { .. }));
                Brought { file, clips: Vec::new(), notes: vec![e.to_string()], is_retargeted }
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

#[cfg(test)]
mod tests {
    use super::*;
    use lissom_motion::{
        GraphParts,
        graph::{LayerParts, StateParts},
    };
    use std::sync::Mutex;

    /// Files that bytes named, in the order in which they were asked for: once per parse of the file that names them.
    pub(super) static ASKED: Mutex<Vec<String>> = Mutex::new(Vec::new());

    /// A character of one triangle and its motion, whose numbers lie in another file.
    fn character(name: &str, meshes: bool) -> [Source; 2] {
        let floats: Vec<f32> = [
            &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0][..], // positions
            &[1.0, 0.0, 0.0, 0.0].repeat(3),                    // weights
            &[0.0; 3],                                          // joints, one byte each
            &[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0],          // times, then two places
        ]
        .concat();
        let bytes: Vec<u8> = floats.iter().flat_map(|f| f.to_le_bytes()).collect();
        let (roots, body) =
            if meshes { ("0, 1", r#", {"name": "body", "mesh": 0, "skin": 0}"#) } else { ("0", "") };
        let json = format!(
            r#"{{"asset": {{"version": "2.0"}}, "scene": 0, "scenes": [{{"nodes": [{roots}]}}],
            "nodes": [{{"name": "hips"}}{body}],
            "skins": [{{"joints": [0]}}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0, "WEIGHTS_0": 1, "JOINTS_0": 2}}}}]}}],
            "animations": [{{"name": "{name}", "channels": [{{"sampler": 0, "target": {{"node": 0, "path": "translation"}}}}],
                "samplers": [{{"input": 3, "output": 4}}]}}],
            "buffers": [{{"uri": "{name}.bin", "byteLength": {}}}],
            "bufferViews": [{{"buffer": 0, "byteLength": {}}}],
            "accessors": [
                {{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}},
                {{"bufferView": 0, "byteOffset": 36, "componentType": 5126, "count": 3, "type": "VEC4"}},
                {{"bufferView": 0, "byteOffset": 84, "componentType": 5121, "count": 3, "type": "VEC4"}},
                {{"bufferView": 0, "byteOffset": 96, "componentType": 5126, "count": 2, "type": "SCALAR", "min": [0], "max": [1]}},
                {{"bufferView": 0, "byteOffset": 104, "componentType": 5126, "count": 2, "type": "VEC3"}}]}}"#,
            bytes.len(),
            bytes.len(),
        );
        [
            Source::Bytes(format!("{name}.gltf"), json.as_bytes().into()),
            Source::Bytes(format!("{name}.bin"), bytes.into()),
        ]
    }

    fn times_parsed(name: &str) -> usize {
        let wanted = format!("{name}.bin");
        ASKED.lock().unwrap().iter().filter(|uri| **uri == wanted).count()
    }

    #[test]
    fn a_dropped_file_and_what_it_is_dropped_onto_are_parsed_once() {
        let alone = character("parsed_alone", true);
        let document = Document::open(&alone, &mut pipeline::unwatched).unwrap();
        assert!(document.origin.is_some(), "its motion can be compared with");
        assert_eq!(times_parsed("parsed_alone"), 1);
        // A motion without a mesh onto a character.
        let opening = Opening { onto: character("parsed_under", true).to_vec(), ..Opening::default() };
        let motion = character("parsed_onto", false);
        let document = Document::open_by(&motion, &opening, &mut pipeline::unwatched).unwrap();
        assert_eq!(document.clips.len(), 2, "{:?}", document.notes);
        assert_eq!((times_parsed("parsed_under"), times_parsed("parsed_onto")), (1, 1));
    }

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
