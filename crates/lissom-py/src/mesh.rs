//! Skinned meshes, and their vertices moved.

use crate::{
    arrays::{Numbers, array, on_all_cores},
    errors::{argument, defect, format},
    skeleton::{Body, Skeleton},
};
use lissom::{
    archive::{self, Archive},
    job::{JobError, PaletteJob, SkinJob},
    math::Mat4,
    mesh::{Strided, StridedMut, VertexOutput},
};
use lissom_build::{archive::ArchiveWriter, mesh::RawMesh};
use pyo3::{prelude::*, types::PyBytes};
use std::sync::Arc;

/// A triangle mesh bound to a skeleton: every vertex follows one joint or many, by weights.
///
/// Vertices stand in the space of the bind pose, in metres.
#[pyclass(frozen, module = "lissom", name = "Mesh")]
#[derive(Clone)]
pub(crate) struct Mesh {
    pub(crate) name: String,
    pub(crate) mesh: archive::Mesh,
    pub(crate) body: Arc<Body>,
}

impl Mesh {
    fn vertices<'py, const N: usize>(
        &self,
        py: Python<'py>,
        list: &[[f32; N]],
    ) -> PyResult<Bound<'py, PyAny>> {
        array(py, list.as_flattened().to_vec(), &[list.len(), N])
    }
}

#[pymethods]
impl Mesh {
    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The joints that it follows.
    #[getter]
    fn skeleton(&self) -> Skeleton {
        Skeleton(self.body.clone())
    }

    /// (vertices, 3)
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vertices(py, self.mesh.view().positions)
    }

    /// (vertices, 3), of unit length.
    #[getter]
    fn normals<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.vertices(py, self.mesh.view().normals)
    }

    /// (triangles, 3), counter-clockwise from outside.
    #[getter]
    fn triangles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let indices = self.mesh.view().indices;
        array(py, indices.to_vec(), &[indices.len() / 3, 3])
    }

    /// The joints that each vertex follows, in built order, (vertices, influences).
    #[getter]
    fn joints<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let view = self.mesh.view();
        array(py, view.joints.to_vec(), &[view.positions.len(), view.per_vertex])
    }

    /// How much it follows each, (vertices, influences); they sum to 1.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let view = self.mesh.view();
        array(py, view.weights.to_vec(), &[view.positions.len(), view.per_vertex])
    }

    /// From mesh space to each joint's space in the bind pose, in built order, (joints, 4, 4).
    #[getter]
    fn inverse_binds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let binds = self.mesh.view().inverse_binds;
        let rows = binds.iter().flat_map(|m| {
            let [x, y, z, t] = m.columns;
            let row = |i: usize| [x[i], y[i], z[i], t[i]];
            [row(0), row(1), row(2), [0.0, 0.0, 0.0, 1.0]].concat()
        });
        array(py, rows.collect::<Vec<f32>>(), &[binds.len(), 4, 4])
    }

    fn __repr__(&self) -> String {
        let view = self.mesh.view();
        format!(
            "<lissom.Mesh {:?}, {} vertices, {} triangles>",
            self.name,
            view.positions.len(),
            view.indices.len() / 3
        )
    }

    /// For pickle.
    #[staticmethod]
    fn _from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let archive = Archive::read(bytes).map_err(format)?;
        let (name, skeleton) = archive.skeletons().next().ok_or_else(|| format("there is no skeleton"))?;
        let body = Arc::new(Body::of_archive(name, &*skeleton.map_err(format)?));
        let (name, mesh) = archive.meshes().next().ok_or_else(|| format("there is no mesh"))?;
        Ok(Self { name: name.to_owned(), mesh: mesh.map_err(format)?, body })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let Self { name, mesh, body } = slf.get();
        // Joints of a checked mesh stand in built order already.
        let built = Body::of_archive(&body.name, &body.built.skeleton).built;
        let raw = RawMesh::from_view(name, &mesh.view());
        let writer = ArchiveWriter::new().skeleton(&body.name, &built.skeleton);
        let bytes = writer.and_then(|w| w.mesh(&raw, &built)).and_then(|w| w.finish()).map_err(defect)?;
        Ok((slf.get_type().getattr("_from_bytes")?, (PyBytes::new(slf.py(), &bytes),)))
    }
}

/// Where a mesh's vertices are in a pose: model-space matrices of its skeleton's joints in built order, (joints, 4, 4) or
/// (frames, joints, 4, 4), as `clip.sample(times, space="model")` gives. The answer is (vertices, 3) or (frames,
/// vertices, 3), float32, in model space. Morph targets are not mixed in.
#[pyfunction]
pub(crate) fn skin<'py>(
    py: Python<'py>,
    mesh: &Bound<'py, Mesh>,
    pose: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let mesh = mesh.get();
    let joints = mesh.body.joint_count();
    let pose = Numbers::of(pose, "pose")?.finite("pose")?;
    let frames = match pose.shape.as_slice() {
        [own, 4, 4] if *own == joints => 1,
        [frames, own, 4, 4] if *own == joints => *frames,
        _ => {
            let expected = format!("({joints}, 4, 4) or (frames, {joints}, 4, 4)");
            return Err(argument("pose", format!("the shape {}", pose.shown()), expected));
        }
    };
    let vertices = mesh.mesh.view().positions.len();
    let moved = py.detach(|| {
        let mut out = vec![[0.0_f32; 3]; frames * vertices];
        on_all_cores(&mut out, vertices, frames, |first, out| {
            let view = mesh.mesh.view();
            let mut models = vec![Mat4::IDENTITY; joints];
            let mut palette = vec![Mat4::IDENTITY; view.inverse_binds.len()];
            for (frame, out) in out.chunks_exact_mut(vertices).enumerate() {
                let rows = &pose.values[(first + frame) * joints * 16..][..joints * 16];
                for (model, rows) in models.iter_mut().zip(rows.chunks_exact(16)) {
                    let columns: [f32; 16] = std::array::from_fn(|i| rows[4 * (i % 4) + i / 4] as f32);
                    *model = Mat4::from_cols_array(&columns);
                }
                PaletteJob::new(&models, view.inverse_binds, &mut palette).run()?;
                let positions = StridedMut::packed(out);
                let output = VertexOutput::Separate { positions, normals: None, tangents: None };
                SkinJob::new(mesh.mesh.influences(), &palette, Strided::packed(view.positions), output)
                    .run()?;
            }
            Ok::<(), JobError>(())
        })?;
        Ok(out)
    });
    let moved = moved.map_err(|error: JobError| defect(error))?.into_flattened();
    let shape: &[usize] = if pose.shape.len() == 3 { &[vertices, 3] } else { &[frames, vertices, 3] };
    array(py, moved, shape)
}
