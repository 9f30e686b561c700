//! How the cage tool works: at rest or in the pose, with which gesture, how far around, on one side
//! or on both. It belongs to the session, and panels change it.

use sinew::cage::CageReport;

/// What a drag of handles does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CageGesture {
    /// Moves the handles.
    #[default]
    Move,
    /// Turns them about their middle.
    Turn,
    /// Scales them about their middle.
    Scale,
}

/// What the cage tool does, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct CageWork {
    /// Handles are moved at rest, which is then what is shown; else in the pose.
    pub at_rest: bool,
    /// What a drag does.
    pub gesture: CageGesture,
    /// How far a drag reaches beyond the chosen handles, along the cage and over its diagonal; 0
    /// for not at all.
    pub reach: f64,
    /// What happens on one side happens on the other.
    pub mirrors: bool,
    /// Points of the cage that a check has found something at.
    pub bad_points: Vec<u32>,
    /// Faces, likewise.
    pub bad_faces: Vec<u32>,
}

impl Default for CageWork {
    fn default() -> Self {
        Self {
            at_rest: false,
            gesture: CageGesture::Move,
            reach: 0.0,
            mirrors: true,
            bad_points: Vec::new(),
            bad_faces: Vec::new(),
        }
    }
}

impl CageWork {
    /// The farthest that a drag may reach.
    pub const MAX_REACH: f64 = 0.5;

    /// Shows what a check has found.
    pub fn show(&mut self, report: &CageReport) {
        self.bad_points = report.faults.iter().flat_map(|fault| fault.points()).collect();
        self.bad_faces = report.faults.iter().flat_map(|fault| fault.faces()).collect();
    }

    /// Forgets what a check has found: the cage is another one.
    pub fn forget(&mut self) {
        self.bad_points.clear();
        self.bad_faces.clear();
    }
}
