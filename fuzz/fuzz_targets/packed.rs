#![no_main]

lissom_fuzz::target!("packed");
