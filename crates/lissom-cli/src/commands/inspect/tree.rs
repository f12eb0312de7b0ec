//! A tree as text: `├─`, `└─` and `│`.

/// What stands before each name of a list in depth-first order: lines from its parent down to it.
pub(super) fn lines(parents: &[Option<usize>]) -> Vec<String> {
    // The last child of each parent ends its line.
    let mut last = vec![None; parents.len()];
    for (joint, parent) in parents.iter().enumerate() {
        if let Some(parent) = parent {
            last[*parent] = Some(joint);
        }
    }
    let mut out: Vec<String> = Vec::with_capacity(parents.len());
    // What the lines of a joint's children begin with.
    let mut inside: Vec<String> = Vec::with_capacity(parents.len());
    for (joint, parent) in parents.iter().enumerate() {
        let (own, below) = match parent {
            None => (String::new(), String::new()),
            Some(parent) => {
                let ends = last[*parent] == Some(joint);
                let before = &inside[*parent];
                let (branch, trunk) = if ends { ("└─ ", "   ") } else { ("├─ ", "│  ") };
                (format!("{before}{branch}"), format!("{before}{trunk}"))
            }
        };
        out.push(own);
        inside.push(below);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_branch_ends_where_its_last_child_is() {
        // hips { leg { foot }, spine { head } }, prop
        let parents = [None, Some(0), Some(1), Some(0), Some(3), None];
        assert_eq!(lines(&parents), ["", "├─ ", "│  └─ ", "└─ ", "   └─ ", ""]);
    }
}
