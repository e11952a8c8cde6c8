//! The Content-Security-Policy of the page: scripts of its own origin alone, none in the text of the page.

/// What the page may load. `trunk serve`, which writes a script into the page, goes without.
///
/// * Networks are opened from any address (`#open=https://…`), with what its server allows; nothing is loaded from elsewhere by itself.
/// * Attributes `style` hold colours and sizes of the page's own; sheets and `<style>` elements of others are not applied.
/// * `web/trust.js` makes the default policy of trusted types; the package makes `spikelet` for its Workers.
const POLICY: [&str; 13] = [
    "default-src 'none'",
    "script-src 'self' 'wasm-unsafe-eval'",
    "worker-src 'self'",
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' blob:",
    "connect-src * data: blob:",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types default spikelet",
];

/// The policy, as an element of the page's head. It holds for what comes after it.
pub(crate) fn element() -> String {
    format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{}\" />", POLICY.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_script_comes_from_elsewhere_or_from_text() {
        for directive in
            POLICY.iter().filter(|directive| ["script-src", "worker-src"].iter().any(|name| directive.starts_with(name)))
        {
            assert!(!directive.contains("unsafe-inline") && !directive.contains("'unsafe-eval'"), "{directive}");
            assert!(!directive.contains('*') && !directive.contains("http"), "{directive}");
        }
    }

    #[test]
    fn the_documented_policy_is_this_one() {
        let docs = include_str!("../../../SECURITY.md");
        for directive in POLICY {
            assert!(docs.contains(directive), "SECURITY.md lacks {directive}");
        }
    }
}
