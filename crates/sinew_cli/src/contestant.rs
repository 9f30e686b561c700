//! The ways to deform a skin that pictures put side by side: every method, and every spring model
//! from its own first stage.

use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;

/// One way of deforming that is compared with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Contestant {
    /// What the springs start from, or all there is; `None` for the model's own first stage.
    pub(crate) method: Option<SkinMethod>,
    pub(crate) model: Option<SpringModel>,
}

/// What people call the anchored ones.
const SPRINGS: &str = "springs";

impl Contestant {
    /// All of them, from the plainest to the best.
    pub(crate) fn all() -> Vec<Self> {
        let methods = SkinMethod::ALL.map(Self::of_method);
        // The best model last, whatever the library's order.
        let mut models = SpringModel::ALL;
        models.sort_by_key(|model| match model {
            SpringModel::DeltaMush => 0,
            SpringModel::Paper => 1,
            SpringModel::Anchored => 2,
        });
        methods.into_iter().chain(models.map(Self::of_model)).collect()
    }

    pub(crate) const fn of_method(method: SkinMethod) -> Self {
        Self { method: Some(method), model: None }
    }

    pub(crate) const fn of_model(model: SpringModel) -> Self {
        Self { method: None, model: Some(model) }
    }

    /// For file names and classes.
    pub(crate) fn name(self) -> String {
        match (self.method, self.model) {
            (Some(method), None) => method.name().to_owned(),
            (None, Some(model)) => model.name().to_owned(),
            (Some(method), Some(model)) => format!("{}-{}", method.name(), model.name()),
            (None, None) => SkinMethod::Linear.name().to_owned(),
        }
    }

    /// For captions.
    pub(crate) fn label(self) -> String {
        let of_method = |method| match method {
            SkinMethod::Rigid => "Rigid",
            SkinMethod::Linear => "Linear blend",
            SkinMethod::DualQuat => "Dual quaternion",
            SkinMethod::CenterOfRotation => "Centres of rotation",
            SkinMethod::BoneSmooth => "Bone-smooth",
        };
        let of_model = |model| match model {
            SpringModel::Anchored => "Springs",
            SpringModel::Paper => "Paper's springs (for study)",
            SpringModel::DeltaMush => "Delta mush",
        };
        match (self.method, self.model) {
            (method, None) => of_method(method.unwrap_or(SkinMethod::Linear)).to_owned(),
            (None, Some(model)) => of_model(model).to_owned(),
            (Some(method), Some(model)) => {
                format!("{} on {}", of_model(model), of_method(method).to_lowercase())
            }
        }
    }
}

impl std::str::FromStr for Contestant {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == SPRINGS {
            return Ok(Self::of_model(SpringModel::Anchored));
        }
        Self::all().into_iter().find(|contestant| contestant.name() == text).ok_or_else(|| {
            let names: Vec<String> = Self::all().into_iter().map(Self::name).collect();
            format!("'{text}' is none of {}, {SPRINGS} (anchored)", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contestant_can_be_typed_and_all_are_there() {
        for contestant in Contestant::all() {
            assert_eq!(contestant.name().parse(), Ok(contestant));
        }
        assert_eq!(Contestant::all().len(), SkinMethod::ALL.len() + SpringModel::ALL.len());
        assert_eq!("springs".parse(), Ok(Contestant::of_model(SpringModel::Anchored)));
        assert!("spring".parse::<Contestant>().unwrap_err().contains("anchored"));
    }
}
