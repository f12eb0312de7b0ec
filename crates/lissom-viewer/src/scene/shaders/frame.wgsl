// What all parts know: the view, the light, lists in textures. Palettes and influences lie in textures, so that WebGL2 can
// read them while it moves vertices. Colours leave in sRGB: egui shows the picture as it is.

struct Frame {
    view_projection: mat4x4<f32>,
    // From the world to the map of what the sun sees: x and y from 0 to 1, and depth.
    to_shadow: mat4x4<f32>,
    // The camera; w is 1 if it sees in perspective, 0 if all of its rays are parallel.
    eye: vec4<f32>,
    // Where it looks.
    ahead: vec4<f32>,
    // Towards the sun; w is how dark its shadows are.
    sun: vec4<f32>,
    sun_color: vec4<f32>,
    // Light from above, from the sides and from below; linear.
    zenith: vec4<f32>,
    horizon: vec4<f32>,
    ground: vec4<f32>,
    // Behind everything, at the top and at the bottom; sRGB.
    behind_top: vec4<f32>,
    behind_bottom: vec4<f32>,
    // Width and height in pixels, pixels a point, and how far apart looks into the shadow map are.
    viewport: vec4<f32>,
    // The floor: x and z of its middle, how far it reaches, and how large a square is.
    floor: vec4<f32>,
    // Its lines, in sRGB.
    ink: vec4<f32>,
}

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var palette: texture_2d<f32>;
@group(0) @binding(2) var shadow_map: texture_depth_2d;
@group(0) @binding(3) var shadow_sampler: sampler_comparison;

const WIDTH: u32 = 1024u;

fn at(texel: u32) -> vec2<u32> {
    return vec2<u32>(texel % WIDTH, texel / WIDTH);
}

fn to_srgb(c: vec3<f32>) -> vec3<f32> {
    let low = c * 12.92;
    let high = 1.055 * pow(max(c, vec3<f32>(0.0)), vec3<f32>(1.0 / 2.4)) - 0.055;
    return select(high, low, c <= vec3<f32>(0.0031308));
}

// Less than a step of eight bits, different from pixel to pixel: slow gradients show no bands.
fn dither(pixel: vec2<f32>) -> f32 {
    return (fract(52.9829189 * fract(dot(floor(pixel), vec2<f32>(0.06711056, 0.00583715)))) - 0.5) / 255.0;
}

// From a point towards the camera.
fn towards_eye(world: vec3<f32>) -> vec3<f32> {
    return normalize(select(-frame.ahead.xyz, frame.eye.xyz - world, frame.eye.w > 0.5));
}
