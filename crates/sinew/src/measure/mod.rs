//! Figures that say 'better'.
