//! From scenes and files to archives: the bound, the pipeline, recipes, graphs, and the mannequin.

mod bound;
mod effort;
mod graphs;
mod locomotion;
mod mannequin;
mod pipeline;
mod recipes;
