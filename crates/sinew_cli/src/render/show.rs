//! `--show`: what a picture tells beside the shape.

/// One thing that `--show` adds to the picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Show {
    /// How much of a joint's motion each place has.
    Weights(String),
    /// All joints at once, each in its colour.
    Influences,
    /// How far edges are stretched or compressed against rest.
    Stretch,
    /// How far shells that lie on one another have moved apart.
    Gap,
    /// Which shells bend, are tied, rigid or ride, and what is tied to what.
    Shells,
    /// Where points hold on to the bones, and the vectors from there.
    Attachments,
    /// The bones, in front of the skin.
    Skeleton,
    /// The same with the joints that move no skin, short.
    Helpers,
    /// The edges of triangles.
    Wireframe,
    /// A cage around it, from --cage.
    Cage,
}

impl std::str::FromStr for Show {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            Some(("weights", joint)) if !joint.is_empty() => Ok(Self::Weights(joint.to_owned())),
            _ => match text {
                "influences" => Ok(Self::Influences),
                "stretch" => Ok(Self::Stretch),
                "gap" => Ok(Self::Gap),
                "shells" => Ok(Self::Shells),
                "attachments" => Ok(Self::Attachments),
                "skeleton" => Ok(Self::Skeleton),
                "helpers" => Ok(Self::Helpers),
                "wireframe" => Ok(Self::Wireframe),
                "cage" => Ok(Self::Cage),
                "weights" | "weights:" => Err("write weights:JOINT, as in weights:elbow".into()),
                _ => Err("write weights:JOINT, influences, stretch, gap, shells, attachments, skeleton, helpers, wireframe or cage".into()),
            },
        }
    }
}

impl Show {
    /// True for what colours the skin: one of them at a time.
    pub(crate) fn is_paint(&self) -> bool {
        matches!(
            self,
            Self::Weights(_) | Self::Influences | Self::Stretch | Self::Gap | Self::Shells
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_may_have_colons_in_its_name() {
        assert_eq!("weights:rig:arm".parse(), Ok(Show::Weights("rig:arm".into())));
        assert_eq!("stretch".parse(), Ok(Show::Stretch));
        assert_eq!("gap".parse(), Ok(Show::Gap));
        assert_eq!("shells".parse(), Ok(Show::Shells));
        for bad in ["", "weights", "weights:", "bones", "cage:x"] {
            assert!(bad.parse::<Show>().is_err(), "{bad}");
        }
    }
}
