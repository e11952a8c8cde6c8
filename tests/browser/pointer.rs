//! What a user does with the pointer.

use std::time::Duration;

use serde_json::json;
use thirtyfour::prelude::*;

use super::{Browser, Test};

impl Browser {
    /// Clicks an element, once more until the click was its own.
    pub(crate) async fn click(&self, css: &str) -> Test {
        let show = format!(
            "const e = document.querySelector({css:?}); e?.closest('details')?.setAttribute('open', '');
             e?.scrollIntoView({{block: 'center'}}); window.clickArrived = false;
             const see = (event) => window.clickArrived ||= !!event.target.closest?.({css:?});
             window.addEventListener('click', see, {{capture: true, once: true}}); return !!e"
        );
        // What acts as soon as it is pressed may be gone before it is released; a page that was left knows of no click.
        let missed = format!("return window.clickArrived === false && !!document.querySelector({css:?})");
        let mut tries = 0;
        loop {
            assert_eq!(self.script(&show).await?, json!(true), "there is no {css}");
            let result = self.driver.find(By::Css(css)).await?.click().await;
            match result {
                Ok(()) if self.script(&missed).await.unwrap_or(json!(false)) != json!(true) => return Ok(()),
                Ok(()) if tries == 20 => return Err(format!("clicks on {css} reach something else").into()),
                Err(error) if tries == 20 => return Err(error.into()),
                // A page that still moves can slide something else under the pointer, before it is aimed or before it is released:
                // a user aims again.
                _ => tokio::time::sleep(Duration::from_millis(100)).await,
            }
            tries += 1;
        }
    }

    /// Presses the mouse at a part of an element's width and in the middle of its height, as a hand does: what lies on top is pressed.
    pub(crate) async fn press_at(&self, css: &str, share: f64) -> Test {
        let (x, y) = self.point(css, share).await?;
        self.driver.action_chain().move_to(x, y).click().perform().await?;
        Ok(())
    }

    /// Drags the mouse along an element, from one part of its width to another.
    pub(crate) async fn drag(&self, css: &str, from: f64, to: f64) -> Test {
        let (x, y) = self.point(css, from).await?;
        let mut chain = self.driver.action_chain().move_to(x, y).click_and_hold();
        for step in 1..=8 {
            let (x, y) = self.point(css, from + (to - from) * f64::from(step) / 8.0).await?;
            chain = chain.move_to(x, y);
        }
        chain.release().perform().await?;
        Ok(())
    }

    /// Drags the mouse from the middle of an element to a point beside the middle of another.
    pub(crate) async fn drag_onto(&self, from: &str, to: &str, aside: (i64, i64)) -> Test {
        // The second look is at what the first has brought in sight.
        self.point(from, 0.5).await?;
        let end = self.point(to, 0.5).await?;
        let (x, y) = self.point(from, 0.5).await?;
        let end = (end.0 + aside.0, end.1 + aside.1);
        let mut chain = self.driver.action_chain().move_to(x, y).click_and_hold();
        for step in 1..=6 {
            chain = chain.move_to(x + (end.0 - x) * step / 6, y + (end.1 - y) * step / 6);
        }
        chain.release().perform().await?;
        Ok(())
    }

    /// Clicks twice beside the middle of an element.
    pub(crate) async fn double_click_beside(&self, css: &str, aside: (i64, i64)) -> Test {
        let (x, y) = self.point(css, 0.5).await?;
        self.driver.action_chain().move_to(x + aside.0, y + aside.1).double_click().perform().await?;
        Ok(())
    }

    /// Drags the mouse with Shift between two points beside the middle of an element.
    pub(crate) async fn band(&self, css: &str, from: (i64, i64), to: (i64, i64)) -> Test {
        let (x, y) = self.point(css, 0.5).await?;
        let chain = self.driver.action_chain().key_down(Key::Shift).move_to(x + from.0, y + from.1).click_and_hold();
        let chain = chain.move_to(x + (from.0 + to.0) / 2, y + (from.1 + to.1) / 2).move_to(x + to.0, y + to.1);
        chain.release().key_up(Key::Shift).perform().await?;
        Ok(())
    }

    /// Clicks beside the middle of an element, with a key held if there is one.
    pub(crate) async fn click_beside(&self, css: &str, aside: (i64, i64), held: Option<Key>) -> Test {
        let (x, y) = self.point(css, 0.5).await?;
        let chain = self.driver.action_chain();
        let chain = if let Some(key) = held.clone() { chain.key_down(key) } else { chain };
        let chain = chain.move_to(x + aside.0, y + aside.1).click();
        let chain = if let Some(key) = held { chain.key_up(key) } else { chain };
        chain.perform().await?;
        Ok(())
    }

    /// A point of an element, which is brought in sight, in the window.
    pub(crate) async fn point(&self, css: &str, share: f64) -> Test<(i64, i64)> {
        let script = format!(
            "const e = document.querySelector({css:?}); if (!e) return null; e.closest('details')?.setAttribute('open', '');
             e.scrollIntoView({{block: 'center'}}); const of = e.getBoundingClientRect();
             return [of.left + of.width*{share}, of.top + of.height/2].map(Math.round)"
        );
        let point: Option<(i64, i64)> = serde_json::from_value(self.script(&script).await?)?;
        point.ok_or_else(|| format!("there is no {css}").into())
    }
}
