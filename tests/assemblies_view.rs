//! Assemblies in the page: operations, overlaps, the parser, and what is said about wrong input.

use serde_json::{Value, json};

use crate::browser::{Browser, Test};
use crate::flow;

/// Words of scripts: the element and what is in its shadow tree.
const WORDS: &str = "const element = document.querySelector('spikelet-assemblies'), shadow = element?.shadowRoot;
    const part = (name) => [...(shadow?.querySelectorAll(`[part~=${name}]`) ?? [])].find((found) => found.checkVisibility());
    const press = (css) => shadow.querySelector(css).click();
    const type = (css, text) => { const field = shadow.querySelector(css); field.focus(); field.value = text;
        field.dispatchEvent(new Event('input', { bubbles: true })); field.dispatchEvent(new Event('change', { bubbles: true })); };";

async fn ask(page: &Browser, script: &str) -> Test<Value> {
    page.script(&format!("{WORDS} {script}")).await
}

async fn holds(page: &Browser, what: &str) -> Test {
    let script = format!("return Boolean({what})");
    page.wait_for(what, async || Ok(ask(page, &script).await? == json!(true))).await
}

/// The pixels of the picture that have a colour.
const INK: &str = "const canvas = shadow.querySelector('.lab .scene canvas');
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let coloured = 0;
    for (let at = 0; at < data.length; at += 4) {
        const [red, green, blue] = data.subarray(at, at + 3);
        if (data[at + 3] > 128 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) coloured += 1;
    }
    return coloured";

#[test]
fn a_projection_forms_an_assembly_and_operations_tell_overlaps() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba").await?;
        page.wait_enabled("#play").await?;
        // Nothing of it is loaded before it is opened.
        let loaded = "return performance.getEntriesByType('resource').filter(({name}) => name.includes('assemblies')).length";
        assert_eq!(page.script(loaded).await?, json!(0));
        page.click("#to-assemblies").await?;
        holds(page, "part('operation')").await?;
        holds(page, "shadow.querySelector('.lab .scene canvas').width > 300").await?;
        let blank = ask(page, INK).await?.as_u64().unwrap_or(0);
        ask(page, "press(\"[data-operation='project-a']\")").await?;
        holds(page, "part('report')?.textContent.includes('An assembly has formed in A: ')").await?;
        assert!(ask(page, INK).await?.as_u64().unwrap_or(0) > blank + 300);
        holds(page, "part('stop') === undefined").await?;
        ask(page, "press(\"[data-operation='separate']\")").await?;
        holds(page, "part('report')?.textContent.includes('The two assemblies in C overlap by')").await?;
        assert_eq!(ask(page, "return shadow.querySelectorAll('table tbody tr').length").await?, json!(2));
        // The picture says what it shows, and so does the plot.
        let said = ask(page, "return [...shadow.querySelectorAll('.lab canvas')].map((canvas) => canvas.ariaLabel)").await?;
        assert!(said[0].as_str().is_some_and(|text| text.starts_with("Round 40: ")), "{said}");
        assert!(said[1].as_str().is_some_and(|text| text.starts_with("Neurons that have ever won: A ")), "{said}");
        page.screenshot("assemblies.png").await?;
        // Back, the network is the one that was left.
        page.click("#to-networks").await?;
        page.wait_enabled("#play").await?;
        page.wait_number("#time", |time| time == 0.0).await?;
        assert_eq!(page.script("return location.hash").await?, json!("#network=cuba"));
        Ok(())
    });
}

#[test]
fn a_wrong_parameter_is_explained_at_its_field_and_long_work_stops() {
    flow(async |page| {
        page.open("?backend=cpu#assemblies").await?;
        holds(page, "part('operation')").await?;
        ask(page, "type(\"[data-name='k']\", '20000')").await?;
        holds(page, "shadow.querySelector(\"[data-name='k']\").ariaInvalid === 'true'").await?;
        let said = ask(
            page,
            "return shadow.getElementById(shadow.querySelector(\"[data-name='k']\").getAttribute('aria-describedby')).textContent",
        );
        assert_eq!(said.await?, json!("k = 20000 is more than n = 10000 neurons: use a smaller k"));
        ask(page, "press(\"[data-operation='project-a']\")").await?;
        holds(page, "part('error')?.textContent.includes('A parameter is not valid')").await?;
        ask(page, "type(\"[data-name='k']\", '80')").await?;
        holds(page, "shadow.querySelector(\"[data-name='k']\").ariaInvalid === 'false'").await?;
        ask(
            page,
            "shadow.querySelector('select[aria-label=Pace]').value = '600';
            shadow.querySelector('select[aria-label=Pace]').dispatchEvent(new Event('change'));
            press(\"[data-operation='associate']\")",
        )
        .await?;
        holds(page, "part('stop')").await?;
        ask(page, "press(\"[part~=stop]\")").await?;
        holds(page, "part('stop') === undefined").await?;
        ask(page, "press(\"[data-rounds='1']\")").await?;
        holds(page, "part('report')?.textContent.includes('so many neurons have ever won: A ')").await
    });
}

#[test]
fn a_sentence_is_parsed_and_a_wrong_word_is_explained() {
    flow(async |page| {
        page.open("?backend=cpu#assemblies").await?;
        holds(page, "part('tab')").await?;
        ask(page, "press('#tab-parser')").await?;
        holds(page, "part('dependencies')?.textContent.includes('mice is OBJ, the object of chase')").await?;
        assert_eq!(
            ask(page, "return [...shadow.querySelectorAll('[part~=word] small')].map((one) => one.textContent)").await?,
            { json!(["noun → SUBJ", "transitive verb → VERB", "noun → OBJ"]) }
        );
        ask(page, "press(\"[data-word='chase']\")").await?;
        holds(page, "part('path').textContent.includes('an assembly for it forms in VERB')").await?;
        page.screenshot("parser.png").await?;
        ask(page, "type('[part=sentence]', 'cats chase unicorns'); press('[part~=parse]')").await?;
        holds(page, "part('error')?.textContent.startsWith('word 3, “unicorns”, is not in the lexicon')").await?;
        assert_eq!(ask(page, "return shadow.querySelector('.wrong-word').textContent").await?, json!("unicorns"));
        let selected =
            "return shadow.querySelector('[part=sentence]').value.slice(shadow.querySelector('[part=sentence]').selectionStart)";
        assert_eq!(ask(page, selected).await?, json!("unicorns"));
        ask(page, "type('[part=sentence]', 'cats chase chase'); press('[part~=parse]')").await?;
        holds(page, "part('error')?.textContent.includes('word 3, “chase”, is a transitive verb, which has no place here')")
            .await?;
        ask(page, "const grammar = part('grammar'); grammar.value = 'russian'; grammar.dispatchEvent(new Event('change'))")
            .await?;
        holds(page, "part('dependencies')?.textContent.includes('kot is NOM, the subject (nominative) of vidit')").await?;
        holds(page, "part('error') === undefined").await
    });
}

#[test]
fn it_fits_a_phone() {
    flow(async |page| {
        page.emulate(390, 844, "dark").await?;
        page.open("?backend=cpu#assemblies").await?;
        holds(page, "part('operation')").await?;
        ask(page, "press(\"[data-operation='project-a']\")").await?;
        holds(page, "part('report')?.textContent.includes('An assembly has formed in A: ')").await?;
        assert_eq!(page.script("return document.documentElement.scrollWidth").await?, json!(390));
        page.screenshot("assemblies-phone.png").await?;
        ask(page, "press('#tab-parser')").await?;
        holds(page, "part('dependencies')").await?;
        assert_eq!(page.script("return document.documentElement.scrollWidth").await?, json!(390));
        page.screenshot("parser-phone.png").await
    });
}

/// The native tests and those in Node compare with the same file.
#[test]
fn winners_in_a_browser_are_those_of_the_native_module() {
    flow(async |page| {
        page.open("?backend=cpu#assemblies").await?;
        let script = "import('./engine/js/assemblies.js').then(async ({ Brain }) => {
                const brain = await Brain.create({ p: 0.05, seed: 7 });
                await brain.addStimulus('S', 30);
                await brain.addArea('A', { n: 1000, k: 30, beta: 0.1 });
                await brain.project({ S: 'A' });
                await brain.project({ S: 'A', A: 'A' }, 9);
                const bytes = new Uint8Array((await brain.winners('A')).buffer);
                brain.dispose();
                window.told = bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5) >>> 0;
            }); return true";
        page.script(script).await?;
        page.wait_for("winners", async || Ok(page.script("return window.told !== undefined").await? == json!(true))).await?;
        let hash = page.script("return window.told.toString(16).padStart(8, '0')").await?;
        let expected = include_str!("../crates/spikelet-assemblies-js/winners.txt");
        let line = format!("lazy {}\n", hash.as_str().unwrap_or(""));
        assert!(expected.contains(&line), "{line} is not in\n{expected}");
        Ok(())
    });
}
