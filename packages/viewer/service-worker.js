// Keeps all files of the page in the browser, so that it works without a network. The build puts in what is in capitals.
const FILES = __FILES__;
const NAME = `acquisition-store-${__VERSION__}`;
/** The worker that reads files compiles its loops to WebAssembly. */
const POLICY = __POLICY__;

addEventListener('install', (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(FILES)));
});

// An older version of the page stays as long as it is open somewhere.
addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== NAME).map((name) => caches.delete(name)))),
  );
});

addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method === 'GET' && new URL(request.url).origin === location.origin) event.respondWith(answer(request));
});

async function answer(request) {
  const cache = await caches.open(NAME);
  const known = await cache.match(request, { ignoreSearch: request.mode === 'navigate' });
  return known ? withPolicy(known) : fetch(request);
}

function withPolicy(response) {
  const headers = new Headers(response.headers);
  headers.set('content-security-policy', POLICY);
  const { status, statusText, body } = response;
  return new Response(body, { status, statusText, headers });
}
