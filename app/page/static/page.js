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
  for (const each of findAll("[data-push]")) each.hidden = !("PushManager" in window && isSecureContext);
  const message = find("#message");
  if (message && !message.form.elements.pasted.value) message.form.elements.pasted.value = "[]";
  if (message && !message.value) takeDraft(message);
  if (message?.value) message.focus(); // somebody was writing
  for (const each of findAll("[data-zone]")) {
    if (each.value === each.defaultValue) each.value = decodeURIComponent(zone) || each.value;
  }
  for (const each of findAll("textarea:not([data-sized])")) {
    each.dataset.sized = "";
    const fit = () => {
      each.style.height = "auto"; // a property, which the policy of the page lets a script set
      each.style.height = `${Math.min(each.scrollHeight + 2, innerHeight / 2)}px`;
    };
    if (each.offsetParent) fit();
    each.addEventListener("input", fit);
  }
}

// what is pasted or dropped into a message was not typed, and the server is told so
for (const kind of ["paste", "drop"]) {
  on(kind, (event) => {
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

on("submit", (event) => {
  if (!event.target.matches("[data-push]") || event.target.elements.subscription.value) return;
  event.preventDefault();
  event.stopPropagation();
  subscribe(event.target).catch((error) => tell(`${word("refused")}: ${error.message}`));
}, true);

on("submit", (event) => {
  if (!event.target.matches("[data-sign-out]")) return;
  sessionStorage.clear();
  localStorage.removeItem(UNSENT);
});

on("ana:sent", (event) => {
  if (!event.target.matches("[data-clear]")) return;
  event.target.reset();
  for (const each of event.target.querySelectorAll("textarea")) each.style.height = "";
  if (event.target.id === "composer") sessionStorage.removeItem(nameDraft());
  followed = true;
});

// what has a day is dragged to another, among the hours of a week to another time: the form of the page moves it
let drag = null;

function lift() {
  drag.isLifted = true;
  drag.item.classList.add("dragged");
  drag.form.hidden = false;
}

function putBack(item) {
  item.classList.remove("dragged");
  item.style.translate = "";
  delete item.dataset.time;
}

// marks the day below, and among its hours the time at the upper edge of what is dragged; a phone shows no hours
function aim({ clientX, clientY }) {
  const below = document.elementFromPoint(clientX, clientY);
  find(".over")?.classList.remove("over");
  below?.closest("[data-day]")?.classList.add("over");
  const hours = below?.closest("[data-from]");
  delete drag.item.dataset.time;
  if (!hours || !find(".clock").offsetHeight) return;
  const { top, height } = hours.getBoundingClientRect();
  const { from, to } = hours.dataset;
  const quarter = Math.round(4 * from + ((clientY - drag.grip - top) / height) * 4 * (to - from));
  drag.item.dataset.time = new Date(Math.min(Math.max(quarter, 0), 95) * 900000).toISOString().slice(11, 16);
}

function release() {
  const day = find(".over");
  const { item, form, wait, isLifted } = drag ?? {};
  clearTimeout(wait);
  drag = null;
  if (!isLifted) return;
  const { time } = item.dataset;
  form.hidden = true;
  day?.classList.remove("over");
  if (!day || (day === item.closest("[data-day]") && !time)) return putBack(item);
  form.action = `/app/items/${item.dataset.item}/move`;
  form.elements.date.value = item.dataset.date;
  form.elements.day.value = day.dataset.day + (time ? `T${time}` : "");
  form.requestSubmit();
  on("ana:put", () => putBack(item), { once: true });
  setTimeout(putBack, 2000, item); // if it could not be moved
}

function cancelDrag() {
  find(".over")?.classList.remove("over");
  release();
}

on("pointerdown", (event) => {
  const [item, form] = [event.target.closest("[data-item]"), find("[data-drag]")];
  if (!item || !form || event.button || event.target.closest("button")) return;
  const grip = event.clientY - item.getBoundingClientRect().top;
  drag = { item, form, grip, x: event.pageX, y: event.pageY };
  if (event.pointerType === "touch") drag.wait = setTimeout(lift, 400); // a finger that moves at once scrolls
});
on("pointermove", (event) => {
  if (!drag) return;
  const [x, y] = [event.pageX - drag.x, event.pageY - drag.y];
  if (!drag.isLifted) {
    if (Math.hypot(x, y) < 6) return;
    if (drag.wait) return release();
    lift();
  }
  drag.item.style.translate = `${x}px ${y}px`;
  aim(event);
});
on("pointerup", release);
on("pointercancel", cancelDrag);
for (const kind of ["touchmove", "contextmenu"]) {
  on(kind, (event) => drag?.isLifted && event.preventDefault(), { passive: false });
}
on("dragstart", (event) => event.target.closest?.("[data-item]") && event.preventDefault());

function isNearEnd() {
  return document.documentElement.scrollHeight - scrollY - innerHeight < 160;
}

let followed = true; // whether the end was in view

function showEnd() {
  if (followed && find("#composer") && !find(".welcome")) scrollTo({ top: document.documentElement.scrollHeight });
}

on("ana:before", () => {
  followed = isNearEnd();
});
on("ana:grown", showEnd);
on("ana:put", () => {
  prepare();
  showEnd();
});

on("input", (event) => {
  if (event.target.id === "message") keepDraft(event.target);
});

// a place that opens above the page, as where something is moved to; without a script it is a page of its own
on("click", async (event) => {
  const link = event.target.closest("[data-dialog]");
  const dialog = find("#dialog");
  if (event.target === dialog) dialog.close(); // beside what it holds
  for (const each of findAll("details:is(.menu, [name=chip])[open]")) {
    if (!each.contains(event.target)) each.open = false;
  }
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  event.preventDefault();
  const response = await fetch(link.href, { headers: BY_SCRIPT });
  if (!response.ok) return tell(readFault(await response.text(), response));
  dialog.replaceChildren(...find("main", parse(await response.text())).children);
  find("#notice", dialog)?.remove();
  tell("");
  return dialog.showModal();
});
on("ana:sent", () => find("#dialog").close());
find("#dialog").addEventListener("close", (event) => event.target.replaceChildren());

// what a task in words is understood as, before it is added
let asking = 0;
on("input", (event) => {
  if (!event.target.matches("[data-understood]")) return;
  const { form, value } = event.target;
  clearTimeout(asking);
  asking = setTimeout(async () => {
    const asked = new URLSearchParams({ content: value, day: form.elements.day.value });
    const response = await fetch(`/app/understood?${asked}`, { headers: BY_SCRIPT }).catch(() => null);
    if (response?.ok) find("#understood").textContent = await response.text();
  }, 200);
});
on("ana:put", () => find("#understood")?.replaceChildren());

// keys: j and k walk through a list, x does what is there, m moves it, n begins something new
function walk(by) {
  const rows = [...findAll(".thing .what > a:first-child")];
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

on("keydown", (event) => {
  const writes = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (event.target.matches("#message") && event.key === "Enter" && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    event.target.form.requestSubmit();
  } else if (event.key === "Escape") {
    cancelDrag();
    find('[data-key="Escape"]')?.click();
  } else if (!writes && !event.ctrlKey && !event.metaKey && !event.altKey && !find("#dialog").open) {
    const act = KEYS[event.key] ?? (/^[1-7]$/.test(event.key) && (() => findAll(".parts .part")[event.key - 1].click()));
    if (!act) return;
    event.preventDefault();
    act();
  }
});

prepare();
addEventListener("hashchange", prepare); // a link that signs in is opened where the page already is
if (!location.hash && !location.search) showEnd();
if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register("/app/sw.js").catch(() => {});
