#![no_main]

lissom_fuzz::target!("pose_memory");
