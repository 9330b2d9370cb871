// Sends forms without leaving the page, puts what comes back in place where it differs, and follows a turn while it runs.
"use strict";

const find = (selector, within = document) => within.querySelector(selector);
const findAll = (selector) => document.querySelectorAll(selector);
const on = (kind, act, options) => document.addEventListener(kind, act, options);
const announce = (kind, from = document) => from.dispatchEvent(new CustomEvent(kind, { bubbles: true }));
const BY_SCRIPT = { "x-ana-script": "1" };
const AGAIN = 2000; // milliseconds until a page that could not be loaded is asked for again

// a sentence in the language of the page
const word = (name) => find("#problem").dataset[name] ?? "";

// a dialog has its own place for what went wrong: everything else lies behind it
function tell(sentence) {
  const problem = find("#dialog[open] [role=alert]") ?? find("#problem");
  problem.hidden = !sentence;
  problem.textContent = sentence;
}

// what nobody who writes may lose: what is open, and what was typed since the field was drawn
function keepsTyped(old, next) {
  if (old.matches("textarea")) {
    if (old.defaultValue !== next.defaultValue) old.value = next.defaultValue;
    old.defaultValue = next.defaultValue;
    return true;
  }
  if (old.matches("input:not([type=hidden])") && old.getAttribute("value") !== next.getAttribute("value")) {
    old.value = next.getAttribute("value") ?? "";
  }
  for (const state of ["checked", "selected"]) {
    if (state in old && old.hasAttribute(state) !== next.hasAttribute(state)) old[state] = next.hasAttribute(state);
  }
  return false;
}

function morph(old, next) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== next.nodeValue) old.nodeValue = next.nodeValue;
    return;
  }
  if (keepsTyped(old, next)) return;
  const isOpened = old.matches("details, dialog");
  for (const { name } of [...old.attributes]) {
    if (!next.hasAttribute(name) && name !== "style" && !(isOpened && name === "open")) old.removeAttribute(name);
  }
  for (const { name, value } of next.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  morphChildren(old, next);
}

const isSame = (one, other) => one.nodeName === other.nodeName && (one.id ?? "") === (other.id ?? "");

// what stays is not moved, as a field that is moved loses its focus: what stands before it goes first
function morphChildren(old, next) {
  const stays = new Set([...next.children].map((each) => each.id).filter(Boolean));
  let at = old.firstChild;
  for (const child of [...next.childNodes]) {
    const known = child.id ? [...old.children].find((each) => each.id === child.id) : null;
    while (known && at && at !== known && !stays.has(at.id)) at = drop(at);
    if (known && known !== at && isSame(known, child)) old.insertBefore(known, at);
    const found = known ?? at;
    if (found && isSame(found, child)) {
      morph(found, child);
      at = found.nextSibling;
    } else {
      old.insertBefore(document.importNode(child, true), at);
    }
  }
  while (at) at = drop(at);
}

function drop(node) {
  const after = node.nextSibling;
  node.remove();
  return after;
}

const parse = (html) => new DOMParser().parseFromString(html, "text/html");

// puts a page in the place of this one: of the same path where it differs, of another one whole
function put(html, isSamePath) {
  const next = parse(html);
  const page = find("#page", next);
  if (!page) return location.reload();
  document.title = next.title;
  if (isSamePath) morph(find("#page"), page);
  else {
    find("#page").replaceWith(document.importNode(page, true));
    scrollTo({ top: 0 });
    find("h1")?.focus({ preventScroll: true });
  }
  announce("ana:put");
  return null;
}

// what a server that cannot answer says: a sentence, JSON with one, or a page of whatever stands before it
function readFault(text, response) {
  if ((response.headers.get("content-type") ?? "").startsWith("text/plain")) return text.slice(0, 500);
  try {
    const told = JSON.parse(text);
    return String(told.error ?? told.detail).slice(0, 500);
  } catch {
    return `${word("failed")} (${response.status})`;
  }
}

let isSending = false; // one at a time: a double click sends once

async function send(form, button) {
  const path = button?.getAttribute("formaction") ?? form.getAttribute("action");
  const body = new URLSearchParams(new FormData(form, button));
  const response = await fetch(path, { method: "POST", body, headers: BY_SCRIPT });
  const text = await response.text();
  if (!response.ok) return tell(readFault(text, response));
  announce("ana:sent", form);
  const there = new URL(response.url);
  if (response.redirected && there.pathname !== location.pathname) return location.assign(there);
  if (response.redirected) history.replaceState(null, "", there); // an act is no page to go back to
  return put(text, response.redirected);
}

on("submit", async (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || form.enctype !== "application/x-www-form-urlencoded") return;
  event.preventDefault();
  if (isSending) return;
  isSending = true;
  tell("");
  try {
    await send(form, event.submitter);
  } catch {
    tell(word("unreachable"));
  } finally {
    isSending = false;
  }
});

// loads this page again, and again until it could be loaded
async function refresh() {
  try {
    const response = await fetch(location.href, { headers: BY_SCRIPT });
    const text = await response.text();
    if (response.ok) return put(text, true);
    tell(readFault(text, response));
  } catch {
    tell(word("again"));
  }
  return setTimeout(refresh, AGAIN);
}

// a turn that runs: each event has all of it, and the browser itself asks again where a connection is lost
function follow() {
  const place = find("[data-stream]");
  if (!place || place.source) return;
  const source = new EventSource(place.dataset.stream);
  place.source = source;
  source.addEventListener("message", (event) => {
    if (!place.isConnected) return source.close();
    announce("ana:before");
    morphChildren(place, parse(event.data).body);
    announce("ana:grown");
    return tell("");
  });
  source.addEventListener("ended", () => {
    source.close();
    if (place.isConnected) refresh();
  });
  source.addEventListener("error", () => {
    if (source.readyState !== EventSource.CLOSED || !place.isConnected) return;
    place.source = null; // the page that is loaded then follows it anew
    setTimeout(refresh, AGAIN);
  });
}

on("ana:put", follow);
on("DOMContentLoaded", follow);
