//! Does a segment cross a surface? A tree of boxes around triangles, halved at the median of the
//! longest side.
//!
//! Both sides of a triangle count, its edges too: there is no crack between neighbours. Triangles
//! without area, and those that the segment runs in, are not crossed. The shape depends on the
//! triangles alone.

use glam::DVec3;

/// Triangles in a leaf: below this, boxes cost more than they save.
const LEAF: usize = 4;
/// Boxes are grown by this over their distance from the origin, past the rounding of the test
/// against them.
const GROWTH: f64 = 1e-12;

/// Triangles, sorted into boxes.
#[derive(Clone, Debug)]
pub(crate) struct SegmentTree {
    /// Root first; an inner box's first child follows it.
    nodes: Vec<Node>,
    triangles: Vec<[DVec3; 3]>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    centre: DVec3,
    half: DVec3,
    /// Of a leaf the first triangle, else the second child.
    index: u32,
    /// Of a leaf how many triangles, else 0.
    count: u32,
}

impl SegmentTree {
    /// Of triangles; the ones without area or with a corner that is not finite are left out.
    pub(crate) fn new(triangles: impl Iterator<Item = [DVec3; 3]>) -> Self {
        let mut triangles: Vec<[DVec3; 3]> = triangles
            .filter(|[a, b, c]| {
                let double_area = (b - a).cross(c - a).length_squared();
                double_area > 0.0 && double_area.is_finite()
            })
            .collect();
        let mut nodes = Vec::with_capacity(triangles.len());
        let num_triangles = triangles.len();
        if num_triangles > 0 {
            grow(&mut nodes, &mut triangles, 0);
        }
        Self { nodes, triangles }
    }

    /// True if a triangle is between `from` and `to`, or touches one of them.
    pub(crate) fn is_crossed(&self, from: DVec3, to: DVec3) -> bool {
        let middle = 0.5 * (from + to);
        let half = 0.5 * (to - from);
        // Halving a `u32` number of triangles leaves fewer levels than this.
        let mut stack = [0u32; 40];
        let mut depth = usize::from(!self.nodes.is_empty());
        while depth > 0 {
            depth -= 1;
            let at = stack[depth];
            let node = &self.nodes[at as usize];
            if !node.touches(middle, half) {
                continue;
            }
            if node.count == 0 {
                stack[depth] = node.index;
                stack[depth + 1] = at + 1;
                depth += 2;
            } else {
                let first = node.index as usize;
                let leaf = &self.triangles[first..first + node.count as usize];
                if leaf.iter().any(|triangle| crosses(triangle, from, 2.0 * half)) {
                    return true;
                }
            }
        }
        false
    }
}

/// Makes the node of `triangles`, which start at `first` of all, and those below it.
fn grow(nodes: &mut Vec<Node>, triangles: &mut [[DVec3; 3]], first: usize) {
    let corners = triangles.iter().flatten();
    let (low, high) = corners
        .fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), p| (low.min(*p), high.max(*p)));
    let largest = low.abs().max(high.abs()).max_element();
    let half = 0.5 * (high - low) + GROWTH * largest;
    let own = nodes.len();
    let count = triangles.len();
    let leaf = if count <= LEAF { count as u32 } else { 0 };
    nodes.push(Node { centre: 0.5 * (low + high), half, index: first as u32, count: leaf });
    if leaf > 0 {
        return;
    }
    let axis = (0..3).max_by(|&a, &b| half[a].total_cmp(&half[b])).unwrap_or(0);
    let key = |t: &[DVec3; 3]| t[0][axis] + t[1][axis] + t[2][axis];
    triangles.select_nth_unstable_by(count / 2, |a, b| key(a).total_cmp(&key(b)));
    let (before, after) = triangles.split_at_mut(count / 2);
    grow(nodes, before, first);
    nodes[own].index = nodes.len() as u32;
    grow(nodes, after, first + count / 2);
}

impl Node {
    /// Separating axes of a segment (middle and half vector) and a box (Ericson 2005, section
    /// 5.3.3): no division, so that segments along an axis need no care.
    fn touches(&self, middle: DVec3, half: DVec3) -> bool {
        let (m, size, along) = (middle - self.centre, self.half, half.abs());
        if m.abs().cmpgt(size + along).any() {
            return false;
        }
        let axis = m.cross(half).abs();
        let reach = DVec3::new(
            size.y * along.z + size.z * along.y,
            size.x * along.z + size.z * along.x,
            size.x * along.y + size.y * along.x,
        );
        !axis.cmpgt(reach + GROWTH * (1.0 + reach)).any()
    }
}

/// Möller and Trumbore 1997, from both sides, edges and ends included.
fn crosses([a, b, c]: &[DVec3; 3], from: DVec3, along: DVec3) -> bool {
    let (u_edge, v_edge) = (b - a, c - a);
    let p = along.cross(v_edge);
    let det = u_edge.dot(p);
    if det == 0.0 {
        return false;
    }
    let s = from - a;
    let q = s.cross(u_edge);
    let [u, v, t] = [s.dot(p), along.dot(q), v_edge.dot(q)].map(|x| x / det);
    // A segment through an edge is on one of its two triangles at least, rounding or not.
    let slack = -1e-12;
    u >= slack && v >= slack && u + v <= 1.0 - slack && (0.0..=1.0).contains(&t)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wavy sheet of `n × n` squares over the unit square.
    fn sheet(n: usize) -> Vec<[DVec3; 3]> {
        let at = |i: usize, j: usize| {
            let (x, y) = (i as f64 / n as f64, j as f64 / n as f64);
            DVec3::new(x, y, 0.1 * (9.0 * x).sin() * (7.0 * y).cos())
        };
        let square = |k: usize| {
            let (i, j) = (k % n, k / n);
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            [[a, b, c], [a, c, d]]
        };
        (0..n * n).flat_map(square).collect()
    }

    #[test]
    fn the_tree_finds_what_trying_every_triangle_finds() {
        let triangles = sheet(12);
        let tree = SegmentTree::new(triangles.iter().copied());
        let mut seed = 7u64;
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64
        };
        let mut crossings = 0;
        for _ in 0..4000 {
            let [from, to] = [0; 2].map(|_| DVec3::new(next(), next(), 0.4 * (next() - 0.5)));
            let plain = triangles.iter().any(|t| crosses(t, from, to - from));
            assert_eq!(tree.is_crossed(from, to), plain, "{from} {to}");
            crossings += usize::from(plain);
        }
        assert!((500..3500).contains(&crossings), "{crossings}");
    }

    #[test]
    fn nothing_slips_between_two_triangles() {
        let tree = SegmentTree::new(sheet(10).into_iter());
        // Through points and edges of the sheet, along an axis and off it.
        for i in 1..40 {
            for j in 1..40 {
                let at = DVec3::new(f64::from(i) / 40.0, f64::from(j) / 40.0, 0.0);
                for lean in [DVec3::ZERO, DVec3::new(0.01, 0.02, 0.0)] {
                    assert!(tree.is_crossed(at + lean + DVec3::Z, at - lean - DVec3::Z), "{at}");
                }
            }
        }
    }

    #[test]
    fn triangles_without_area_and_no_triangles_are_not_crossed() {
        let line = [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
        let broken = [DVec3::NAN, DVec3::X, DVec3::Y];
        for triangles in [vec![], vec![line, broken, [DVec3::ONE; 3]]] {
            let tree = SegmentTree::new(triangles.into_iter());
            assert!(!tree.is_crossed(DVec3::new(0.5, -1.0, 0.0), DVec3::new(0.5, 1.0, 0.0)));
            assert!(!tree.is_crossed(DVec3::NAN, DVec3::ONE));
        }
    }
}
