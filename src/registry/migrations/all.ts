import { sql as sentJobs } from "./0013-sent-jobs.ts";
import { sql as rates } from "./0014-rates.ts";
import { sql as dueJobs } from "./0015-due-jobs.ts";
import { sql as storeWrites } from "./0016-store-writes.ts";
import { sql as endedJobs } from "./0017-ended-jobs.ts";
import { sql as collectionRevisions } from "./0018-collection-revisions.ts";
import { sql as unfinishedRuns } from "./0019-unfinished-runs.ts";
import { sql as inserts } from "./0020-inserts.ts";
import { sql as initial } from "./baseline/0001-initial.ts";
import { sql as permissions } from "./baseline/0002-permissions.ts";
import { sql as inStep } from "./baseline/0003-in-step.ts";
import { sql as chats } from "./baseline/0004-chats.ts";
import { sql as seeds } from "./baseline/0005-seeds.ts";
import { sql as chatSources } from "./baseline/0006-chat-sources.ts";
import { sql as roots } from "./baseline/0007-roots.ts";
import { sql as chatOrigins } from "./baseline/0008-chat-origins.ts";
import { sql as omitted } from "./baseline/0009-omitted.ts";
import { sql as apiKeys } from "./baseline/0010-api-keys.ts";
import { sql as personas } from "./baseline/0011-personas.ts";
import { sql as replay } from "./baseline/0012-replay.ts";

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
  dueJobs,
  storeWrites,
  endedJobs,
  collectionRevisions,
  unfinishedRuns,
  inserts,
];
