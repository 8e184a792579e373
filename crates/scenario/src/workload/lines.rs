//! Files with one value per line, beside the scenario.

use crate::document::Node;
use crate::quantity::clip;

/// Reads the file that a node names: `parse` reads each line. At most `most` lines are permitted. The
/// file becomes a part of the scenario. A mistake is recorded with the file and the line.
pub(crate) fn read<T>(
    node: &Node<'_>,
    example: &str,
    most: usize,
    help: &str,
    mut parse: impl FnMut(&str) -> Option<T>,
) -> Option<Vec<T>> {
    let name = node.text(example)?;
    let (path, text) = match node
        .traces()
        .text(name, "the values themselves as an array")
    {
        Ok(found) => found,
        Err(wrong) => {
            node.wrong(wrong.message, wrong.help);
            return None;
        }
    };
    let mut values = Vec::new();
    for (number, line) in (1..).zip(text.trim_end().lines()) {
        let line = line.trim();
        if values.len() == most {
            let message = format!("{} has more than {most} lines", path.display());
            node.wrong(message, help);
            return None;
        }
        let Some(value) = parse(line) else {
            let place = path.display();
            let message = format!("{place}:{number}: `{}` cannot be read", clip(line));
            node.wrong(message, help);
            return None;
        };
        values.push(value);
    }
    if values.is_empty() {
        node.wrong(format!("{} is empty", path.display()), help);
        return None;
    }
    Some(values)
}
