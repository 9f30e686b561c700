// Lines, discs and facets over the surfaces: one instance each, six corners of a quad (a facet uses
// three).
// prelude: render/frame.wgsl

struct Mark {
    // w: pixels, a line's half width or a disc's radius
    @location(0) a: vec4<f32>,
    // w: 0 line, 1 disc, 2 facet
    @location(1) b: vec4<f32>,
    // w: how much nearer its depth is, in clip space
    @location(2) c: vec4<f32>,
    // Linear, with opacity
    @location(3) color: vec4<f32>,
}

struct MarkCorner {
    @builtin(position) place: vec4<f32>,
    @location(0) color: vec4<f32>,
    // Pixels from the middle, along and across; not in perspective, since a mark is flat on the
    // picture
    @location(1) @interpolate(linear) at_px: vec2<f32>,
    // Half of its length and of its width; a disc's radius twice
    @location(2) @interpolate(flat) half_px: vec2<f32>,
    @location(3) @interpolate(flat) kind: u32,
}

const LINE: u32 = 0u;
const DISC: u32 = 1u;
const FACET: u32 = 2u;

const NOWHERE = vec4<f32>(2.0, 2.0, 2.0, 1.0);

@vertex
fn mark_vertex(@builtin(vertex_index) index: u32, mark: Mark) -> MarkCorner {
    // Corners of a quad, −1 or 1, in two triangles.
    let side = vec2(
        select(-1.0, 1.0, index == 1u || index == 2u || index == 4u),
        select(-1.0, 1.0, index == 2u || index == 4u || index == 5u),
    );
    var out: MarkCorner;
    switch u32(mark.b.w) {
        case LINE: {
            out = line_corner(mark, side);
        }
        case DISC: {
            out = disc_corner(mark, side);
        }
        default: {
            out = facet_corner(mark, index);
        }
    }
    out.place.z -= mark.c.w;
    return out;
}

fn clip_of(position: vec3<f32>) -> vec4<f32> {
    return frame.clip_from_model * vec4(position, 1.0);
}

// A quad around the line from a to b, as wide as its pixels and a smooth edge of half a pixel on
// each side.
fn line_corner(mark: Mark, side: vec2<f32>) -> MarkCorner {
    var a = clip_of(mark.a.xyz);
    var b = clip_of(mark.b.xyz);
    if a.z <= 0.0 && b.z <= 0.0 {
        return MarkCorner(NOWHERE, vec4(0.0), vec2(0.0), vec2(0.0), LINE);
    }
    // Cut at the near plane: behind the eye there is no place in the picture.
    if a.z < 0.0 {
        a = mix(a, b, a.z / (a.z - b.z));
    }
    if b.z < 0.0 {
        b = mix(b, a, b.z / (b.z - a.z));
    }
    let half_size = 0.5 * picture_size();
    let along_px = (b.xy / b.w - a.xy / a.w) * half_size;
    let length_px = length(along_px);
    let along = select(vec2(1.0, 0.0), along_px / max(length_px, 1e-6), length_px > 1e-6);
    let across = vec2(-along.y, along.x);
    let half_px = vec2(0.5 * length_px, mark.a.w);
    let end = select(b, a, side.x < 0.0);
    let offset_px = 0.5 * side.x * along + side.y * (half_px.y + 0.5) * across;
    let place = end + vec4(offset_px / half_size * end.w, 0.0, 0.0);
    let at_px = vec2(side.x * (half_px.x + 0.5), side.y * (half_px.y + 0.5));
    return MarkCorner(place, mark.color, at_px, half_px, LINE);
}

fn disc_corner(mark: Mark, side: vec2<f32>) -> MarkCorner {
    let middle = clip_of(mark.a.xyz);
    if middle.z <= 0.0 {
        return MarkCorner(NOWHERE, vec4(0.0), vec2(0.0), vec2(0.0), DISC);
    }
    let at_px = side * (mark.a.w + 0.5);
    let place = middle + vec4(at_px / (0.5 * picture_size()) * middle.w, 0.0, 0.0);
    return MarkCorner(place, mark.color, at_px, vec2(mark.a.w), DISC);
}

fn facet_corner(mark: Mark, index: u32) -> MarkCorner {
    if index >= 3u {
        return MarkCorner(NOWHERE, vec4(0.0), vec2(0.0), vec2(0.0), FACET);
    }
    let normal = cross(mark.b.xyz - mark.a.xyz, mark.c.xyz - mark.a.xyz);
    let middle = (mark.a.xyz + mark.b.xyz + mark.c.xyz) / 3.0;
    let toward = frame.eye.xyz - middle;
    let lengths = length(normal) * length(toward);
    let light = 0.5 + 0.5 * abs(dot(normal, toward)) / max(lengths, 1e-30);
    var position = mark.a.xyz;
    if index == 1u {
        position = mark.b.xyz;
    } else if index == 2u {
        position = mark.c.xyz;
    }
    let color = vec4(light * mark.color.xyz, mark.color.w);
    return MarkCorner(clip_of(position), color, vec2(0.0), vec2(0.0), FACET);
}

// How much of a pixel, as long as 1, a stretch of ±`half` covers that is `from` away.
fn overlap(half_px: vec2<f32>, from_px: vec2<f32>) -> vec2<f32> {
    return max(vec2(0.0), min(half_px, from_px + 0.5) - max(-half_px, from_px - 0.5));
}

// Colour times opacity, and opacity.
@fragment
fn mark_fragment(in: MarkCorner) -> @location(0) vec4<f32> {
    var cover = 1.0;
    if in.kind == LINE {
        let inside = overlap(in.half_px, in.at_px);
        cover = inside.x * inside.y;
    } else if in.kind == DISC {
        let radius = in.half_px.x;
        cover = clamp(radius + 0.5 - length(in.at_px), 0.0, min(1.0, 3.14159265 * radius * radius));
    }
    if cover <= 0.0 {
        // No depth either.
        discard;
    }
    let opacity = in.color.w * cover;
    return vec4(in.color.xyz * opacity, opacity);
}
