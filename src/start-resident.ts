// Entry of the resident process: its modules are compiled once and kept, as those of a command are.
import module from "node:module";

module.enableCompileCache?.();
const [{ openEnginePool }, { runRemote }, { serveHome }, { programVersion }] = await Promise.all([
  import("./app/engines/pool.ts"),
  import("./cli/remote.ts"),
  import("./resident/serve.ts"),
  import("./version.ts"),
]);

/** Loaded with the first assistant. */
const loadMcp = async () => (await import("./mcp/stdio.ts")).serveClient;

await serveHome(process.argv[2] ?? "{}", {
  openEngines: openEnginePool,
  run: (link, resident) => runRemote(link, resident, programVersion, loadMcp),
});
