//! The contrast between a text and its background, as WCAG 2.2 defines it.

use plotters::style::{BLACK, RGBColor, WHITE};

/// White or black, whichever has the greater contrast on this background. That contrast is at least
/// 4.58, since the two contrasts have the product 21; WCAG requires 4.5 of small text (AA).
pub(super) fn ink(ground: RGBColor) -> RGBColor {
    if contrast(WHITE, ground) > contrast(BLACK, ground) {
        WHITE
    } else {
        BLACK
    }
}

/// The contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio").
pub(super) fn contrast(a: RGBColor, b: RGBColor) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// From 0 for black to 1 for white (WCAG 2.2, "relative luminance").
pub(super) fn luminance(RGBColor(red, green, blue): RGBColor) -> f64 {
    let linear = |channel: u8| match f64::from(channel) / 255.0 {
        part if part <= 0.04045 => part / 12.92,
        part => libm::pow((part + 0.055) / 1.055, 2.4),
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrasts_are_those_that_are_published() {
        let on_white = |colour| (contrast(colour, WHITE) * 100.0).floor() / 100.0;
        assert_eq!(on_white(BLACK), 21.0);
        assert_eq!(on_white(WHITE), 1.0);
        // The lightest grey that WCAG allows on white, and the next one (WebAIM's contrast checker).
        assert_eq!(on_white(RGBColor(0x76, 0x76, 0x76)), 4.54);
        assert_eq!(on_white(RGBColor(0x77, 0x77, 0x77)), 4.47);
        assert_eq!(on_white(RGBColor(0, 0, 255)), 8.59);
    }

    #[test]
    fn text_is_legible_on_every_grey() {
        for grey in 0..=255 {
            let ground = RGBColor(grey, grey, grey);
            let found = contrast(ink(ground), ground);
            assert!(found >= 4.5, "{grey}: {found}");
        }
    }
}
