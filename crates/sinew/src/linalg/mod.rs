//! Sparse solving that several modules share, over faer: factor once, solve many times.

mod cholesky;
mod laplacian;
mod small;

pub(crate) use cholesky::{NotPositive, SparseCholesky};
pub(crate) use laplacian::Laplacian;
pub(crate) use small::SmallSpd;
