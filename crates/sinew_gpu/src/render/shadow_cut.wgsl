// Depth as a light sees it, of a surface that is not there wholly.
// prelude: render/frame.wgsl, render/corners.wgsl

// As in surface.wgsl; here in another group.
struct CutMaterial {
    base_color: vec4<f32>,
    opacity: vec4<f32>,
    bumps: vec4<f32>,
}

@group(2) @binding(0) var<uniform> map_from_model: mat4x4<f32>;
@group(3) @binding(0) var<uniform> cut_material: CutMaterial;
@group(3) @binding(1) var cut_texture: texture_2d<f32>;
@group(3) @binding(2) var cut_sampler: sampler;

struct CutCorner {
    @builtin(position) place: vec4<f32>,
    @location(0) uv: vec2<f32>,
}

@vertex
fn shadow_cut_vertex(@builtin(vertex_index) corner: u32) -> CutCorner {
    var out: CutCorner;
    out.place = NOWHERE;
    if !is_drawn(corner) {
        return out;
    }
    out.place = map_from_model * vec4(corner_position(corner), 1.0);
    if params.has_uvs == 1u {
        out.uv = uvs[corners[corner].x];
    }
    return out;
}

@fragment
fn shadow_cut_fragment(in: CutCorner) {
    let opacity = cut_material.opacity.x * textureSample(cut_texture, cut_sampler, in.uv).w;
    if opacity < cut_material.opacity.z {
        discard;
    }
}
