import { runProgram, type Services } from "./cli/program.ts";
import { lazyMap } from "./core/lazy.ts";
import { createOutputErrorHandler } from "./resident/lost-output.ts";
import { programVersion } from "./version.ts";

const lostOutput = createOutputErrorHandler(process.argv.slice(2));
process.stdout.on("error", async (error) => {
  const status = await lostOutput(error);
  if (status === 0) process.exitCode = 0;
  else if (status !== undefined) process.exit(status);
});

// Apart from where it is used: see `loadParts` in cli/shell/session.ts.
const loadMcp = () => import("./mcp/stdio.ts");
const loadServer = () => import("./server/serve.ts");
const loadMcpHandler = () => import("./mcp/http.ts");
const loadAudited = () => import("./server/audit/copy.ts");
// Who reads no notes may still read results.
process.stderr.on("error", () => undefined);

/**
 * The server with the protocol of assistants under `/mcp`, which reads only and is loaded with its first
 * request.
 */
const startServer: Services["server"] = async (request, parts) => {
  const { topK } = parts.settings.retrieve;
  const { log } = parts.run;
  const handlerOf = lazyMap(async (app: (typeof parts)["app"]) =>
    (await loadMcpHandler()).createHttpHandler({ app, programVersion, topK, allowWrite: false, log }),
  );
  return (await loadServer()).startServer(request, {
    ...parts,
    mcp: async (asked, run, app) => (await handlerOf(app)).fetch(asked, run.principal),
  });
};

/** The copy of a home that an audit tries, as a server and assistants would serve it. */
const serveCopy: Services["serveCopy"] = async (copy) => {
  const [server, http, stdio] = await Promise.all([loadAudited(), loadMcpHandler(), loadMcp()]);
  return server.serveCopy(copy, (app) => {
    const parts = { app, programVersion, topK: copy.home.settings.retrieve.topK, log: copy.run.log };
    const handler = http.createHttpHandler({ ...parts, allowWrite: false });
    return {
      http: (request, run) => handler.fetch(request, run.principal),
      stdio: (...call) => stdio.serveClient({ ...parts, allowWrite: true }, ...call),
    };
  });
};

// No other command loads these.
await runProgram(process.argv.slice(2), programVersion, {
  mcp: async () => (await loadMcp()).serveClient,
  server: startServer,
  serveCopy,
});
