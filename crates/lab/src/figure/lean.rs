//! Drawings in fewer bytes: what an SVG says again and again, once.

/// What the drawing library writes on every element, although it is what SVG assumes anyway.
const DEFAULTS: [&str; 2] = [" opacity=\"1\"", " stroke-width=\"1\""];
/// The font of every text, which its element can have from the whole drawing.
const FONT: &str = " font-family=\"sans-serif\"";

/// The same drawing without what its elements need not say. Texts are escaped, so that none has a
/// quotation mark, and none can be taken for an attribute.
pub(super) fn lean(svg: &str) -> String {
    let mut lean = svg
        .replace(FONT, "")
        .replacen("<svg", &format!("<svg{FONT}"), 1);
    for said in DEFAULTS {
        lean = lean.replace(said, "");
    }
    lean.replace(" \"/>", "\"/>")
}

#[cfg(test)]
mod tests {
    use plotters::prelude::*;

    use super::*;

    #[test]
    fn the_drawing_stays_the_same() {
        let mut svg = String::new();
        {
            let area = SVGBackend::with_string(&mut svg, (80, 60)).into_drawing_area();
            let text = ("sans-serif", 14).into_font().color(&BLACK);
            let words = r#"an opacity="1" of "all""#;
            let drawn = area.draw(&Text::new(words, (9, 9), text)).is_ok()
                && area
                    .draw(&PathElement::new([(1, 2), (3, 4)], RED.stroke_width(1)))
                    .is_ok()
                && area
                    .draw(&PathElement::new(
                        [(1, 2), (3, 4)],
                        RED.mix(0.5).stroke_width(2),
                    ))
                    .is_ok()
                && area.present().is_ok();
            assert!(drawn);
        }
        let lean = lean(&svg);
        assert_eq!(lean.matches("sans-serif").count(), 1);
        assert!(
            lean.starts_with("<svg font-family=\"sans-serif\" width=\"80\""),
            "{lean}"
        );
        assert!(lean.contains("an opacity=&quot;1&quot; of"), "{lean}");
        assert!(lean.contains("points=\"1,2 3,4\"/>"), "{lean}");
        assert!(lean.contains("opacity=\"0.5\"") && lean.contains("stroke-width=\"2\""));
        assert!(!lean.contains("\"1\""), "{lean}");
    }
}
