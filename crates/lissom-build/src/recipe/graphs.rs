//! Tables under `graph`: graphs that are like another, with other clips.

use super::{RecipeError, value::Value};
use crate::graph::GraphRule;

/// The keys of such a table.
const KEYS: &[&str] = &["of", "clips"];

/// The most tables, and clips in one of them.
const MOST: usize = 1000;

pub(super) fn rules(graphs: &Value<'_>) -> Result<Vec<GraphRule>, RecipeError> {
    let tables = graphs.table()?.any_entries();
    if let Some(one) = tables.get(MOST) {
        let count = tables.len();
        return Err(one.wrong(format!("there are {count} tables of graphs, at most {MOST} are read")));
    }
    tables.iter().map(rule).collect()
}

fn rule(value: &Value<'_>) -> Result<GraphRule, RecipeError> {
    let table = value.table()?;
    if value.key().is_empty() {
        return Err(value.wrong("a graph needs a name"));
    }
    let mut rule = GraphRule { line: Some(table.line()), ..GraphRule::new(value.key(), "") };
    for value in table.entries(KEYS, "")? {
        if value.key() == "of" {
            rule.of = value.text()?.to_owned();
            continue;
        }
        let clips = value.table()?.any_entries();
        if clips.len() > MOST {
            return Err(value.wrong(format!("it may have {MOST} entries")));
        }
        let pair = |clip: &Value<'_>| Ok((clip.key().to_owned(), clip.text()?.to_owned()));
        rule.clips = clips.iter().map(pair).collect::<Result<_, RecipeError>>()?;
    }
    if rule.of.is_empty() {
        return Err(value.wrong("it needs the graph that it is like: of = \"hero\""));
    }
    if rule.clips.is_empty() {
        return Err(value.wrong("it needs other clips: clips = { walk = \"limp\" }"));
    }
    Ok(rule)
}
