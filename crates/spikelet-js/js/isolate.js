// Cross-origin isolation, and therefore threads, for a page whose host sends no headers; and, if the page asks for it, use without a network.
//
// Put this file beside the page and load it first: <script src="isolate.js"></script>. It registers itself as a service worker and reloads
// the page once. As a service worker it adds the headers to all responses. It has no effect on a page that is already isolated, or that no
// service worker can control (http:// other than localhost). Resources from other origins must allow their use, by CORS or by the header
// Cross-Origin-Resource-Policy.
//
// Nothing is stored, unless the page has <script src="isolate.js" data-offline="VERSION"></script>. Then the service worker stores the files
// that offline.json beside the page lists, {"files": ["./", "page.js", …], "later": ["help/"]}: `files` at the first visit, those that begin
// as in `later` when they are first loaded. They are loaded from the network as long as it answers. Another version replaces all of them
// once it is stored whole; until then, and where that fails, the one before it stays.

const HEADERS = {
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
};

/** Stores for the tab that the page was reloaded, to prevent a second reload if isolation is not possible. */
const RELOADED = "spikelet: reloaded to be isolated";

/** Caches begin with this name, because others of the same origin do not belong to the page. */
const CACHES = `spikelet-offline ${new URL("./", location).pathname} `;

/** What the page asks its service worker for. */
const STORE = "store the page";

/** The list of the files, which is stored after all of them: a store without it is not whole. */
const LIST = "offline.json";

/** How long the network may take to answer for the page itself, in ms; the stored page is shown then. */
const PATIENCE = 3000;

if (globalThis.document === undefined) serve();
else register(document.currentScript);

/** In the page. */
function register(script) {
  const workers = navigator.serviceWorker;
  if (crossOriginIsolated) sessionStorage.removeItem(RELOADED);
  const { offline } = script.dataset;
  const url = new URL(script.src);
  if (offline !== undefined) url.searchParams.set("offline", offline);
  const reload = workers && !crossOriginIsolated && sessionStorage.getItem(RELOADED) === null;
  if (workers && (reload || offline !== undefined)) {
    // Where service workers are blocked the page works without.
    workers.register(url).then(({ installing, waiting, active }) => {
      // Not part of its installation: threads do not wait for the last file.
      if (offline !== undefined) (installing ?? waiting ?? active).postMessage(STORE);
    }).catch(() => {});
  } else if (workers) {
    // A page that does not ask for it any more stores nothing.
    workers.getRegistration().then((registration) => {
      const active = registration?.active?.scriptURL ?? "";
      if (active.startsWith(`${url.href}?offline=`)) registration.unregister();
    }, () => {});
  }
  if (!reload) return;
  workers.ready.then(() => {
    sessionStorage.setItem(RELOADED, "yes");
    location.reload();
  });
}

/** In the service worker. */
function serve() {
  const version = new URL(location).searchParams.get("offline");
  const name = version === null ? null : CACHES + version;
  /** Pages that were shown from the cache: their files are those of the same version. */
  const stored = new Set();

  addEventListener("install", (event) => event.waitUntil(skipWaiting()));
  addEventListener("activate", (event) => {
    // A page that does not ask for it any more has nothing stored.
    event.waitUntil(Promise.all([name === null && removeOthers(name), clients.claim()]));
  });
  /** While it stores: other pages may ask for the same. */
  let storing = null;
  addEventListener("message", (event) => {
    if (event.data !== STORE || name === null) return;
    storing ??= store(name).finally(() => storing = null);
    // What fails is tried again at the next visit.
    event.waitUntil(storing.catch(() => {}));
  });
  addEventListener("fetch", (event) => {
    const { request } = event;
    // A request for the browser's cache only; it cannot be fetched from another origin.
    if (request.cache === "only-if-cached" && request.mode !== "same-origin") return;
    event.respondWith(name === null ? fetch(request).then(withHeaders) : answer(event, stored));
  });
}

/** Stores all files, then removes those of other versions. */
async function store(name) {
  if (await newest() === name) return;
  const list = await load(LIST);
  const { files } = await list.clone().json();
  const cache = await caches.open(name);
  await Promise.all(files.map(async (file) => cache.put(file, await load(file))));
  await cache.put(LIST, list);
  await removeOthers(name);
}

async function removeOthers(name) {
  const all = await caches.keys();
  await Promise.all(all.filter((other) => other.startsWith(CACHES) && other !== name).map((other) => caches.delete(other)));
}

async function load(file) {
  // What the page has just loaded is only confirmed by the host.
  const response = await fetch(file, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${LIST} lists ${file}, which the host does not have (${response.status})`);
  return response;
}

/** The name of the newest version that is stored whole, if there is one. */
async function newest() {
  const names = (await caches.keys()).filter((name) => name.startsWith(CACHES));
  for (const name of names.reverse()) {
    if (await (await caches.open(name)).match(LIST)) return name;
  }
  return undefined;
}

/** From the network; from the cache if there is none, or if the page itself came from there. */
async function answer(event, stored) {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return withHeaders(await fetch(request));
  const isPage = request.mode === "navigate";
  const cached = async () => {
    const name = await newest();
    if (name === undefined) return undefined;
    const cache = await caches.open(name);
    const page = isPage && url.pathname.endsWith("/index.html") ? new URL("./", url) : request;
    const found = await cache.match(page, { ignoreSearch: true, ignoreVary: true });
    // Also that of a Worker whose script it is.
    if (found && event.resultingClientId) stored.add(event.resultingClientId);
    return found;
  };
  if (stored.has(event.clientId)) {
    const found = await cached();
    if (found) return withHeaders(found);
  }
  const network = fetch(request).then((response) => {
    if (response.ok) event.waitUntil(keep(url, response.clone()));
    return response;
  });
  const late = isPage ? new Promise((resolve) => setTimeout(resolve, PATIENCE)).then(cached) : new Promise(() => {});
  // Without a stored page it is waited for.
  const first = await Promise.race([network, late]).catch(() => undefined);
  if (first) return withHeaders(first);
  const found = isPage ? undefined : await cached();
  return withHeaders(found ?? await network.catch(async (error) => {
    const page = await cached();
    if (page) return page;
    throw error;
  }));
}

/** Stores a file that is not needed at the first visit, now that it was loaded. */
async function keep(url, response) {
  const name = await newest();
  if (name === undefined) return;
  const scope = new URL("./", location);
  const cache = await caches.open(name);
  const { later = [] } = await (await cache.match(LIST)).json();
  if (later.some((start) => url.href.startsWith(new URL(start, scope).href))) await cache.put(new URL(url.pathname, url), response);
}

function withHeaders(response) {
  // Opaque responses and redirects: no headers can be added.
  if (response.status === 0) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(HEADERS)) headers.set(name, value);
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers });
}
