//! Renders a paper's notes from Markdown as a part of the page.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html::push_html};

use super::document::Paper;
use crate::markup::{Beside, Text, anchor};

/// The ending of the file name for a paper's notes.
pub const NOTES: &str = ".NOTES.md";

/// The heading under which the notes explain verdicts.
const EXPLAINED: &str = "What does not";

/// Returns the notes in a collapsed block; empty if there are none.
pub(super) fn html(paper: &Paper) -> String {
    if paper.notes.trim().is_empty() {
        return String::new();
    }
    let notes = Notes::of(paper);
    let headings: Vec<String> = notes
        .headings
        .iter()
        .map(|heading| Text(heading).to_string())
        .collect();
    format!(
        r#"<details class="fold notes" id="{}"><summary>Notes <span class="amount">{}</span></summary>
<div class="prose">{}</div>
<p class="hint">As a file: <a href="{}">{}</a></p></details>
"#,
        place(paper),
        headings.join(" · "),
        notes.html,
        Beside(&paper.name, NOTES),
        Text(&format!("{}{NOTES}", paper.name)),
    )
}

/// The anchor of the notes.
pub(super) fn place(paper: &Paper) -> String {
    anchor("notes", &[&paper.name])
}

/// The anchor where the notes explain verdicts; if there is no such section, that of the notes;
/// `None` without notes.
pub(super) fn explanation(paper: &Paper) -> Option<String> {
    if paper.notes.trim().is_empty() {
        return None;
    }
    let has = Notes::of(paper).headings.iter().any(|h| h == EXPLAINED);
    Some(if has {
        anchor("notes", &[&paper.name, EXPLAINED])
    } else {
        place(paper)
    })
}

struct Notes {
    html: String,
    /// The headings below the title.
    headings: Vec<String>,
}

impl Notes {
    fn of(paper: &Paper) -> Self {
        let parser = Parser::new_ext(&paper.notes, Options::ENABLE_TABLES);
        let mut events: Vec<Event<'_>> = Vec::new();
        let mut headings: Vec<String> = Vec::new();
        // The position of the current heading among the events.
        let mut heading: Option<usize> = None;
        for event in parser {
            match event {
                // HTML in the notes is shown as text.
                Event::Html(text) | Event::InlineHtml(text) => events.push(Event::Text(text)),
                // Links to other sites are kept; the text of any other link stays text.
                Event::Start(Tag::Link { ref dest_url, .. }) if !leads_out(dest_url) => {
                    events.push(raw("<span>"));
                }
                Event::End(TagEnd::Link) => {
                    let out = events.iter().rev().find_map(|event| match event {
                        Event::Start(Tag::Link { .. }) => Some(true),
                        Event::Html(text) if &**text == "<span>" => Some(false),
                        _ => None,
                    });
                    events.push(if out == Some(true) {
                        event
                    } else {
                        raw("</span>")
                    });
                }
                Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {}
                Event::Start(Tag::Table(_)) => {
                    events.push(raw(
                        r#"<div class="scroll" role="region" tabindex="0" aria-label="Table of the notes">"#,
                    ));
                    events.push(event);
                }
                Event::End(TagEnd::Table) => {
                    events.push(event);
                    events.push(raw("</div>"));
                }
                Event::Start(Tag::Heading { .. }) => {
                    heading = Some(events.len());
                    events.push(event);
                }
                Event::End(TagEnd::Heading(level)) => {
                    let begin = heading.take().unwrap_or(events.len());
                    let words = words(&events[begin..]);
                    if level == HeadingLevel::H1 {
                        // The page already shows the paper's title.
                        events.truncate(begin);
                        continue;
                    }
                    let id = anchor("notes", &[&paper.name, &words]);
                    let level = below(level);
                    events[begin] = Event::Start(Tag::Heading {
                        level,
                        id: (!headings.contains(&words)).then(|| CowStr::from(id)),
                        classes: Vec::new(),
                        attrs: Vec::new(),
                    });
                    events.push(Event::End(TagEnd::Heading(level)));
                    headings.push(words);
                }
                event => events.push(event),
            }
        }
        let mut html = String::new();
        push_html(&mut html, events.into_iter());
        Self { html, headings }
    }
}

fn raw(markup: &'static str) -> Event<'static> {
    Event::Html(CowStr::Borrowed(markup))
}

fn leads_out(address: &str) -> bool {
    ["https://", "http://"]
        .iter()
        .any(|scheme| address.starts_with(scheme))
}

/// The level of a heading on the page, where the paper's title has level 2.
fn below(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 | HeadingLevel::H2 => HeadingLevel::H3,
        _ => HeadingLevel::H4,
    }
}

/// The text of a heading.
fn words(events: &[Event<'_>]) -> String {
    let words = events.iter().filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(&**text),
        _ => None,
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    fn paper(notes: &str) -> Paper {
        let mut paper = example::document().papers.remove(0);
        paper.notes = notes.to_owned();
        paper
    }

    #[test]
    fn headings_lists_and_tables_become_markup() {
        let notes = "# Title\n\n## Assumptions\n\n| what | value |\n|---|---|\n| loss `p` | a & b |\n\n\
                     ## What does not\n\n* Figure 5: *no*.\n\n### Deep\n";
        let paper = paper(notes);
        let html = html(&paper);
        for part in [
            "<details class=\"fold notes\" id=\"notes.one\">",
            "Assumptions · What does not · Deep",
            "<h3 id=\"notes.one.Assumptions\">Assumptions</h3>",
            "<th>what</th><th>value</th>",
            "<td>loss <code>p</code></td><td>a &amp; b</td>",
            "<li>Figure 5: <em>no</em>.</li>",
            "<h4 id=\"notes.one.Deep\">Deep</h4>",
            "href=\"./one.NOTES.md\"",
        ] {
            assert!(html.contains(part), "{part}\n{html}");
        }
        assert!(!html.contains("Title"), "the page has it already");
        let explained = explanation(&paper).expect("there are notes");
        assert_eq!(explained, "notes.one.What_20does_20not");
        assert!(html.contains(&format!("id=\"{explained}\"")));
    }

    #[test]
    fn html_in_notes_is_escaped() {
        let html = html(&paper(
            "## <img src=x onerror=1>\n\n<script>alert(1)</script>\n\nA <b onclick=x>bold</b> \
             [way](javascript:alert(1)) [out](https://example.org/?a=\"b\") ![alt](http://x/y.png)\n\n\
             | <i>a</i> |\n|---|\n| </table><script> |\n",
        ));
        for bad in ["<img", "<script", "<b ", "<i>", "javascript:", "y.png"] {
            assert!(!html.contains(bad), "{bad}\n{html}");
        }
        assert_eq!(html.matches("</table>").count(), 1);
        assert!(html.contains("&lt;script&gt;alert(1)"));
        assert!(html.contains("<span>way</span>"));
        assert!(html.contains("<a href=\"https://example.org/?a=%22b%22\">out</a>"));
    }

    #[test]
    fn without_notes_there_is_nothing() {
        let paper = paper(" \n");
        assert_eq!(html(&paper), "");
        assert_eq!(explanation(&paper), None);
        let mut bare = paper;
        bare.notes = "Only words.".to_owned();
        assert_eq!(explanation(&bare).as_deref(), Some("notes.one"));
    }
}
