import { commands, operationsOf } from "./command-list.ts";
import type { Operation } from "./operation.ts";

/** Every operation, in the order of `ragctl --help`. */
export const operations: readonly Operation[] = (
  await Promise.all(
    Object.values(commands).flatMap((family) =>
      Object.entries(family).map(([name, summary]) => operationsOf(name, summary)),
    ),
  )
).flat();
