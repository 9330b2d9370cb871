// The official TypeScript client and `ana mcp`: node mcp.mjs COMMAND ARGUMENT...; the environment names the folder.
import assert from "node:assert";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [command, ...args] = process.argv.slice(2);

async function talk(reply, work) {
  const capabilities = reply ? { elicitation: {} } : {};
  const client = new Client({ name: "Node", version: "1" }, { capabilities });
  const asked = [];
  if (reply) client.setRequestHandler(ElicitRequestSchema, (request) => (asked.push(request.params.message), reply));
  await client.connect(new StdioClientTransport({ command, args, env: process.env }));
  const call = async (name, args = {}) => client.callTool({ name, arguments: args });
  await work({ client, asked, use: async (name, args) => (await call(name, args)).structuredContent, call });
  await client.close();
}

const YES = { action: "accept", content: { decision: "do it" } };
const NO = { action: "accept", content: { decision: "do not do it" } };

await talk(YES, async ({ client, asked, use, call }) => {
  const { tools } = await client.listTools(); // results are checked against their schemas from now on
  assert(tools.length === 14);
  const { id } = await use("create_item", { content: "Pay the rent", properties: { due_date: "2026-01-30" } });
  assert((await use("query_items", { text: "rent" })).items[0].id === id);
  assert((await use("search", { query: "rent" })).results[0].id === id);
  assert((await use("fetch", { id })).text === "Pay the rent");
  assert((await use("update_item", { id, properties: { status: "done" } })).receipt.includes("rent"));
  assert((await use("append_context", { content: "Prefers tea" })).line === 0);
  assert((await use("replace_context", { line: 0, content: "Prefers coffee" })).replaced === "Prefers tea");
  assert((await use("delete_context", { line: 0 })).deleted === "Prefers coffee");
  assert((await use("delete_item", { id })).deleted.content === "Pay the rent");
  assert(asked.length === 1 && asked[0].includes("rent"), asked.join("\n")); // the delete
  assert((await use("undo")).changes.length === 1);
  assert((await use("history")).turns.some((turn) => turn.by === "node"));
  assert((await use("calculator", { expression: "2 + 3" })).result === 5);
  assert((await use("now")).iso);
  assert((await use("resolve_date", { phrase: "today" })).date);
  assert((await call("nope")).isError);
  const { resources } = await client.listResources();
  for (const { uri } of [...resources, { uri: `ana://item/${id}` }]) assert((await client.readResource({ uri })).contents[0].text);
  const { prompts } = await client.listPrompts();
  for (const { name } of prompts) assert((await client.getPrompt({ name, arguments: { text: "tea" } })).messages.length);
});

for (const [reply, waits] of [[NO, false], [{ action: "decline" }, true], [{ action: "cancel" }, true], [null, true]]) {
  await talk(reply, async ({ use, call }) => {
    const { items } = await use("query_items", { text: "rent" });
    const told = await call("delete_item", { id: items[0].id });
    assert(waits ? told.structuredContent.waits_for_the_person : told.isError, JSON.stringify(told));
  });
}
console.log("all of it");
