//! Joints: their names, parents and rest pose, in both orders.

use crate::{
    arrays::{Numbers, array},
    carry,
    errors::argument,
    poses::{Order, trs_numbers},
};
use lissom_build::{
    BuiltSkeleton, SkeletonBuilder,
    exact::{Q4, Trs, V3},
    pipeline::did_you_mean,
    raw::{RawJoint, RawSkeleton},
};
use pyo3::{
    exceptions::{PyIndexError, PyKeyError, PyValueError},
    prelude::*,
    types::PyBytes,
};
use std::sync::Arc;

/// A skeleton as authored and as built.
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) raw: RawSkeleton,
    pub(crate) built: BuiltSkeleton,
    /// It came from an archive: its f32 are what counts.
    pub(crate) cooked: bool,
}

impl Body {
    pub(crate) fn new(name: String, raw: RawSkeleton) -> Result<Self, lissom_build::raw::RawSkeletonError> {
        Ok(Self { built: SkeletonBuilder::build(&raw)?, name, raw, cooked: false })
    }

    /// Of an archive: its joints stand in built order already.
    pub(crate) fn of_archive(name: &str, skeleton: &lissom::Skeleton) -> Self {
        let joint = |j: usize| RawJoint {
            name: skeleton.name(j).to_owned(),
            parent: skeleton.parent(j),
            rest: Trs::from_f32(skeleton.rest(j)),
        };
        let count = skeleton.joint_count();
        let same: Vec<usize> = (0..count).collect();
        let built =
            BuiltSkeleton { skeleton: skeleton.clone(), joint_of_raw: same.clone(), raw_of_joint: same };
        let raw = RawSkeleton { joints: (0..count).map(joint).collect() };
        Self { name: name.to_owned(), raw, built, cooked: true }
    }

    pub(crate) fn joint_count(&self) -> usize {
        self.raw.joints.len()
    }
}

/// Joints, their parents and their rest pose.
///
/// Arrays and lists stand in *built* order: parents before children, depth first, as games have it. Files keep their
/// own *raw* order; `order="raw"` asks for that, `raw_of_joint` and `joint_of_raw` lead from one to the other.
///
/// >>> body = lissom.Skeleton(["hips", "knee"], [-1, 0], [[0, 1, 0], [0, -0.5, 0]])
/// >>> body.names, body.parents
/// (['hips', 'knee'], [-1, 0])
#[pyclass(frozen, module = "lissom", name = "Skeleton")]
#[derive(Clone)]
pub(crate) struct Skeleton(pub(crate) Arc<Body>);

#[pymethods]
impl Skeleton {
    /// `names`, `parents` (-1 for a root) and where each joint stands in its parent's space; `rotations` (x, y, z, w)
    /// are those of the rest pose. Joints may come in any order.
    #[new]
    #[pyo3(signature = (names, parents, translations, rotations=None, *, name=""))]
    fn new(
        names: Vec<String>,
        parents: Vec<i64>,
        translations: &Bound<'_, PyAny>,
        rotations: Option<&Bound<'_, PyAny>>,
        name: &str,
    ) -> PyResult<Self> {
        let count = names.len();
        if parents.len() != count {
            return Err(argument(
                "parents",
                format!("{} entries", parents.len()),
                format!("{count}, one a name"),
            ));
        }
        let list = |value: &Bound<'_, PyAny>, argument_name: &str, width: usize| {
            let numbers = Numbers::of(value, argument_name)?.finite(argument_name)?;
            if numbers.shape != [count, width] {
                return Err(argument(
                    argument_name,
                    format!("the shape {}", numbers.shown()),
                    format!("({count}, {width})"),
                ));
            }
            Ok(numbers.values)
        };
        let places = list(translations, "translations", 3)?;
        let turns = rotations.map(|r| list(r, "rotations", 4)).transpose()?;
        let mut joints = Vec::with_capacity(count);
        for (j, (name, parent)) in names.into_iter().zip(parents).enumerate() {
            let parent = match parent {
                -1 => None,
                p => Some(usize::try_from(p).map_err(|_| {
                    argument("parents", format!("{p} at ({j},)"), "-1 for a root, else a joint's place")
                })?),
            };
            let rotation = turns
                .as_ref()
                .map_or(Q4::IDENTITY, |r| Q4::new(r[4 * j], r[4 * j + 1], r[4 * j + 2], r[4 * j + 3]));
            let translation = V3::new(places[3 * j], places[3 * j + 1], places[3 * j + 2]);
            joints.push(RawJoint { name, parent, rest: Trs { translation, rotation, scale: V3::ONE } });
        }
        let body = Body::new(name.to_owned(), RawSkeleton { joints });
        Ok(Self(Arc::new(body.map_err(|error| PyValueError::new_err(error.to_string()))?)))
    }

    /// May be empty.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// The joints' names, in built order.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.0.built.raw_of_joint.iter().map(|raw| self.0.raw.joints[*raw].name.as_str()).collect()
    }

    /// The joints' names, in raw order.
    #[getter]
    fn raw_names(&self) -> Vec<&str> {
        self.0.raw.joints.iter().map(|j| j.name.as_str()).collect()
    }

    /// Each joint's parent, in built order; -1 for a root.
    #[getter]
    fn parents(&self) -> Vec<i64> {
        let skeleton = &self.0.built.skeleton;
        (0..skeleton.joint_count()).map(|j| skeleton.parent(j).map_or(-1, |p| p as i64)).collect()
    }

    /// The joint of this name, in built order; `KeyError` says which names are near. The names of all joints are in `names`.
    ///
    /// >>> lissom.Skeleton(["hips", "knee"], [-1, 0], [[0, 1, 0], [0, -0.5, 0]]).index("knee")
    /// 1
    fn index(&self, name: &str) -> PyResult<usize> {
        let names = self.names();
        names.iter().position(|own| *own == name).ok_or_else(|| {
            let all: Vec<String> = names.iter().map(|own| (*own).to_owned()).collect();
            PyKeyError::new_err(format!("there is no joint {name:?}{}", did_you_mean(&all, name)))
        })
    }

    /// The joints that hang on a joint, in built order: those of its name or number, or the roots of None.
    ///
    /// >>> lissom.Skeleton(["hips", "knee"], [-1, 0], [[0, 1, 0], [0, -0.5, 0]]).children("hips")
    /// [1]
    #[pyo3(signature = (joint=None))]
    fn children(&self, joint: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<usize>> {
        let skeleton = &self.0.built.skeleton;
        let count = skeleton.joint_count();
        let parent = match joint {
            None => None,
            Some(joint) => match joint.extract::<String>() {
                Ok(name) => Some(self.index(&name)?),
                Err(_) => {
                    let number: usize = joint.extract()?;
                    if number >= count {
                        return Err(PyIndexError::new_err(format!("joint {number}: there are {count}")));
                    }
                    Some(number)
                }
            },
        };
        Ok((0..count).filter(|j| skeleton.parent(*j) == parent).collect())
    }

    /// The place in the file of each joint.
    #[getter]
    fn raw_of_joint(&self) -> Vec<usize> {
        self.0.built.raw_of_joint.clone()
    }

    /// The joint that each joint of the file became.
    #[getter]
    fn joint_of_raw(&self) -> Vec<usize> {
        self.0.built.joint_of_raw.clone()
    }

    /// The rest pose, (joints, 10): translation, rotation (x, y, z, w), scale, each in its parent's space.
    #[pyo3(signature = (*, order="built"))]
    fn rest<'py>(&self, py: Python<'py>, order: &str) -> PyResult<Bound<'py, PyAny>> {
        let raw: Vec<usize> = match Order::of(order)? {
            Order::Raw => (0..self.0.joint_count()).collect(),
            Order::Built => self.0.built.raw_of_joint.clone(),
        };
        let numbers = raw.iter().flat_map(|j| trs_numbers(&self.0.raw.joints[*j].rest)).collect();
        array(py, numbers, &[raw.len(), 10])
    }

    fn __len__(&self) -> usize {
        self.0.joint_count()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.0.raw == other.0.raw && self.0.name == other.0.name
    }

    fn __hash__(&self) -> u64 {
        self.0.built.skeleton.identity()
    }

    fn __repr__(&self) -> String {
        format!("<lissom.Skeleton {:?}, {} joints>", self.0.name, self.0.joint_count())
    }

    /// For pickle.
    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        Ok(Self(Arc::new(carry::body_of(bytes)?)))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let bytes = carry::body_bytes(&slf.get().0)?;
        Ok((slf.get_type().getattr("_from_bytes")?, (PyBytes::new(slf.py(), &bytes),)))
    }
}
