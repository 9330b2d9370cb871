// Plays what front ends do with a server, through LangGraph's JavaScript client.
//
// Usage: node conformance.mjs URL FOLDER
//
// Prints a line for each check; the exit code says whether all held. The server has the tools of tests/app/mailer.py,
// and its model is the one of tests/app/test_javascript.py: it does what a message says, and waits for files in FOLDER.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@langchain/langgraph-sdk";

const [url, folder] = process.argv.slice(2);
const { threads, runs } = new Client({ apiUrl: url, callerOptions: { maxRetries: 0 } });
const HELLO = "Hello there you.";
const MODES = ["values", "messages-tuple"];

const say = (content) => ({ messages: [{ role: "user", content }] });
/** The text of a message without the receipt under it. */
const textOf = ({ content }) => (typeof content === "string" ? content.split("\n\n---\n")[0] : content);
const textsOf = (values) => (values?.messages ?? []).map(textOf);
const texts = async (thread) => textsOf((await threads.getState(thread)).values);
const ask = (thread, content, more) => runs.wait(thread, "ana", { input: say(content), ...more });
const begin = async () => (await threads.create()).thread_id;
const mails = () => (existsSync(join(folder, "outbox")) ? readFileSync(join(folder, "outbox"), "utf8") : "");

async function until(condition) {
  for (let left = 1500; left > 0; left--) {
    if (await condition()) return;
    await sleep(20);
  }
  throw new Error("it did not happen in 30 s");
}

/** Begin a run whose model call answers only when `open` is called. */
async function hold(thread) {
  const run = await runs.create(thread, "ana", { input: say(`hold ${thread}`) });
  await until(() => existsSync(join(folder, `${thread}.reached`)));
  return { id: run.run_id, open: () => writeFileSync(join(folder, `${thread}.open`), "") };
}

/** Run a turn; return its last values, and the messages that its chunks add up to, as [id, type, text]. */
async function hear(thread, payload) {
  const chunks = new Map();
  let values;
  for await (const { event, data } of runs.stream(thread, "ana", { streamMode: MODES, ...payload })) {
    assert.notEqual(event, "error", JSON.stringify(data));
    if (event === "values") values = data;
    if (event !== "messages") continue;
    const [{ id, type, content }] = data;
    chunks.set(id, [id, type, (chunks.get(id)?.[2] ?? "") + content]);
  }
  return { values, heard: [...chunks.values()].map(([id, type, text]) => [id, type, text.trim()]) };
}

const NOT_FINISHED = "Not finished: a new message came before the answer.";
const LEFT = {
  reject: (held) => [held, "Too late."],
  enqueue: (held) => [held, "Too late.", "second", HELLO],
  interrupt: (held) => [held, NOT_FINISHED, "second", HELLO],
  rollback: () => ["second", HELLO],
};

async function checkStrategy(strategy) {
  const thread = await begin();
  const first = await hold(thread);
  const second = runs.create(thread, "ana", { input: say("second"), multitaskStrategy: strategy });
  if (strategy === "reject") await assert.rejects(second, { status: 409 });
  else await second;
  first.open();
  await runs.join(thread, strategy === "reject" ? first.id : (await second).run_id);
  assert.deepEqual(await texts(thread), LEFT[strategy](`hold ${thread}`));
}

async function checkCancel(action, isKept) {
  const thread = await begin();
  const run = await hold(thread);
  await runs.cancel(thread, run.id, false, action);
  run.open();
  const left = isKept ? [`hold ${thread}`] : [];
  await until(async () => JSON.stringify(await texts(thread)) === JSON.stringify(left));
  await ask(thread, "and now?");
  const told = isKept ? [NOT_FINISHED] : []; // what a stopped turn did, and that it ended, is said before the next
  assert.deepEqual(await texts(thread), [...left, ...told, "and now?", HELLO]);
}

async function checkDecision(type, isSent) {
  const thread = await begin();
  const to = `${type}@example.org`;
  const { values } = await hear(thread, { input: say(`mail ${to}`) });
  assert.equal(values.__interrupt__[0].value.action_requests[0].args.to, to);
  const [task] = (await threads.getState(thread)).tasks;
  assert.deepEqual(task.interrupts[0].value, values.__interrupt__[0].value);
  assert.equal((await threads.get(thread)).status, "interrupted");
  const reply = { decisions: [{ type, message: "No." }] };
  const { values: after } = await hear(thread, { command: { resume: reply } }); // as clients send it that show it
  assert.equal(textOf(after.messages.at(-1)), isSent ? `Heard: sent to ${to}` : "Heard: not sent");
  assert.equal(mails().includes(to), isSent);
  await assert.rejects(hear(thread, { command: { resume: reply } }), { status: 422 }, "nothing waits any more");
}

const CHECKS = {
  "a thread is created, found and deleted": async () => {
    const { thread_id } = await threads.create({ metadata: { colour: "green" } });
    const found = async () => (await threads.search({ metadata: { colour: "green" } })).map((each) => each.thread_id);
    assert.deepEqual(await found(), [thread_id]);
    await threads.delete(thread_id);
    assert.deepEqual(await found(), []);
    await assert.rejects(threads.get(thread_id), { status: 404 });
  },
  "the words of an answer come under its id, and it is there once": async () => {
    const { values, heard } = await hear(await begin(), { input: say("hello") });
    const [, answer] = values.messages;
    assert.deepEqual(textsOf(values).map((text) => text.trim()), ["hello", HELLO]);
    assert.deepEqual(heard, [[answer.id, "AIMessageChunk", HELLO]]);
  },
  "a tool is called, and its result names the call": async () => {
    const { values, heard } = await hear(await begin(), { input: say("store Buy milk") });
    const [, call, result, answer] = values.messages;
    assert.deepEqual(call.tool_calls.map(({ name, args }) => [name, args.content]), [["create_item", "Buy milk"]]);
    assert.equal(result.tool_call_id, call.tool_calls[0].id);
    assert.deepEqual(heard.map(([id]) => id), [call.id, result.id, answer.id]);
    assert.match(answer.content, /^Heard: .*Buy milk[^]*\n\n---\n- Stored: “Buy milk”$/);
  },
  "drafts can be kept back": async () => {
    const { heard } = await hear(await begin(), { input: say("hello"), context: { stream_drafts: false } });
    assert.deepEqual(heard.map(([, type, text]) => [type, text]), [["ai", `${HELLO}\n\n---\nno changes`]]);
  },
  "a tool asks first, and is approved": () => checkDecision("approve", true),
  "a tool asks first, and is rejected": () => checkDecision("reject", false),
  "a second message while a run works: reject": () => checkStrategy("reject"),
  "a second message while a run works: enqueue": () => checkStrategy("enqueue"),
  "a second message while a run works: interrupt": () => checkStrategy("interrupt"),
  "a second message while a run works: rollback": () => checkStrategy("rollback"),
  "a cancelled run keeps its message": () => checkCancel("interrupt", true),
  "a run cancelled with rollback leaves nothing": () => checkCancel("rollback", false),
  "a deleted run takes its messages with it": async () => {
    const thread = await begin();
    await ask(thread, "first");
    await ask(thread, "second");
    const [newest] = await runs.list(thread);
    await runs.delete(thread, newest.run_id);
    assert.deepEqual(await texts(thread), ["first", HELLO]);
  },
  "a message put into the state is answered": async () => {
    const thread = await begin();
    await ask(thread, "first");
    await threads.updateState(thread, { values: say("put in"), asNode: "load_context" });
    await runs.wait(thread, "ana", { input: null });
    assert.deepEqual(await texts(thread), ["first", HELLO, "put in", HELLO]);
  },
  "an edited message forks the conversation": async () => {
    const thread = await begin();
    await ask(thread, "first");
    const { checkpoint } = await threads.getState(thread);
    await ask(thread, "second");
    await ask(thread, "second, edited", { checkpoint });
    assert.deepEqual(await texts(thread), ["first", HELLO, "second, edited", HELLO]);
    assert.ok((await threads.getHistory(thread, { limit: 100 })).some(({ values }) => textsOf(values).includes("second")));
  },
  "an unknown field of the context is refused by name": async () => {
    const refused = ask(await begin(), "hello", { context: { colour: 1 } });
    await assert.rejects(refused, (error) => error.status === 422 && error.message.includes("no field 'colour'"));
  },
  "an error is a sentence": async () => {
    const sentence = /There is nothing to answer: the last message is not a user's\./;
    await assert.rejects(runs.wait(null, "ana", { input: { messages: [] } }), sentence);
    await assert.rejects(hear(null, { input: { messages: [] } }), sentence);
  },
  "a message with an image is answered by its text": async () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
    const state = await ask(await begin(), [image, { type: "text", text: "who is this?" }]);
    assert.equal(state.messages.at(-1).content, `${HELLO}\n\nImages and files are not read; this answers the text.\n\n---\nno changes`);
  },
};

for (const [name, check] of Object.entries(CHECKS)) {
  try {
    await check();
    console.log(`ok: ${name}`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`FAILED: ${name}: ${error.message}`);
  }
}
