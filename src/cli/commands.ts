import type { Command } from "commander";

/** A command in the general help. */
interface Summary {
  readonly description: string;
  /** Its arguments, as the usage line shows them. */
  readonly usage?: string;
  readonly hidden?: boolean;
}

/** Every command of the first level; its own file adds arguments and flags when it is the one that runs. */
export const commands = {
  setup: { description: "choose and download models that fit this machine, and a local Milvus" },
  doctor: {
    description: "check the home, registry, models, stores and GPU; exits with 1 if a check fails",
  },
  demo: {
    description: "try ragctl: download small models if needed, ingest sample documents, ask three questions",
  },
  models: { description: "list, download, import, verify and test models" },
  ingest: {
    description: "ingest files, folders or globs into a collection; unchanged files are skipped",
    usage: "<paths...>",
  },
  sync: {
    description:
      "update a collection to match a folder, including moved and deleted files; without a folder, sync all known folders",
    usage: "[folder]",
  },
  sources: { description: "list or remove the folders that `ragctl sync` updates" },
  watch: {
    description:
      "keep a collection in sync with a folder until you press Ctrl-C; prints one line per document",
    usage: "<folder>",
  },
  queue: { description: "manage background ingest jobs (`ragctl ingest --background`)" },
  worker: { description: "run queued jobs until stopped; several workers can run at the same time" },
  list: { description: "list the documents you can read" },
  show: { description: "show one document and its chunks", usage: "<document>" },
  forget: {
    description: "remove documents from ragctl; your files are kept, except uploaded ones",
    usage: "[documents...]",
  },
  history: { description: "list the versions of a document, newest first", usage: "<document>" },
  diff: {
    description: "compare the text of two versions of a document (default: previous and current)",
    usage: "<document> [from] [to]",
  },
  restore: {
    description: "make an earlier version of a document current again; the file on disk does not change",
    usage: "<document> <version>",
  },
  prune: { description: "delete replaced document versions, and runs older than history.keepDays" },
  duplicates: { description: "list identical and nearly identical documents" },
  collections: {
    description: "list, show, describe, migrate or remove collections",
    usage: "[command]",
  },
  reembed: {
    description:
      "re-embed collections, e.g. with another model; searches use the old vectors until the new ones are ready",
  },
  search: {
    description:
      "find the passages that best match a question, without a language model; exits with 3 if nothing fits",
    usage: "[question...]",
  },
  ask: {
    description:
      "answer a question from your documents, with citations; exits with 5 if they hold no answer, 9 if the question needs clarifying",
    usage: "[question...]",
  },
  chat: {
    description:
      "chat in a room with memory: follow-up questions work, and earlier messages are searched too",
  },
  eval: {
    description: "measure search and answer quality on your own questions; exits with 10 if a gate fails",
    usage: "<questions>",
  },
  verify: {
    description:
      "check a text against your documents sentence by sentence: supported, contradicted or not found; exits with 6 unless all are supported",
    usage: "[text...]",
  },
  conflicts: {
    description:
      "list numbers that contradict each other across documents (same row and period, different value)",
  },
  answers: {
    description: "find past answers whose sources have changed",
  },
  export: {
    description: "write a past answer and its cited pages to one HTML file, which `ragctl verify` can check",
    usage: "<run>",
  },
  replay: {
    description:
      "answer a past question again from the same document versions and report the first step that differs, and why",
    usage: "<run>",
  },
  mcp: {
    description:
      "serve documents to an assistant over stdin and stdout (Model Context Protocol) until the client closes stdin",
  },
  agents: { description: "manage agents: the topics each one answers, and its tools" },
  tools: { description: "manage the tools agents can use: search, calculator, database, …" },
  providers: {
    description:
      "manage model providers for llm, reflection, semantic_router and embedding; one of each is enabled",
  },
  principals: { description: "manage principals (people, services and the owner) and their departments" },
  permissions: {
    description: "manage who may read, write or administer what; a denial overrides every grant",
  },
  registry: {
    description: "export, import or compare the registry as a YAML file, or move it to another database",
  },
  serve: { description: "serve this home over HTTP: web page, REST API, OpenAI-compatible API, metrics" },
  config: { description: "show and change settings" },
  status: {
    description:
      "show the resident process: running commands, loaded models, local Milvus; exits with 3 if it is not running",
  },
  stop: { description: "stop the resident process now instead of when it is idle" },
  uninstall: { description: "show what ragctl stores on this machine, with sizes, and remove it" },
  backup: { description: "back up this home, or restore a backup" },
  bundle: { description: "pack ragctl, its models and Node.js for a machine without network access" },
  logs: {
    description: "list past runs, newest first, or show one with its answer and timings",
    usage: "[run]",
  },
  completion: { description: "print a completion script for your shell", usage: "<shell>" },
  "completion-names": {
    description: "print names of one kind for shell completion",
    usage: "<kind>",
    hidden: true,
  },
} as const satisfies Readonly<Record<string, Summary>>;

export type CommandName = keyof typeof commands;

/** Adds the command to the program, described as the general help describes it. */
export function declared(program: Command, name: CommandName): Command {
  const { description, hidden = false }: Summary = commands[name];
  return program.command(name, { hidden }).description(description);
}

/** Adds the command's line for the general help without loading its file. */
export function outlined(program: Command, name: CommandName): Command {
  const { usage }: Summary = commands[name];
  return usage === undefined ? declared(program, name) : declared(program, name).arguments(usage);
}
