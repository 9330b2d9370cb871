// What a page of links and forms cannot do: keys, a message that failed stays, a code in the address signs in.
"use strict";

function prepare() {
  const zone = encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone ?? "");
  document.cookie = `ana-zone=${zone}; path=/app; max-age=31536000; samesite=strict`;
  const form = find("form[data-sign-in]");
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (form && code) {
    history.replaceState(null, "", location.pathname);
    form.elements.code.value = code;
    form.requestSubmit();
  }
  for (const each of document.querySelectorAll("[data-push]")) each.hidden = !("PushManager" in window && isSecureContext);
  const message = find("#message");
  if (message && !message.form.elements.pasted.value) message.form.elements.pasted.value = "[]";
  if (message && !message.value) message.value = sessionStorage.getItem(location.pathname) ?? "";
  if (message?.value) message.focus(); // somebody was writing
  for (const each of document.querySelectorAll("textarea:not([data-sized])")) {
    each.dataset.sized = "";
    each.addEventListener("input", () => {
      each.style.height = "auto"; // a property, which the policy of the page lets a script set
      each.style.height = `${Math.min(each.scrollHeight + 2, innerHeight / 2)}px`;
    });
  }
}

// what is pasted or dropped into a message was not typed, and the server is told so
for (const kind of ["paste", "drop"]) {
  document.addEventListener(kind, (event) => {
    const text = (event.clipboardData ?? event.dataTransfer)?.getData("text/plain").replaceAll("\r\n", "\n").trim();
    if (event.target.id !== "message" || !text) return;
    const { pasted } = event.target.form.elements;
    pasted.value = JSON.stringify([...JSON.parse(pasted.value || "[]"), text]);
  });
}

// a browser that takes messages says where they are to be sent; the server does the rest
async function subscribe(form) {
  const worker = await navigator.serviceWorker.ready;
  const key = Uint8Array.from(atob(form.dataset.push.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const found = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  form.elements.subscription.value = JSON.stringify(found);
  form.requestSubmit();
}

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-push]") || event.target.elements.subscription.value) return;
  event.preventDefault();
  event.stopPropagation();
  subscribe(event.target).catch((error) => tell(`This browser takes no messages: ${error.message}`));
}, true);

document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-sign-out]")) sessionStorage.clear();
});

document.addEventListener("ana:sent", (event) => {
  if (!event.target.matches("[data-clear]")) return;
  event.target.reset();
  if (event.target.id === "composer") sessionStorage.removeItem(location.pathname);
  followed = true;
});

// an item of the month that is dropped on another day
document.addEventListener("dragstart", (event) => {
  const { item, date } = event.target.dataset ?? {};
  if (item) event.dataTransfer.setData("text/plain", `${item} ${date}`);
});
document.addEventListener("dragover", (event) => {
  if (event.target.closest?.("[data-day]")) event.preventDefault();
});
document.addEventListener("drop", (event) => {
  const day = event.target.closest?.("[data-day]")?.dataset.day;
  const [item, date] = event.dataTransfer.getData("text/plain").split(" ");
  const form = find("[data-move]");
  if (!day || !form || !/^\w+$/.test(item)) return;
  event.preventDefault();
  form.action = `/app/items/${item}/move`;
  form.elements.date.value = date ?? "";
  form.elements.day.value = day;
  form.requestSubmit();
});

function isNearEnd() {
  return document.documentElement.scrollHeight - scrollY - innerHeight < 160;
}

let followed = true; // whether the end was in view

function showEnd() {
  if (followed && find("#composer")) scrollTo({ top: document.documentElement.scrollHeight });
}

document.addEventListener("ana:before", () => {
  followed = isNearEnd();
});
document.addEventListener("ana:grown", showEnd);
document.addEventListener("ana:put", () => {
  prepare();
  showEnd();
});

// what is being written is there again when its page is, in this tab alone
document.addEventListener("input", (event) => {
  if (event.target.id === "message") sessionStorage.setItem(location.pathname, event.target.value);
});

document.addEventListener("keydown", (event) => {
  const writes = event.target.matches("input, textarea, select");
  if (event.target.matches("#message") && event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    event.target.form.requestSubmit();
  } else if (event.key === "Escape") {
    find('[data-key="Escape"]')?.click();
  } else if (!writes && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const field = event.key === "/" ? find("[data-search]") || find("#message") : null;
    const link = /^[1-6]$/.test(event.key) ? document.querySelectorAll(".parts a")[event.key - 1] : null;
    if (field) {
      event.preventDefault();
      field.focus();
    }
    link?.click();
  }
});

prepare();
addEventListener("hashchange", prepare); // a link that signs in is opened where the page already is
if (find("#composer") && !location.hash && !location.search) scrollTo({ top: document.documentElement.scrollHeight });
if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register("/app/sw.js");
