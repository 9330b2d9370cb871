// The conformance package asks for fs.globSync, which Node 20 lacks; only its commands for other projects call it.
import { register } from "node:module";

const resolve = `
export const resolve = (name, context, next) =>
  name === "fs" && context.parentURL.includes("/conformance/")
    ? { url: "data:text/javascript,export * from 'node:fs'; export const globSync = undefined", shortCircuit: true }
    : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(resolve)}`);
