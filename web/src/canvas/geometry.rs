//! Points, rectangles and curves in a plane; y grows downwards.

use std::ops::{Add, Mul, Sub};

use serde::{Deserialize, Serialize};

/// A point, or the way from one point to another.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    pub(crate) const fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    pub(crate) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    pub(crate) fn distance(self, other: Point) -> f64 {
        (self - other).length()
    }

    /// Of length 1 in the same direction; to the right if it has no length.
    pub(crate) fn unit(self) -> Point {
        let length = self.length();
        if length > 0.0 { self * (1.0 / length) } else { Point::new(1.0, 0.0) }
    }

    /// Turned by a right angle.
    pub(crate) fn turned(self) -> Point {
        Point::new(-self.y, self.x)
    }
}

impl Add for Point {
    type Output = Point;

    fn add(self, other: Point) -> Point {
        Point::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Point;

    fn sub(self, other: Point) -> Point {
        Point::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Point {
    type Output = Point;

    fn mul(self, factor: f64) -> Point {
        Point::new(self.x * factor, self.y * factor)
    }
}

/// A rectangle by two corners: the least and the largest coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub(crate) min: Point,
    pub(crate) max: Point,
}

impl Rect {
    /// Between any two corners.
    pub(crate) fn between(one: Point, other: Point) -> Rect {
        let min = Point::new(one.x.min(other.x), one.y.min(other.y));
        Rect { min, max: Point::new(one.x.max(other.x), one.y.max(other.y)) }
    }

    /// The smallest one around points; `None` without points.
    pub(crate) fn around(points: impl IntoIterator<Item = Point>) -> Option<Rect> {
        let join = |all: Option<Rect>, point: Point| {
            let one = all.unwrap_or(Rect { min: point, max: point });
            let min = Point::new(one.min.x.min(point.x), one.min.y.min(point.y));
            Some(Rect { min, max: Point::new(one.max.x.max(point.x), one.max.y.max(point.y)) })
        };
        points.into_iter().fold(None, join)
    }

    pub(crate) fn grown(self, by: f64) -> Rect {
        Rect { min: self.min - Point::new(by, by), max: self.max + Point::new(by, by) }
    }

    pub(crate) fn contains(self, point: Point) -> bool {
        (self.min.x..=self.max.x).contains(&point.x) && (self.min.y..=self.max.y).contains(&point.y)
    }

    pub(crate) fn width(self) -> f64 {
        self.max.x - self.min.x
    }

    pub(crate) fn height(self) -> f64 {
        self.max.y - self.min.y
    }

    pub(crate) fn centre(self) -> Point {
        (self.min + self.max) * 0.5
    }
}

/// A cubic Bézier curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Curve(pub(crate) [Point; 4]);

impl Curve {
    /// With one control point.
    pub(crate) fn quadratic(start: Point, control: Point, end: Point) -> Curve {
        let towards = |from: Point| from + (control - from) * (2.0 / 3.0);
        Curve([start, towards(start), towards(end), end])
    }

    /// The point at a part of its way, 0 to 1.
    pub(crate) fn at(&self, t: f64) -> Point {
        let [a, b, c, d] = self.0;
        let s = 1.0 - t;
        a * (s * s * s) + b * (3.0 * s * s * t) + c * (3.0 * s * t * t) + d * (t * t * t)
    }

    /// The direction in which it ends, of length 1.
    pub(crate) fn end_direction(&self) -> Point {
        let [_, _, c, d] = self.0;
        if c == d { (d - self.0[0]).unit() } else { (d - c).unit() }
    }

    /// The distance of a point from it, to within a pixel for curves of the screen.
    pub(crate) fn distance(&self, point: Point) -> f64 {
        const PIECES: u32 = 24;
        let at = |piece: u32| self.at(f64::from(piece) / f64::from(PIECES));
        (0..PIECES).map(|piece| segment_distance(at(piece), at(piece + 1), point)).fold(f64::INFINITY, f64::min)
    }

    /// As the data of an SVG path.
    pub(crate) fn path(&self) -> String {
        let [a, b, c, d] = self.0;
        format!("M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}", a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y)
    }
}

/// The distance of a point from a straight segment.
fn segment_distance(start: Point, end: Point, point: Point) -> f64 {
    let (way, offset) = (end - start, point - start);
    let square = way.x * way.x + way.y * way.y;
    let share = if square > 0.0 { ((offset.x * way.x + offset.y * way.y) / square).clamp(0.0, 1.0) } else { 0.0 };
    point.distance(start + way * share)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_begins_ends_and_is_hit() {
        let curve = Curve::quadratic(Point::new(0.0, 0.0), Point::new(50.0, 40.0), Point::new(100.0, 0.0));
        assert_eq!((curve.at(0.0), curve.at(1.0)), (Point::new(0.0, 0.0), Point::new(100.0, 0.0)));
        assert!((curve.at(0.5).y - 20.0).abs() < 1e-9, "the middle of a quadratic curve is half way to its control point");
        assert!(curve.distance(Point::new(50.0, 21.0)) < 1.5);
        assert!(curve.distance(Point::new(50.0, 0.0)) > 15.0);
        let direction = curve.end_direction();
        assert!(direction.x > 0.0 && direction.y < 0.0 && (direction.length() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn rectangles_hold_their_points() {
        let points = [Point::new(1.0, 5.0), Point::new(-2.0, 3.0)];
        let around = Rect::around(points).expect("two points");
        assert_eq!(around, Rect::between(points[0], points[1]));
        assert!(points.into_iter().all(|point| around.contains(point)));
        assert!(!around.contains(Point::new(0.0, 6.0)) && around.grown(1.0).contains(Point::new(0.0, 6.0)));
        assert_eq!(Rect::around([]), None);
    }
}
