import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { RagctlError } from "../core/errors.ts";
import { z } from "../core/schema.ts";
import { openAgents } from "./agents.ts";
import type { Database } from "./database.ts";
import { openPermissions } from "./permissions.ts";
import { openProviders } from "./providers.ts";
import { openTools } from "./tools.ts";

const object = z.record(z.string(), z.unknown());
const word = z.string().regex(/^[a-z][a-z0-9_]{0,62}$/);

const seedSchema = z.strictObject({
  providers: z.array(
    z.strictObject({
      component: z.enum(["reflection", "semantic_router", "llm"]),
      provider: z.string().min(1),
      config: object,
      active: z.boolean().default(true),
    }),
  ),
  tools: z.array(
    z.strictObject({
      name: z.string().min(1),
      type: word,
      config: object,
      permissions: object.default({}),
      enabled: z.boolean().default(true),
    }),
  ),
  agents: z.array(
    z.strictObject({
      name: z.string().min(1),
      department: word,
      description: z.string().min(1),
      capabilities: object,
      providerConfig: object.default({}),
      /** Names of tools, the most preferred first. */
      tools: z.array(z.string().min(1)),
    }),
  ),
  permissions: z.array(
    z.strictObject({
      department: word,
      collection: word,
      instance: z.enum(["public", "private"]),
      level: z.enum(["read", "write", "admin"]).default("read"),
    }),
  ),
});

/** Rows added, per table; 0 everywhere when the registry had them all. */
export interface SeedCounts {
  readonly agents: number;
  readonly tools: number;
  readonly agentTools: number;
  readonly providers: number;
  readonly permissions: number;
}

function readSeed(path: string): z.infer<typeof seedSchema> {
  const fail = (reason: string, cause?: unknown) =>
    new RagctlError("CONFIG_INVALID", `the seed file ${path} is not valid: ${reason}`, {
      hint: "correct what it names, or name another file",
      cause,
    });
  let content: unknown;
  try {
    content = parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw fail(cause instanceof Error ? (cause.message.split("\n")[0] ?? "") : String(cause), cause);
  }
  const checked = seedSchema.safeParse(content);
  if (checked.success) return checked.data;
  throw fail(
    checked.error.issues
      .slice(0, 3)
      .map((issue) => `${issue.path.join(".")}: ${issue.message}`)
      .join("; "),
  );
}

/**
 * Fills the registry with a company, in one transaction. What is there stays as it is, told apart by its name;
 * an agent that was there before also keeps its tools as the operator left them.
 * @throws CONFIG_INVALID for a bad seed file
 */
export function seed(database: Database, seedFile = fileURLToPath(new URL("../../config/seed.yaml", import.meta.url))): SeedCounts {
  const company = readSeed(seedFile);
  const [agents, tools, providers, permissions] = [
    openAgents(database),
    openTools(database),
    openProviders(database),
    openPermissions(database),
  ];
  return database.write(() => {
    const added = { agents: 0, tools: 0, agentTools: 0, providers: 0, permissions: 0 };
    for (const provider of company.providers) added.providers += Number(providers.insertIfAbsent(provider));
    for (const tool of company.tools) added.tools += Number(tools.insertIfAbsent(tool));
    for (const { tools: wanted, ...agent } of company.agents) {
      if (!agents.insertIfAbsent(agent)) continue;
      added.agents += 1;
      const { id } = agents.get(agent.name);
      for (const [index, name] of wanted.entries()) {
        added.agentTools += Number(agents.giveIfAbsent(id, tools.get(name).id, (wanted.length - index) * 10));
      }
    }
    for (const grant of company.permissions) added.permissions += Number(permissions.insertIfAbsent(grant));
    return added;
  });
}
