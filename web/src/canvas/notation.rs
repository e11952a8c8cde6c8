//! The symbols: shapes of nodes, styles of edges.

use super::geometry::Point;

/// The shape of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// Excitatory neurons: a triangle.
    Excitatory,
    /// Inhibitory neurons: a circle.
    Inhibitory,
    /// Neurons of either or no sign: a square.
    Generic,
    /// A source of spikes: a hexagon.
    Stimulator,
    /// Recorded variables: a parallelogram.
    Recorder,
}

impl Shape {
    /// All of them, in the order of the palette.
    pub(crate) const ALL: [Shape; 5] = [Shape::Excitatory, Shape::Inhibitory, Shape::Generic, Shape::Stimulator, Shape::Recorder];

    /// The name of what it stands for.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Shape::Excitatory => "excitatory population",
            Shape::Inhibitory => "inhibitory population",
            Shape::Generic => "population",
            Shape::Stimulator => "source",
            Shape::Recorder => "recorder",
        }
    }

    /// A short word, for attributes.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Shape::Excitatory => "excitatory",
            Shape::Inhibitory => "inhibitory",
            Shape::Generic => "generic",
            Shape::Stimulator => "stimulator",
            Shape::Recorder => "recorder",
        }
    }

    /// The corners for a radius of 1; none for a circle. All shapes of a radius look equally large.
    fn corners(self) -> &'static [(f64, f64)] {
        match self {
            Shape::Excitatory => &[(0.0, -1.12), (1.1, 0.8), (-1.1, 0.8)],
            Shape::Inhibitory => &[],
            Shape::Generic => &[(-0.88, -0.88), (0.88, -0.88), (0.88, 0.88), (-0.88, 0.88)],
            Shape::Stimulator => &[(-1.08, 0.0), (-0.54, -0.92), (0.54, -0.92), (1.08, 0.0), (0.54, 0.92), (-0.54, 0.92)],
            Shape::Recorder => &[(-0.7, -0.6), (1.25, -0.6), (0.7, 0.6), (-1.25, 0.6)],
        }
    }

    /// Its outline around the origin, as the data of an SVG path.
    pub(crate) fn outline(self, radius: f64) -> String {
        let corners = self.corners().iter().map(|(x, y)| format!("{:.1} {:.1}", x * radius, y * radius));
        let corners = corners.collect::<Vec<_>>().join("L");
        if corners.is_empty() { circle(Point::default(), radius) } else { format!("M{corners}Z") }
    }

    /// The distance of its outline from the origin in a direction of length 1.
    pub(crate) fn reach(self, direction: Point, radius: f64) -> f64 {
        let corners = self.corners();
        let sides = corners.iter().zip(corners.iter().cycle().skip(1));
        let crossing = |((x, y), (to_x, to_y)): (&(f64, f64), &(f64, f64))| {
            let (start, side) = (Point::new(*x, *y), Point::new(to_x - x, to_y - y));
            let cross = |one: Point, other: Point| one.x * other.y - one.y * other.x;
            let slope = cross(direction, side);
            let (along, share) = (cross(start, side) / slope, cross(start, direction) / slope);
            (along > 0.0 && (0.0..=1.0).contains(&share)).then_some(along)
        };
        radius
            * sides
                .filter_map(crossing)
                .fold(None, |most: Option<f64>, along| Some(most.unwrap_or(0.0).max(along)))
                .unwrap_or(1.0)
    }
}

fn circle(centre: Point, radius: f64) -> String {
    let (left, right, y) = (centre.x - radius, centre.x + radius, centre.y);
    format!("M{left:.1} {y:.1}A{radius:.1} {radius:.1} 0 1 1 {right:.1} {y:.1}A{radius:.1} {radius:.1} 0 1 1 {left:.1} {y:.1}Z")
}

/// The effect of spikes on their targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// Ends in a triangle.
    Excitatory,
    /// Ends in a filled circle.
    Inhibitory,
}

impl Sign {
    /// A short word, for attributes.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Sign::Excitatory => "excitatory",
            Sign::Inhibitory => "inhibitory",
        }
    }
}

/// The head of an edge of some width that ends at `tip` in a direction, as the data of an SVG path.
pub(crate) fn head(sign: Sign, tip: Point, direction: Point, width: f64) -> String {
    let length = head_length(sign, width);
    match sign {
        Sign::Excitatory => {
            let (back, side) = (tip - direction * length, direction.turned() * (length * 0.48));
            let (left, right) = (back + side, back - side);
            format!("M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z", tip.x, tip.y, left.x, left.y, right.x, right.y)
        }
        Sign::Inhibitory => {
            let radius = length / 2.0;
            circle(tip - direction * radius, radius)
        }
    }
}

/// The length of a head along its edge.
pub(crate) fn head_length(sign: Sign, width: f64) -> f64 {
    match sign {
        Sign::Excitatory => 7.0 + 1.6 * width,
        Sign::Inhibitory => 5.0 + 1.4 * width,
    }
}

/// The width of an edge for its weight relative to the largest one: two decades, in pixels.
pub(crate) fn width(relative: Option<f64>) -> f64 {
    const RANGE: [f64; 2] = [1.2, 3.6];
    const DECADES: f64 = 2.0;
    match relative {
        Some(part) if part > 0.0 => {
            let share = (1.0 + part.min(1.0).log10() / DECADES).max(0.0);
            RANGE[0] + (RANGE[1] - RANGE[0]) * share
        }
        _ => 1.6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_ends_at_the_tip() {
        let (tip, down) = (Point::new(10.0, 20.0), Point::new(0.0, 1.0));
        assert!(head(Sign::Excitatory, tip, down, 1.0).starts_with("M10.0 20.0L"));
        // The circle lies above its lowest point, the tip.
        let circle = head(Sign::Inhibitory, tip, down, 0.0);
        assert!(circle.starts_with("M7.5 17.5A2.5 2.5"), "{circle}");
    }

    #[test]
    fn width_grows_with_the_logarithm_of_the_weight() {
        let widths = [1.0, 0.1, 0.01].map(|part| width(Some(part)));
        assert!((widths[0] - widths[1] - (widths[1] - widths[2])).abs() < 1e-9, "{widths:?}");
        assert_eq!(width(Some(1e-6)), width(Some(0.01)), "what is weaker has the smallest width");
        assert!(width(None) < widths[1] && width(Some(0.0)) == width(None));
    }

    #[test]
    fn edges_end_at_the_outline() {
        let (right, up, down) = (Point::new(1.0, 0.0), Point::new(0.0, -1.0), Point::new(0.0, 1.0));
        assert_eq!(Shape::Inhibitory.reach(right, 10.0), 10.0);
        assert!(
            (Shape::Excitatory.reach(up, 10.0) - 11.2).abs() < 1e-9 && (Shape::Excitatory.reach(down, 10.0) - 8.0).abs() < 1e-9
        );
        assert!((Shape::Generic.reach(right, 10.0) - 8.8).abs() < 1e-9);
        assert!((Shape::Stimulator.reach(right, 10.0) - 10.8).abs() < 1e-9);
        let aslant = Shape::Excitatory.reach(Point::new(1.0, -1.0).unit(), 10.0);
        assert!((4.0..7.5).contains(&aslant), "{aslant}");
    }

    #[test]
    fn every_shape_has_an_outline_of_its_own() {
        let outlines = Shape::ALL.map(|shape| shape.outline(10.0));
        for (at, outline) in outlines.iter().enumerate() {
            assert!(outline.starts_with('M') && outline.ends_with('Z'), "{outline}");
            assert!(!outlines[..at].contains(outline), "{outline}");
        }
    }
}
