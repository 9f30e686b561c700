//! Blend shapes. An in-between is a shape of its own: a channel's weight is shared out between the
//! two shapes that it lies between.

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
}

pub(crate) fn channels(mesh: &Mesh) -> Vec<&BlendChannel> {
    mesh.blend_deformers.into_iter().flat_map(|deformer| &deformer.channels).collect()
}

pub(crate) fn targets(mesh: &Mesh) -> Vec<Target<'_>> {
    let mut targets = Vec::new();
    for channel in channels(mesh) {
        let last = channel.keyframes.len().saturating_sub(1);
        let rest = shared_out(channel, channel.weight);
        for (index, (keyframe, rest_weight)) in channel.keyframes.iter().zip(rest).enumerate() {
            let name = &*channel.element.name;
            let name = if index == last {
                name.to_owned()
            } else {
                format!("{name} {:.0}%", 100.0 * keyframe.target_weight)
            };
            targets.push(Target { name, shape: &keyframe.shape, rest_weight });
        }
    }
    targets
}

/// What each shape of a channel has of its weight.
pub(crate) fn shared_out(channel: &BlendChannel, weight: f64) -> Vec<f64> {
    let at: Vec<f64> = channel.keyframes.iter().map(|keyframe| keyframe.target_weight).collect();
    shares(&at, weight)
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
}
