//! Draco streams of our own making.

use draco_core::{
    DataType, EncoderBuffer, EncoderOptions, FaceIndex, GeometryAttributeType, Mesh, MeshEncoder,
    PointAttribute,
};

/// An attribute of a mesh to be encoded.
#[derive(Clone, Debug)]
pub enum List {
    /// Floats, this number per point.
    Floats(u8, Vec<f32>),
    /// Whole numbers, this number per point.
    Bytes(u8, Vec<u8>),
}

/// Encodes triangles. The first attribute has the positions, the others are anything; each has its place in `lists` as
/// its number. Floats are quantised to `bits` if that is above 0.
///
/// # Panics
///
/// If the lists are not of one length, or name points that there are not.
#[must_use]
pub fn encode(lists: &[List], triangles: &[[u32; 3]], edgebreaker: bool, bits: i32) -> Vec<u8> {
    let mut mesh = Mesh::new();
    let mut options = EncoderOptions::new();
    options.set_encoding_method(edgebreaker.into());
    for (index, list) in lists.iter().enumerate() {
        let kind = if index == 0 { GeometryAttributeType::Position } else { GeometryAttributeType::Generic };
        let mut attribute = PointAttribute::new();
        let (each, data, bytes): (u8, DataType, Vec<u8>) = match list {
            List::Floats(each, list) => {
                (*each, DataType::Float32, list.iter().flat_map(|v| v.to_le_bytes()).collect())
            }
            List::Bytes(each, list) => (*each, DataType::Uint8, list.clone()),
        };
        let points = bytes.len() / data.byte_length() / usize::from(each);
        attribute.init(kind, each, data, false, points);
        attribute.buffer_mut().write(0, &bytes);
        let id = mesh.add_attribute(attribute);
        if bits > 0 && data == DataType::Float32 {
            options.set_attribute_quantization(id, bits);
        }
    }
    mesh.set_num_faces(triangles.len());
    for (face, triangle) in (0..).zip(triangles) {
        mesh.set_face(FaceIndex(face), triangle.map(Into::into));
    }
    let mut encoder = MeshEncoder::new();
    encoder.set_mesh(mesh);
    let mut buffer = EncoderBuffer::new();
    encoder.encode(&options, &mut buffer).expect("a mesh of our own can be packed");
    buffer.data().to_vec()
}

/// One triangle, for seeds.
#[must_use]
pub fn triangle(edgebreaker: bool) -> Vec<u8> {
    let positions = List::Floats(3, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    encode(&[positions], &[[0, 1, 2]], edgebreaker, if edgebreaker { 11 } else { 0 })
}
