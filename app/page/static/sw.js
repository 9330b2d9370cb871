// Keeps the look of the page, and nothing of anybody: without a connection it says so, and page.js keeps what is typed there.
const SHELL = "ana-2";
const FILES = ["page.css", "live.js", "page.js", "icon.svg"].map((name) => `/app/static/${name}`);
const OFFLINE = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Offline - ana</title><link rel="stylesheet" href="/app/static/page.css">
<script src="/app/static/live.js" defer></script><script src="/app/static/page.js" defer></script>
<main class="chat" data-offline><h1>You are offline</h1><p>What you have is safe where ana runs. What you write here stays on
this device, and stands in the message when you are back.</p>
<form action="/app/chat" class="composer"><input type="hidden" id="pasted"><label class="unseen" for="message">Message</label>
<textarea id="message" rows="1" dir="auto" placeholder="Message"></textarea><button>Try again</button></form></main>
<div id="problem" role="alert" hidden></div><dialog id="dialog"></dialog></html>`;
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'self'; base-uri 'none'";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELL).then((cache) => cache.addAll(FILES)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name !== SHELL).map((name) => caches.delete(name));
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const path = new URL(event.request.url).pathname;
  if (event.request.mode === "navigate") {
    const headers = { "content-type": "text/html", "content-security-policy": POLICY };
    const offline = () => new Response(OFFLINE, { status: 503, headers });
    event.respondWith(fetch(event.request).catch(offline));
  } else if (FILES.includes(path)) {
    event.respondWith(fetch(event.request).catch(() => caches.match(path)));
  }
});

self.addEventListener("push", (event) => {
  const told = event.data ? event.data.json() : {};
  const actions = (told.buttons || []).map(([title, action]) => ({ action, title }));
  const shown = { body: told.body, tag: told.tag, actions: actions.slice(0, Notification.maxActions || 0) };
  event.waitUntil(self.registration.showNotification(told.title || "ana", shown));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const open = (path) => self.clients.openWindow(path);
  if (!event.action) return event.waitUntil(open("/app/today"));
  // what could not be done says so on its page
  const press = fetch(event.action, { method: "POST" }).then((answer) => answer.ok || open(event.action));
  event.waitUntil(press.catch(() => open(event.action)));
});
