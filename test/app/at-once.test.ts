import assert from "node:assert/strict";
import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { createCompanyApi } from "../../src/app/company.ts";
import { uploadFolder } from "../../src/app/roots.ts";
import { openWorld } from "./world.ts";

/** Runs both, the second some turns of promises after the first. */
async function staggered(turns: number, first: () => Promise<unknown>, second: () => Promise<unknown>) {
  const begun = first().catch(() => undefined);
  for (let at = 0; at < turns; at++) await undefined;
  await Promise.all([begun, second()]);
}

test("no rule outlives a principal that is removed while the rule, or a room of its own, is made", async (context) => {
  const { core, run } = await openWorld(context);
  const chat = await core.app.chat();
  const rule = {
    subjectKind: "principal",
    subject: "ada",
    effect: "allow",
    resourceKind: "collection",
    resource: "hr_private_docs",
    level: "read",
  } as const;
  const makers = [
    (at: number) => chat.open(`secret${at}`, "private", run("ada")),
    () => createCompanyApi(core, core.app).permissions.putRule(rule, run("owner")),
  ];
  for (const make of makers)
    for (let at = 0; at < 40; at++) {
      await core.principals.insertIfAbsent({ name: "ada" });
      await staggered(
        at,
        () => make(at),
        () => core.principals.remove("ada"),
      );
      assert.deepEqual(
        (await core.permissions.list()).filter(({ subject }) => subject === "ada"),
        [],
        `after ${at} turns`,
      );
    }
});

test("a file that is uploaded again while its documents are forgotten stays", async (context) => {
  const { core, run } = await openWorld(context);
  const place = { name: "company_policies", instance: "public" } as const;
  const folder = uploadFolder(core.settings.home, place);
  mkdirSync(folder, { recursive: true });
  const upload = async (at: number, digit: string): Promise<string> => {
    const [name, path] = [`u${at}.txt`, join(folder, `u${at}.txt`)];
    writeFileSync(`${path}.part`, digit);
    renameSync(`${path}.part`, path);
    const file = { path, name, format: "text" as const, sizeBytes: 1, sha256: digit.repeat(64) };
    const target = { collection: place.name, instance: place.instance, department: "" };
    const { versionId } = await core.documents.begin(file, target, "fake:1");
    await core.documents.ready(versionId, { title: name, pages: 1, chunks: 0, tokens: 1 });
    return path;
  };
  for (let at = 0; at < 40; at++) await upload(at, "a");
  const uploads = async () =>
    (await core.documents.latest([place.name])).filter(({ name }) => /^u\d/.test(name));
  const forgetting = core.app.forget(
    (await uploads()).map(({ id }) => id),
    run("owner"),
  );
  while ((await uploads()).some(({ name }) => name === "u0.txt")) await turn();
  const path = await upload(0, "b");
  await forgetting;
  assert.deepEqual(
    (await uploads()).map(({ name }) => name),
    ["u0.txt"],
  );
  assert.ok(existsSync(path));
});
