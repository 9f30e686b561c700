//! The closest triangles of *other* shells: a tree of boxes around triangles that know their shell.
//!
//! A hundred hair cards lie within a hand's breadth, so that no grid of one size fits them and the
//! body below. Boxes do: halved at the median of the longest side, a box of one shell alone is
//! passed over at once by that shell's own points. The shape depends on the triangles alone, and
//! where two are equally near the lower one is taken.

use glam::DVec3;

/// Triangles in a leaf: below this, boxes cost more than they save.
const LEAF: usize = 4;

/// The tag of a box with several shells in it.
const MIXED: u32 = u32::MAX;

/// Triangles, sorted into boxes.
#[derive(Clone, Debug)]
pub(crate) struct ShellTree {
    /// Root first; an inner box's first child follows it.
    nodes: Vec<Node>,
    leaves: Vec<Leaf>,
}

/// The closest point of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// Which triangle.
    pub(crate) triangle: u32,
    /// Its shell.
    pub(crate) component: u32,
    /// Where on it: a share a corner.
    pub(crate) shares: [f64; 3],
    /// How far, metres.
    pub(crate) distance: f64,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    low: DVec3,
    high: DVec3,
    /// Of a leaf the first triangle, else the second child.
    index: u32,
    /// Of a leaf how many triangles, else 0.
    count: u32,
    /// The shell of all triangles below, or [`MIXED`].
    component: u32,
}

#[derive(Clone, Copy, Debug)]
struct Leaf {
    corners: [DVec3; 3],
    triangle: u32,
    component: u32,
}

impl ShellTree {
    /// Of triangles over points, each of the shell of its first corner. Triangles with a corner
    /// that is not finite are left out; those without area are kept, as the lines that they are.
    ///
    /// # Panics
    /// If a triangle names a point that is not there.
    pub(crate) fn new(points: &[DVec3], triangles: &[[u32; 3]], component_of: &[u32]) -> Self {
        let leaf = |(triangle, corners): (usize, &[u32; 3])| Leaf {
            corners: corners.map(|point| points[point as usize]),
            triangle: triangle as u32,
            component: component_of[corners[0] as usize],
        };
        let mut leaves: Vec<Leaf> = triangles
            .iter()
            .enumerate()
            .map(leaf)
            .filter(|leaf| leaf.corners.iter().all(|corner| corner.is_finite()))
            .collect();
        let mut nodes = Vec::with_capacity(leaves.len());
        if !leaves.is_empty() {
            grow(&mut nodes, &mut leaves, 0);
        }
        Self { nodes, leaves }
    }

    /// The closest triangles of up to `K` shells other than `own`, one a shell, within a distance;
    /// the nearest first, `None` where there are no more.
    pub(crate) fn closest_of_others<const K: usize>(
        &self,
        point: DVec3,
        own: u32,
        within: f64,
    ) -> [Option<Hit>; K] {
        let mut best = Best { hits: [None; K], within };
        if !point.is_finite() || self.nodes.is_empty() {
            return best.hits;
        }
        // Halving a `u32` number of triangles leaves fewer levels than this.
        let mut stack = [(0u32, 0.0f64); 40];
        stack[0] = (0, self.nodes[0].distance_squared(point));
        let mut depth = 1;
        while depth > 0 {
            depth -= 1;
            let (at, box_squared) = stack[depth];
            let node = &self.nodes[at as usize];
            if node.component == own || box_squared > best.reach(node.component).powi(2) {
                continue;
            }
            if node.count > 0 {
                let first = node.index as usize;
                for leaf in &self.leaves[first..first + node.count as usize] {
                    if leaf.component != own {
                        best.offer(leaf.hit(point));
                    }
                }
                continue;
            }
            let [near, far] = [at + 1, node.index]
                .map(|child| (child, self.nodes[child as usize].distance_squared(point)));
            let (near, far) = if far.1 < near.1 { (far, near) } else { (near, far) };
            stack[depth] = far;
            stack[depth + 1] = near;
            depth += 2;
        }
        best.hits
    }
}

/// The nearest hit of each of the nearest shells so far.
struct Best<const K: usize> {
    hits: [Option<Hit>; K],
    within: f64,
}

impl<const K: usize> Best<K> {
    /// What a hit must not be further than to be taken, of that shell or of any.
    fn reach(&self, component: u32) -> f64 {
        let found = self.hits.iter().flatten();
        let own = found.filter(|hit| hit.component == component).map(|hit| hit.distance).next();
        let last = self.hits.last().copied().flatten().map_or(self.within, |hit| hit.distance);
        own.unwrap_or(last)
    }

    fn offer(&mut self, hit: Hit) {
        let before = |a: &Hit, b: &Hit| (a.distance, a.triangle) < (b.distance, b.triangle);
        if hit.distance > self.within {
            return;
        }
        let same = self.hits.iter().position(|h| h.is_some_and(|h| h.component == hit.component));
        // Its shell's own place, else the last: the furthest gives way.
        let Some(mut at) = same.or(K.checked_sub(1)) else { return };
        if self.hits[at].is_some_and(|old| !before(&hit, &old)) {
            return;
        }
        self.hits[at] = Some(hit);
        while at > 0 && self.hits[at - 1].is_none_or(|nearer| before(&hit, &nearer)) {
            self.hits.swap(at - 1, at);
            at -= 1;
        }
    }
}

impl Leaf {
    fn hit(&self, point: DVec3) -> Hit {
        let shares = closest_shares(point, &self.corners);
        let [a, b, c] = self.corners;
        let closest = a * shares[0] + b * shares[1] + c * shares[2];
        let distance = point.distance(closest);
        Hit { triangle: self.triangle, component: self.component, shares, distance }
    }
}

impl Node {
    fn distance_squared(&self, point: DVec3) -> f64 {
        point.distance_squared(point.clamp(self.low, self.high))
    }
}

/// Makes the node of `leaves`, which start at `first` of all, and those below it.
fn grow(nodes: &mut Vec<Node>, leaves: &mut [Leaf], first: usize) {
    let mut low = DVec3::INFINITY;
    let mut high = DVec3::NEG_INFINITY;
    let mut component = leaves[0].component;
    for leaf in leaves.iter() {
        for &corner in &leaf.corners {
            low = low.min(corner);
            high = high.max(corner);
        }
        if leaf.component != component {
            component = MIXED;
        }
    }
    let own = nodes.len();
    let count = leaves.len();
    let in_leaf = if count <= LEAF { count as u32 } else { 0 };
    nodes.push(Node { low, high, index: first as u32, count: in_leaf, component });
    if in_leaf > 0 {
        return;
    }
    let size = high - low;
    let axis = (0..3).max_by(|&a, &b| size[a].total_cmp(&size[b])).unwrap_or(0);
    let key = |leaf: &Leaf| leaf.corners.iter().map(|corner| corner[axis]).sum::<f64>();
    leaves.select_nth_unstable_by(count / 2, |a, b| {
        key(a).total_cmp(&key(b)).then(a.triangle.cmp(&b.triangle))
    });
    let (before, after) = leaves.split_at_mut(count / 2);
    grow(nodes, before, first);
    nodes[own].index = nodes.len() as u32;
    grow(nodes, after, first + count / 2);
}

/// The shares of the corners at the point of a triangle that is closest (Ericson 2005, section
/// 5.1.5). A triangle without area is the longest of its edges.
pub(crate) fn closest_shares(point: DVec3, &[a, b, c]: &[DVec3; 3]) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    if ab.cross(ac).length_squared() <= 0.0 {
        return closest_on_line(point, [a, b, c]);
    }
    let ap = point - a;
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let bp = point - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return [1.0 - v, v, 0.0];
    }
    let cp = point - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return [1.0 - w, 0.0, w];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - w, w];
    }
    let sum = va + vb + vc;
    let (v, w) = (vb / sum, vc / sum);
    [1.0 - v - w, v, w]
}

fn closest_on_line(point: DVec3, corners: [DVec3; 3]) -> [f64; 3] {
    let edges = [[0, 1], [1, 2], [2, 0]];
    let length = |&[i, j]: &[usize; 2]| corners[i].distance_squared(corners[j]);
    let [i, j] = edges.into_iter().max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or([0, 1]);
    let along = corners[j] - corners[i];
    let t = (point - corners[i]).dot(along) / along.length_squared();
    let t = if t.is_finite() { t.clamp(0.0, 1.0) } else { 0.0 };
    let mut shares = [0.0; 3];
    shares[i] = 1.0 - t;
    shares[j] = t;
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// `count` cards of two triangles each, at random.
    fn cards(count: usize, mut seed: u64) -> (Vec<DVec3>, Vec<[u32; 3]>, Vec<u32>) {
        let mut next = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) as f64 / (1u64 << 31) as f64
        };
        let mut points = Vec::new();
        let mut triangles = Vec::new();
        let mut component_of = Vec::new();
        for card in 0..count as u32 {
            let corner = DVec3::new(next(), next(), next());
            let [u, v] = [0; 2].map(|_| 0.2 * DVec3::new(next(), next(), next()));
            points.extend([corner, corner + u, corner + u + v, corner + v]);
            component_of.extend([card; 4]);
            triangles.extend([[0, 1, 2], [0, 2, 3]].map(|t| t.map(|i: u32| 4 * card + i)));
        }
        (points, triangles, component_of)
    }

    /// By definition: the nearest triangle of each other shell, the nearest shells of them.
    fn expected<const K: usize>(
        (points, triangles, component_of): &(Vec<DVec3>, Vec<[u32; 3]>, Vec<u32>),
        point: DVec3,
        own: u32,
        within: f64,
    ) -> Vec<(u32, f64)> {
        let num = component_of.iter().max().map_or(0, |most| most + 1);
        let mut nearest: Vec<(u32, f64)> = (0..num)
            .filter(|&component| component != own)
            .filter_map(|component| {
                let of_shell =
                    triangles.iter().filter(|t| component_of[t[0] as usize] == component);
                let distances = of_shell.map(|t| {
                    let corners = t.map(|p| points[p as usize]);
                    let [a, b, c] = closest_shares(point, &corners);
                    point.distance(corners[0] * a + corners[1] * b + corners[2] * c)
                });
                Some((component, distances.min_by(f64::total_cmp)?))
            })
            .filter(|&(_, distance)| distance <= within)
            .collect();
        nearest.sort_by(|a, b| a.1.total_cmp(&b.1));
        nearest.truncate(K);
        nearest
    }

    proptest! {
        #[test]
        fn the_tree_finds_what_trying_every_triangle_finds(
            count in 1..40usize,
            seed in 0..1000u64,
            place in prop::array::uniform3(0.0..1.0f64),
            own in 0..40u32,
            within in prop::sample::select(vec![0.05, 0.3, 9.0]),
        ) {
            let all = cards(count, seed);
            let tree = ShellTree::new(&all.0, &all.1, &all.2);
            let place = DVec3::from(place);
            let found: Vec<(u32, f64)> = tree
                .closest_of_others::<2>(place, own, within)
                .iter()
                .flatten()
                .map(|hit| (hit.component, hit.distance))
                .collect();
            prop_assert_eq!(found, expected::<2>(&all, place, own, within));
        }

        #[test]
        fn the_closest_point_is_no_further_than_any_other(
            at in prop::array::uniform9(-1.0..1.0f64),
            place in prop::array::uniform3(-2.0..2.0f64),
            flat in prop::bool::ANY,
        ) {
            let [a, b, mut c] = [0, 3, 6].map(|k| DVec3::new(at[k], at[k + 1], at[k + 2]));
            if flat {
                c = a.lerp(b, 0.5);
            }
            let place = DVec3::from(place);
            let on = |[u, v, w]: [f64; 3]| a * u + b * v + c * w;
            let best = place.distance(on(closest_shares(place, &[a, b, c])));
            for i in 0..=10 {
                for j in 0..=10 - i {
                    let (u, v) = (f64::from(i) / 10.0, f64::from(j) / 10.0);
                    prop_assert!(best <= place.distance(on([u, v, 1.0 - u - v])) + 1e-9);
                }
            }
        }
    }

    #[test]
    fn nothing_is_near_nothing() {
        let tree = ShellTree::new(&[], &[], &[]);
        assert_eq!(tree.closest_of_others::<1>(DVec3::ZERO, 0, 1.0), [None]);
        let broken = [DVec3::NAN, DVec3::X, DVec3::Y];
        let tree = ShellTree::new(&broken, &[[0, 1, 2]], &[0; 3]);
        assert_eq!(tree.closest_of_others::<1>(DVec3::ZERO, 1, 1.0), [None]);
    }
}
