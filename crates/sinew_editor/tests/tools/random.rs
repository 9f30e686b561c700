//! Strokes that no hand draws, and small characters to draw them on.

use sinew::glam::Vec2;
use sinew::sample::{SampleKind, SampleOptions};
use sinew_editor::{Document, Source};

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1u64 << 24) as f32
    }

    pub(crate) fn pixel(&mut self) -> Vec2 {
        Vec2::new(self.next(), self.next()) * Vec2::new(1280.0, 800.0)
    }

    /// Jitter, loops, one point, off the screen, and what no pen does.
    pub(crate) fn stroke(&mut self, from: Vec2) -> Vec<Vec2> {
        self.stroke_of(from, [1, 2, 3, 8, 24])
    }

    /// The same in few moves, where each of them is dear.
    pub(crate) fn short_stroke(&mut self, from: Vec2) -> Vec<Vec2> {
        self.stroke_of(from, [1, 2, 2, 3, 5])
    }

    fn stroke_of(&mut self, from: Vec2, counts: [usize; 5]) -> Vec<Vec2> {
        let count = counts[(self.next() * 5.0) as usize % 5];
        let size = [2.0, 40.0, 400.0, 4000.0][(self.next() * 4.0) as usize % 4];
        let turns = 12.0 * (self.next() - 0.5);
        let mut way = vec![from];
        for step in 1..count {
            let angle = turns * step as f32 / count as f32;
            let jitter = 0.3 * size * (Vec2::new(self.next(), self.next()) - 0.5);
            way.push(from + size * (Vec2::from_angle(angle) - Vec2::X) + jitter);
        }
        if self.next() < 0.05 {
            let bad = [f32::NAN, f32::INFINITY, 1e30][(self.next() * 3.0) as usize % 3];
            way.push(Vec2::new(bad, 3.0));
        }
        way
    }
}

/// How many strokes are drawn: `SINEW_STROKES`, by hand, for all 100,000.
pub(crate) fn num_strokes(usual: usize) -> usize {
    std::env::var("SINEW_STROKES").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// A sample with few points, where it can have few.
pub(crate) fn small(kind: SampleKind) -> Document {
    let options = SampleOptions { points: Some(300), ..SampleOptions::new(kind) };
    Document::open(Source::Sample(options), None)
        .or_else(|_| Document::open(Source::sample(kind), None))
        .unwrap()
}
