// Cross-origin isolation, and therefore threads, for a page whose host sends no headers.
//
// Put this file beside the page and load it first: <script src="isolate.js"></script>. It registers itself as a service worker and reloads
// the page once. As a service worker it adds the headers to all responses. It has no effect on a page that is already isolated, or that no
// service worker can control (http:// other than localhost). Resources from other origins must allow their use, by CORS or by the header
// Cross-Origin-Resource-Policy.

const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Stores for the tab that the page was reloaded, to prevent a second reload if isolation is not possible. */
const RELOADED = "spikelet: reloaded to be isolated";

if (globalThis.document === undefined) {
  addEventListener("install", () => skipWaiting());
  addEventListener("activate", (event) => event.waitUntil(clients.claim()));
  addEventListener("fetch", (event) => {
    // A request for the browser's cache only; it cannot be fetched from another origin.
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
  // Opaque responses and redirects: no headers can be added.
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
