import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "../../src/core/schema.ts";
import { withIdleTimeout } from "../../src/server/files/idle-timeout.ts";
import { bodyOf, openSite, openSocketSite, refusal } from "./support.ts";

/** A form with these files, each under its name. */
function formOf(files: readonly (readonly [string, string])[]): FormData {
  const form = new FormData();
  for (const [name, text] of files) form.append("file", new Blob([text]), name);
  return form;
}

const answer = z.looseObject({
  job_id: z.string(),
  name: z.string(),
  uploads: z.array(z.object({ job_id: z.string(), name: z.string(), size_bytes: z.number() })),
  failed: z.array(
    z.object({ name: z.string().nullable(), code: z.string(), message: z.string(), hint: z.string() }),
  ),
});

const path = "/v1/documents?collection=hr_private_docs";
const uploadsOf = (home: string): string => join(home, "uploads", "private", "hr_private_docs");

test("every file of a form is kept under its name and has its own job", async (context) => {
  const site = await openSocketSite(context);
  const files = [
    ["one.md", "# One\n"],
    ["two.md", "# Two, which is longer\n"],
    ["three.md", "# Three\n"],
  ] as const;
  const response = await site.send(path, { method: "POST", body: formOf(files) });
  assert.equal(response.status, 202);
  const { job_id: first, name, uploads, failed } = answer.parse(await response.json());
  assert.deepEqual(failed, []);
  assert.deepEqual(
    uploads.map((each) => [each.name, each.size_bytes]),
    files.map(([each, text]) => [each, text.length]),
  );
  assert.deepEqual([first, name], [uploads[0]?.job_id, "one.md"]);
  assert.equal(new Set(uploads.map((each) => each.job_id)).size, 3);
  for (const [each, text] of files)
    assert.equal(await readFile(join(uploadsOf(site.world.core.settings.home), each), "utf8"), text);
  for (const { job_id: id } of uploads) assert.equal((await site.send(`/v1/jobs/${id}`)).status, 200);
});

test("a file of a form that is not accepted is named with its reason, and the others are", async (context) => {
  const site = await openSocketSite(context);
  const response = await site.send(path, {
    method: "POST",
    body: formOf([
      ["empty.md", ""],
      ["large.md", "x".repeat(300_000)],
      ["small.md", "# Small\n"],
      ["small.md", "# Another of the same name\n"],
      ["last.md", "# Last\n"],
    ]),
  });
  assert.equal(response.status, 202);
  const { uploads, failed } = answer.parse(await response.json());
  assert.deepEqual(
    uploads.map(({ name }) => name),
    ["small.md", "last.md"],
  );
  assert.deepEqual(
    failed.map(({ name, code }) => [name, code]),
    [
      ["empty.md", "REQUEST_INVALID"],
      ["large.md", "REQUEST_TOO_LARGE"],
      ["small.md", "REQUEST_INVALID"],
    ],
  );
  assert.match(failed[2]?.message ?? "", /same name/);
  const kept = await readdir(uploadsOf(site.world.core.settings.home));
  assert.deepEqual(kept.sort(), ["last.md", "small.md"]);
});

test("a form of which no file is accepted fails and names each of them", async (context) => {
  const { send } = await openSite(context);
  const one = await send(path, { method: "POST", body: formOf([["large.md", "x".repeat(200_000)]]) });
  assert.deepEqual(await refusal(one), [413, "REQUEST_TOO_LARGE"]);
  const two = await send(path, {
    method: "POST",
    body: formOf([
      ["empty.md", ""],
      ["large.md", "x".repeat(200_000)],
    ]),
  });
  assert.equal(two.status, 400);
  const { error } = z.object({ error: z.object({ message: z.string() }) }).parse(await two.json());
  assert.match(error.message, /empty\.md: the file is empty.*large\.md: the file is larger/);
});

test("what stands in fields of a form is not taken for what the query says", async (context) => {
  const { send, world } = await openSite(context);
  const form = new FormData();
  form.append("collection", "hr_private_docs");
  form.append("file", new Blob(["# Salaries\n"]), "salaries.md");
  const before = await send("/v1/documents", { method: "POST", body: form });
  assert.deepEqual(await refusal(before), [400, "REQUEST_INVALID"]);
  const kept = await readdir(join(world.core.settings.home, "uploads"), { recursive: true }).catch(() => []);
  assert.deepEqual(
    kept.filter((name) => name.endsWith(".md")),
    [],
    "nothing is put where everyone may read it",
  );
  const late = formOf([["plan.md", "# Plan\n"]]);
  late.append("department", "hr");
  const after = answer.parse(await bodyOf(await send(path, { method: "POST", body: late })));
  assert.deepEqual(
    after.failed.map(({ name }) => name),
    ["department"],
  );
});

test("files beyond the limit of a form are named, and what cannot be read of it is said", async (context) => {
  const { send } = await openSite(context);
  const files = Array.from({ length: 103 }, (_, index) => [`${index}.md`, `# File ${index}\n`] as const);
  const { uploads, failed } = answer.parse(
    await bodyOf(await send(path, { method: "POST", body: formOf(files) })),
  );
  assert.equal(uploads.length, 100);
  assert.deepEqual(
    failed.map(({ name }) => name),
    ["100.md", "101.md", "102.md"],
  );
  const part = (name: string, text: string): string =>
    `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${text}`;
  const cut = await send(path, {
    method: "POST",
    body: `${part("whole.md", "# Whole")}\r\n${part("half.md", "# Hal")}`,
    headers: { "content-type": "multipart/form-data; boundary=x" },
  });
  const report = answer.parse(await bodyOf(cut));
  assert.deepEqual(
    [report.uploads.map(({ name }) => name), report.failed.map(({ name }) => name)],
    [["whole.md"], ["half.md"]],
  );
  const torn = await send(path, {
    method: "POST",
    body: `${part("again.md", "# Again")}\r\n--x\r\nContent-Type: text/plain\r\n\r\nno name\r\n--x--`,
    headers: { "content-type": "multipart/form-data; boundary=x" },
  });
  const [unnamed] = answer.parse(await bodyOf(torn)).failed;
  assert.equal(unnamed?.name, null);
  assert.match(unnamed?.message ?? "", /a part has no name/);
});

test("a form ends at 200 parts, also of those that nobody keeps", async (context) => {
  const { send } = await openSite(context);
  const files = Array.from({ length: 230 }, (_, index) => ["same.md", `# File ${index}\n`] as const);
  const { uploads, failed } = answer.parse(
    await bodyOf(await send(path, { method: "POST", body: formOf(files) })),
  );
  assert.deepEqual([uploads.length, failed.length], [1, 200]);
  assert.match(failed.at(-1)?.message ?? "", /more than 200 parts/);
});

test("the short route for a file tells the jobs of all files, and what failed", async (context) => {
  const { send } = await openSite(context);
  const form = formOf([
    ["a.md", "# A\n"],
    ["b.md", ""],
    ["c.md", "# C\n"],
  ]);
  const reply = z
    .object({
      jobId: z.string(),
      jobs: z.array(z.object({ name: z.string(), jobId: z.string() })),
      failed: z.array(z.looseObject({ name: z.string(), code: z.string() })),
    })
    .parse(await bodyOf(await send("/api/ingest/file", { method: "POST", body: form })));
  assert.deepEqual(
    reply.jobs.map(({ name }) => name),
    ["a.md", "c.md"],
  );
  assert.equal(reply.jobId, reply.jobs[0]?.jobId);
  assert.deepEqual(
    reply.failed.map(({ name }) => name),
    ["b.md"],
  );
});

test("a sender that pauses for too long ends its upload", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const stalled = new ReadableStream<Uint8Array>({ start: (body) => body.enqueue(new Uint8Array(3)) });
  const pieces = withIdleTimeout(stalled);
  assert.equal((await pieces.next()).value?.length, 3);
  const next = pieces.next();
  context.mock.timers.tick(60_000);
  await assert.rejects(next, { code: "REQUEST_INVALID", message: "no data for 60 s" });
});
