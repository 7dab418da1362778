import { runProgram } from "./cli/program.ts";
import { programVersion } from "./version.ts";

// A reader that closes early (`ragctl list | head`) has what it wanted: that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exitCode = 0;
});

// Apart from where it is used: see `loadParts` in cli/shell/session.ts.
const loadMcp = () => import("./mcp/stdio.ts");
const loadServer = () => import("./server/serve.ts");

// No other command loads these.
await runProgram(process.argv.slice(2), programVersion, {
  mcp: async () => (await loadMcp()).serveClient,
  server: async (request, parts) => (await loadServer()).startServer(request, parts),
});
