//! Blend shapes. A channel's weight is shared out between the two shapes that it lies between.
//!
//! Where a channel goes from nothing through in-betweens to its full shape at 1, as most do, its
//! full shape has the channel's weight, and an in-between at `t` is what is missing to it there:
//! its own shape less `t` times the full one, with a hat between its neighbours for a weight. That
//! is an in-between as Sinew drives it. Other channels keep a shape for each, with their shares.

use ufbx::{BlendChannel, Mesh};

/// The shapes of a node's mesh, for what animates them.
pub(crate) struct Shaped<'a> {
    pub(crate) node: usize,
    pub(crate) channels: Vec<&'a BlendChannel>,
}

/// One shape.
pub(crate) struct Target<'a> {
    pub(crate) name: String,
    pub(crate) shape: &'a ufbx::BlendShape,
    pub(crate) rest_weight: f64,
    /// What is taken off it: the full shape of its channel, so many times.
    pub(crate) less: Option<(&'a ufbx::BlendShape, f64)>,
}

/// A shape that follows another one's weight: places among a mesh's targets.
pub(crate) struct InBetween {
    pub(crate) name: String,
    pub(crate) target: usize,
    pub(crate) of: usize,
    pub(crate) weight: f64,
}

/// A full shape is at this weight, to rounding.
const FULL: f64 = 1.0;
const ROUNDING: f64 = 1e-6;

pub(crate) fn channels(mesh: &Mesh) -> Vec<&BlendChannel> {
    mesh.blend_deformers.into_iter().flat_map(|deformer| &deformer.channels).collect()
}

pub(crate) fn targets(mesh: &Mesh) -> Vec<Target<'_>> {
    let mut targets = Vec::new();
    for channel in channels(mesh) {
        let last = channel.keyframes.len().saturating_sub(1);
        let full = channel.keyframes.get(last).filter(|_| has_in_betweens(channel));
        let rest = shared_out(channel, channel.weight);
        for (index, (keyframe, rest_weight)) in channel.keyframes.iter().zip(rest).enumerate() {
            let name = &*channel.element.name;
            let name = if index == last {
                name.to_owned()
            } else {
                format!("{name} {:.0}%", 100.0 * keyframe.target_weight)
            };
            let less = full.filter(|_| index != last);
            let less = less.map(|full| (&*full.shape, keyframe.target_weight));
            targets.push(Target { name, shape: &keyframe.shape, rest_weight, less });
        }
    }
    targets
}

/// The targets of a mesh that are in-betweens of others.
pub(crate) fn in_betweens(channels: &[&BlendChannel]) -> Vec<InBetween> {
    let (mut found, mut first) = (Vec::new(), 0);
    for channel in channels {
        let last = channel.keyframes.len().saturating_sub(1);
        if has_in_betweens(channel) {
            for (index, keyframe) in channel.keyframes.iter().enumerate().take(last) {
                let weight = keyframe.target_weight;
                let name = format!("{} {:.0}%", &*channel.element.name, 100.0 * weight);
                found.push(InBetween { name, target: first + index, of: first + last, weight });
            }
        }
        first += channel.keyframes.len();
    }
    found
}

fn has_in_betweens(channel: &BlendChannel) -> bool {
    let at: Vec<f64> = channel.keyframes.iter().map(|keyframe| keyframe.target_weight).collect();
    goes_to_full(&at)
}

/// From above nothing, ever further, to the full shape.
fn goes_to_full(at: &[f64]) -> bool {
    let rises = at.windows(2).all(|pair| pair[1] - pair[0] > ROUNDING);
    let is_full = at.last().is_some_and(|last| (last - FULL).abs() < ROUNDING);
    at.len() > 1 && at[0] > ROUNDING && rises && is_full
}

/// What each target of a channel has of its weight.
pub(crate) fn shared_out(channel: &BlendChannel, weight: f64) -> Vec<f64> {
    let at: Vec<f64> = channel.keyframes.iter().map(|keyframe| keyframe.target_weight).collect();
    let mut shared = shares(&at, weight);
    if let Some(last) = shared.last_mut().filter(|_| goes_to_full(&at)) {
        *last = weight;
    }
    shared
}

fn shares(at: &[f64], weight: f64) -> Vec<f64> {
    let mut shares = vec![0.0; at.len()];
    let num_negative = at.iter().take_while(|&&target| target < 0.0).count();
    // Away from zero, on the weight's side; past the last, the line goes on.
    let order: Vec<usize> = if weight > 0.0 {
        (num_negative..at.len()).collect()
    } else {
        (0..num_negative).rev().collect()
    };
    let (mut before, mut next): (Option<usize>, Option<usize>) = (None, None);
    if order.is_empty() {
        // The line of the other side goes on through zero.
        next = if weight > 0.0 { num_negative.checked_sub(1) } else { Some(num_negative) };
    }
    for index in order {
        (before, next) = (next, Some(index));
        if at[index].abs() > weight.abs() {
            break;
        }
    }
    if let Some(next) = next.filter(|&next| next < at.len()) {
        let start = before.map_or(0.0, |before| at[before]);
        let span = at[next] - start;
        if span != 0.0 {
            let t = (weight - start) / span;
            shares[next] = t;
            if let Some(before) = before {
                shares[before] = 1.0 - t;
            }
        }
    }
    shares
}

/// Weights at which a channel goes from one shape to the next.
pub(crate) fn turns(channel: &BlendChannel) -> impl Iterator<Item = f64> + '_ {
    std::iter::once(0.0).chain(channel.keyframes.iter().map(|keyframe| keyframe.target_weight))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_shared_out_between_the_shapes_that_it_lies_between() {
        let at = [0.5, 1.0];
        assert_eq!(shares(&at, 0.0), [0.0, 0.0]);
        assert_eq!(shares(&at, 0.25), [0.5, 0.0]);
        assert_eq!(shares(&at, 0.75), [0.5, 0.5]);
        assert_eq!(shares(&at, 1.5), [-1.0, 2.0]);
        assert_eq!(shares(&[-1.0, 1.0], -0.5), [0.5, 0.0]);
        assert_eq!(shares(&[0.5, 1.0], -0.5), [-1.0, 0.0]);
        assert_eq!(shares(&[-1.0], 0.5), [-0.5]);
        assert!(shares(&[], 1.0).is_empty());
    }

    #[test]
    fn in_betweens_lead_to_a_full_shape_and_what_does_not_is_left_as_it_is() {
        assert!(goes_to_full(&[0.5, 1.0]) && goes_to_full(&[0.1, 0.2, 0.9, 1.0]));
        for other in [&[1.0][..], &[], &[-0.5, 1.0], &[0.5, 0.5, 1.0], &[0.5, 2.0], &[0.0, 1.0]] {
            assert!(!goes_to_full(other), "{other:?}");
        }
        // Shares of the shapes, and weights of what is missing to the full one, move points alike:
        // `s₁S + s₂F = b (S − .5F) + wF`.
        for weight in [-0.5, 0.25, 0.5, 0.75, 1.0, 1.5] {
            let [half, full] = shares(&[0.5, 1.0], weight)[..] else { panic!() };
            assert!((full + 0.5 * half - weight).abs() < 1e-12, "{weight}");
        }
    }
}
