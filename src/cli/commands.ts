import type { Command } from "commander";

/** What the general help says of a command. */
interface Summary {
  readonly description: string;
  /** Its arguments, as the usage line shows them. */
  readonly usage?: string;
  readonly hidden?: boolean;
}

/** Every command of the first level; its own file adds arguments and flags when it is the one that runs. */
export const commands = {
  setup: { description: "choose and download models that fit this machine, and the local Milvus" },
  doctor: {
    description: "check the home, registry, models, store and GPU; exit status 1 when a check fails",
  },
  demo: {
    description:
      "try ragctl: download small models if needed, ingest sample documents and ask three questions",
  },
  models: { description: "list, download, import, verify and probe models" },
  ingest: {
    description: "ingest files, folders or globs into a collection; unchanged files are skipped",
    usage: "<paths...>",
  },
  sync: {
    description:
      "update a collection to match a folder: adds, edits, moves and deletes; without a folder, every folder synced before",
    usage: "[folder]",
  },
  sources: { description: "list the folders that `ragctl sync` keeps in sync" },
  watch: {
    description:
      "keep a collection in sync with a folder until stopped with Ctrl-C; prints one line per document",
    usage: "<folder>",
  },
  queue: { description: "manage background ingest jobs (`ragctl ingest --background`)" },
  worker: { description: "run queued jobs until stopped; several workers can run at once" },
  list: { description: "list the documents you can search" },
  show: { description: "show one document and its chunks", usage: "<document>" },
  forget: {
    description: "remove documents from ragctl; the files themselves are kept",
    usage: "[documents...]",
  },
  history: { description: "list the versions of a document, newest first", usage: "<document>" },
  diff: {
    description: "compare the text of two versions of a document (default: previous and current)",
    usage: "<document> [from] [to]",
  },
  restore: {
    description: "make an earlier version of a document current again; the file on disk is unchanged",
    usage: "<document> <version>",
  },
  prune: { description: "remove the chunks of replaced versions, and runs older than history.keepDays" },
  duplicates: { description: "list documents with identical content, and pairs that are nearly identical" },
  collections: {
    description:
      "list collections with their documents, chunks and embedding model; show, describe or remove one",
    usage: "[command]",
  },
  reembed: {
    description:
      "re-embed collections, e.g. with another model; searches use the old vectors until the new ones are complete",
  },
  search: {
    description:
      "find the passages closest to a question, without a language model; exit status 3 when nothing is found",
    usage: "[question...]",
  },
  ask: {
    description:
      "answer a question from the documents, with citations; exit status 5 without evidence, 9 when ragctl asks you to clarify",
    usage: "[question...]",
  },
  chat: {
    description:
      "chat in a room with memory: follow-up questions work, and earlier messages are searched along with the documents",
  },
  eval: {
    description: "measure search and answers on your own questions; exit status 10 when a gate is not passed",
    usage: "<questions>",
  },
  verify: {
    description:
      "hold a text against the documents, sentence by sentence: supported, contradicted or not found; exit status 6 unless all are supported",
    usage: "[text...]",
  },
  conflicts: {
    description:
      "list figures that documents about the same thing give differently: same row and period, another value",
  },
  answers: {
    description: "check past answers: which of them rest on passages that changed",
  },
  export: {
    description: "write a past answer with its cited pages as one HTML file, which ragctl verify can check",
    usage: "<run>",
  },
  replay: {
    description:
      "answer an earlier question again on the same versions and say at which step it first differs, and why",
    usage: "<run>",
  },
  mcp: {
    description:
      "serve documents to an assistant over stdin and stdout (Model Context Protocol); ends when the client closes stdin",
  },
  agents: { description: "manage agents: what each one answers about, and with which tools" },
  tools: { description: "manage the tools agents can use: search, calculator, database, …" },
  providers: {
    description:
      "manage the model providers of llm, reflection, semantic_router and embedding; one of each is enabled",
  },
  principals: { description: "manage principals: people, services and the owner, and their departments" },
  permissions: {
    description: "manage who may read, write and administer what; a denial overrides every grant",
  },
  registry: {
    description: "export, import and compare the registry as one YAML file; move it to another database",
  },
  serve: { description: "serve this home over HTTP: a web page, /v1, an OpenAI-compatible API, metrics" },
  config: { description: "show and change settings" },
  status: {
    description:
      "show the resident process: commands it runs, models it holds, the local Milvus; exit status 3 when it is not running",
  },
  stop: { description: "stop the resident process without waiting until it is idle" },
  uninstall: { description: "show what ragctl keeps on this machine, with sizes, and remove it" },
  backup: { description: "back up this home, or restore a backup" },
  bundle: { description: "pack ragctl, its models and Node.js for a machine without a network" },
  logs: {
    description: "list past runs, newest first, or show one with its answer and phases",
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

/** Adds what the general help shows of the command, without loading its file. */
export function outlined(program: Command, name: CommandName): Command {
  const { usage }: Summary = commands[name];
  return usage === undefined ? declared(program, name) : declared(program, name).arguments(usage);
}
