//! Databases for motion matching: frames, queries and costs as arrays.

use crate::{
    arrays::{Numbers, array, on_all_cores, run_tasks},
    errors::{argument, format},
};
use lissom::archive::{Archive, clip_called};
use lissom_motion::matching::{Database, Found, Query, QueryError};
use pyo3::{
    prelude::*,
    types::{PyDict, PyString},
};
use std::sync::{Arc, Mutex, PoisonError};

/// A database for motion matching: frames of clips, each described by features, and an exact search among them.
///
/// `Asset.matching` has those of an archive. Values are in metres, metres per second and the units of tracks, in the order of
/// `features`; everything is in the character's frame: x to its left, z ahead. Costs are in squared deviations.
///
/// ```python
/// database = lissom.open("hero.lsm").matching["locomotion"]
/// here = database.frame_at("walk", 1.2)
/// query = database.values(here)
/// query[[name.startswith("trajectory") for name in database.features]] *= 1.5
/// found = database.search(query, playing=here)
/// ```
#[pyclass(frozen, module = "lissom", name = "Matching")]
pub(crate) struct Matching {
    name: String,
    database: Arc<Database>,
}

/// All databases of an archive.
pub(crate) fn all(archive: &Archive) -> PyResult<Vec<Matching>> {
    let names = archive.all_matching().map(|(name, _)| name.to_owned());
    let read = |name: String| {
        let database = Arc::new(Database::load(archive, &name).map_err(format)?);
        Ok(Matching { name, database })
    };
    names.map(read).collect()
}

/// Rows of values, and whether one row was given and not a list of rows.
struct Rows {
    values: Vec<f32>,
    count: usize,
    is_one: bool,
}

impl Matching {
    fn width(&self) -> usize {
        self.database.features().len()
    }

    fn rows(&self, values: &Bound<'_, PyAny>) -> PyResult<Rows> {
        let numbers = Numbers::of(values, "values")?.finite("values")?;
        let width = self.width();
        let (count, is_one) = match numbers.shape[..] {
            [features] if features == width => (1, true),
            [count, features] if features == width => (count, false),
            _ => {
                let expected = format!("({width},) or (queries, {width}): one value for each of `features`");
                return Err(argument("values", format!("an array of shape {}", numbers.shown()), expected));
            }
        };
        Ok(Rows { values: numbers.values.iter().map(|v| *v as f32).collect(), count, is_one })
    }

    /// Numbers of frames: all of them if none are given.
    fn numbers(&self, frames: Option<&Bound<'_, PyAny>>, name: &str) -> PyResult<(Vec<u32>, Vec<usize>)> {
        let count = self.database.frames();
        let Some(frames) = frames else { return Ok(((0..count).collect(), vec![count as usize])) };
        let numbers = Numbers::of(frames, name)?;
        let is_frame = |v: f64| v >= 0.0 && v < f64::from(count) && v.fract() == 0.0;
        if let Some(wrong) = numbers.values.iter().find(|v| !is_frame(**v)) {
            return Err(argument(name, wrong, format!("a frame from 0 to {}", count.saturating_sub(1))));
        }
        Ok((numbers.values.iter().map(|v| *v as u32).collect(), numbers.shape))
    }

    fn tag_bits(&self, tags: &[String]) -> PyResult<u32> {
        let names: Vec<&str> = tags.iter().map(String::as_str).collect();
        let expected = || format!("tags that a frame has together; there are {:?}", self.database.tags());
        self.database.tag_bits(&names).map_err(|error| argument("tags", error, expected()))
    }

    /// A query for each row.
    fn queries(
        &self,
        rows: &Rows,
        tags: &[String],
        playing: Option<&Bound<'_, PyAny>>,
        zone_s: f32,
        transition_cost: f32,
    ) -> PyResult<Vec<Query>> {
        let database = &*self.database;
        let bits = self.tag_bits(tags)?;
        if !(0.0..=MAX_ZONE_S).contains(&zone_s) {
            return Err(argument("zone", zone_s, format!("seconds from 0 to {MAX_ZONE_S}")));
        }
        let zone = (zone_s * database.rate_hz()) as u32;
        let playing = match playing {
            None => None,
            Some(playing) => {
                let (frames, shape) = self.numbers(Some(playing), "playing")?;
                if !(shape.is_empty() || shape == [rows.count]) {
                    let found = format!("{} frames", frames.len());
                    return Err(argument(
                        "playing",
                        found,
                        format!("one frame, or {}: one for each query", rows.count),
                    ));
                }
                Some(frames)
            }
        };
        let make = |(i, values): (usize, &[f32])| {
            let query = database.query(values)?.tagged(database, bits)?;
            match playing.as_ref().and_then(|frames| frames.get(i).or(frames.first())) {
                Some(frame) => query.playing(database, *frame, zone, transition_cost),
                None => Ok(query),
            }
        };
        let queries = rows.values.chunks_exact(self.width().max(1)).enumerate().map(make);
        queries.collect::<Result<_, _>>().map_err(|error| argument("values", error, "a query"))
    }

    /// On all cores, if there is work for them.
    fn search_all(&self, queries: &[Query], found: &mut [Found]) -> Result<(), QueryError> {
        /// Searches that are worth a thread: one takes some microseconds.
        const WORTH: usize = 64;
        if queries.len() <= WORTH {
            return self.database.search_all(queries, found);
        }
        let tasks: Vec<_> = queries.chunks(WORTH).zip(found.chunks_mut(WORTH)).map(Mutex::new).collect();
        let failed = Mutex::new(None);
        run_tasks(tasks.len(), &|task| {
            let mut task = tasks[task].lock().unwrap_or_else(PoisonError::into_inner);
            let (queries, found) = &mut *task;
            if let Err(error) = self.database.search_all(queries, found) {
                *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// A zone of more is the whole of any clip.
const MAX_ZONE_S: f32 = 3600.0;

#[pymethods]
impl Matching {
    /// What the recipe calls it.
    #[getter]
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Frames a second.
    #[getter]
    fn rate(&self) -> f32 {
        self.database.rate_hz()
    }

    /// What a value is: "position of left_foot, x".
    #[getter]
    fn features(&self) -> Vec<String> {
        self.database.features().iter().map(ToString::to_string).collect()
    }

    /// Features that are weighed together.
    #[getter]
    fn groups(&self) -> Vec<String> {
        self.database.groups().iter().map(|group| group.name.clone()).collect()
    }

    /// The number of each feature's group.
    #[getter]
    fn group_of<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let groups: Vec<i64> = self.database.features().iter().map(|f| i64::from(f.group)).collect();
        array(py, groups, &[self.width()])
    }

    /// What a value is multiplied by before values are compared: its weight over its standard deviation.
    #[getter]
    fn scales<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // A step is the root of what the cost 1 is in squared deviations.
        let step = f64::from(self.database.in_deviations(1)).sqrt();
        let scales = self.database.features().iter().map(|f| (f64::from(f.scale) * step) as f32);
        array(py, scales.collect(), &[self.width()])
    }

    /// The tags that frames can have.
    #[getter]
    fn tags(&self) -> Vec<String> {
        self.database.tags().to_vec()
    }

    /// The clips that frames are of.
    #[getter]
    fn clips(&self) -> Vec<String> {
        self.database.clips().to_vec()
    }

    /// Where frames are: numbers in `clips`, seconds, and whether the clip is a mirrored copy. Of all frames, if none are given.
    #[pyo3(signature = (frames=None))]
    fn places<'py>(
        &self,
        py: Python<'py>,
        frames: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (frames, shape) = self.numbers(frames, "frames")?;
        let places: Vec<_> = frames.iter().filter_map(|frame| self.database.place(*frame)).collect();
        let all = PyDict::new(py);
        all.set_item("clip", array(py, places.iter().map(|p| i64::from(p.clip)).collect(), &shape)?)?;
        all.set_item("time", array(py, places.iter().map(|p| p.time_s).collect(), &shape)?)?;
        all.set_item("mirrored", array(py, places.iter().map(|p| p.mirrored).collect(), &shape)?)?;
        Ok(all)
    }

    /// The frame of a clip at a time in seconds.
    fn frame_at(&self, clip: &str, time: f32) -> PyResult<u32> {
        let database = &*self.database;
        let found = clip_called(database.clips().iter().map(String::as_str), clip);
        let number = found
            .ok_or_else(|| argument("clip", format!("{clip:?}"), format!("one of {:?}", database.clips())))?;
        let range = database.range_at(number as u32, time);
        let frame = range.and_then(|range| database.frame_at(range, time));
        frame.ok_or_else(|| {
            argument("time", time, format!("a time of which the database has a frame of {clip:?}"))
        })
    }

    /// What is known of frames, (frames, features): all frames, if none are given. One frame gives one row.
    #[pyo3(signature = (frames=None))]
    fn values<'py>(
        &self,
        py: Python<'py>,
        frames: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (frames, mut shape) = self.numbers(frames, "frames")?;
        let width = self.width();
        let mut values = vec![0.0; frames.len() * width];
        py.detach(|| {
            on_all_cores(&mut values, width, frames.len(), |first, out| {
                for (row, frame) in out.chunks_exact_mut(width).zip(frames.iter().skip(first)) {
                    self.database.values(*frame, row).ok_or(())?;
                }
                Ok(())
            })
        })
        .map_err(|()| argument("frames", "a number", "a frame"))?;
        shape.push(width);
        array(py, values, &shape)
    }

    /// The frame of least cost for each row of values: `frame`, `cost`, and `stays`, true where it is the frame that plays.
    /// One row gives one number each. Of equal frames the lowest is found; the answer is the same on every machine.
    ///
    /// Only frames with all of `tags` are found. `playing` is the frame that plays, or one for each row: it is kept unless
    /// another costs less by more than `transition_cost`, and none is found within `zone` seconds of it.
    #[pyo3(signature = (values, *, tags=Vec::new(), playing=None, zone=1.0 / 3.0, transition_cost=0.0))]
    fn search<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
        tags: Vec<String>,
        playing: Option<&Bound<'py, PyAny>>,
        zone: f32,
        transition_cost: f32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let rows = self.rows(values)?;
        let queries = self.queries(&rows, &tags, playing, zone, transition_cost)?;
        let mut found = vec![Found::default(); queries.len()];
        let searched = py.detach(|| self.search_all(&queries, &mut found));
        searched.map_err(|error| argument("values", error, "a query"))?;
        let shape: &[usize] = if rows.is_one { &[] } else { &[rows.count] };
        let cost = |found: &Found| self.database.in_deviations(found.cost);
        let all = PyDict::new(py);
        all.set_item("frame", array(py, found.iter().map(|f| i64::from(f.frame)).collect(), shape)?)?;
        all.set_item("cost", array(py, found.iter().map(cost).collect(), shape)?)?;
        all.set_item("stays", array(py, found.iter().map(|f| f.stays).collect(), shape)?)?;
        Ok(all)
    }

    /// What each frame costs for each row of values, (queries, frames); one row gives (frames,). All frames, if none are given,
    /// also those that no search may find.
    #[pyo3(signature = (values, frames=None))]
    fn costs<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
        frames: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let rows = self.rows(values)?;
        let (frames, shape) = self.numbers(frames, "frames")?;
        let queries = self.queries(&rows, &[], None, 0.0, 0.0)?;
        let mut costs = vec![0.0; queries.len() * frames.len()];
        let told = py.detach(|| {
            on_all_cores(&mut costs, frames.len(), queries.len(), |first, out| {
                for (row, query) in out.chunks_exact_mut(frames.len()).zip(queries.iter().skip(first)) {
                    for (cost, frame) in row.iter_mut().zip(&frames) {
                        *cost = self.database.in_deviations(self.database.cost(query, *frame)?);
                    }
                }
                Ok::<_, QueryError>(())
            })
        });
        told.map_err(|error| argument("values", error, "a query"))?;
        let queries: &[usize] = if rows.is_one { &[] } else { &[rows.count] };
        array(py, costs, &[queries, &shape].concat())
    }

    /// The `best` frames for one row of values, the best first, and what adds to their costs: `frame`, `cost`, `by_group`
    /// (best, groups), `by_feature` (best, features), and `bias`, what the recipe makes a frame cost. The arguments are those of
    /// `search`.
    #[pyo3(signature = (values, *, best=10, tags=Vec::new(), playing=None, zone=1.0 / 3.0))]
    fn explain<'py>(
        &self,
        py: Python<'py>,
        values: &Bound<'py, PyAny>,
        best: usize,
        tags: Vec<String>,
        playing: Option<&Bound<'py, PyAny>>,
        zone: f32,
    ) -> PyResult<Bound<'py, PyDict>> {
        let rows = self.rows(values)?;
        let queries = self.queries(&rows, &tags, playing, zone, 0.0)?;
        let [query] = &queries[..] else {
            return Err(argument("values", format!("{} rows", rows.count), "one row"));
        };
        // More than there are cannot be told, and the room for them is not made.
        let best = best.min(self.database.frames() as usize);
        let told = py.detach(|| self.database.explain(query, best));
        let told = told.map_err(|error| argument("values", error, "a query"))?.best;
        let count = told.len();
        let cost = |cost: i32| self.database.in_deviations(cost);
        let all = PyDict::new(py);
        let set = |key: &str, value: Bound<'py, PyAny>| all.set_item(PyString::intern(py, key), value);
        set("frame", array(py, told.iter().map(|c| i64::from(c.frame)).collect(), &[count])?)?;
        set("cost", array(py, told.iter().map(|c| cost(c.cost)).collect(), &[count])?)?;
        let by_group: Vec<f32> = told.iter().flat_map(|c| c.by_group.iter().map(|v| cost(*v))).collect();
        set("by_group", array(py, by_group, &[count, self.database.groups().len()])?)?;
        let by_feature: Vec<f32> = told.iter().flat_map(|c| c.by_feature.iter().map(|v| cost(*v))).collect();
        set("by_feature", array(py, by_feature, &[count, self.width()])?)?;
        set("bias", array(py, told.iter().map(|c| cost(c.bias)).collect(), &[count])?)?;
        Ok(all)
    }

    fn __len__(&self) -> usize {
        self.database.frames() as usize
    }

    fn __repr__(&self) -> String {
        let (frames, features) = (self.database.frames(), self.width());
        format!(
            "<Matching {:?}: {frames} frames of {} clips, {features} features>",
            self.name,
            self.clips().len()
        )
    }
}
