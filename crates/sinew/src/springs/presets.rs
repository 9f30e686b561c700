//! Springs for a kind of body: what an artist begins with, before any slider.

use super::{DynamicsSettings, SpringModel, SpringSettings};

/// A kind of body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpringPreset {
    /// Flesh that gives: round bends, long swings.
    Soft,
    /// Skin over bone: tight bends, short swings.
    Firm,
    /// Muscle: full bends that keep their volume, and stop soon.
    Muscular,
    /// A drawn figure: rubber bends, large swings.
    Cartoon,
    /// A body in clothes: shells hold together and swing little.
    Dressed,
}

impl SpringPreset {
    /// All of them, from soft to dressed.
    pub const ALL: [Self; 5] =
        [Self::Soft, Self::Firm, Self::Muscular, Self::Cartoon, Self::Dressed];

    /// The name at the command line and in panels.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Soft => "soft",
            Self::Firm => "firm",
            Self::Muscular => "muscular",
            Self::Cartoon => "cartoon",
            Self::Dressed => "dressed",
        }
    }

    /// What one sees, in a line.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Soft => "Flesh that gives: round bends, long swings",
            Self::Firm => "Skin over bone: tight bends, short swings",
            Self::Muscular => "Muscle: bends stay full, swings stop soon",
            Self::Cartoon => "Rubber: wide bends, large swings",
            Self::Dressed => "Clothes and armour hold together and swing little",
        }
    }

    /// Its springs. How long they run, and which bones points may hold on to, is not its matter:
    /// that stays as in `now`.
    pub fn springs(self, now: &SpringSettings) -> SpringSettings {
        let mut springs = now.clone();
        let plain = SpringSettings::new(SpringModel::Anchored);
        let of_point = std::mem::take(&mut springs.coefficients.of_point);
        let of_pair = std::mem::take(&mut springs.coefficients.of_pair);
        springs.model = plain.model;
        springs.first_stage = plain.first_stage;
        springs.coefficients = plain.coefficients;
        springs.coefficients.of_point = of_point;
        springs.coefficients.of_pair = of_pair;
        springs.keep_volume = plain.keep_volume;
        springs.shells = plain.shells;
        springs.attach.influence = plain.attach.influence;
        let coefficients = &mut springs.coefficients;
        match self {
            Self::Soft => {
                (coefficients.bone, coefficients.length) = (0.6, 0.6);
                springs.attach.influence = 1.3;
            }
            Self::Firm => {
                (coefficients.bone, coefficients.length, coefficients.volume) = (2.0, 1.5, 0.5);
                springs.attach.influence = 0.75;
            }
            Self::Muscular => {
                (coefficients.length, coefficients.torque) = (2.0, 1.5);
                springs.attach.influence = 0.9;
            }
            Self::Cartoon => {
                (coefficients.torque, coefficients.bone) = (0.7, 0.7);
                springs.attach.influence = 1.8;
            }
            Self::Dressed => {
                (coefficients.bone, coefficients.volume) = (1.3, 0.6);
            }
        }
        springs
    }

    /// How its skin swings.
    pub fn dynamics(self) -> DynamicsSettings {
        let (frequency_hz, damping_ratio, most_lag) = match self {
            Self::Soft => (2.2, 0.15, 1.5),
            Self::Firm => (6.0, 0.5, 0.3),
            Self::Muscular => (5.0, 0.4, 0.5),
            Self::Cartoon => (1.8, 0.08, 4.0),
            Self::Dressed => (3.5, 0.45, 0.5),
        };
        DynamicsSettings { frequency_hz, damping_ratio, most_lag, ..DynamicsSettings::default() }
    }

    /// The preset that these settings are, if they are one.
    pub fn of(springs: &SpringSettings, dynamics: &DynamicsSettings) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|preset| preset.springs(springs) == *springs && preset.dynamics() == *dynamics)
    }
}

impl std::str::FromStr for SpringPreset {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|preset| preset.name() == text);
        found.ok_or_else(|| {
            let all = Self::ALL.map(Self::name).join(", ");
            format!("'{text}' is none of {all}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_is_found_again_differs_from_the_others_and_can_be_bound() {
        let plain = SpringSettings::default();
        let mut known: Vec<SpringSettings> = Vec::new();
        for preset in SpringPreset::ALL {
            let (springs, dynamics) = (preset.springs(&plain), preset.dynamics());
            assert_eq!(SpringPreset::of(&springs, &dynamics), Some(preset));
            assert_eq!(preset.name().parse(), Ok(preset));
            assert_eq!(dynamics.check(), Ok(()));
            assert!(!known.contains(&springs), "{preset:?}");
            known.push(springs);
        }
        assert_eq!(SpringPreset::of(&plain, &DynamicsSettings::default()), None);
        assert!("hard".parse::<SpringPreset>().unwrap_err().contains("soft, firm"));
    }

    #[test]
    fn a_preset_keeps_what_is_painted_and_how_long_springs_run() {
        let mut own = SpringSettings { iterations: 80, threshold: 1e-3, ..Default::default() };
        own.coefficients.of_point = vec![0.5; 7];
        own.attach.excluded_joints = vec![3];
        let soft = SpringPreset::Soft.springs(&own);
        assert_eq!((soft.iterations, soft.threshold), (80, 1e-3));
        assert_eq!(soft.coefficients.of_point, own.coefficients.of_point);
        assert_eq!(soft.attach.excluded_joints, [3]);
        // One preset after another is as the last one alone.
        assert_eq!(SpringPreset::Firm.springs(&soft), SpringPreset::Firm.springs(&own));
    }
}
