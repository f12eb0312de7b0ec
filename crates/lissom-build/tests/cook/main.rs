//! From scenes and files to archives: the bound, the pipeline, recipes, graphs, and the mannequin.

mod archive;
mod bound;
mod draft;
mod effort;
mod feet;
mod graphs;
mod locomotion;
mod mannequin;
mod matching;
mod pipeline;
mod recipe_files;
mod recipes;
