// How a frame went: the first look at the threshold that was passed, as the CPU would have seen it.
// One invocation.
// prelude: maths.wgsl, springs/frame.wgsl

@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> largest: array<u32>;
// Iterations done, and the bits of the residual and of the swell, which a model that has one finds
// after this.
@group(0) @binding(2) var<storage, read_write> stats: array<u32>;

fn largest_step(index: u32) -> f32 {
    return sqrt(bitcast<f32>(largest[index]));
}

@compute @workgroup_size(1)
fn finish() {
    var done = frame.iterations;
    if frame.shortest_step > 0.0 {
        for (var at =
            frame.check_iterations; at <= frame.iterations; at += frame.check_iterations) {
            if largest_step(at - 1u) < frame.shortest_step {
                done = at;
                break;
            }
        }
    }
    var residual = 0.0;
    if done > 0u {
        residual = largest_step(done - 1u);
        if frame.smallest_side > 0.0 {
            residual /= frame.smallest_side;
        }
    }
    stats[0] = done;
    stats[1] = bitcast<u32>(residual);
    stats[2] = 0u;
}
