//! Solving that several modules share, over faer: factor once, solve many times.

mod cholesky;
mod dense;
mod gmres;
mod laplacian;
mod small;

pub(crate) use cholesky::{NotPositive, SparseCholesky};
pub(crate) use dense::{Dense, DenseLu};
pub(crate) use gmres::gmres;
pub(crate) use laplacian::Laplacian;
pub(crate) use small::SmallSpd;
