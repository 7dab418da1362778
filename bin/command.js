// The command itself, a child of ragctl.js.
import module from "node:module";

// Without its watchdog nobody can end it, so it ends too.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.channel?.unref();
module.enableCompileCache?.();
await import(new URL("../dist/main.js", import.meta.url).href);
