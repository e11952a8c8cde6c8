//! Texts as people paste them from Brian 2 scripts, papers and mails: what is meant is read, what is wrong is said where it is.

use spikelet_lang::syntax::{
    AssignKind, BinaryOp, Declared, EquationKind, Expr, ExprKind, UnaryOp, parse_equations, parse_expression, parse_quantity,
    parse_statements, parse_unit,
};
use spikelet_lang::{Diagnostic, Kind, NeuronText, Quantities, check_neuron};

fn listed(found: &[Diagnostic]) -> String {
    found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The expression with every bracket written.
fn bracketed(expression: &Expr) -> String {
    match &expression.kind {
        ExprKind::Number(value) => value.to_string(),
        ExprKind::Boolean(value) => value.to_string(),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Unary(UnaryOp::Negate, x) => format!("(-{})", bracketed(x)),
        ExprKind::Unary(UnaryOp::Not, x) => format!("(not {})", bracketed(x)),
        ExprKind::Binary(op, x, y) => format!("({} {} {})", bracketed(x), op.symbol(), bracketed(y)),
        ExprKind::Call(name, x) => format!("{name}({})", x.iter().map(bracketed).collect::<Vec<_>>().join(", ")),
    }
}

fn read(text: &str) -> String {
    parse_expression("x", text).map_or_else(|found| found.to_string(), |expression| bracketed(&expression))
}

#[test]
fn operators_bind_as_in_python() {
    for (text, meant) in [
        ("a + b*c**d", "(a + (b * (c ** d)))"),
        ("-a**-b", "(-(a ** (-b)))"),
        ("a // b * c % d", "(((a // b) * c) % d)"),
        ("a - b // c", "(a - (b // c))"),
        ("a//b/c", "((a // b) / c)"),
        ("2**3**x", "(2 ** (3 ** x))"),
        ("not a > b and c or d", "(((not (a > b)) and c) or d)"),
        ("a < b", "(a < b)"),
        ("a < b <= c", "((a < b) and (b <= c))"),
        ("0 < a < b != c", "(((0 < a) and (a < b)) and (b != c))"),
        ("f(a,\n  b,\n)", "f(a, b)"),
        ("a\n + b # the rest\n\t+ c", "((a + b) + c)"),
        ("a + \\\n b", "(a + b)"),
        ("\"\"\"a > b\"\"\"", "(a > b)"),
    ] {
        assert_eq!(read(text), meant, "{text}");
    }
}

const PASTED: &str = "'''\r
# A cell, as in a script\r
\r
\tdv/dt = ( gl * (El - v)   # leak\r
          + I_tot ) / Cm  : volt (unless refractory)   \r
   # between two equations
I_tot = ge*(Ee - v) \\
      + I : amp
dge/dt = -ge/tau_e
       : siemens

n : integer (constant)
on = t > 5*ms : boolean
x : 1
area : metre2   (constant, shared)
gl : msiemens/cm**2 (constant over dt,
                     shared)
ca : mmolar
w : 1/ms (event-driven)
R : Mohm; rate : Hz # two on a line
L : um
C : uF/cm**2
J : nA*second**-0.5
'''
";

#[test]
fn a_whole_docstring_is_read() {
    let equations = parse_equations("equations", PASTED).unwrap_or_else(|found| panic!("{}", listed(&found)));
    let names: Vec<&str> = equations.iter().map(|equation| equation.name.as_str()).collect();
    assert_eq!(names, ["v", "I_tot", "ge", "n", "on", "x", "area", "gl", "ca", "w", "R", "rate", "L", "C", "J"],);
    let of = |name: &str| equations.iter().find(|equation| equation.name == name).unwrap_or_else(|| panic!("no {name}"));
    assert!(matches!(&of("v").kind, EquationKind::Differential(value) if bracketed(value) == "(((gl * (El - v)) + I_tot) / Cm)"));
    assert!(matches!(&of("I_tot").kind, EquationKind::Subexpression(value) if bracketed(value) == "((ge * (Ee - v)) + I)"));
    assert_eq!([of("n").declared, of("on").declared, of("x").declared], [Declared::Integer, Declared::Boolean, Declared::Float]);
    let flags = |name: &str| of(name).flags.iter().map(|(flag, _)| flag.clone()).collect::<Vec<_>>();
    assert_eq!(flags("v"), ["unless refractory"]);
    assert_eq!(flags("area"), ["constant", "shared"]);
    assert_eq!(flags("gl"), ["constant over dt", "shared"]);
    assert_eq!(flags("w"), ["event-driven"]);
    for (name, unit) in [("area", "meter**2"), ("gl", "mS/cm2"), ("ca", "mM"), ("w", "ms**(-1)"), ("C", "ufarad/(cm*cm)")] {
        assert_eq!(Ok(of(name).unit.dimension), parse_unit(unit).map(|unit| unit.dimension), "{name} is in {unit}");
    }
    // Places are those of the text as it was pasted.
    assert_eq!(&PASTED[of("ca").span.start..of("ca").span.end], "ca");
}

#[test]
fn statements_of_a_reset() {
    let text = "# after a spike\n\n v = Vr  # back\n\tw += b; x -= 1;\ny *= 2\r\nz /= 3\nk //= 2\nm %= 5\nq **= 2\n\n# the end";
    let statements = parse_statements("reset", text).unwrap_or_else(|found| panic!("{}", listed(&found)));
    let found: Vec<(&str, AssignKind)> = statements.iter().map(|statement| (statement.target.as_str(), statement.kind)).collect();
    use AssignKind::{Change, Set};
    let wanted = [
        ("v", Set),
        ("w", Change(BinaryOp::Add)),
        ("x", Change(BinaryOp::Subtract)),
        ("y", Change(BinaryOp::Multiply)),
        ("z", Change(BinaryOp::Divide)),
        ("k", Change(BinaryOp::FloorDivide)),
        ("m", Change(BinaryOp::Modulo)),
        ("q", Change(BinaryOp::Power)),
    ];
    assert_eq!(found, wanted);
    assert_eq!(parse_statements("reset", " \n# nothing\n").map(|statements| statements.len()), Ok(0));
}

#[test]
fn quantities_of_a_file() {
    for (text, meant) in
        [("20 ms", "(20 * ms)"), ("-3.5 nS/cm**2", "(((-3.5) * nS) / (cm ** 2))"), ("5\n", "5"), ("2 > 1", "(2 > 1)")]
    {
        assert_eq!(parse_quantity("x", text).map(|value| bracketed(&value)).as_deref(), Ok(meant));
    }
    for unit in ["Ω", "MΩ", "kohm", "µm", "μm", "1", "siemens/meter**2", "(nS*mV)"] {
        assert!(parse_unit(unit).is_ok(), "{unit}");
    }
}

/// A wrong expression; what the sentence must say; what the caret points at.
#[test]
fn a_sentence_for_everything_that_is_wrong() {
    for (text, says, at) in [
        ("v − 3", "expected `-`, found `−` (U+2212)", "−"),
        ("2×v", "expected `*`", "×"),
        ("a ≤ b", "expected `<=`", "≤"),
        ("a && b", "expected `and`, found `&&`", "&&"),
        ("v²", "expected `**2`", "²"),
        ("'v > 1'", "Remove the quotes.", "'"),
        ("a \\ b", "joins two lines", "\\"),
        ("a\u{200b}+ b", "an invisible character (U+200B)", "\u{200b}"),
        ("1 if a else 2", "`int(c)*x + int(not c)*y`", "if"),
        ("(1 if a else 2)", "`int(c)*x + int(not c)*y`", "if"),
        ("0 < rand() < 1", "drawn twice", "rand()"),
        ("v = 3", "To compare, write `==`", "="),
        ("3mV", "`3*mV`", "mV"),
        ("a b", "operator missing between `a` and `b`", "b"),
        ("a)", "There is no open bracket `(` here.", ")"),
        ("v^2", "Write `**`", "^"),
        ("exp(v, 2", "expected `,` or `)` in the arguments of `exp(`", "("),
        ("(v + 2", "the bracket `(` is never closed", "("),
        ("v +  # a comment\n", "expected a value, found the end of the text", ""),
        ("1e999", "too large", "1e999"),
        ("'''a", "never closed", "'''"),
    ] {
        let found = parse_expression("x", text).err().unwrap_or_else(|| panic!("{text:?} is read"));
        assert!(found.to_string().contains(says), "{text}: {found}");
        let start = if at.is_empty() { text.find("  #") } else { text.find(at) }.unwrap_or(0);
        let column = text[..start].chars().count() + 1;
        let width = at.chars().count().max(1);
        assert_eq!((found.line, found.column, found.width), (1, column, width), "{found}");
    }
}

#[test]
fn every_wrong_line_is_reported() {
    let places = |found: Vec<Diagnostic>| found.iter().map(|found| (found.line, found.column)).collect::<Vec<_>>();
    let equations = "dv/dt = (I - v/tau : 1\nI : 1 (constant)\nx = 3 +* 2 : 1\ny 1\nz : volts2z\nu = v − 1 : 1\nw : 1 (constant\nk = 2\nq : 1";
    let found = parse_equations("equations", equations).err().unwrap_or_default();
    let wanted = [(1, 20), (3, 8), (4, 3), (5, 5), (6, 7), (7, 16), (8, 6)];
    assert_eq!(places(found.clone()), wanted, "{}", listed(&found));

    let statements = "v = \nw = 2\nx 3; y == 2\nz = (1\nq = f(2,\n 3\nr = 1";
    let found = parse_statements("reset", statements).err().unwrap_or_default();
    assert_eq!(places(found.clone()), [(1, 4), (3, 3), (3, 8), (4, 5), (5, 6)], "{}", listed(&found));
}

/// As a case of the conformance corpus wants it.
#[test]
fn an_open_bracket_is_found_where_it_should_close() {
    let text = "dv/dt = (I - v/tau : 1\nI : 1 (constant)";
    let found = parse_equations("equations", text).err().unwrap_or_default();
    assert_eq!(found.len(), 1, "{}", listed(&found));
    assert_eq!((found[0].kind, found[0].line), (Kind::SyntaxError, 1));
    assert!((18..=20).contains(&found[0].column) && found[0].message.contains('('), "{}", found[0]);
}

#[test]
fn a_caret_below_several_lines() {
    let text =
        NeuronText { equations: "tau : second\n\tdv/dt = (v   # leak\n\t   + tau) / tau : volt".into(), ..NeuronText::default() };
    let found = check_neuron(&text, &Quantities::default().dimensions()).err().unwrap_or_default();
    let shown = "equations, line 2, column 11: `v + tau`: `v` is volt, `tau` is second; expected the same dimension on both sides.\
                 \n    \tdv/dt = (v   # leak\n    \t         ^";
    assert_eq!(listed(&found), shown);
}

/// Neither long nor deep expressions exhaust the stack, whoever walks the tree afterwards.
#[test]
fn what_is_too_large_is_refused() {
    let on_small_stack = || {
        let long = |count: usize| format!("v{}", " + v".repeat(count));
        let deep = |count: usize| format!("{}v{}", "(".repeat(count), ")".repeat(count));
        let chained = |count: usize| format!("{}v{}", "0 < (".repeat(count), ") < 1".repeat(count));
        let refused = |text: &str| parse_expression("x", text).err().map(|found| found.message);
        assert_eq!((refused(&long(299)), refused(&deep(90))), (None, None));
        assert_eq!(refused(&long(2000)).as_deref(), Some("this expression has more than 300 operators."));
        assert_eq!(refused(&chained(90)).as_deref(), Some("this expression has more than 300 operators."));
        for text in [deep(5000), "-".repeat(5000) + "v", "not ".repeat(5000) + "v", "v**".repeat(5000) + "v", "f(".repeat(5000)] {
            assert_eq!(refused(&text).as_deref(), Some("brackets and signs are nested deeper than 100."));
        }
        assert!(parse_unit(&deep(5000)).is_err());
        let checked = |equations: String| {
            let text = NeuronText { equations, ..NeuronText::default() };
            check_neuron(&text, &Quantities::default().dimensions()).map_err(|found| listed(&found))
        };
        // Each name stands for twice the one below: 2⁴⁰ terms in all.
        let doubled = (0..40).map(|k| format!("a{k} = a{0} + a{0} : 1\n", k + 1)).collect::<String>() + "a40 = 1 + i : 1";
        assert!(checked(doubled).is_err());
        checked(format!("dv/dt = ({} + {})/second : 1", long(200), deep(90))).map(|_| ())
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(on_small_stack);
    let done = thread.map(std::thread::JoinHandle::join);
    assert!(matches!(done, Ok(Ok(Ok(())))), "{done:?}");
}
