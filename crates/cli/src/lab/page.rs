//! The page: it is built from crates/web/page and committed, so that this command needs no Node.
//!
//! The command takes the file as it is. That is no import of the crate: nothing of its code is used here.

use serde::Deserialize;
use serde_json::Value;

/// The built page.
const PAGE: &str = include_str!("../../../web/page/dist/lab.html");
/// What tells a page of the lab from other files.
const MARK: &str = "<meta name=\"dumbbell-sources\"";
/// Where a page tells what it begins with.
const BODY: &str = "<body>";

/// A paper with its figures, as the page lists them.
#[derive(Deserialize)]
struct Paper {
    id: String,
    figures: Vec<Figure>,
}

#[derive(Deserialize)]
struct Figure {
    id: String,
    title: String,
}

/// Whether a text is a page of the lab.
pub fn is_page(text: &str) -> bool {
    text.contains(MARK)
}

/// The page that begins with this.
pub fn beginning_with(start: &Value) -> String {
    // No tag in a scenario's text ends the script. It is data, which the browser does not run.
    let data = start.to_string().replace('<', "\\u003c");
    let script = format!("{BODY}\n<script type=\"application/json\" id=\"start\">{data}</script>");
    PAGE.replacen(BODY, &script, 1)
}

/// Finds a figure by its name, `PAPER/FIGURE`, or by the figure's own name if only one paper has it. Returns the name
/// in full.
///
/// # Errors
/// A message that lists the figures.
pub fn preset(name: &str) -> Result<String, String> {
    let papers = papers()?;
    let all = || {
        let of = |paper: &Paper| {
            let figures = paper.figures.iter();
            let name =
                |figure: &Figure| (format!("{}/{}", paper.id, figure.id), figure.title.clone());
            figures.map(name).collect::<Vec<_>>()
        };
        papers.iter().flat_map(of)
    };
    if let Some((whole, _)) = all().find(|(whole, _)| whole == name) {
        return Ok(whole);
    }
    let short =
        |(whole, _): &(String, String)| whole.split_once('/').is_some_and(|it| it.1 == name);
    let mut found = all().filter(short);
    match (found.next(), found.next()) {
        (Some((whole, _)), None) => Ok(whole),
        (one, _) => {
            let problem = match one {
                Some(_) => format!("several papers have a figure `{name}`"),
                None => format!("there is no figure `{name}`"),
            };
            let width = all().map(|(whole, _)| whole.len()).max().unwrap_or(0);
            let list = all().map(|(whole, title)| format!("\n    {whole:width$}  {title}"));
            Err(format!(
                "{problem}\n  = help: the figures are{}",
                list.collect::<String>()
            ))
        }
    }
}

/// The figures in the page.
fn papers() -> Result<Vec<Paper>, String> {
    let open = "<script type=\"application/json\" id=\"presets\">";
    let begin = PAGE.split_once(open).map(|(_, rest)| rest);
    let data = begin.and_then(|rest| rest.split_once("</script>"));
    let data = data.ok_or("the page of this program has no figures")?;
    serde_json::from_str(data.0)
        .map_err(|wrong| format!("the figures of the page cannot be read: {wrong}"))
}
