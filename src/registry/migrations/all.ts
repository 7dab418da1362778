import { sql as initial } from "./0001-initial.ts";
import { sql as permissions } from "./0002-permissions.ts";
import { sql as inStep } from "./0003-in-step.ts";
import { sql as chats } from "./0004-chats.ts";
import { sql as seeds } from "./0005-seeds.ts";
import { sql as chatSources } from "./0006-chat-sources.ts";
import { sql as roots } from "./0007-roots.ts";
import { sql as chatOrigins } from "./0008-chat-origins.ts";
import { sql as omitted } from "./0009-omitted.ts";
import { sql as apiKeys } from "./0010-api-keys.ts";
import { sql as personas } from "./0011-personas.ts";
import { sql as replay } from "./0012-replay.ts";
import { sql as sentJobs } from "./0013-sent-jobs.ts";
import { sql as rates } from "./0014-rates.ts";

/**
 * Migrations in order; the first brings an empty file to schema version 1. Published ones are never edited.
 */
export const migrations: readonly string[] = [
  initial,
  permissions,
  inStep,
  chats,
  seeds,
  chatSources,
  roots,
  chatOrigins,
  omitted,
  apiKeys,
  personas,
  replay,
  sentJobs,
  rates,
];
