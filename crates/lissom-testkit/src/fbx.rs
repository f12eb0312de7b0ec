//! Small FBX files, written here as text: what tests read and what fuzzing starts from.

use std::fmt::Write;

/// Ticks of FBX in a second.
pub const SECOND: i64 = 46_186_158_000;

/// Collects objects and connections.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    /// What stands in `Objects`.
    pub objects: String,
    /// What stands in `Connections`.
    pub connections: String,
}

fn list<T: std::fmt::Display>(name: &str, values: &[T]) -> String {
    let text: Vec<String> = values.iter().map(ToString::to_string).collect();
    format!("{name}: *{} {{ a: {} }}\n", values.len(), text.join(","))
}

fn put(to: &mut String, text: &str) {
    to.push_str(text);
    to.push('\n');
}

impl Writer {
    /// `child` belongs to `parent`; 0 is the scene.
    pub fn connect(&mut self, child: i64, parent: i64) {
        put(&mut self.connections, &format!("C: \"OO\",{child},{parent}"));
    }

    /// `child` drives a property of `parent`.
    pub fn drive(&mut self, child: i64, parent: i64, property: &str) {
        put(&mut self.connections, &format!("C: \"OP\",{child},{parent},\"{property}\""));
    }

    /// A node, with its properties as they stand in the file.
    pub fn model(&mut self, id: i64, name: &str, kind: &str, properties: &str) {
        let text = format!(
            "Model: {id}, \"Model::{name}\", \"{kind}\" {{\nVersion: 232\nProperties70: {{\n{properties}\n}}\n}}"
        );
        put(&mut self.objects, &text);
    }

    /// A bone at a place below a parent: the node `id` and its attribute `id + 1`.
    pub fn bone(&mut self, id: i64, name: &str, parent: i64, at: [f64; 3]) {
        let [x, y, z] = at;
        let place = format!("P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",{x},{y},{z}");
        self.model(id, name, "LimbNode", &place);
        let attribute = id + 1;
        put(
            &mut self.objects,
            &format!(
                "NodeAttribute: {attribute}, \"NodeAttribute::{name}\", \"LimbNode\" {{ TypeFlags: \"Skeleton\" }}"
            ),
        );
        self.connect(id, parent);
        self.connect(attribute, id);
    }

    /// A mesh of triangles on the node `model`.
    pub fn mesh(&mut self, id: i64, name: &str, model: i64, vertices: &[f64], triangles: &[[i32; 3]]) {
        // The last corner of a face is stored as its complement.
        let corners: Vec<i32> = triangles.iter().flat_map(|[a, b, c]| [*a, *b, !*c]).collect();
        let text = format!(
            "Geometry: {id}, \"Geometry::{name}\", \"Mesh\" {{\n{}{}GeometryVersion: 124\n}}",
            list("Vertices", vertices),
            list("PolygonVertexIndex", &corners)
        );
        put(&mut self.objects, &text);
        self.connect(id, model);
    }

    /// A material of a node: a colour as its shading model has it.
    pub fn material(&mut self, id: i64, name: &str, model: i64, color: [f64; 3]) {
        let [r, g, b] = color;
        let text = format!(
            "Material: {id}, \"Material::{name}\", \"\" {{\nVersion: 102\nShadingModel: \"lambert\"\nProperties70: {{\n\
             P: \"DiffuseColor\", \"Color\", \"\", \"A\",{r},{g},{b}\nP: \"DiffuseFactor\", \"Number\", \"\", \"A\",0.8\n}}\n}}"
        );
        put(&mut self.objects, &text);
        self.connect(id, model);
    }

    /// A texture for a property of a material: a file by its name, and its bytes in base64 if it is in the file.
    pub fn texture(&mut self, id: i64, material: i64, property: &str, file: &str, content: &str) {
        let video = id + 1;
        let inside = if content.is_empty() { String::new() } else { format!("Content: , \"{content}\"\n") };
        let text = format!(
            "Texture: {id}, \"Texture::map\", \"\" {{\nType: \"TextureVideoClip\"\nVersion: 202\nFileName: \"{file}\"\n\
             RelativeFilename: \"{file}\"\n}}\nVideo: {video}, \"Video::map\", \"Clip\" {{\nType: \"Clip\"\nFileName: \
             \"{file}\"\nRelativeFilename: \"{file}\"\n{inside}}}"
        );
        put(&mut self.objects, &text);
        self.drive(id, material, property);
        self.connect(video, id);
    }

    /// A camera or a light (`kind`) at a place: the node `id` and its attribute `id + 1`.
    pub fn stage(&mut self, id: i64, name: &str, kind: &str, at: [f64; 3]) {
        let [x, y, z] = at;
        let place = format!("P: \"Lcl Translation\", \"Lcl Translation\", \"\", \"A\",{x},{y},{z}");
        self.model(id, name, kind, &place);
        let attribute = id + 1;
        let text = format!(
            "NodeAttribute: {attribute}, \"NodeAttribute::{name}\", \"{kind}\" {{ TypeFlags: \"{kind}\" }}"
        );
        put(&mut self.objects, &text);
        self.connect(id, 0);
        self.connect(attribute, id);
    }

    /// A skin `id` on a mesh; `clusters` are bones, their vertices with weights, and where each bone stood.
    pub fn skin(&mut self, id: i64, mesh: i64, clusters: &[Cluster<'_>]) {
        put(&mut self.objects, &format!("Deformer: {id}, \"Deformer::skin\", \"Skin\" {{ Version: 101 }}"));
        self.connect(id, mesh);
        for (cluster, own) in clusters.iter().zip(id + 1..) {
            let [x, y, z] = cluster.stood_at;
            let moved = |[x, y, z]: [f64; 3]| [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., x, y, z, 1.];
            let indices: Vec<i32> = cluster.weights.iter().map(|(vertex, _)| *vertex).collect();
            let weights: Vec<f64> = cluster.weights.iter().map(|(_, weight)| *weight).collect();
            let text = format!(
                "Deformer: {own}, \"SubDeformer::\", \"Cluster\" {{\nVersion: 100\n{}{}{}{}}}",
                list("Indexes", &indices),
                list("Weights", &weights),
                list("Transform", &moved([-x, -y, -z])),
                list("TransformLink", &moved([x, y, z])),
            );
            put(&mut self.objects, &text);
            self.connect(own, id);
            self.connect(cluster.bone, own);
        }
    }

    /// A blend shape on a mesh that moves one vertex; the channel is `id + 1`.
    pub fn shape(&mut self, id: i64, mesh: i64, name: &str, vertex: i32, by: [f64; 3]) {
        let (channel, shape) = (id + 1, id + 2);
        let text = format!(
            "Deformer: {id}, \"Deformer::shapes\", \"BlendShape\" {{ Version: 100 }}\n\
             Deformer: {channel}, \"SubDeformer::{name}\", \"BlendShapeChannel\" {{\nVersion: 100\nDeformPercent: \
             25\n{}}}\nGeometry: {shape}, \"Geometry::{name}\", \"Shape\" {{\n{}{}{}}}",
            list("FullWeights", &[100.0]),
            list("Indexes", &[vertex]),
            list("Vertices", &by),
            list("Normals", &[0.0, 0.0, 0.0]),
        );
        put(&mut self.objects, &text);
        self.connect(id, mesh);
        self.connect(channel, id);
        self.connect(shape, channel);
    }

    /// An animation stack `id`, its layer `id + 1`, from `start` to `stop` in ticks.
    pub fn stack(&mut self, id: i64, name: &str, start: i64, stop: i64) {
        let layer = id + 1;
        let text = format!(
            "AnimationStack: {id}, \"AnimStack::{name}\", \"\" {{\nProperties70: {{\nP: \"LocalStart\", \"KTime\", \
             \"Time\", \"\",{start}\nP: \"LocalStop\", \"KTime\", \"Time\", \"\",{stop}\n}}\n}}\nAnimationLayer: \
             {layer}, \"AnimLayer::base\", \"\" {{ }}"
        );
        put(&mut self.objects, &text);
        self.connect(layer, id);
    }

    /// Keys (tick, value) for one component of a property of an object, in a layer; the curve is `id + 1`.
    /// `flags`: 2 holds each value, 4 goes straight on.
    pub fn curve(&mut self, id: i64, layer: i64, to: Driven<'_>, flags: i32, keys: &[(i64, f64)]) {
        let Driven { object, property, component, others } = to;
        let curve = id + 1;
        let times: Vec<i64> = keys.iter().map(|k| k.0).collect();
        let values: Vec<f64> = keys.iter().map(|k| k.1).collect();
        let mut text =
            format!("AnimationCurveNode: {id}, \"AnimCurveNode::{property}\", \"\" {{\nProperties70: {{\n");
        for (axis, value) in ["d|X", "d|Y", "d|Z"].iter().zip(others) {
            let _ = writeln!(text, "P: \"{axis}\", \"Number\", \"\", \"A\",{value}");
        }
        text.push_str("}\n}\n");
        let _ = write!(
            text,
            "AnimationCurve: {curve}, \"AnimCurve::\", \"\" {{\nDefault: 0\nKeyVer: 4009\n{}{}{}{}{}}}",
            list("KeyTime", &times),
            list("KeyValueFloat", &values),
            list("KeyAttrFlags", &[flags]),
            list("KeyAttrDataFloat", &[0, 0, 0, 0]),
            list("KeyAttrRefCount", &[keys.len()]),
        );
        put(&mut self.objects, &text);
        self.connect(id, layer);
        self.drive(id, object, property);
        self.drive(curve, id, component);
    }

    /// The file: z is up (or y), lengths in `unit_cm` centimetres.
    #[must_use]
    pub fn finish(&self, z_up: bool, unit_cm: f64) -> Vec<u8> {
        let (up, front, front_sign) = if z_up { (2, 1, -1) } else { (1, 2, 1) };
        let mut text = String::from("; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXVersion: 7400\n}\n");
        text.push_str("GlobalSettings: {\nVersion: 1000\nProperties70: {\n");
        for (name, value) in [
            ("UpAxis", up),
            ("UpAxisSign", 1),
            ("FrontAxis", front),
            ("FrontAxisSign", front_sign),
            ("CoordAxis", 0),
            ("CoordAxisSign", 1),
        ] {
            let _ = writeln!(text, "P: \"{name}\", \"int\", \"Integer\", \"\",{value}");
        }
        let _ = writeln!(text, "P: \"UnitScaleFactor\", \"double\", \"Number\", \"\",{unit_cm}");
        // 11: 24 frames per second.
        let _ = writeln!(text, "P: \"TimeMode\", \"enum\", \"\", \"\",11\n}}\n}}");
        let _ = write!(text, "Objects: {{\n{}}}\nConnections: {{\n{}}}\n", self.objects, self.connections);
        text.into_bytes()
    }
}

/// What a curve moves.
#[derive(Clone, Copy, Debug)]
pub struct Driven<'a> {
    /// The object.
    pub object: i64,
    /// Its property: `Lcl Translation`.
    pub property: &'a str,
    /// One number of it: `d|X`.
    pub component: &'a str,
    /// What the numbers are that no curve moves.
    pub others: [f64; 3],
}

/// A bone's share of a skin.
#[derive(Clone, Copy, Debug)]
pub struct Cluster<'a> {
    /// The bone's node.
    pub bone: i64,
    /// Vertices and how much each follows.
    pub weights: &'a [(i32, f64)],
    /// Where the bone stood when the skin was made.
    pub stood_at: [f64; 3],
}

/// Two bones, a skinned triangle with a blend shape, a rigid one, two animations. z is up, lengths in centimetres.
#[must_use]
pub fn figure() -> Vec<u8> {
    let mut w = Writer::default();
    w.bone(100, "hips", 0, [0.0, 0.0, 100.0]);
    w.bone(110, "head", 100, [0.0, 0.0, 50.0]);
    w.model(200, "body", "Mesh", "");
    w.connect(200, 0);
    w.mesh(210, "body", 200, &[0.0, 0.0, 100.0, 10.0, 0.0, 100.0, 0.0, 0.0, 150.0], &[[0, 1, 2]]);
    let hips = Cluster { bone: 100, weights: &[(0, 1.0), (1, 1.0), (2, 0.25)], stood_at: [0.0, 0.0, 100.0] };
    let head = Cluster { bone: 110, weights: &[(2, 0.75)], stood_at: [0.0, 0.0, 150.0] };
    w.skin(220, 210, &[hips, head]);
    w.shape(230, 210, "smile", 2, [0.0, -20.0, 0.0]);
    w.model(300, "hat", "Mesh", "");
    w.connect(300, 110);
    w.mesh(310, "hat", 300, &[0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 5.0, 0.0], &[[0, 1, 2]]);
    w.material(400, "felt", 300, [0.5, 0.25, 0.125]);
    w.texture(410, 400, "DiffuseColor", "felt.png", "iVBORw0KGgo=");
    w.texture(420, 400, "NormalMap", "maps/felt_n.png", "");
    // From the first second to the second: what stands before and after is cut.
    w.stack(500, "nod", SECOND, 2 * SECOND);
    let keys = [(0, 0.0), (2 * SECOND, 100.0), (4 * SECOND, 100.0)];
    let to = |object, property, component, others| Driven { object, property, component, others };
    w.curve(510, 501, to(100, "Lcl Translation", "d|X", [0.0, 0.0, 100.0]), 4, &keys);
    let smile = to(231, "DeformPercent", "d|DeformPercent", [0.0; 3]);
    w.curve(520, 501, smile, 4, &[(SECOND, 0.0), (2 * SECOND, 100.0)]);
    w.stack(600, "blink", 0, SECOND);
    let blink = to(110, "Lcl Scaling", "d|X", [1.0; 3]);
    w.curve(610, 601, blink, 2, &[(0, 1.0), (SECOND / 2, 2.0), (SECOND, 1.0)]);
    w.finish(true, 1.0)
}
