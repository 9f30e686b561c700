//! The methods of the study, as a closed list of rigs.

use sinew::frame::{Normals, Rig};
use sinew::skin::SkinMethod;
use sinew::springs::SpringModel;

/// The name of [`Method::apart`].
pub const APART: &str = "anchored-apart";

/// A rig and what the tables call it.
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// As tables and filters have it.
    pub name: String,
    /// Without normals: figures are of points.
    pub rig: Rig,
}

impl Method {
    fn new(name: &str, rig: Rig) -> Self {
        Self { name: name.to_owned(), rig: rig.with_normals(Normals::Off) }
    }

    /// All of them, in the tables' order: every skinning method, then every model of springs after
    /// its own first stage.
    pub fn all() -> Vec<Self> {
        let skins = SkinMethod::ALL.map(|method| Self::new(method.name(), Rig::of(method)));
        let springs = SpringModel::ALL.map(|model| Self::new(model.name(), Rig::of_model(model)));
        skins.into_iter().chain(springs).collect()
    }

    /// Anchored springs that leave every shell to itself: what they were before shells were held
    /// together. Not among [`Self::all`]: it is studied where it is named.
    pub fn apart() -> Self {
        let mut apart = Self::new(APART, Rig::of_model(SpringModel::Anchored));
        if let Some(springs) = apart.rig.springs.as_mut() {
            springs.shells = 0.0;
        }
        apart
    }

    /// The same springs with another number of iterations; `None` for a method that has none.
    pub fn with_iterations(&self, number: u32) -> Option<Self> {
        let mut same = self.clone();
        same.rig.springs.as_mut()?.iterations = number;
        same.name = format!("{}@{number}", self.name);
        Some(same)
    }
}
