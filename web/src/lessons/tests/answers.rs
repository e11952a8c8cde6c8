//! Right and wrong answers to the questions of the chapters.

/// What answers the question of each chapter.
pub(super) const ANSWERS: [(&str, &[(&str, &str)]); 5] = [
    ("What a spike is", &[("cell.I", "155 pA")]),
    ("The knobs of a cell", &[("cells.tau", "60 ms")]),
    ("Cells in contact", &[("C.I", "160 pA")]),
    ("Balance", &[("IE.wi", "-13 mV")]),
    ("Learning", &[("early.A_plus", "0.1")]),
];

/// Values that are set at once, one group after the other.
pub(super) type WrongAnswer = &'static [&'static [(&'static str, &'static str)]];

/// Wrong answers to the question of each chapter: sets of values, set one after the other.
pub(super) const WRONG: [(&str, [WrongAnswer; 5]); 5] = [
    (
        "What a spike is",
        [
            // Silent, after it has fired at the values on the way.
            &[&[("cell.I", "130 pA")]],
            &[&[("cell.I", "170 pA")], &[("cell.I", "155 pA")], &[("cell.I", "149 pA")]],
            &[&[("cell.I", "0 pA")]],
            // Too fast.
            &[&[("cell.I", "200 pA")]],
            &[&[("cell.I", "1000 pA")]],
        ],
    ),
    (
        "The knobs of a cell",
        [
            &[&[("cells.R", "50 Mohm")]],
            &[&[("cells.R", "70 Mohm")]],
            &[&[("cells.Vt", "-40 mV")]],
            &[&[("cells.tau", "5 ms")]],
            &[&[]],
        ],
    ),
    (
        "Cells in contact",
        [
            &[&[("C.I", "300 pA")]],
            &[&[("C.I", "0 pA")]],
            // Less often, and so does A.
            &[&[("C.I", "0 pA"), ("A.I", "155 pA")]],
            &[&[("A.I", "0 pA")]],
            &[&[("inhibit.w", "0 mV")]],
        ],
    ),
    (
        "Balance",
        [
            &[&[]],
            &[&[("IE.wi", "-9 mV")]],
            &[&[("IE.wi", "0 mV")]],
            &[&[("E.El", "-60 mV")]],
            &[&[("IE.wi", "-13 mV"), ("E.El", "-60 mV")]],
        ],
    ),
    (
        "Learning",
        [
            &[&[]],
            &[&[("early.A_plus", "0")]],
            &[&[("early.A_plus", "0.005")]],
            &[&[("early.A_minus", "0")]],
            &[&[("late.A_plus", "0.1")]],
        ],
    ),
];
