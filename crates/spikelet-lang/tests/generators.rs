//! Generated indices: what is read, and where mistakes are.

use spikelet_lang::syntax::parse_generator;

#[test]
fn comprehensions_are_those_of_python() {
    for text in [
        "i",
        "int(i/10)",
        "i + 1 if i < 10",
        "k for k in range(i-3, i+4) if i != k",
        "2*k for k in range(10)",
        "k for k in sample(N_post, p=0.1)",
        "k for k in sample(0, N_post, 2, size=10) if k > i and\n k != 7",
    ] {
        let found = parse_generator("j", text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(found.iteration.is_some(), text.contains("for"));
        assert_eq!(found.condition.is_some(), text.contains(" if "));
    }
}

#[test]
fn mistakes_have_a_place_and_a_way_out() {
    for (text, column, expected) in [
        ("k for k in list(10)", 12, "`range(…)` or `sample(…)`, not from `list`"),
        ("k for k range(10)", 9, "expected `in`"),
        ("k for in range(10)", 10, "expected `in`"),
        ("k for 3 in range(10)", 7, "expected a name"),
        ("k for k in range()", 12, "`range` has 0 limits"),
        ("k for k in range(1, 2, 3, 4)", 12, "`range` has 4 limits"),
        ("k for k in range(10, p=0.1)", 12, "`range` takes all indices"),
        ("k for k in sample(10)", 12, "a probability or a size"),
        ("k for k in sample(10, p=0.1, size=3)", 30, "either a probability or a size"),
        ("k for k in sample(10, q=0.1)", 23, "`q` is not an argument"),
        ("k for k in sample(p=0.1, 10)", 26, "come before `p=`"),
        ("k for k in range(10) if", 24, "expected a value"),
        ("k for k in range(10", 17, "never closed"),
        ("k for k in range(10) else 3", 22, "the end of the text"),
    ] {
        let error = parse_generator("j", text).expect_err(text);
        assert!(error.to_string().contains(expected), "{text}: {error}");
        assert_eq!(error.column, column, "{text}: {error}");
    }
}
