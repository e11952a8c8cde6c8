// The default policy of trusted types, for the page's Content-Security-Policy: text that becomes a script, or its address, passes here.
// Scripts and Workers come from this origin. HTML is that of the page's own templates, which may contain no script.

globalThis.trustedTypes?.createPolicy("default", {
  createHTML(text) {
    if (/<script|\son\w+\s*=|javascript:/i.test(text)) throw new TypeError(`HTML with a script: ${text.slice(0, 80)}`);
    return text;
  },
  createScriptURL(text) {
    const { origin, href } = new URL(text, document.baseURI);
    if (origin !== location.origin) throw new TypeError(`a script of another origin: ${href}`);
    return text;
  },
});
