#![no_main]

lissom_fuzz::target!("acl_sjson");
