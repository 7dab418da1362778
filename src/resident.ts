import { realpathSync } from "node:fs";
import { openEnginePool } from "./app/engines/pool.ts";
import { runRemote } from "./cli/remote.ts";
import { Declined, type Resident } from "./cli/shell/terminal.ts";
import type { Settings } from "./config/settings.ts";
import { RagctlError } from "./core/errors.ts";
import { localeVariable, processEnvironment, residentCommands } from "./core/remote.ts";
import { startMainThreadWatchdog } from "./host/heartbeat.ts";
import { hostConfigSchema } from "./host/protocol.ts";
import { type CommandLink, type HostLifetime, type HostServices, runHost } from "./host/run.ts";
import { programIdentity } from "./launcher/program.ts";
import { programVersion } from "./version.ts";

/*
 * The resident process of a home: the host of its databases, with the models of the commands it runs for
 * callers. Each command opens an app of its own by its own settings; only engines are shared, by all they are
 * opened with.
 */

/**
 * How long commands may take to end when the process does, ms: as long as a launcher waits after a signal.
 */
const graceMs = 1_500;

/** A command that runs. */
interface Running {
  readonly command: string;
  readonly principal: string;
  readonly since: number;
  readonly ended: Promise<void>;
}

/** Why a process of this environment may not run the request; undefined where it may. */
function mismatch({ program, environment }: CommandLink["request"]): string | undefined {
  if (program !== identity) return `the resident process belongs to another installation: ${identity}`;
  const [theirs, ours] = [processEnvironment(environment), processEnvironment(process.env)];
  const names = [...Object.keys(theirs), ...Object.keys(ours)].filter((each) => !localeVariable.test(each));
  const name = names.find((each) => theirs[each] !== ours[each]);
  return name === undefined ? undefined : `the environment variable ${name} differs`;
}

/** Loaded with the first assistant. */
const loadMcp = async () => (await import("./mcp/stdio.ts")).serveClient;

const samePlace = (one: string, other: string): boolean => {
  const real = (path: string): string => {
    try {
      return realpathSync(path);
    } catch {
      return path;
    }
  };
  return real(one) === real(other);
};

/** Why a command's settings keep it from running here; undefined where they do not. */
function objection(command: string, settings: Settings, home: string): string | undefined {
  if (!residentCommands.includes(command)) return `${command} runs in its own process`;
  if (!samePlace(settings.home, home)) return `its home is ${settings.home}`;
  if (settings.resident.mode === "off") return "resident.mode is off";
  if (settings.parse.loaders !== "" || settings.parse.parser !== "builtin")
    return "custom commands must run in the caller's environment";
  return undefined;
}

function openServices(host: HostLifetime): HostServices {
  const pool = openEnginePool(host.idle);
  const running = new Set<Running>();
  const ending = new AbortController();
  const residentFor = (admitted: (command: string) => void): Resident => ({
    admit(command, settings) {
      const reason = objection(command, settings, host.home);
      if (reason !== undefined) throw new Declined(reason);
      host.setIdleMs(settings.milvus.idleMs);
      admitted(command);
    },
    loader: (settings, onWait) => ({
      ...pool.loader({ idleMs: settings.resident.idleMs, onWait }),
      localStore: host.localStore,
    }),
    ending: ending.signal,
  });
  const run = async (link: CommandLink): Promise<void> => {
    const reason = mismatch(link.request);
    if (reason === undefined) {
      await track(running, link, (admitted) =>
        runRemote(link, residentFor(admitted), programVersion, loadMcp),
      );
      return;
    }
    link.send({ decline: reason });
    if (link.request.program !== identity) host.retire();
  };
  return {
    run,
    status: () => ({
      commands: [...running].map(({ command, principal, since }) => ({
        command,
        principal,
        runningMs: Math.round(performance.now() - since),
      })),
      models: [...pool.models()],
    }),
    async stop() {
      const reason = "the resident process was stopped while it ran this command";
      ending.abort(new RagctlError("HOST_UNAVAILABLE", reason, { hint: "run the same command again" }));
      const ended = Promise.all([...running].map((each) => each.ended));
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, graceMs))]);
      await pool[Symbol.asyncDispose]();
    },
  };
}

/** Keeps a command among the running ones from its admission to its end. */
async function track(
  running: Set<Running>,
  { request }: CommandLink,
  work: (admitted: (command: string) => void) => Promise<void>,
): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const at = request.argv.lastIndexOf("--as");
  const principal = (at < 0 ? undefined : request.argv[at + 1]) ?? "owner";
  let own: Running | undefined;
  try {
    await work((command) => {
      own = { command, principal, since: performance.now(), ended };
      running.add(own);
    });
  } finally {
    if (own !== undefined) running.delete(own);
    resolve();
  }
}

const identity = programIdentity();
startMainThreadWatchdog();
await runHost(hostConfigSchema.parse(JSON.parse(process.argv[2] ?? "{}")), openServices);
