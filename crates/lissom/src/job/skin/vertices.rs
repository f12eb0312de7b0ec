//! What both kinds of skinning share: the vertices that they read and write, and the methods of a job.

use crate::job::JobError;
use crate::mesh::{Inputs, SkinMesh, VertexOutput};

/// The vertices of a skinning job.
pub(super) struct Vertices<'a> {
    pub mesh: SkinMesh<'a>,
    /// How many of the mesh's to move.
    pub count: usize,
    pub inputs: Inputs<'a>,
    pub output: VertexOutput<'a>,
}

impl Vertices<'_> {
    /// Checks that the mesh has this number of vertices and that the buffers hold them.
    pub fn check(
        mesh: &SkinMesh<'_>,
        count: usize,
        inputs: &Inputs<'_>,
        output: &VertexOutput<'_>,
    ) -> Result<(), JobError> {
        let found = mesh.vertex_count();
        if count > found {
            return Err(JobError::Mismatch { field: "mesh", unit: "vertices", found, expected: count });
        }
        inputs.validate(count, output)?;
        Ok(())
    }

    /// The first `vertices` vertices, and the others: disjoint bytes.
    pub fn split_at(self, vertices: usize) -> (Self, Self) {
        let at = vertices.min(self.count);
        let (first, second) = self.output.split_at(at);
        let Inputs { positions, normals, tangents } = self.inputs;
        let rest = Inputs {
            positions: positions.skip(at),
            normals: normals.map(|n| n.skip(at)),
            tangents: tangents.map(|t| t.skip(at)),
        };
        (
            Self { mesh: self.mesh.slice(0..at), count: at, inputs: self.inputs, output: first },
            Self {
                mesh: self.mesh.slice(at..self.count),
                count: self.count - at,
                inputs: rest,
                output: second,
            },
        )
    }
}

/// The methods of a skinning job, but for `check_palettes` and `run_valid`, which differ. The names behind
/// the job are the fields that both halves of a split share.
macro_rules! methods {
    ($job:ident, $($shared:ident),+) => {
        impl<'a> $job<'a> {
            /// Finds the first thing that is wrong.
            ///
            /// # Errors
            ///
            #[doc = concat!("Listed at [`", stringify!($job), "`].")]
            pub fn validate(&self) -> Result<(), JobError> {
                self.check_palettes()?;
                Vertices::check(&self.mesh, self.vertex_count, &self.inputs(), &self.output)
            }

            fn inputs(&self) -> Inputs<'a> {
                Inputs { positions: self.positions, normals: self.normals, tangents: self.tangents }
            }

            /// Runs on the widest backend.
            ///
            /// # Errors
            ///
            #[doc = concat!("Listed at [`", stringify!($job), "`].")]
            pub fn run(&mut self) -> Result<(), JobError> {
                self.run_on(Backend::best())
            }

            /// Runs on a chosen backend.
            ///
            /// # Errors
            ///
            #[doc = concat!("Listed at [`", stringify!($job), "`].")]
            pub fn run_on(&mut self, backend: Backend) -> Result<(), JobError> {
                self.validate()?;
                self.run_valid(backend);
                Ok(())
            }

            /// Two jobs that together do this one: the first `vertices` vertices, and the others. They write
            /// disjoint bytes and may run at the same time.
            #[must_use]
            pub fn split_at(self, vertices: usize) -> (Self, Self) {
                let inputs = self.inputs();
                let Self { $($shared,)+ .. } = self;
                let over = |v: Vertices<'a>| Self {
                    mesh: v.mesh,
                    vertex_count: v.count,
                    $($shared,)+
                    positions: v.inputs.positions,
                    normals: v.inputs.normals,
                    tangents: v.inputs.tangents,
                    output: v.output,
                };
                let all = Vertices { mesh: self.mesh, count: self.vertex_count, inputs, output: self.output };
                let (first, second) = all.split_at(vertices);
                (over(first), over(second))
            }

            /// Runs on several threads of the current rayon pool, at least `grain` vertices each. The bits are
            /// those of `run`. Allocates nothing if called from inside a pool.
            ///
            /// # Errors
            ///
            #[doc = concat!("Listed at [`", stringify!($job), "`].")]
            #[cfg(feature = "rayon")]
            pub fn run_parallel(&mut self, backend: Backend, grain: usize) -> Result<(), JobError> {
                fn halves(mut job: $job<'_>, backend: Backend, grain: usize) {
                    if job.vertex_count <= grain.max(1) {
                        return job.run_valid(backend);
                    }
                    let half = job.vertex_count / 2;
                    let (a, b) = job.split_at(half);
                    rayon::join(|| halves(a, backend, grain), || halves(b, backend, grain));
                }
                self.validate()?;
                halves($job { output: self.output.reborrow(), ..*self }, backend, grain);
                Ok(())
            }
        }
    };
}

pub(super) use methods;
