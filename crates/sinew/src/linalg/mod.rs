//! Sparse solving that several modules share, over faer: factor once, solve many times.

mod cholesky;
mod laplacian;

pub(crate) use cholesky::{NotPositive, SparseCholesky};
pub(crate) use laplacian::Laplacian;
