import { arch, availableParallelism, cpus } from "node:os";
import { lazy } from "../../core/lazy.ts";

/** Names the machine that rates were measured on: they are worth nothing on another one. */
export const machineName = lazy(
  () => `${cpus()[0]?.model.trim() ?? "processor"} ×${availableParallelism()} ${arch()}`,
);
