import assert from "node:assert/strict";
import { test } from "node:test";
import { createDecisionLog } from "../../../src/registry/company/decisions.ts";
import { createPermissionRepository } from "../../../src/registry/company/permissions.ts";
import { createPrincipalRepository } from "../../../src/registry/company/principals.ts";
import { openRegistry } from "../../../src/registry/registry.ts";
import { registryPlace } from "../support.ts";

test("the owner is stored from the start, and can be neither disabled, removed nor made another kind", async (context) => {
  const database = await openRegistry(registryPlace(context));
  const principals = createPrincipalRepository(database);
  const [owner] = await principals.list();
  assert.match(owner?.id ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(
    [owner?.name, owner?.kind, owner?.enabled, owner?.departments],
    ["owner", "owner", true, []],
  );
  for (const work of [
    () => principals.set("owner", { enabled: false }),
    () => principals.set("OWNER", { kind: "person" }),
    () => principals.remove("owner"),
  ])
    await assert.rejects(work, { code: "USAGE_INVALID", message: /owner of this home/ });
  assert.deepEqual((await principals.set("owner", { departments: ["hr"] })).departments, ["hr"]);
  await principals.add({ name: "ada" });
  await assert.rejects(
    () => database.write(() => database.statement("UPDATE principals SET kind = 'owner'").run()),
    /UNIQUE|unique constraint/,
  );
  database.close();
});

test("a principal is added, changed and found by id or name whatever its case, and a slip gets the name that was meant", async (context) => {
  const database = await openRegistry(registryPlace(context));
  const principals = createPrincipalRepository(database);
  const ada = await principals.add({ name: "Ada", departments: ["hr", "finance", "hr"] });
  assert.deepEqual([ada.kind, ada.departments, ada.enabled], ["person", ["finance", "hr"], true]);
  assert.deepEqual([await principals.get("ADA"), await principals.get(ada.id)], [ada, ada]);
  await assert.rejects(() => principals.get("Adda"), { code: "NOT_FOUND", message: /did you mean "Ada"/ });
  await assert.rejects(() => principals.add({ name: "aDA" }), {
    code: "USAGE_INVALID",
    message: 'there is already a principal "aDA"',
  });
  assert.equal(await principals.insertIfAbsent({ name: "ADA" }), false);
  assert.deepEqual(await principals.set("ada", { departments: [], kind: "service" }), {
    ...ada,
    kind: "service",
    departments: [],
  });
  assert.equal((await principals.set("ada", { enabled: false })).enabled, false);
  await assert.rejects(() => principals.set("nobody", { enabled: false }), { code: "NOT_FOUND" });
  database.close();
});

test("a name or a department that cannot be one is refused by the field it stands in", async (context) => {
  const database = await openRegistry(registryPlace(context));
  const principals = createPrincipalRepository(database);
  for (const name of ["", " ada", "a\u0007da", "a\u202eda", "a\nb", "*", "x".repeat(101)])
    await assert.rejects(
      () => principals.add({ name }),
      { code: "USAGE_INVALID", message: /name: / },
      JSON.stringify(name),
    );
  for (const department of ["", "H R", "hr\n", '" or 1==1', "*"])
    await assert.rejects(() => principals.add({ name: "a", departments: [department] }), {
      code: "USAGE_INVALID",
      message: /departments\.0: /,
    });
  const permissions = createPermissionRepository(database);
  const rule = { subjectKind: "department", subject: "hr", effect: "allow", resource: "hr_docs" } as const;
  await assert.rejects(() => permissions.put({ ...rule, subject: "H R" }), { message: /subject: / });
  await assert.rejects(() => permissions.put({ ...rule, resource: "a\u0000b" }), { message: /resource: / });
  await assert.rejects(() => permissions.put({ ...rule, resourceKind: "tool", instance: "private" }), {
    message: /instance: /,
  });
  assert.equal((await principals.list()).length, 1);
  assert.deepEqual(await permissions.list(), []);
  database.close();
});

test("removing a principal removes the rules about it, so that a later one of its name inherits nothing", async (context) => {
  const database = await openRegistry(registryPlace(context));
  const [principals, permissions] = [
    createPrincipalRepository(database),
    createPermissionRepository(database),
  ];
  await principals.add({ name: "Ada" });
  await permissions.put({ subjectKind: "principal", subject: "ada", effect: "allow", resource: "x" });
  await permissions.put({ subjectKind: "department", subject: "ada", effect: "allow", resource: "x" });
  await principals.remove("ada");
  assert.deepEqual(
    (await permissions.list()).map(({ subjectKind }) => subjectKind),
    ["department"],
  );
  database.close();
});

test("a rule is written once for its subject, effect and resource, and is found, replaced and removed", async (context) => {
  const database = await openRegistry(registryPlace(context));
  const permissions = createPermissionRepository(database);
  const rule = {
    subjectKind: "department",
    subject: "hr",
    effect: "allow",
    resource: "hr_docs",
    instance: "private",
  } as const;
  const first = await permissions.put(rule);
  const raised = await permissions.put({ ...rule, level: "admin" });
  assert.deepEqual(raised, { ...first, level: "admin" });
  assert.equal(await permissions.insertIfAbsent({ ...rule, level: "read" }), false);
  await permissions.put({ ...rule, effect: "deny", level: "write" });
  assert.equal((await permissions.list({ subject: "hr" })).length, 2);
  assert.deepEqual(
    (await permissions.remove({ subjectKind: "department", subject: "hr", effect: "allow" })).map(
      ({ id }) => id,
    ),
    [first.id],
  );
  await assert.rejects(() => permissions.remove({ id: first.id }), { code: "NOT_FOUND" });
  await assert.rejects(() => permissions.remove({ subject: "nobody" }), { code: "NOT_FOUND" });
  database.close();
});

test("decisions are kept up to a limit, the newest first, and found by principal and effect", async (context) => {
  const database = await openRegistry(registryPlace(context));
  const decisions = createDecisionLog(database, { limit: 10 });
  const resource = { kind: "collection", name: "x", instance: "private", department: "" } as const;
  const made = (principal: string, effect: "allow" | "deny") =>
    ({
      principal,
      agent: "",
      action: "read",
      resource,
      effect,
      rule: "grant",
      reason: "so",
      grantId: null,
    }) as const;
  for (let index = 0; index < 30; index += 1)
    await decisions.record([
      [`r${index}`, made(index % 2 === 0 ? "ada" : "bob", index % 3 === 0 ? "deny" : "allow")],
    ]);
  const kept = await decisions.list({ limit: 100 });
  assert.deepEqual([kept.length, kept[0]?.runId, kept[9]?.runId], [10, "r29", "r20"]);
  assert.deepEqual(
    (await decisions.list({ principal: "ADA", effect: "deny" })).map(({ runId }) => runId),
    ["r24"],
  );
  assert.deepEqual(kept[0]?.resource, resource);
  database.close();
});

test("a principal is given folders to ingest from, kept as absolute paths, and the owner needs none", async (context) => {
  const database = await openRegistry(registryPlace(context));
  const principals = createPrincipalRepository(database);
  const ada = await principals.add({ name: "ada", roots: ["/srv/hr/", "/srv/./a/../b", "/srv/hr"] });
  assert.deepEqual(ada.roots, ["/srv/b", "/srv/hr"]);
  assert.deepEqual((await principals.set("ada", { enabled: false })).roots, ["/srv/b", "/srv/hr"]);
  assert.deepEqual((await principals.set("ada", { roots: [] })).roots, []);
  assert.deepEqual(
    [(await principals.add({ name: "bob" })).roots, (await principals.get("owner")).roots],
    [[], []],
  );
  for (const root of ["srv", "", "./x", "/a\nb", "/a\0b"])
    await assert.rejects(
      () => principals.set("ada", { roots: [root] }),
      { code: "USAGE_INVALID", message: /roots\.0: / },
      JSON.stringify(root),
    );
  await assert.rejects(() => principals.set("owner", { roots: ["/srv"] }), {
    code: "USAGE_INVALID",
    message: /every folder/,
  });
  database.close();
});

test("a rule about a collection can be read under the names that people know from the view", async (context) => {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  await createPermissionRepository(database).put({
    subjectKind: "department",
    subject: "hr",
    effect: "allow",
    resourceKind: "collection",
    resource: "hr_docs",
    instance: "private",
    level: "read",
  });
  const view = await database
    .statement(
      "SELECT department, collection_name, milvus_instance, access_level FROM collection_permissions",
    )
    .all();
  assert.deepEqual(view, [
    { department: "hr", collection_name: "hr_docs", milvus_instance: "private", access_level: "read" },
  ]);
});

test("decisions about collections and folders are recorded, newest first", async (context) => {
  const database = await openRegistry(registryPlace(context));
  context.after(() => database.close());
  const made = {
    principal: "owner",
    agent: "",
    action: "read",
    effect: "allow",
    rule: "owner",
    reason: "so",
    grantId: null,
  } as const;
  for (const kind of ["collection", "folder"] as const)
    await createDecisionLog(database).record([
      ["r", { ...made, resource: { kind, name: "/x", instance: "", department: "" } }],
    ]);
  assert.deepEqual(
    (await createDecisionLog(database).list()).map(({ resource }) => resource.kind),
    ["folder", "collection"],
  );
});
