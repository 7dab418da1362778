import assert from "node:assert/strict";
import { mkdtempSync, realpathSync } from "node:fs";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createPermissionsApi } from "../../src/app/owner/permissions.ts";
import { openCore, openWorld, said } from "./world.ts";

/**
 * The world with ada, who may write into HR's collection and was given one folder, beside one that she was
 * not.
 */
async function scene(context: TestContext) {
  const world = await openWorld(context);
  const base = realpathSync(mkdtempSync(join(tmpdir(), "ragctl-roots-")));
  context.after(() => rm(base, { recursive: true, force: true }));
  for (const name of ["hers/sub", "hers2", "others"]) await mkdir(join(base, name), { recursive: true });
  for (const name of ["hers/sub/good.md", "hers2/near.md", "others/secret.md"])
    await writeFile(join(base, name), `# ${name}\n\nwords\n`);
  const permissions = createPermissionsApi(world.core);
  const [owner, ada] = [world.run("owner"), world.run("ada")];
  await permissions.addPrincipal({ name: "ada", roots: [join(base, "hers")] }, owner);
  const rule = {
    subjectKind: "principal",
    subject: "ada",
    effect: "allow",
    resource: "hr_private_docs",
    level: "write",
  } as const;
  await permissions.putRule(rule, owner);
  const { background } = world.core.app;
  const target = { collection: "hr_private_docs", instance: "private", department: "" } as const;
  /** States and codes by name. */
  const ingest = async (paths: readonly string[], as = ada): Promise<Record<string, string>> => {
    const events = await Array.fromAsync(
      world.core.app.ingest({ paths: paths.map((path) => `${base}/${path}`), ...target }, as),
    );
    return Object.fromEntries(
      events.flatMap((event) =>
        event.type === "file-end" ? [[event.file.name, event.file.code || event.file.state]] : [],
      ),
    );
  };
  return { ...world, base, permissions, owner, ada, background, target, ingest };
}

const denied = { code: "PERMISSION_DENIED", hint: /ragctl principals set "ada" --root FOLDER/ };

test("a principal ingests from its folders; elsewhere it is told how the owner gives one, whether or not something is there", async (context) => {
  const { base, ingest, background, target, ada } = await scene(context);
  assert.deepEqual(await ingest(["hers"]), { "sub/good.md": "added" });
  assert.deepEqual(await ingest(["hers/**/*.md"]), { "sub/good.md": "unchanged" });
  for (const path of [
    "others",
    "others/secret.md",
    "others/none.md",
    "hers2",
    "hers/../others",
    "others/*.md",
    ".",
    "none",
  ]) {
    await assert.rejects(ingest([path]), denied, path);
    await assert.rejects(
      background.enqueue({ paths: [join(base, path)], ...target, priority: 0 }, ada),
      denied,
      path,
    );
    const request = { folder: join(base, path), ...target, dryRun: true };
    await assert.rejects(Array.fromAsync(background.sync(request, ada)), denied, path);
    await assert.rejects(Array.fromAsync(background.watch(request, ada)), denied, path);
  }
  const [there, not] = await Promise.all(
    ["others/secret.md", "others/absent.md"].map((path) => said(() => ingest([path]))),
  );
  assert.equal(there?.text.replaceAll("secret", "absent"), not?.text);
});

test("neither a link nor a pattern leads out of the folders, and no name from outside is told", async (context) => {
  const { base, ingest } = await scene(context);
  await symlink(join(base, "others"), join(base, "hers/link"));
  await assert.rejects(ingest(["hers/link"]), denied);
  await assert.rejects(ingest(["hers/link/secret.md"]), denied);
  assert.deepEqual(await ingest(["hers"]), { link: "SOURCE_OUTSIDE", "sub/good.md": "added" });
  for (const [pattern, told] of [
    ["hers/*/*.md", ["unchanged"]],
    ["hers/{sub,../others,link}/*.md", ["unchanged"]],
  ] as const) {
    const found = await ingest([pattern]);
    assert.ok(!JSON.stringify(found).includes("secret"), JSON.stringify(found));
    assert.deepEqual(Object.values(found), told, pattern);
  }
});

test("neither a link nor a pattern tells whether something outside is there", async (context) => {
  const { base, core, ingest, background, target, ada } = await scene(context);
  await ingest(["hers/sub"]);
  for (const name of ["secret", "absent"])
    await symlink(join(base, `others/${name}.md`), join(base, `hers/${name}.md`));
  const told = async (way: string, name: string): Promise<string> => {
    const request = { paths: [join(base, way.replace("NAME", name))], ...target };
    const { code, text } = await said(async () =>
      (await Array.fromAsync(core.app.ingest(request, ada))).filter(({ type }) => type === "file-end"),
    );
    return `${code} ${text.replaceAll(name, "…")}`;
  };
  for (const way of ["hers/NAME.md", "hers/{sub,../others}/NAME.md", "hers/{sub,../others}/{NAME,good}.md"])
    for (const [there, not] of [
      ["secret", "absent"],
      ["sec*", "abs*"],
    ] as const)
      assert.equal(await told(way, there), await told(way, not), way);
  for (const name of ["secret", "absent"]) await rm(join(base, `hers/${name}.md`));

  const way = join(base, "hers/way");
  for (const to of ["others", "nothing", "others/sub/none"]) {
    await symlink(join(base, to), way);
    await assert.rejects(ingest(["hers/way"]), denied, to);
    await assert.rejects(ingest(["hers/way/x.md"]), denied, to);
    await assert.rejects(background.enqueue({ paths: [way], ...target, priority: 0 }, ada), denied, to);
    const sync = background.sync({ folder: way, ...target, dryRun: true }, ada);
    await assert.rejects(Array.fromAsync(sync), denied, to);
    assert.deepEqual(await ingest(["hers"]), { way: "SOURCE_OUTSIDE", "sub/good.md": "unchanged" }, to);
    await rm(way);
  }
  await symlink(way, way);
  assert.equal((await ingest(["hers"]))["way"], "SOURCE_OUTSIDE");
});

test("a folder that was given and is a link by now leads nowhere", async (context) => {
  const { base, ingest } = await scene(context);
  await rename(join(base, "hers"), join(base, "gone"));
  await symlink(join(base, "others"), join(base, "hers"));
  await assert.rejects(ingest(["hers/secret.md"]), denied);
});

test("the owner ingests from everywhere, but neither the owner nor a folder that holds it opens ragctl's home", async (context) => {
  const { base, ingest, permissions, owner, ada, parts, core, target } = await scene(context);
  assert.deepEqual(await ingest(["others", "hers2"], owner), { "secret.md": "added", "near.md": "added" });
  const { home } = parts.settings;
  await writeFile(join(home, "notes.md"), "# own\n");
  await symlink(home, join(base, "way"));
  await permissions.setPrincipal("ada", { roots: ["/"] }, owner);
  for (const run of [owner, ada])
    for (const path of [
      home,
      join(home, "notes.md"),
      join(home, "*.md"),
      join(base, "way"),
      join(base, "way/notes.md"),
      join(home, "none"),
    ]) {
      const request = { paths: [path], ...target };
      await assert.rejects(
        Array.fromAsync(core.app.ingest(request, run)),
        { code: "PERMISSION_DENIED", message: /own home/ },
        path,
      );
    }
  const inner = { ...parts.settings, home: join(base, "others") };
  const moved = openCore({ ...parts, settings: inner });
  const events = await Array.fromAsync(moved.app.ingest({ paths: [base], ...target }, owner));
  const told = events.flatMap((event) =>
    event.type === "file-end" ? [`${event.file.name}: ${event.file.code || event.file.state}`] : [],
  );
  assert.deepEqual(told.sort(), [
    "hers/sub/good.md: added",
    "hers2/near.md: unchanged",
    "others: SOURCE_OUTSIDE",
    "way: SOURCE_OUTSIDE",
  ]);
});

test("a job is held against the folders its principal has when a worker takes it", async (context) => {
  const { base, background, permissions, owner, ada, target, core } = await scene(context);
  const path = join(base, "hers/sub/good.md");
  const [job] = await background.enqueue({ paths: [path], ...target, priority: 0 }, ada);
  await permissions.setPrincipal("ada", { roots: [] }, owner);
  await Array.fromAsync(background.work({ once: true }, owner));
  const { state, error } = await background.job(job?.id ?? "", owner);
  assert.deepEqual([state, error?.code], ["dead", "PERMISSION_DENIED"]);
  assert.ok(!(await core.app.documents([], owner)).some((document) => document.path === path));
});

test("explain names the rule about a folder, and the decision is recorded under it", async (context) => {
  const { base, permissions, owner, ingest } = await scene(context);
  const explain = async (principal: string, path: string) => {
    const request = {
      principal,
      action: "read",
      resourceKind: "folder",
      resource: join(base, path),
      agent: null,
    } as const;
    const { effect, rule, exists } = await permissions.explain(request, owner);
    return [effect, rule, exists];
  };
  assert.deepEqual(await explain("ada", "hers/sub"), ["allow", "root", true]);
  assert.deepEqual(await explain("ada", "others/none.md"), ["deny", "default-deny", false]);
  assert.deepEqual(await explain("owner", "others"), ["allow", "owner", true]);
  await assert.rejects(ingest(["others"]), denied);
  const [last] = await permissions.decisions({ principal: "ada" }, owner);
  assert.deepEqual(
    [last?.effect, last?.rule, last?.resource.kind, last?.resource.name],
    ["deny", "default-deny", "folder", join(base, "others")],
  );
});

test("a document is named by its id before its path before its name, whatever somebody calls a file", async (context) => {
  const { base, core, owner, ingest } = await scene(context);
  const [first] = await core.app.documents(["hr_private_docs"], owner);
  const id = first?.id ?? "";
  await writeFile(join(base, "hers", id), "# squatter\n");
  await ingest([`hers/${id}`]);
  assert.equal((await core.app.documents([], owner)).filter(({ name }) => name === id).length, 1);
  assert.equal((await core.app.show(id, owner)).document.id, id);
  assert.equal((await core.app.show(join(base, "hers", id), owner)).document.name, id);
});

test("what is given must be a folder, and is kept by its real path", async (context) => {
  const { base, permissions, owner } = await scene(context);
  await symlink(join(base, "hers2"), join(base, "alias"));
  assert.deepEqual((await permissions.setPrincipal("ada", { roots: [join(base, "alias")] }, owner)).roots, [
    join(base, "hers2"),
  ]);
  await assert.rejects(() => permissions.setPrincipal("ada", { roots: [join(base, "none")] }, owner), {
    code: "SOURCE_MISSING",
  });
  await assert.rejects(
    () => permissions.setPrincipal("ada", { roots: [join(base, "others/secret.md")] }, owner),
    {
      code: "USAGE_INVALID",
    },
  );
});
