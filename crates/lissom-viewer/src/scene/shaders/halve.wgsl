// A picture half as large: the mean of four pixels each.

@group(0) @binding(0) var larger: texture_2d<f32>;
@group(0) @binding(1) var between: sampler;

struct Out {
    @builtin(position) clip: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn whole(@builtin(vertex_index) i: u32) -> Out {
    let uv = vec2<f32>(f32(i & 1u), f32(i >> 1u)) * 2.0;
    var out: Out;
    out.clip = vec4<f32>(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0);
    out.uv = uv;
    return out;
}

@fragment
fn mean(in: Out) -> @location(0) vec4<f32> {
    return textureSample(larger, between, in.uv);
}
