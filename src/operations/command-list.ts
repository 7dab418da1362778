import type { Operation } from "./operation.ts";

/** A command of the first level in the general help. */
export interface Summary {
  readonly description: string;
  /** Its arguments, as the usage line shows them. */
  readonly usage?: string;
  readonly hidden?: boolean;
  /** Loads the operations of its family, which are or follow it; absent for one that cli/ defines itself. */
  readonly operations?: () => Promise<readonly Operation[]>;
}

/** Every command of the first level, in the order and under the headings of `ragctl --help`. */
export const commands: Readonly<Record<string, Readonly<Record<string, Summary>>>> = {
  "Get started:": {
    setup: { description: "choose and download models that fit this machine, and a local Milvus" },
    doctor: {
      description: "check the home, registry, models, stores and GPU; exits with 1 if a check fails",
    },
    demo: {
      description:
        "try ragctl: download small models if needed, ingest sample documents, ask three questions",
    },
    models: { description: "list, download, import, verify and test models" },
  },
  "Documents:": {
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
    queue: {
      description: "manage background ingest jobs (`ragctl ingest --background`)",
      operations: async () => (await import("./documents/queue.ts")).queue,
    },
    worker: { description: "run queued jobs until stopped; several workers can run at the same time" },
    list: {
      description: "list the documents you can read",
      operations: async () => [(await import("./documents/documents.ts")).list],
    },
    show: {
      description: "show one document and its chunks",
      usage: "<document>",
      operations: async () => [(await import("./documents/documents.ts")).show],
    },
    forget: {
      description: "remove documents from ragctl; your files are kept, except uploaded ones",
      usage: "[documents...]",
      operations: async () => [(await import("./documents/removal.ts")).forget],
    },
    history: {
      description: "list the versions of a document, newest first",
      usage: "<document>",
      operations: async () => [(await import("./documents/versions.ts")).history],
    },
    diff: {
      description: "compare the text of two versions of a document (default: previous and current)",
      usage: "<document> [from] [to]",
      operations: async () => [(await import("./documents/versions.ts")).diff],
    },
    restore: {
      description: "make an earlier version of a document current again; the file on disk does not change",
      usage: "<document> <version>",
      operations: async () => [(await import("./documents/versions.ts")).restore],
    },
    prune: {
      description: "delete replaced document versions, and runs older than history.keepDays",
      operations: async () => [(await import("./documents/prune.ts")).prune],
    },
    duplicates: {
      description: "list identical and nearly identical documents",
      operations: async () => [(await import("./documents/duplicates.ts")).duplicates],
    },
    similar: {
      description: "list the documents most similar to one document, with the nearest pages",
      usage: "<document>",
      operations: async () => [(await import("./documents/similar.ts")).similar],
    },
    collections: {
      description: "list, show, describe, migrate or remove collections",
      usage: "[command]",
      operations: async () => (await import("./documents/collections.ts")).collections,
    },
    reembed: {
      description:
        "re-embed collections, e.g. with another model; searches use the old vectors until the new ones are ready",
    },
  },
  "Questions:": {
    search: {
      description:
        "find the passages that best match a question, without a language model; exits with 3 if nothing fits",
      usage: "[question...]",
      operations: async () => [(await import("./answers/search.ts")).search],
    },
    ask: {
      description:
        "answer a question from your documents, with citations; exits with 5 if they hold no answer, 9 if the question needs clarifying",
      usage: "[question...]",
      operations: async () => [(await import("./answers/ask.ts")).ask],
    },
    chat: {
      description:
        "chat with memory, alone or with others: follow-up questions work, and earlier messages are searched too",
      operations: async () => (await import("./answers/rooms.ts")).rooms,
    },
    eval: {
      description: "measure search and answer quality on your own questions; exits with 10 if a gate fails",
      usage: "<questions>",
    },
    verify: {
      description:
        "check a text against your documents sentence by sentence: supported, contradicted or not found; exits with 6 unless all are supported",
      usage: "[text...]",
      operations: async () => [(await import("./answers/verify.ts")).verify],
    },
    conflicts: {
      description:
        "list numbers that contradict each other across documents (same row and period, different value)",
      operations: async () => [(await import("./answers/conflicts.ts")).conflicts],
    },
    timeline: {
      description: "list dated statements about a topic in chronological order, each with document and page",
      usage: "<topic>",
      operations: async () => [(await import("./answers/timeline.ts")).timeline],
    },
    answers: {
      description: "find past answers whose sources have changed",
      operations: async () => [(await import("./answers/stale.ts")).stale],
    },
    export: {
      description:
        "write a past answer and its cited pages to one HTML file, which `ragctl verify` can check",
      usage: "<run>",
    },
    replay: {
      description:
        "answer a past question again from the same document versions and report the first step that differs, and why",
      usage: "<run>",
      operations: async () => [(await import("./answers/replay.ts")).replay],
    },
    mcp: {
      description:
        "serve documents to an assistant over stdin and stdout (Model Context Protocol) until the client closes stdin",
    },
  },
  "Company and permissions:": {
    agents: {
      description: "manage agents: the topics each one answers, and its tools",
      operations: async () => (await import("./company/agents.ts")).agents,
    },
    tools: {
      description: "manage the tools agents can use: search, calculator, database, …",
      operations: async () => (await import("./company/tools.ts")).tools,
    },
    providers: {
      description:
        "manage model providers for llm, reflection, semantic_router and embedding; one of each is enabled",
      operations: async () => (await import("./company/providers.ts")).providers,
    },
    principals: {
      description: "manage principals (people, services and the owner) and their departments",
      operations: async () => (await import("./company/principals.ts")).principals,
    },
    permissions: {
      description: "manage who may read, write or administer what; a denial overrides every grant",
      operations: async () => (await import("./company/permissions.ts")).permissions,
    },
    registry: {
      description: "export, import or compare the registry as a YAML file, or move it to another database",
      operations: async () => (await import("./company/exchange.ts")).exchange,
    },
  },
  "This machine:": {
    serve: { description: "serve this home over HTTP: web page, REST API, OpenAI-compatible API, metrics" },
    config: { description: "show and change settings" },
    status: {
      description:
        "show the resident process: running commands, loaded models, local Milvus; exits with 3 if it is not running",
    },
    stop: { description: "stop the resident process now instead of when it is idle" },
    backup: { description: "back up this home, or restore a backup" },
    uninstall: { description: "show what ragctl stores on this machine, with sizes, and remove it" },
    bundle: { description: "pack ragctl, its models and Node.js for a machine without network access" },
    logs: {
      description: "list past runs, newest first, or show one with its answer and timings",
      usage: "[run]",
      operations: async () => (await import("./answers/runs.ts")).runs,
    },
    completion: { description: "print a completion script for your shell", usage: "<shell>" },
    "completion-names": {
      description: "print names of one kind for shell completion",
      usage: "<kind>",
      hidden: true,
    },
  },
};

/** The operations of a command, whose summary is that of the one with its name. */
export async function operationsOf(
  name: string,
  { description, operations }: Summary,
): Promise<readonly Operation[]> {
  const loaded = (await operations?.()) ?? [];
  return loaded.map((each) => (each.name === name ? { ...each, summary: description } : each));
}
