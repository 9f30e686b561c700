//! What each neighbour of a point counts for along the surface: by mean value coordinates (Floater
//! 2003, eq. 2.1), `(tan(α/2) + tan(β/2)) / length`, with α and β the angles at the point beside
//! the edge. Where the surface is flat, what varies evenly over it stays as it is, however long
//! its edges are; none is negative.

use crate::mesh::{Adjacency, Mesh};

/// One a neighbour, in the order of the ring, summing to one; even where lengths say nothing.
pub(super) fn ring_shares(mesh: &Mesh, adjacency: &Adjacency, point: u32) -> Vec<f64> {
    let ring = adjacency.ring(point as usize);
    let place = |at: u32| mesh.points()[at as usize].as_dvec3();
    let here = place(point);
    let mut shares = vec![0.0; ring.len()];
    for &triangle in adjacency.fan(point as usize) {
        let corners = mesh.point_triangles()[triangle as usize];
        let others: Vec<u32> = corners.into_iter().filter(|&corner| corner != point).collect();
        let [a, b] = others[..] else { continue };
        let (to_a, to_b) = (place(a) - here, place(b) - here);
        let half = (0.5 * to_a.angle_between(to_b)).tan();
        for (other, way) in [(a, to_a), (b, to_b)] {
            let share = half / way.length();
            if let Some(at) = ring.iter().position(|&next| next == other)
                && share.is_finite()
            {
                shares[at] += share;
            }
        }
    }
    let sum: f64 = shares.iter().sum();
    if sum > 0.0 && sum.is_finite() {
        shares.iter_mut().for_each(|share| *share /= sum);
    } else {
        shares.fill(1.0 / ring.len().max(1) as f64);
    }
    shares
}
