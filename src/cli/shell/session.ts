import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { Command } from "commander";
import type { LocalApp } from "../../app/app.ts";
import type { MachineApi } from "../../app/machine.ts";
import { callerPath } from "../../config/caller.ts";
import type { LoadedSettings } from "../../config/load.ts";
import type { Settings } from "../../config/settings.ts";
import { RagctlError } from "../../core/errors.ts";
import { lazy } from "../../core/lazy.ts";
import { ownerName } from "../../core/permission.ts";
import type { Run } from "../../core/run.ts";
import type { LogOptions } from "../../log.ts";
import { plural } from "../../operations/text.ts";
import { programVersion } from "../../version.ts";
import { rejectEmptyValues } from "./command-words.ts";
import { createDrainable } from "./draining.ts";
import type { GlobalFlags } from "./global-options.ts";
import { type Output, openOutput } from "./output.ts";
import { roughDuration } from "./progress.ts";
import type { Reaction, StopSignal } from "./signals.ts";
import { Declined, Detached, terminal } from "./terminal.ts";

/** The context of every command; the app and its resources are opened on first use. */
export interface Session {
  readonly output: Output;
  readonly loaded: LoadedSettings;
  readonly settings: Settings;
  readonly run: Run;
  app(): Promise<LocalApp>;
  /**
   * Operations that need no registry; under `--as` the registry identifies the principal. @throws NOT_FOUND,
   * PERMISSION_DENIED for one that is disabled
   */
  machine(): Promise<MachineApi>;
  /**
   * For commands about the machine rather than the documents. @throws NOT_FOUND, PERMISSION_DENIED under
   * `--as` for anyone but the owner
   */
  ownerOnly(what: string): Promise<void>;
  /**
   * The settings, over a copy of the home where a command that only reads cannot write to it. @throws
   * CONFIG_INVALID where that cannot be made, REGISTRY_BUSY
   */
  readable(): Promise<Settings>;
  /** Sets the exit status of a command that ended as it should, e.g. a refusal. */
  exit(status: number): void;
  /** Sets the note shown when the command is stopped, about the fate of its work. Default "stopping". */
  onStop(note: string): void;
  /** Called at every Ctrl-C: true when it ended only a part of the work, so that the command continues. */
  onInterrupt(part: () => boolean): void;
  /**
   * Waits until the command is stopped, then for `close`, which may take longer than other commands have; a
   * second signal ends it at once.
   */
  drain(close: () => Promise<void>): Promise<void>;
  /** A Ctrl-C that a prompt read as a key: a terminal sends no signal while a line is edited. */
  interrupt(): void;
}

type Handler<Arguments extends readonly unknown[]> = (
  session: Session,
  ...parameters: Arguments
) => Promise<void>;

/**
 * Wraps a command's work: opens the session, runs it, prints an error as the table says, closes everything.
 */
export function action<Arguments extends readonly unknown[]>(handler: Handler<Arguments>) {
  return async (...parameters: unknown[]): Promise<void> => {
    const command = parameters.at(-1);
    if (!(command instanceof Command)) throw new TypeError("commander passes the command last");
    // Commander passes exactly the declared arguments, then the flags, then the command.
    const given = parameters.slice(0, -1) as unknown as Arguments;
    await runSession(command, (session) => handler(session, ...given));
  };
}

/** `chat`, `rooms`: the command and those above it, without the program. */
function namesOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...namesOf(command.parent), command.name()];
}

/** Flags given before the command's name and after it; the nearer one wins, `--set` adds up. */
function globalFlags(command: Command): GlobalFlags {
  const chain: Command[] = [];
  for (let at: Command | null = command; at !== null; at = at.parent) chain.unshift(at);
  const given = chain.flatMap((at) =>
    Object.entries(at.opts()).filter(([name]) => at.getOptionValueSource(name) !== "default"),
  );
  const set = chain.flatMap((at) => at.opts<GlobalFlags>().set ?? []);
  return { ...Object.fromEntries(given), ...(set.length === 0 ? {} : { set }) };
}

// Kept outside the function that uses it: the compiler does not rewrite the extension of an import inside a
// function with `await using`.
const loadParts = () => Promise.all([import("../../config/load.ts"), import("../../log.ts")]);
const loadApp = () => import("../../app/app.ts");
const loadMachine = () => import("../../app/machine.ts");
const loadReadable = () => import("../../app/owner/readable-home.ts");

/**
 * Commands, in addition to each `list` and `show`, that store no result in the home: on a home that is not
 * writable they read a copy.
 */
const readingCommands: ReadonlySet<string> = new Set([
  ...["search", "history", "diff", "duplicates", "collections", "logs", "status", "doctor", "backup create"],
]);

const onlyReads = (names: readonly string[]): boolean =>
  readingCommands.has(names.join(" ")) || ["list", "show"].includes(names.at(-1) ?? "");

/**
 * The settings of a command; of one that only reads over a copy of its home, where that cannot be written.
 */
const readableFor = (
  names: readonly string[],
  { settings }: LoadedSettings,
  resources: AsyncDisposableStack,
  output: Output,
): Session["readable"] =>
  lazy(async () => {
    if (!onlyReads(names)) return settings;
    const { openReadOnlyCopy } = await loadReadable();
    return openReadOnlyCopy(settings, resources, (unwritable) => {
      // The resident process has the stores of the home itself.
      if (terminal().resident !== null) throw new Declined(`${unwritable} is not writable`);
      output.note(`${unwritable} is not writable: working on a copy of the home, nothing is recorded`);
    });
  });

/** Shows the command's name while it has nothing else to show, from half a second on. */
function showWaiting(name: string, output: Output): Disposable {
  const since = performance.now();
  const timer = setInterval(
    () => output.waiting(`${name} … ${roughDuration(performance.now() - since)}`),
    500,
  ).unref();
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
      output.endStatus();
    },
  };
}

/** Shows a caller that waits for a model how many are ahead. */
const showQueue =
  (output: Output) =>
  (ahead: number): void =>
    output.queued(ahead === 0 ? "" : `waiting for the language model: ${plural(ahead, "generation")} ahead`);

const logOptions = (
  runId: string,
  flags: GlobalFlags,
  { log: { level } }: LoadedSettings["settings"],
  output: Output,
): LogOptions => ({
  runId,
  level,
  jsonLogs: flags.jsonLogs === true,
  stderr: { write: output.log },
  ...(flags.logFile === undefined ? {} : { file: callerPath(flags.logFile) }),
});

/** The app of one command; in the resident process with the models that are loaded there. */
async function openOwn(
  settings: Settings,
  { origins }: LoadedSettings,
  log: Run["log"],
  output: Output,
): Promise<LocalApp> {
  const { openApp } = await loadApp();
  const isNew = !existsSync(settings.home);
  const app = await openApp(settings, programVersion, log, {
    loader: terminal().resident?.loader(settings, showQueue(output)),
    isModelNamed: origins.get("answer.model") === "flag",
  });
  // A home that was named wrongly would be an empty one without a word.
  if (isNew) output.note(`created a new home: ${settings.home}`);
  return app;
}

/** Output as the flags ask for it. */
const outputFor = ({ json, format = "text", quiet }: GlobalFlags): Output =>
  openOutput({ format: json === true ? "json" : format, quiet: quiet === true });

async function runSession(command: Command, work: (session: Session) => Promise<void>): Promise<void> {
  const [flags, names] = [globalFlags(command), namesOf(command)];
  const { resident, exit, onStop } = terminal();
  const principal = flags.as ?? ownerName;
  const output = outputFor(flags);
  const abort = new AbortController();
  const signal = AbortSignal.any([abort.signal, ...(resident === null ? [] : [resident.ending])]);
  let stopped: StopSignal | undefined;
  let stopNote = "stopping";
  let interrupted: (() => boolean) | undefined;
  const draining = createDrainable();
  const react = (signal: StopSignal): Reaction => {
    if (signal === "SIGINT" && interrupted?.() === true) return "goes on";
    if (draining.begins()) return "goes on";
    if (stopped !== undefined) return "ends";
    stopped = signal;
    output.endStatus();
    if (signal !== "SIGPIPE") output.note(stopNote);
    abort.abort(new RagctlError("INTERNAL", `stopped by ${signal}`, { hint: "run the same command again" }));
    return "ends";
  };
  using _signals = onStop(react);
  using _waiting = showWaiting(names.at(-1) ?? "", output);
  try {
    rejectEmptyValues(command);
    await using resources = new AsyncDisposableStack();
    // Loaded here, so that --help and a wrong flag answer before anything is read.
    const [{ loadSettings }, { openLog }] = await loadParts();
    const loaded = loadSettings({ flags: settingFlags(flags), trust: flags.trust === true });
    resident?.admit(names[0] ?? "", principal, loaded.settings);
    output.color(flags.color === false ? "never" : loaded.settings.output.color);
    const runId = randomUUID();
    const log = resources.use(openLog(logOptions(runId, flags, loaded.settings, output)));
    for (const notice of loaded.notices) if (notice.surprising) log.warn(notice.message);
    const run: Run = { id: runId, principal, signal, log };
    const readable = readableFor(names, loaded, resources, output);
    // One that failed is tried again: `doctor --wait` waits for a registry that does not answer yet.
    const app = lazy(async (): Promise<LocalApp> => {
      const opened = resources.use(await openOwn(await readable(), loaded, log, output));
      if (flags.as !== undefined) await opened.permissions.principal(run);
      return opened;
    });
    const session: Session = {
      ...{ output, loaded, settings: loaded.settings, run, app },
      async machine() {
        if (flags.as !== undefined) await app();
        return (await loadMachine()).createMachineApi(loaded.settings);
      },
      async ownerOnly(what) {
        if (flags.as !== undefined) await (await app()).ownerOnly(run, what);
      },
      readable,
      exit,
      onStop(note) {
        stopNote = note;
      },
      onInterrupt(part) {
        interrupted = part;
      },
      drain: (close) => draining.drain(close, output),
      interrupt: () => void react("SIGINT"),
    };
    await work(session);
  } catch (thrown) {
    exit(statusAfter(thrown, stopped, output));
  }
}

/**
 * The exit status of a command that was stopped, or failed with an error, which is printed. @throws Declined,
 * Detached
 */
function statusAfter(thrown: unknown, stopped: StopSignal | undefined, output: Output): number {
  if (thrown instanceof Declined || thrown instanceof Detached) throw thrown;
  if (stopped === undefined) return output.error(thrown).exitStatus;
  return { SIGINT: 130, SIGTERM: 143, SIGPIPE: 0 }[stopped];
}

/** Where documents are cut by structure, and where as running text. */
const presets = { doc_chunks: "hybrid", markdown: "window" } as const;

/** The settings with a dedicated flag; undefined for flags that were not given. */
const ownFlags = (flags: GlobalFlags): Record<string, unknown> => ({
  home: flags.home,
  "embed.threads": flags.threads,
  "chunk.preset": flags.exportType && presets[flags.exportType],
  "chunk.size": flags.chunkSize,
  "chunk.overlap": flags.chunkOverlap,
  "answer.model": flags.llmModel,
  "answer.contextTokens": flags.contextWindow,
  "embed.model": flags.embeddingModel,
  "retrieve.rerankModel": flags.rerankerModel,
  "milvus.publicUri": flags.milvusUri,
  "milvus.privateUri": flags.milvusUri,
});

function settingFlags(flags: GlobalFlags): Record<string, unknown> {
  const settings = ownFlags(flags);
  for (const pair of flags.set ?? []) {
    const at = pair.indexOf("=");
    if (at < 1)
      throw new RagctlError("USAGE_INVALID", `--set ${pair} is not key=value`, {
        hint: "e.g. --set retrieve.topK=8; `ragctl config show --effective` lists the keys",
      });
    settings[pair.slice(0, at)] = pair.slice(at + 1);
  }
  return settings;
}
