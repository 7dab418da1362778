// Entry of the resident process: its modules are compiled once and kept, as those of a command are.
import module from "node:module";

module.enableCompileCache?.();
await import("./resident.ts");
