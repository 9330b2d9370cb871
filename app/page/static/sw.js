// Keeps the look of the page, and nothing of anybody: without a connection it says so, and page.js keeps what is typed there.
const SHELL = "ana-3";
const OFFLINE = "/app/offline";
const FILES = ["page.css", "live.js", "page.js", "icon.svg"].map((name) => `/app/static/${name}`);

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELL).then((cache) => cache.addAll([OFFLINE, ...FILES])).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = (names) => names.filter((name) => name !== SHELL).map((name) => caches.delete(name));
  event.waitUntil(caches.keys().then((names) => Promise.all(old(names))).then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  if (event.request.method !== "GET") return;
  const path = new URL(event.request.url).pathname;
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match(OFFLINE)));
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
