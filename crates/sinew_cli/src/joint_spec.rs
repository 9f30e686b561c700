//! `JOINT:AXIS:DEGREES`, `JOINT:FACTOR` and `JOINT:AXIS:FROM..TO:STEP`, as typed.
//!
//! Joint names may contain colons (`mixamorig:LeftArm`), so all are read from the right.

/// More steps than this are a typing error, not a sweep.
const MAX_SWEEP_STEPS: usize = 100_000;

/// A range's end counts as reached this near, in steps: 0..1 by 0.1 has eleven steps, not ten.
const STEP_TOLERANCE: f64 = 1e-9;

pub(crate) use sinew_editor::Axis;
pub(crate) use sinew_editor::pose_file::stretch_factor;

/// `JOINT:AXIS:DEGREES`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RotateSpec {
    pub(crate) joint: String,
    pub(crate) axis: Axis,
    pub(crate) degrees: f64,
}

impl std::str::FromStr for RotateSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const SHAPE: &str =
            "write JOINT:AXIS:DEGREES, as in elbow:bend:90, elbow:x:90 or wrist:twist:720";
        let mut fields = text.rsplitn(3, ':');
        let (Some(degrees), Some(axis), Some(joint)) =
            (fields.next(), fields.next(), fields.next())
        else {
            return Err(SHAPE.into());
        };
        if joint.is_empty() {
            return Err(format!("the joint's name is missing; {SHAPE}"));
        }
        let axis = Axis::parse(axis).map_err(|error| format!("{error}; {SHAPE}"))?;
        let degrees = number(degrees).map_err(|error| format!("{error}; {SHAPE}"))?;
        Ok(Self { joint: joint.to_owned(), axis, degrees })
    }
}

/// `JOINT:FACTOR`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StretchSpec {
    pub(crate) joint: String,
    pub(crate) factor: f64,
}

impl std::str::FromStr for StretchSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const SHAPE: &str = "write JOINT:FACTOR, as in forearm:1.5";
        let (joint, factor) = text.rsplit_once(':').ok_or(SHAPE)?;
        if joint.is_empty() {
            return Err(format!("the joint's name is missing; {SHAPE}"));
        }
        let factor = stretch_factor(factor.parse().ok())
            .map_err(|error| format!("'{factor}' {error}; {SHAPE}"))?;
        Ok(Self { joint: joint.to_owned(), factor })
    }
}

/// `JOINT:AXIS:FROM..TO:STEP`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SweepSpec {
    pub(crate) joint: String,
    pub(crate) axis: Axis,
    from_degrees: f64,
    step_degrees: f64,
    num_steps: usize,
}

impl std::str::FromStr for SweepSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const SHAPE: &str = "write JOINT:AXIS:FROM..TO:STEP, as in elbow:x:0..150:5";
        let mut fields = text.rsplitn(4, ':');
        let (Some(step), Some(range), Some(axis), Some(joint)) =
            (fields.next(), fields.next(), fields.next(), fields.next())
        else {
            return Err(SHAPE.into());
        };
        if joint.is_empty() {
            return Err(format!("the joint's name is missing; {SHAPE}"));
        }
        let axis = Axis::parse(axis).map_err(|error| format!("{error}; {SHAPE}"))?;
        let (from, to) = range
            .split_once("..")
            .ok_or_else(|| format!("'{range}' is no range FROM..TO; {SHAPE}"))?;
        let step = number(step).map_err(|error| format!("{error}; {SHAPE}"))?;
        let from_degrees = number(from).map_err(|error| format!("{error}; {SHAPE}"))?;
        let to_degrees = number(to).map_err(|error| format!("{error}; {SHAPE}"))?;
        if step == 0.0 {
            return Err(format!("a step of zero never arrives; {SHAPE}"));
        }
        // A sign is not needed to run down (90..0:15), but one that agrees does no harm.
        if step < 0.0 && to_degrees > from_degrees {
            return Err(format!("step {step} leads away from {to}; leave its sign out"));
        }
        let span = (to_degrees - from_degrees) / step;
        let last = (span.abs() + STEP_TOLERANCE).floor();
        if last >= MAX_SWEEP_STEPS as f64 {
            return Err(format!(
                "{from}..{to} by {step} is more than {MAX_SWEEP_STEPS} steps; take a larger step"
            ));
        }
        Ok(Self {
            joint: joint.to_owned(),
            axis,
            from_degrees,
            step_degrees: step.abs().copysign(to_degrees - from_degrees),
            num_steps: last as usize + 1,
        })
    }
}

impl SweepSpec {
    /// Every angle, from `FROM` to at most `TO`.
    pub(crate) fn degrees(&self) -> impl ExactSizeIterator<Item = f64> + '_ {
        (0..self.num_steps).map(|step| self.from_degrees + step as f64 * self.step_degrees)
    }
}

fn number(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        _ => Err(format!("'{text}' is no number of degrees")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_name_keeps_its_colons() {
        let spec: RotateSpec = "mixamorig:LeftArm:twist:-720.5".parse().unwrap();
        assert_eq!(spec.joint, "mixamorig:LeftArm");
        assert_eq!((spec.axis, spec.degrees), (Axis::Twist, -720.5));
        let sweep: SweepSpec = "a:b:c:z:0..1:1".parse().unwrap();
        assert_eq!(sweep.joint, "a:b:c");
    }

    #[test]
    fn what_is_no_rotation_says_how_to_write_one() {
        for bad in
            ["", "elbow", "elbow:x", ":x:1", "elbow:w:3", "elbow:x:", "elbow:x:inf", "e:x:nan"]
        {
            let error = bad.parse::<RotateSpec>().unwrap_err();
            assert!(error.contains("JOINT:AXIS:DEGREES"), "{bad}: {error}");
        }
    }

    #[test]
    fn a_stretch_is_a_joint_and_a_factor_above_zero() {
        let spec: StretchSpec = "mixamorig:LeftArm:1.5".parse().unwrap();
        assert_eq!((spec.joint.as_str(), spec.factor), ("mixamorig:LeftArm", 1.5));
        for bad in ["", "elbow", ":2", "elbow:", "elbow:0", "elbow:-1", "elbow:nan", "elbow:inf"] {
            let error = bad.parse::<StretchSpec>().unwrap_err();
            assert!(error.contains("JOINT:FACTOR"), "{bad}: {error}");
        }
    }

    #[test]
    fn a_sweep_ends_where_it_says_in_spite_of_rounding() {
        let sweep: SweepSpec = "j:x:0..1:0.1".parse().unwrap();
        let degrees: Vec<f64> = sweep.degrees().collect();
        assert_eq!(degrees.len(), 11);
        assert!((degrees[10] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_sweep_runs_down_and_never_past_its_end() {
        let sweep: SweepSpec = "j:x:-90..-170:30".parse().unwrap();
        assert_eq!(sweep.degrees().collect::<Vec<_>>(), [-90.0, -120.0, -150.0]);
        let signed: SweepSpec = "j:x:-90..-170:-30".parse().unwrap();
        assert_eq!(signed, sweep);
        let single: SweepSpec = "j:twist:45..45:5".parse().unwrap();
        assert_eq!(single.degrees().collect::<Vec<_>>(), [45.0]);
    }

    #[test]
    fn what_is_no_sweep_is_refused() {
        for bad in [
            "j:x:0..90",
            "j:x:0-90:5",
            "j:x:0..90:0",
            "j:x:0..90:-5",
            "j:x:0..1e9:1e-3",
            "j:x:..9:1",
        ] {
            assert!(bad.parse::<SweepSpec>().is_err(), "{bad}");
        }
    }
}
