//! Parts of the page that are folded away.

/// A part that its reader opens. Its content is text until then, which takes no time when the page is
/// opened; the page's program makes it a part of the page.
///
/// `content` is markup in which names and numbers are escaped, so that nothing in it ends a script.
pub(super) fn html(summary: &str, content: &str) -> String {
    format!(
        r#"<details class="fold later"><summary>{summary}</summary><script type="text/plain">{content}</script></details>"#
    )
}
