import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type LocalApp, openApp } from "../../src/app/app.ts";
import { audit } from "../../src/app/audit/audit.ts";
import { loadSettings } from "../../src/config/load.ts";
import { RagctlError } from "../../src/core/errors.ts";
import type { Run } from "../../src/core/run.ts";
import { stopHost } from "../../src/resident/client.ts";
import { skipLite, testHome } from "../contracts/store.ts";
import { openWorld, said } from "./world.ts";

const embedder = "bge-small-en-v1.5-int8";
const skip = existsSync(join(testHome, "models", embedder))
  ? skipLite
  : `no embedding model in ${testHome}: run ragctl setup, or set RAGCTL_TEST_HOME`;

const facts = {
  hr: "The salary band of a crane driver is C4.",
  finance: "The salary budget of the crane crew is 812000 euro.",
  engineering: "The crane of the north hall lifts 40 tonnes.",
};
const departments = ["hr", "finance", "engineering"] as const;
const collectionOf = (department: string): string => `${department}_private_docs`;

describe("HR reads only HR, Finance everything, Engineering neither, in a real store", { skip }, () => {
  const log = { event: () => undefined, warn: () => undefined };
  const as = (principal: string): Run => ({
    id: randomUUID(),
    principal,
    signal: new AbortController().signal,
    log,
  });
  const owner = as("owner");
  let base: string;
  let home: string;
  let app: LocalApp;

  before(async () => {
    base = await mkdtemp(join(tmpdir(), "ragctl-scene-"));
    home = join(base, "home");
    await mkdir(join(home, "models"), { mode: 0o700, recursive: true });
    for (const id of [embedder, "milvus-lite-2.5.1"])
      await symlink(join(testHome, "models", id), join(home, "models", id));
    app = await openApp(loadSettings({ flags: { home }, trust: false }).settings, "0.0.0", log);
    const { permissions } = app;
    for (const department of departments) {
      await mkdir(join(base, department));
      await permissions.addPrincipal(
        { name: `${department}_person`, departments: [department], roots: [join(base, department)] },
        owner,
      );
      const rule = {
        subjectKind: "department",
        effect: "allow",
        resource: collectionOf(department),
        instance: "private",
      } as const;
      await permissions.putRule({ ...rule, subject: department, level: "write" }, owner);
      if (department !== "finance") await permissions.putRule({ ...rule, subject: "finance" }, owner);
      await writeFile(join(base, department, `${department}.md`), `# Crane\n\n${facts[department]}\n`);
      const target = { collection: collectionOf(department), instance: "private", department } as const;
      await Array.fromAsync(
        app.ingest({ paths: [join(base, department)], ...target }, as(`${department}_person`)),
      );
    }
  });
  after(async () => {
    await stopHost(home);
    await app[Symbol.asyncDispose]();
    await rm(base, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  const found = async (
    principal: string,
    mode: "hybrid" | "dense" | "lexical",
  ): Promise<readonly string[]> => {
    const { hits } = await app.search(
      { query: "crane salary", topK: 10, mode, collections: [] },
      as(principal),
    );
    return [...new Set(hits.map(({ chunk }) => chunk.collection))].sort();
  };

  it("finds by every route what each may read, and nothing else", async () => {
    for (const mode of ["hybrid", "dense"] as const) {
      assert.deepEqual(await found("hr_person", mode), [collectionOf("hr")]);
      assert.deepEqual(await found("engineering_person", mode), [collectionOf("engineering")]);
      assert.deepEqual(await found("finance_person", mode), departments.map(collectionOf).sort());
      assert.deepEqual(await found("owner", mode), departments.map(collectionOf).sort());
    }
    assert.deepEqual(await found("hr_person", "lexical"), [collectionOf("hr")]);
  });

  it("hides the rest in lists, by name and from whoever is new", async () => {
    const names = async (principal: string) =>
      (await app.documents([], as(principal))).map(({ name }) => name);
    assert.deepEqual(await names("hr_person"), ["hr.md"]);
    assert.equal((await said(() => app.show("finance.md", as("engineering_person")))).code, "NOT_FOUND");
    const { code, text } = await said(() => app.forget(["hr.md"], as("finance_person")));
    assert.equal(code, "PERMISSION_DENIED");
    assert.ok(text.includes(`ragctl permissions explain finance_person write ${collectionOf("hr")}`), text);
    await app.permissions.addPrincipal({ name: "newcomer" }, owner);
    assert.deepEqual([await names("newcomer"), await app.collections(as("newcomer"))], [[], []]);
    const rules = await said(() => app.permissions.rules({}, as("hr_person")));
    assert.equal(rules.code, "PERMISSION_DENIED");
  });

  it("explains each case by the rule that decides it", async () => {
    const explain = async (principal: string, department: string) => {
      const question = {
        principal,
        action: "read",
        resourceKind: "collection",
        resource: collectionOf(department),
        agent: null,
      } as const;
      const { effect, rule, grant } = await app.permissions.explain(question, owner);
      return [effect, rule, grant?.subject];
    };
    assert.deepEqual(await explain("hr_person", "hr"), ["allow", "grant", "hr"]);
    assert.deepEqual(await explain("hr_person", "finance"), ["deny", "default-deny", undefined]);
    assert.deepEqual(await explain("finance_person", "hr"), ["allow", "grant", "finance"]);
  });

  it("is audited: no canary comes out, all that may be read does, and nothing of the audit stays", async () => {
    const before = await app.documents([], owner);
    const events = await Array.fromAsync(app.permissions.audit(null, owner));
    const end = events.at(-1);
    assert.ok(end?.type === "audit-end");
    assert.deepEqual(end.leaks, []);
    assert.deepEqual(
      end.principals.flatMap(({ controlsFailed }) => controlsFailed),
      [],
    );
    const attempts = Object.fromEntries(
      end.principals.map(({ principal, attempts: count }) => [principal, count]),
    );
    assert.ok(end.canaries === 5 && Number(attempts["newcomer"]) > 60, JSON.stringify(attempts));
    assert.deepEqual(
      [await app.documents([], owner), (await app.collections(owner)).length],
      [before, departments.length],
    );
    assert.deepEqual(
      (await readdir(home)).filter((name) => name.startsWith("audit")),
      [],
    );
    assert.equal(
      (await said(() => Array.fromAsync(app.permissions.audit(null, as("hr_person"))))).code,
      "PERMISSION_DENIED",
    );
  });
});

describe("an audit of a store that gives away what is not asked for", () => {
  it("finds nothing while the second check stands before it, and says what came out once the store also lies about where it is from", async (context) => {
    const world = await openWorld(context);
    await world.core.principals.add({ name: "ada", departments: ["hr"] });
    await world.core.permissions.put({
      subjectKind: "department",
      subject: "hr",
      effect: "allow",
      resource: "hr_private_docs",
      instance: "private",
    });
    await world.core.permissions.put({
      subjectKind: "department",
      subject: "hr",
      effect: "deny",
      resource: "company_policies",
    });
    const leaks = async () => {
      const end = (await Array.fromAsync(audit(world.core, null, world.run("owner")))).at(-1);
      assert.ok(end?.type === "audit-end");
      return end.leaks;
    };
    world.leaky.leaky = true;
    assert.deepEqual(await leaks(), []);
    world.leaky.lying = true;
    const found = await leaks();
    assert.ok(found.length > 0);
    assert.deepEqual([...new Set(found.map(({ principal }) => principal))], ["ada"]);
    assert.ok(
      found.some(({ attempt }) => attempt === "search by department"),
      JSON.stringify(found[0]),
    );
    const left = await Promise.all(
      (["public", "private"] as const).map(
        async (instance) => (await (await world.parts.store(instance)).collections()).length,
      ),
    );
    assert.deepEqual(left, [2, 3]);
  });
});

describe("an audit of a home whose jobs go through a broker", () => {
  it("sends none of its own there: their rows are in its copy of the registry", async (context) => {
    const world = await openWorld(context);
    await world.core.principals.add({ name: "ada", departments: ["hr"] });
    let uses = 0;
    const transport = async () => {
      uses++;
      throw new RagctlError("NETWORK_UNAVAILABLE", "there is no broker here");
    };
    const events = await Array.fromAsync(audit({ ...world.core, transport }, null, world.run("owner")));
    assert.equal(events.at(-1)?.type, "audit-end");
    assert.equal(uses, 0);
  });
});
