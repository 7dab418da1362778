import type { RagctlError } from "../core/errors.ts";
import { sanitize } from "../core/text.ts";

/** Commands of the shell, and the tools that do the same here. */
const tools: ReadonlyMap<string, string> = new Map([
  ["list", "list_documents"],
  ["show", "read_document"],
  ["collections", "list_collections"],
]);

/** A command alone in its quotes; one with arguments is for a person to run. */
const command = /`ragctl (\w{1,30})`/g;

/** An error as a model reads it: what happened and what to do, by tools where they can do it. */
export function errorText({ code, message, hint }: RagctlError): string {
  if (hint === undefined) return sanitize(`error ${code}: ${message}`);
  const own = hint.replace(command, (whole, name: string) => tools.get(name) ?? whole);
  const where = /\bragctl [a-z]/.test(own) ? " (a command of the terminal, not a tool)" : "";
  return sanitize(`error ${code}: ${message}\n→ ${own}${where}`);
}
