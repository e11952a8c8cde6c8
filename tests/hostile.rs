//! Links and files that were made to do harm: each is a network or a sentence, never a script.

use serde_json::json;

use crate::browser::{Browser, Test};
use crate::flow;

/// What a name tries to be.
const MARKUP: &str = "<img src=x onerror='window.ran = 1'><script>window.ran = 1</script>";

/// Defines `link(text)`, the hash of a link with this JSON, and `repeated(bytes)`, that of a link with as many spaces.
const LINKS: &str = "const hash = async (stream) => {
        const bytes = new Uint8Array(await new Response(stream.pipeThrough(new CompressionStream('deflate'))).arrayBuffer());
        const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
        return '#1' + btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    };
    const link = (text) => hash(new Blob([text]).stream());
    const repeated = (count) => hash(new Blob(Array.from({length: count >> 20}, () => ' '.repeat(1 << 20))).stream());";

/// The hash that an expression with `link` or `repeated` gives.
async fn made(page: &Browser, expression: &str) -> Test<String> {
    let hash = page.script(&format!("{LINKS} return await {expression}")).await?;
    hash.as_str().map(str::to_owned).ok_or_else(|| "no link".into())
}

async fn opens_with(page: &Browser, hash: &str, sentence: &str) -> Test {
    page.open(&format!("?backend=cpu{hash}")).await?;
    page.wait_text("#error", sentence).await
}

fn network(name: &str) -> String {
    let population = json!({"name": "E", "size": 10, "model": "lif_exp"});
    let network = json!({"name": name, "description": name, "dt_ms": 0.1, "duration_ms": 100, "populations": [population]});
    json!({"network": network}).to_string()
}

#[test]
fn a_name_is_text_and_a_key_is_no_property() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        let named = made(page, &format!("link({})", json!(network(MARKUP)))).await?;
        let inherited = network("a").replacen("\"network\":{", "\"network\":{\"__proto__\":{\"ran\":1},", 1);
        let inherited = made(page, &format!("link({})", json!(inherited))).await?;

        page.open(&format!("?backend=cpu{named}")).await?;
        page.wait_enabled("#play").await?;
        page.wait_text("#title", "<img src=x").await?;
        page.click("#play").await?;
        page.wait_number("#time", |time| time > 20.0).await?;
        assert_eq!(page.script("return [window.ran ?? null, document.images.length]").await?, json!([null, 0]));

        opens_with(page, &inherited, "__proto__").await?;
        assert_eq!(page.script("return ({}).ran ?? null").await?, json!(null));
        for name in ["__proto__", "constructor", "toString"] {
            opens_with(page, &format!("#network={name}"), name).await?;
        }
        Ok(())
    });
}

#[test]
fn a_link_of_megabytes_or_of_an_address_with_a_script_is_a_sentence() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        // A quarter of a megabyte that becomes 256.
        let bomb = made(page, "repeated(1 << 28)").await?;
        opens_with(page, &bomb, "The link is damaged").await?;
        opens_with(page, &format!("#1{}", "A".repeat(1_500_000)), "The link is damaged").await?;
        for address in ["javascript:window.ran=1", "data:text/html,<script>window.ran=1</script>", "file:///etc/passwd"] {
            page.open(&format!("?backend=cpu#open={}", address.replace('<', "%3C").replace('>', "%3E"))).await?;
            page.wait_for("a sentence", async || Ok(!page.text("#error").await?.is_empty())).await?;
            assert_eq!(page.script("return window.ran ?? null").await?, json!(null), "{address}");
        }
        // The browser itself tells of addresses that it does not load.
        drop(page.console_errors().await?);
        Ok(())
    });
}

#[test]
fn scripts_come_from_the_page_alone() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        let script = "const said = [];
            try { const script = document.createElement('script'); script.textContent = 'window.ran = 1'; document.body.append(script) }
            catch { said.push('script') }
            // What a driver runs may evaluate text, but not what runs later.
            await new Promise((resolve) => setTimeout(() => {
                try { new Function('window.ran = 1')() } catch { said.push('eval') }
                resolve();
            }));
            try { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">') } catch { said.push('html') }
            try { new Worker('https://example.org/worker.js') } catch { said.push('worker') }
            await new Promise((resolve) => setTimeout(resolve, 300));
            return [window.ran ?? null, ...said]";
        assert_eq!(page.script(script).await?, json!([null, "script", "eval", "html", "worker"]));
        drop(page.console_errors().await?);
        Ok(())
    });
}
