//! Places names beside their points so that they overlap as little as possible.

/// A rectangle, in pixels; y grows downwards.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Box2 {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// Directions from a point to its label, the preferred ones first, and the distances that are
/// tried, in pixels.
const DIRECTIONS: [(f64, f64); 8] = [
    (1.0, 0.0),
    (-1.0, 0.0),
    (0.7, -0.7),
    (0.7, 0.7),
    (-0.7, -0.7),
    (-0.7, 0.7),
    (0.0, -1.0),
    (0.0, 1.0),
];
const DISTANCES: [f64; 4] = [9.0, 20.0, 34.0, 52.0];

/// Beyond this distance, a line connects the point and its label, in pixels.
const LEADER: f64 = 14.0;

impl Box2 {
    pub(super) fn new(left: f64, top: f64, right: f64, bottom: f64) -> Self {
        Self {
            left,
            top,
            right,
            bottom,
        }
    }

    pub(super) fn middle(&self) -> (f64, f64) {
        (
            (self.left + self.right) / 2.0,
            (self.top + self.bottom) / 2.0,
        )
    }

    /// The end of the line from the point, if the label is far enough away to need a line.
    pub(super) fn leader(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let end = (
            x.clamp(self.left, self.right),
            y.clamp(self.top, self.bottom),
        );
        let far = (end.0 - x).hypot(end.1 - y);
        (far > LEADER).then_some(end)
    }

    /// The area of the overlap of two rectangles.
    fn common(&self, other: &Self) -> f64 {
        let wide = self.right.min(other.right) - self.left.max(other.left);
        let high = self.bottom.min(other.bottom) - self.top.max(other.top);
        wide.max(0.0) * high.max(0.0)
    }

    fn area(&self) -> f64 {
        (self.right - self.left) * (self.bottom - self.top)
    }
}

/// Returns the rectangles of the labels. `crosses` are the rectangles that each point covers,
/// `sizes` the widths and heights of the labels, and `frame` the area that should contain them.
pub(super) fn place(
    points: &[(f64, f64)],
    crosses: &[[Box2; 2]],
    sizes: &[(f64, f64)],
    frame: Box2,
) -> Vec<Box2> {
    let mut placed: Vec<Option<Box2>> = vec![None; points.len()];
    // Points with close neighbours are placed first, because they have the least choice.
    let mut order: Vec<usize> = (0..points.len()).collect();
    let crowd = |i: usize| -> f64 {
        let others = points.iter().enumerate().filter(|(j, _)| *j != i);
        let far = |(x, y): &(f64, f64)| (x - points[i].0).hypot(y - points[i].1);
        others.map(|(_, other)| 1.0 / (far(other) + 10.0)).sum()
    };
    order.sort_by(|a, b| crowd(*b).total_cmp(&crowd(*a)));
    for i in order {
        let cost = |label: &Box2, rank: usize, distance: f64| {
            let others = placed
                .iter()
                .flatten()
                .map(|other| 8.0 * label.common(other));
            let drawn = crosses
                .iter()
                .flatten()
                .map(|cross| 4.0 * label.common(cross));
            let outside = 20.0 * (label.area() - label.common(&frame));
            others.sum::<f64>() + drawn.sum::<f64>() + outside + 2.0 * distance + rank as f64
        };
        let (x, y) = points[i];
        let (width, height) = sizes[i];
        let mut best: Option<(f64, Box2)> = None;
        for distance in DISTANCES {
            for (rank, (right, down)) in DIRECTIONS.into_iter().enumerate() {
                let (x, y) = (
                    x + right * (distance + width / 2.0),
                    y + down * (distance + height / 2.0),
                );
                let label = Box2::new(
                    x - width / 2.0,
                    y - height / 2.0,
                    x + width / 2.0,
                    y + height / 2.0,
                );
                let cost = cost(&label, rank, distance);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, label));
                }
            }
        }
        placed[i] = best.map(|(_, label)| label);
    }
    placed.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: Box2 = Box2 {
        left: 0.0,
        top: 0.0,
        right: 400.0,
        bottom: 300.0,
    };

    fn placed(points: &[(f64, f64)]) -> Vec<Box2> {
        let dot = |(x, y): &(f64, f64)| [Box2::new(x - 5.0, y - 5.0, x + 5.0, y + 5.0); 2];
        let crosses: Vec<[Box2; 2]> = points.iter().map(dot).collect();
        place(points, &crosses, &vec![(60.0, 14.0); points.len()], FRAME)
    }

    #[test]
    fn a_single_label_is_placed_on_the_right() {
        let labels = placed(&[(100.0, 100.0)]);
        assert_eq!(labels, [Box2::new(109.0, 93.0, 169.0, 107.0)]);
        assert_eq!(labels[0].leader((100.0, 100.0)), None);
    }

    #[test]
    fn a_label_stays_within_the_frame() {
        for point in [(395.0, 150.0), (395.0, 3.0), (3.0, 297.0)] {
            let label = placed(&[point])[0];
            assert_eq!(label.common(&FRAME), label.area(), "{label:?}");
        }
    }

    #[test]
    fn labels_of_close_points_cover_neither_points_nor_each_other() {
        let points: Vec<(f64, f64)> = [(0, 0), (6, 4), (12, -3), (70, 2), (75, 14), (-20, 9)]
            .map(|(x, y)| (200.0 + f64::from(x), 150.0 + f64::from(y)))
            .to_vec();
        let labels = placed(&points);
        for (i, label) in labels.iter().enumerate() {
            for other in &labels[i + 1..] {
                assert_eq!(label.common(other), 0.0, "{label:?} {other:?}");
            }
            for (x, y) in &points {
                let dot = Box2::new(x - 5.0, y - 5.0, x + 5.0, y + 5.0);
                assert_eq!(label.common(&dot), 0.0, "{label:?} {dot:?}");
            }
        }
        // Some of them are far enough away to need a line.
        let led = labels.iter().zip(&points);
        assert!(
            led.filter(|(label, point)| label.leader(**point).is_some())
                .count()
                > 0
        );
    }
}
