// Cross-origin isolation, and so threads, for a page whose host sends no headers.
//
// Put this file beside the page and load it first: <script src="isolate.js"></script>. There it registers itself as a service worker
// and reloads the page, once; as that service worker it adds the headers to whatever the page loads. A page that is isolated anyhow, or
// that no service worker may serve (http:// other than localhost), is left alone. What the page loads from other origins must allow it,
// with CORS or the header Cross-Origin-Resource-Policy.

const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Remembers, for as long as the tab is open, that the page was reloaded: one that is not isolated then never will be. */
const RELOADED = "spikelet: reloaded to be isolated";

if (globalThis.document === undefined) {
  addEventListener("install", () => skipWaiting());
  addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  addEventListener("fetch", (event) => {
    // Meant for the browser's own cache; of another origin, nobody may fetch it.
    const { cache, mode } = event.request;
    if (cache !== "only-if-cached" || mode === "same-origin") event.respondWith(withHeaders(event.request));
  });
} else if (crossOriginIsolated) {
  sessionStorage.removeItem(RELOADED);
} else if (navigator.serviceWorker && sessionStorage.getItem(RELOADED) === null) {
  navigator.serviceWorker.register(document.currentScript.src);
  navigator.serviceWorker.ready.then(() => {
    sessionStorage.setItem(RELOADED, "yes");
    location.reload();
  });
}

async function withHeaders(request) {
  const response = await fetch(request);
  // What another origin keeps to itself, and redirects: nothing can be added to these.
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
