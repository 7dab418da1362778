import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const module = new URL("../../../src/drivers/stores/lite-server.ts", import.meta.url).href;
/** As containers are started with: no line of /etc/passwd has it. */
const namelessUid = 54_321;

const asNameless = { uid: namelessUid, gid: namelessUid, encoding: "utf8" as const };

/** Why no process can be run as that user here, or false. */
function skipReason(): string | false {
  if (process.geteuid?.() !== 0) return "only root can run a process as another user";
  const program = `await import(${JSON.stringify(module)})`;
  const { status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], asNameless);
  return status === 0 ? false : "another user cannot read this checkout";
}

test("a user without a name has private folders too, as in a container of any user", {
  skip: skipReason(),
}, (context) => {
  const base = mkdtempSync(join(tmpdir(), "ragctl-nameless-"));
  context.after(() => rmSync(base, { recursive: true, force: true }));
  chmodSync(base, 0o777);
  const program = `
    const { ensurePrivateFolder, socketFolderFor } = await import(${JSON.stringify(module)});
    await ensurePrivateFolder(${JSON.stringify(join(base, "own"))});
    await socketFolderFor(${JSON.stringify(join(base, "long".repeat(40)))}, "socket");
  `;
  const ended = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
    ...asNameless,
    env: { TMPDIR: base },
  });
  assert.equal(ended.status, 0, ended.stderr);
  assert.equal(statSync(join(base, "own")).uid, namelessUid);
  assert.equal(statSync(join(base, "own")).mode & 0o777, 0o700);
});
