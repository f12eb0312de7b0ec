// Everything that the scene draws. Palettes and influences lie in textures, so that WebGL2 can read them while it moves
// vertices. Colours leave in sRGB: egui shows the picture as it is.

struct Frame {
    view_projection: mat4x4<f32>,
    eye: vec4<f32>,
    // Towards the light; w is how bright what faces away is.
    light: vec4<f32>,
    // The floor where something stands in the light, in sRGB.
    shadow: vec4<f32>,
}

struct Draw {
    color: vec4<f32>,
    // Where the mesh's matrices start in the palette, in joints (of a crowd: how many each has); then 1 if vertices are to be
    // moved here.
    palette: u32,
    skinned: u32,
    cutoff: f32,
    textured: f32,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var palette: texture_2d<f32>;
@group(1) @binding(0) var<uniform> draw: Draw;
@group(1) @binding(1) var influences: texture_2d<f32>;
@group(1) @binding(2) var image: texture_2d<f32>;
@group(1) @binding(3) var image_sampler: sampler;

const WIDTH: u32 = 1024u;

fn at(texel: u32) -> vec2<u32> {
    return vec2<u32>(texel % WIDTH, texel / WIDTH);
}

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    // The first influence and how many there are.
    @location(3) influences: vec2<u32>,
    // From 0 to 1 as a colour; below 0 the mesh has its own.
    @location(7) error: f32,
}

struct Lit {
    @builtin(position) clip: vec4<f32>,
    @location(0) world: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) color: vec4<f32>,
}

// `first`: where the matrices start in the palette.
fn moved(v: Vertex, first: u32) -> Lit {
    var world = v.position;
    var normal = v.normal;
    // Not a branch on what a draw says: Mesa's software device would compile the shader anew for each draw, and keep it.
    let count = select(0u, v.influences.y, draw.skinned != 0u);
    if count > 0u {
        var rows = mat3x4<f32>(vec4<f32>(0.0), vec4<f32>(0.0), vec4<f32>(0.0));
        for (var i = 0u; i < count; i++) {
            let one = textureLoad(influences, at(v.influences.x + i), 0).xy;
            let row = (first + u32(one.x)) * 3u;
            for (var r = 0u; r < 3u; r++) {
                rows[r] += textureLoad(palette, at(row + r), 0) * one.y;
            }
        }
        world = vec4<f32>(v.position, 1.0) * rows;
        normal = vec4<f32>(v.normal, 0.0) * rows;
    }
    var out: Lit;
    out.clip = frame.view_projection * vec4<f32>(world, 1.0);
    out.world = world;
    out.normal = normal;
    out.uv = v.uv;
    out.color = draw.color;
    if v.error >= 0.0 {
        // Opacity below 0: see `mesh_fragment`.
        out.color = vec4<f32>(ramp(v.error), -1.0);
    }
    return out;
}

// Blue, green, yellow, red; linear. `panels::compression` draws the same as a legend.
fn ramp(share: f32) -> vec3<f32> {
    let at = clamp(share, 0.0, 1.0) * 3.0;
    let blue = vec3<f32>(0.03, 0.12, 0.5);
    let green = vec3<f32>(0.05, 0.5, 0.2);
    let yellow = vec3<f32>(0.85, 0.65, 0.05);
    let red = vec3<f32>(0.75, 0.03, 0.02);
    let low = mix(blue, green, clamp(at, 0.0, 1.0));
    return mix(mix(low, yellow, clamp(at - 1.0, 0.0, 1.0)), red, clamp(at - 2.0, 0.0, 1.0));
}

@vertex
fn mesh_vertex(v: Vertex) -> Lit {
    return moved(v, draw.palette);
}

struct Instance {
    // Where it stands: x, z, and the sine and cosine of where it looks.
    @location(4) place: vec4<f32>,
    @location(5) coat: vec3<f32>,
    @location(6) member: u32,
}

fn in_crowd(v: Vertex, one: Instance) -> Lit {
    var out = moved(v, one.member * draw.palette);
    out.world = turned(out.world, one.place.zw) + vec3<f32>(one.place.x, 0.0, one.place.y);
    out.normal = turned(out.normal, one.place.zw);
    out.clip = frame.view_projection * vec4<f32>(out.world, 1.0);
    out.color = vec4<f32>(one.coat, 1.0);
    return out;
}

fn turned(v: vec3<f32>, look: vec2<f32>) -> vec3<f32> {
    return vec3<f32>(v.x * look.y + v.z * look.x, v.y, v.z * look.y - v.x * look.x);
}

@vertex
fn crowd_vertex(v: Vertex, one: Instance) -> Lit {
    return in_crowd(v, one);
}

@vertex
fn crowd_shadow_vertex(v: Vertex, one: Instance) -> @builtin(position) vec4<f32> {
    return on_floor(in_crowd(v, one).world);
}

// Along the light onto the floor.
@vertex
fn shadow_vertex(v: Vertex) -> @builtin(position) vec4<f32> {
    return on_floor(moved(v, draw.palette).world);
}

fn on_floor(world: vec3<f32>) -> vec4<f32> {
    let flat = world - frame.light.xyz * (world.y / frame.light.y);
    return frame.view_projection * vec4<f32>(flat.x, 0.0, flat.z, 1.0);
}

@fragment
fn shadow_fragment() -> @location(0) vec4<f32> {
    return frame.shadow;
}

fn to_srgb(c: vec3<f32>) -> vec3<f32> {
    let low = c * 12.92;
    let high = 1.055 * pow(max(c, vec3<f32>(0.0)), vec3<f32>(1.0 / 2.4)) - 0.055;
    return select(high, low, c <= vec3<f32>(0.0031308));
}

@fragment
fn mesh_fragment(in: Lit, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    var color = in.color;
    let texel = textureSample(image, image_sampler, in.uv);
    // An error's colour has no texture.
    let textured = select(draw.textured, 0.0, color.a < 0.0);
    color = abs(color) * mix(vec4<f32>(1.0), texel, textured);
    if color.a < draw.cutoff {
        discard;
    }
    var n = normalize(in.normal + vec3<f32>(0.0, 1e-8, 0.0));
    if !front {
        n = -n;
    }
    let wrap = dot(n, frame.light.xyz) * 0.5 + 0.5;
    let sky = n.y * 0.1 + 0.1;
    let towards = normalize(frame.eye.xyz - in.world);
    let edge = pow(1.0 - max(dot(n, towards), 0.0), 3.0) * 0.12;
    let brightness = mix(frame.light.w, 0.9, wrap * wrap) + sky;
    return vec4<f32>(to_srgb(color.rgb * brightness + vec3<f32>(edge)), 1.0);
}

struct LineVertex {
    @location(0) position: vec3<f32>,
    @location(1) color: vec4<f32>,
}

struct LineOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) color: vec4<f32>,
}

@vertex
fn line_vertex(v: LineVertex) -> LineOut {
    var out: LineOut;
    out.clip = frame.view_projection * vec4<f32>(v.position, 1.0);
    out.color = v.color;
    return out;
}

@fragment
fn line_fragment(in: LineOut) -> @location(0) vec4<f32> {
    return in.color;
}
