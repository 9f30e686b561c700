//! Channels: what the numbers of a frame are of.

use std::fmt;

/// One number a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// Along x, y or z (0, 1, 2).
    Position(usize),
    /// About x, y or z, in degrees.
    Rotation(usize),
    /// Something that a joint does not have here: its numbers are passed over.
    Other,
}

impl Channel {
    pub(super) fn of(name: &[u8]) -> Option<Self> {
        let (first, rest) = name.split_first()?;
        let axis = match first.to_ascii_lowercase() {
            b'x' => 0,
            b'y' => 1,
            b'z' => 2,
            _ => return None,
        };
        match rest.to_ascii_lowercase().as_slice() {
            b"position" => Some(Self::Position(axis)),
            b"rotation" => Some(Self::Rotation(axis)),
            b"scale" => Some(Self::Other),
            _ => None,
        }
    }
}

/// A joint's channels, in the order of the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Channels(pub(super) Vec<Channel>);

impl Channels {
    /// Positions along all axes, where wanted, and rotations in this order.
    pub(super) fn new(has_position: bool, order: [usize; 3]) -> Self {
        let positions = (0..3).filter(|_| has_position).map(Channel::Position);
        Self(positions.chain(order.map(Channel::Rotation)).collect())
    }

    /// From a line that [`fmt::Display`] wrote.
    pub(super) fn parse(line: &str) -> Option<Self> {
        line.split_ascii_whitespace()
            .map(|word| Channel::of(word.as_bytes()))
            .collect::<Option<_>>()
            .map(Self)
    }

    pub(super) fn has_position(&self) -> bool {
        self.0.iter().any(|channel| matches!(channel, Channel::Position(_)))
    }

    pub(super) fn has_rotation(&self) -> bool {
        self.0.iter().any(|channel| matches!(channel, Channel::Rotation(_)))
    }

    /// The axes of its rotations, if there are three different ones: what every rotation can be
    /// written with.
    pub(super) fn rotation_order(&self) -> Option<[usize; 3]> {
        let mut axes = self.0.iter().filter_map(|channel| match channel {
            Channel::Rotation(axis) => Some(*axis),
            Channel::Position(_) | Channel::Other => None,
        });
        let order = [axes.next()?, axes.next()?, axes.next()?];
        let is_whole = (0..3).all(|axis| order.contains(&axis));
        (is_whole && axes.next().is_none()).then_some(order)
    }
}

impl fmt::Display for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const AXES: [char; 3] = ['X', 'Y', 'Z'];
        for (index, channel) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" ")?;
            }
            match channel {
                Channel::Position(axis) => write!(f, "{}position", AXES[*axis])?,
                Channel::Rotation(axis) => write!(f, "{}rotation", AXES[*axis])?,
                Channel::Other => f.write_str("Xscale")?,
            }
        }
        Ok(())
    }
}
