//! A limb of clay: elliptic sections along a straight axis, with a centre that may leave it.
//!
//! Each section has four radii (out, in, front, back), so that a calf can be full behind and flat
//! in front; between stations everything runs along cubic Hermite curves. Past its ends the limb
//! closes like an ellipsoid.

use glam::DVec3;

/// One section: where along the axis (0 to 1), the centre's offset, and the radii out, in, front
/// and back; metres.
#[derive(Clone, Copy, Debug)]
pub(super) struct Station(pub(super) f64, pub(super) [f64; 2], pub(super) [f64; 4]);

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Loft {
    start: DVec3,
    along: DVec3,
    out: DVec3,
    front: DVec3,
    length: f64,
    /// Height of the closing caps at start and end, metres.
    caps: [f64; 2],
    stations: Vec<[f64; 7]>,
    slopes: Vec<[f64; 6]>,
}

impl Loft {
    /// From `start` to `end`; `out` and `front` are made orthogonal to the axis.
    pub(super) fn new(ends: [DVec3; 2], front: DVec3, out: DVec3, stations: &[Station]) -> Self {
        let axis = ends[1] - ends[0];
        let length = axis.length();
        let along = axis / length;
        let front = front.reject_from(along).normalize();
        let out = out.reject_from(along).reject_from(front).normalize();
        let stations: Vec<[f64; 7]> = stations
            .iter()
            .map(|s| [s.0, s.1[0], s.1[1], s.2[0], s.2[1], s.2[2], s.2[3]])
            .collect();
        let slopes = (0..stations.len())
            .map(|i| {
                let (low, high) = (i.saturating_sub(1), (i + 1).min(stations.len() - 1));
                let span = stations[high][0] - stations[low][0];
                // Flat ends: the closing caps meet the limb without a ridge.
                let end = i == 0 || i + 1 == stations.len();
                std::array::from_fn(|c| {
                    if end { 0.0 } else { (stations[high][c + 1] - stations[low][c + 1]) / span }
                })
            })
            .collect();
        let mean = |s: &[f64; 7]| 0.25 * (s[3] + s[4] + s[5] + s[6]);
        let caps = [mean(&stations[0]), mean(&stations[stations.len() - 1])];
        Self { start: ends[0], along, out, front, length, caps, stations, slopes }
    }

    /// With caps of these heights instead of the mean radius.
    pub(super) fn capped(mut self, start: f64, end: f64) -> Self {
        self.caps = [start, end];
        self
    }

    fn section(&self, t: f64) -> [f64; 6] {
        let last = self.stations.len() - 1;
        let next = self.stations.partition_point(|s| s[0] <= t);
        if next == 0 {
            return std::array::from_fn(|c| self.stations[0][c + 1]);
        }
        if next > last {
            return std::array::from_fn(|c| self.stations[last][c + 1]);
        }
        let (a, b) = (&self.stations[next - 1], &self.stations[next]);
        let span = b[0] - a[0];
        let s = (t - a[0]) / span;
        let (s2, s3) = (s * s, s * s * s);
        let h = [2.0 * s3 - 3.0 * s2 + 1.0, s3 - 2.0 * s2 + s, 3.0 * s2 - 2.0 * s3, s3 - s2];
        let (ma, mb) = (&self.slopes[next - 1], &self.slopes[next]);
        std::array::from_fn(|c| {
            h[0] * a[c + 1] + h[1] * span * ma[c] + h[2] * b[c + 1] + h[3] * span * mb[c]
        })
    }

    /// First-order signed distance, metres.
    pub(super) fn distance(&self, p: DVec3) -> f64 {
        let q = p - self.start;
        let w = q.dot(self.along);
        let [cu, cv, r_out, r_in, r_front, r_back] = self.section(w / self.length);
        let (u, v) = (q.dot(self.out) - cu, q.dot(self.front) - cv);
        let ru = if u >= 0.0 { r_out } else { r_in };
        let rv = if v >= 0.0 { r_front } else { r_back };
        let (over, cap) =
            if w < 0.0 { (w, self.caps[0]) } else { ((w - self.length).max(0.0), self.caps[1]) };
        let scaled = DVec3::new(u / ru, v / rv, over / cap);
        let k0 = scaled.length();
        let k1 = DVec3::new(u / (ru * ru), v / (rv * rv), over / (cap * cap)).length();
        // Inside, the section knows nothing of the ends, and flat sections read too deep: nothing
        // is further in than the least radius or than the nearer end.
        let to_ends = (w + self.caps[0]).min(self.length - w + self.caps[1]);
        let deepest = -ru.min(rv).min(to_ends.max(0.0));
        if k1 < 1e-9 { deepest } else { (k0 * (k0 - 1.0) / k1).max(deepest) }
    }
}
