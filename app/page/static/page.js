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
  if (message && !message.value) takeDraft(message);
  if (message?.value) message.focus(); // somebody was writing
  for (const each of document.querySelectorAll("[data-pick]")) if (!each.nextElementSibling) addPicker(each);
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

// what is being written is there again when its page is, in this tab alone; what was written offline, in the next message
const UNSENT = "ana-unsent";
const nameDraft = () => `draft ${location.pathname}`;

function keepDraft({ value, form }) {
  const draft = JSON.stringify([value, form.elements.pasted.value]);
  if (find("[data-offline]")) localStorage.setItem(UNSENT, draft);
  else sessionStorage.setItem(nameDraft(), draft);
}

function takeDraft(message) {
  const draft = sessionStorage.getItem(nameDraft()) ?? localStorage.getItem(UNSENT);
  if (!draft) return;
  [message.value, message.form.elements.pasted.value] = JSON.parse(draft);
  if (find("[data-offline]")) return;
  localStorage.removeItem(UNSENT);
  keepDraft(message);
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
  subscribe(event.target).catch((error) => tell(`${word("refused")}: ${error.message}`));
}, true);

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-sign-out]")) return;
  sessionStorage.clear();
  localStorage.removeItem(UNSENT);
});

document.addEventListener("ana:sent", (event) => {
  if (!event.target.matches("[data-clear]")) return;
  event.target.reset();
  if (event.target.id === "composer") sessionStorage.removeItem(nameDraft());
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
  if (followed && find("#composer") && !find(".welcome")) scrollTo({ top: document.documentElement.scrollHeight });
}

document.addEventListener("ana:before", () => {
  followed = isNearEnd();
});
document.addEventListener("ana:grown", showEnd);
document.addEventListener("ana:put", () => {
  prepare();
  showEnd();
});

document.addEventListener("input", (event) => {
  if (event.target.id === "message") keepDraft(event.target);
});

// a place that opens above the page, as where something is moved to; without a script it is a page of its own
document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-dialog]");
  const dialog = find("#dialog");
  if (event.target === dialog) dialog.close(); // beside what it holds
  for (const each of document.querySelectorAll("details:is(.menu, [name=chip])[open]")) {
    if (!each.contains(event.target)) each.open = false;
  }
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  event.preventDefault();
  const response = await fetch(link.href, { headers: BY_SCRIPT });
  if (!response.ok) return tell(readFault(await response.text(), response));
  dialog.replaceChildren(...find("main", parse(await response.text())).children);
  find("#notice", dialog)?.remove();
  return dialog.showModal();
});
document.addEventListener("ana:sent", () => find("#dialog").close());
find("#dialog").addEventListener("close", (event) => event.target.replaceChildren());

// what a task in words is understood as, before it is added
let asking = 0;
document.addEventListener("input", (event) => {
  if (!event.target.matches("[data-understood]")) return;
  const { form, value } = event.target;
  clearTimeout(asking);
  asking = setTimeout(async () => {
    const asked = new URLSearchParams({ content: value, day: form.elements.day.value });
    const response = await fetch(`/app/understood?${asked}`, { headers: BY_SCRIPT }).catch(() => null);
    if (response?.ok) find("#understood").textContent = await response.text();
  }, 200);
});
document.addEventListener("ana:put", () => find("#understood")?.replaceChildren());

// a field for a day in words has a calendar beside it
function addPicker(field) {
  const picker = document.createElement("input");
  Object.assign(picker, { type: "date", ariaLabel: word("pick"), className: "picker" });
  picker.value = /^\d{4}-\d\d-\d\d/.exec(field.value)?.[0] ?? "";
  picker.addEventListener("change", () => {
    field.value = picker.value + (/T.*/.exec(field.value)?.[0] ?? "");
  });
  field.after(picker);
}

// keys: j and k walk through a list, x does what is there, m moves it, n begins something new
function walk(by) {
  const rows = [...document.querySelectorAll(".thing .what > a:first-child")];
  const at = rows.findIndex((each) => each.closest(".thing").contains(document.activeElement));
  rows[Math.min(Math.max(at + by, 0), rows.length - 1)]?.focus();
}
const press = (selector) => find(selector, document.activeElement.closest(".thing") ?? new DocumentFragment())?.click();
const KEYS = {
  j: () => walk(1),
  k: () => walk(-1),
  x: () => press(".tick, input[name=id]"),
  m: () => press("[data-dialog]"),
  n: () => find("[data-new]")?.focus(),
  c: () => find(".brand").click(),
  "/": () => (find("[data-search]") || find("#message"))?.focus(),
};

document.addEventListener("keydown", (event) => {
  const writes = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (event.target.matches("#message") && event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    event.target.form.requestSubmit();
  } else if (event.key === "Escape") {
    find('[data-key="Escape"]')?.click();
  } else if (!writes && !event.ctrlKey && !event.metaKey && !event.altKey && !find("#dialog").open) {
    const act = KEYS[event.key] ?? (/^[1-7]$/.test(event.key) && (() => document.querySelectorAll(".parts .part")[event.key - 1].click()));
    if (!act) return;
    event.preventDefault();
    act();
  }
});

prepare();
addEventListener("hashchange", prepare); // a link that signs in is opened where the page already is
if (!location.hash && !location.search) showEnd();
if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register("/app/sw.js").catch(() => {});
