//! Stand-ins until the branch `refit` is merged.
use super::*;
/// Rest.
pub struct SkinRest<'a> {
    /// p
    pub positions: &'a [Vec3],
    /// n
    pub normals: &'a [Vec3],
    /// c
    pub centers: &'a [Vec3],
    /// s
    pub skeleton: &'a Skeleton,
}
impl Skin {
    /// r
    pub fn refit(&mut self, _: &SkinRest<'_>) {}
    /// c
    pub fn centers(&self) -> Vec<Vec3> {
        Vec::new()
    }
}
/// c
pub fn centers_of_displacements(
    _: &SkinInput<'_>,
    f: &[&[Vec3]],
    _: &dyn Progress,
) -> Result<Vec<Vec<Vec3>>, BindError> {
    Ok(f.iter().map(|f| f.to_vec()).collect())
}
impl crate::springs::SpringRig {
    /// r
    pub fn refit(&mut self, _: &[Vec3], _: &Skeleton) {}
    /// a
    pub fn adjust(
        &mut self,
        s: &crate::springs::SpringSettings,
    ) -> Result<bool, crate::springs::CoefficientError> {
        Ok(s == self.settings())
    }
}
impl Skeleton {
    /// m
    pub fn move_joints(&mut self, _: &Skeleton, _: &[glam::DVec3]) {}
}
