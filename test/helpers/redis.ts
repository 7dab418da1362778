import { rmSync } from "node:fs";
import type { TestContext } from "node:test";
import { hasRedis, type RedisOptions, startRedis } from "../../scripts/servers/redis.ts";
import { temporaryFolder } from "../registry/support.ts";

/** Why tests of a Redis are skipped; false where they are not. */
export const noRedis: string | false = hasRedis() ? false : "redis-server is not installed";

/** A Redis of this test alone, which ends with it. */
export async function redisOf(
  context: Pick<TestContext, "after">,
  options: RedisOptions = {},
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const folder = temporaryFolder(context);
  const server = await startRedis(folder, options);
  context.after(async () => {
    await server.stop("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  return { url: server.variables["REDIS_URL"] ?? "", stop: () => server.stop("SIGKILL") };
}
