//! Names that equations of Brian 2 cannot have, because Python has another meaning for them.

/// Words of Python that the language of equations does not have.
const WORDS: &str = "None as assert async await break class continue def del elif except finally for from global import in is lambda nonlocal pass \
    raise return try while with yield";
/// Functions of Python. Brian 2 computes constant parts of expressions before the run, and finds these instead of a value.
const FUNCTIONS: &str = "abs all any ascii bin bool breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr \
    dict dir divmod enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance \
    issubclass iter len license list locals map max memoryview min next object oct open ord pow print property quit range repr reversed \
    round set setattr slice sorted staticmethod str sum super tuple type vars zip";

/// A name as Brian 2 can have it: `open` is `n_open`, `input_post` is `n_input_post`.
pub(super) fn fit(name: &str) -> String {
    let own = ["_pre", "_post"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let is_taken = |all: &str| all.split_whitespace().any(|taken| taken == own);
    if is_taken(WORDS) || is_taken(FUNCTIONS) { format!("n_{name}") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn names_of_python_are_others() {
        let fitted = ["open", "input_post", "lambda", "opened", "v_post", "tau"].map(fit);
        assert_eq!(fitted, ["n_open", "n_input_post", "n_lambda", "opened", "v_post", "tau"]);
    }
}
