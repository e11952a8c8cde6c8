//! A class without accounts: a teacher's link, the part of a visitor, the result in the teacher's page.

use serde_json::json;

use crate::flow;

#[test]
fn a_class_shares_a_task_and_collects_its_results_by_links() {
    flow(async |page| {
        page.open("?backend=cpu#network=cuba&scale=0.05").await?;
        page.wait_enabled("#play").await?;
        let loaded = "return performance.getEntriesByType('resource').filter(({name}) => name.includes('/qr/')).length";
        page.click("#share").await?;
        assert_eq!(page.script(loaded).await?, json!(0), "loaded when a code is shown");
        page.script("document.querySelector('.qr').setAttribute('open', '')").await?;
        page.wait_for("the code", async || Ok(page.count("spikelet-qr svg[role='img']").await? == 1)).await?;
        page.fill("#class-points", "0").await?;
        page.click("#class-make").await?;
        page.wait_text("#class-form", "0 points; expected 1 to 200").await?;
        page.fill("#class-points", "3").await?;
        page.fill("#class-until", "100").await?;
        page.click("#class-make").await?;
        page.wait_for("the link", async || Ok(page.count("#class-link").await? == 1)).await?;
        let hash_of =
            |id: &str| format!("const link = document.getElementById('{id}').value; return link.slice(link.indexOf('#'))");
        let task = page.script(&hash_of("class-link")).await?;
        page.click("#class-collect").await?;
        page.wait_text("[data-testid='class-count']", "0 of 3 points").await?;
        // A visitor.
        page.open(&format!("?backend=cpu{}", task.as_str().unwrap())).await?;
        page.wait_enabled("#class-run").await?;
        page.wait_text("[data-testid='class-visit']", "of 3, seed ").await?;
        page.click("#class-run").await?;
        page.wait_text("[data-testid='class-result']", "mean rate of E: ").await?;
        page.screenshot("class-visit.png").await?;
        let answer = page.script(&hash_of("class-answer")).await?;
        // The page of the teacher.
        page.open(&format!("?backend=cpu{}", answer.as_str().unwrap())).await?;
        page.wait_text("[data-testid='class-count']", "1 of 3 points").await?;
        assert_eq!(page.count("[data-testid='class-picture'] circle").await?, 1);
        page.fill("#class-links", "hello").await?;
        page.click("#class-add").await?;
        page.wait_text("[data-testid='class-said']", "Line 1: There is no link of a result.").await?;
        page.screenshot("class-results.png").await?;
        // What is no link of a class is a sentence over the first network.
        page.open("?backend=cpu#class=1abc").await?;
        page.wait_text(".trouble", "The link is damaged").await
    });
}
