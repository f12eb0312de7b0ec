//! The log of all apps of this binary, kept so that tests can read it.

use std::{
    fmt::{Debug, Write},
    sync::{LazyLock, Mutex},
};
use tracing::{
    Event, Level, Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id, Record},
    subscriber::set_global_default,
};

static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Keeps the plugin's own errors; those of Bevy about the same file are no proof.
struct Kept;

struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            write!(self.0, "{value:?}").unwrap();
        }
    }
}

impl Subscriber for Kept {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == Level::ERROR && metadata.target().starts_with("bevy_lissom")
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        LINES.lock().unwrap().push(message.0);
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Keeps all errors from now on.
pub fn keep() {
    static ONCE: LazyLock<()> = LazyLock::new(|| set_global_default(Kept).unwrap());
    LazyLock::force(&ONCE);
}

/// The errors that name an entity.
pub fn of(name: &str) -> Vec<String> {
    let start = format!("\"{name}\" (");
    LINES.lock().unwrap().iter().filter(|line| line.starts_with(&start)).cloned().collect()
}

/// How many errors contain this. Tests run side by side: ask for a name that only one of them uses.
pub fn count(of: &str) -> usize {
    LINES.lock().unwrap().iter().filter(|line| line.contains(of)).count()
}
