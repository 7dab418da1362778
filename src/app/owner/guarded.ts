import type { Run } from "../../core/run.ts";

/** A member whose last argument is the run. */
type Member = (...parameters: never[]) => Promise<unknown>;

/** Wraps each member so that `check` gets its run, the last argument, before it does anything. */
export function withOwnerCheck<T extends Readonly<Record<string, Member>>>(
  check: (run: Run) => Promise<void>,
  members: T,
): T {
  const guard =
    (member: Member): Member =>
    async (...parameters) => {
      const run: Run | undefined = parameters.at(-1);
      if (run === undefined) throw new TypeError("a guarded call names no run");
      await check(run);
      return member(...parameters);
    };
  const wrapped = Object.entries(members).map(([name, member]) => [name, guard(member)]);
  return Object.fromEntries(wrapped);
}
