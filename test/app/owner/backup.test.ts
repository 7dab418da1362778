import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createBackup, restoreBackup } from "../../../src/app/owner/backup.ts";
import { RagctlError } from "../../../src/core/errors.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { load } from "../../config/support.ts";

test("a registry on a server is not backed up as the file that the home held before", async (t) => {
  const base = await mkdtemp(join(tmpdir(), "ragctl-backup-"));
  t.after(() => rm(base, { recursive: true, force: true }));
  (await openRegistry(join(base, "registry.sqlite"))).close();
  const { settings } = load({ flags: { home: base, "registry.url": "postgresql://ragctl@db/ragctl" } });
  const target = join(base, "saved");
  const refused = (error: unknown) => {
    assert.ok(error instanceof RagctlError && error.code === "USAGE_INVALID", String(error));
    assert.match(error.hint ?? "", /pg_dump|pg_restore/);
    return true;
  };
  await assert.rejects(createBackup(target, settings, "0"), refused);
  assert.equal(existsSync(target), false);
  const file = load({ flags: { home: base } }).settings;
  await createBackup(target, file, "0");
  await assert.rejects(restoreBackup(target, settings, { force: true }), refused);
  assert.ok(existsSync(join(base, "registry.sqlite")), "what was there stays");
});
