import assert from "node:assert/strict";
import { test } from "node:test";
import { decide } from "../../src/core/decide.ts";
import type { Principal, Resource } from "../../src/core/permission.ts";

const principal = (kind: Principal["kind"], roots: readonly string[]): Principal => ({
  ...{ id: "00000000-0000-4000-8000-000000000000", name: kind === "owner" ? "owner" : "ada" },
  ...{ kind, departments: ["hr"], enabled: true, roots },
});
const folder = (name: string, isHome = false): Resource => ({
  kind: "folder",
  name,
  instance: "",
  department: "",
  isHome,
});
const verdict = (who: Principal, resource: Resource, action: "read" | "write" = "read") => {
  const { effect, rule } = decide({ principal: who, agent: null, action, resource, grants: [] });
  return `${effect}: ${rule}`;
};

test("a principal ingests from within its folders and from nowhere else", () => {
  const ada = principal("person", ["/srv/hr", "/data"]);
  for (const path of ["/srv/hr", "/srv/hr/a.md", "/srv/hr/deep/b.md", "/data/x"])
    assert.equal(verdict(ada, folder(path)), "allow: root", path);
  for (const path of [
    "/srv",
    "/srv/hr2/a.md",
    "/srv/hr.md",
    "/srv/HR/a.md",
    "/",
    "",
    "srv/hr",
    "/srv/hr\\..\\x",
    "/dat",
  ])
    assert.equal(verdict(ada, folder(path)), "deny: default-deny", path);
  assert.equal(verdict(ada, folder("/srv/hr/a.md"), "write"), "deny: default-deny");
  assert.equal(verdict(principal("person", []), folder("/srv/hr/a.md")), "deny: default-deny");
  assert.equal(verdict(principal("person", ["/"]), folder("/etc/passwd")), "allow: root");
});

test("the owner ingests from everywhere, and nobody from ragctl's own home", () => {
  assert.equal(verdict(principal("owner", []), folder("/etc/x")), "allow: owner");
  for (const who of [
    principal("owner", []),
    principal("person", ["/"]),
    principal("service", ["/home/o/.local/share/ragctl"]),
  ])
    assert.equal(
      verdict(who, folder("/home/o/.local/share/ragctl/settings.yaml", true)),
      "deny: home-closed",
    );
  assert.equal(
    verdict({ ...principal("person", ["/"]), enabled: false }, folder("/x")),
    "deny: principal-disabled",
  );
});

test("what was fetched into the home is the owner's to ingest and nobody else's", () => {
  const fetched = { ...folder("/home/o/.local/share/ragctl/fetched/a.test-1", true), isFetched: true };
  assert.equal(verdict(principal("owner", []), fetched), "allow: owner");
  for (const who of [
    principal("person", ["/"]),
    principal("service", ["/home/o/.local/share/ragctl/fetched"]),
  ])
    assert.equal(verdict(who, fetched), "deny: home-closed");
});

test("about an upload the collection decides that it was uploaded into", () => {
  const upload = {
    ...folder("/home/uploads/private/hr_docs/a.md"),
    uploadedTo: { name: "hr_docs", instance: "private" as const },
  };
  const grant = (level: "read" | "write", resource = "hr_docs") => ({
    id: "00000000-0000-4000-8000-000000000001",
    subjectKind: "principal" as const,
    subject: "ada",
    effect: "allow" as const,
    resourceKind: "collection" as const,
    resource,
    instance: "private" as const,
    level,
    createdAt: "",
  });
  const ofAda = (grants: readonly ReturnType<typeof grant>[]): string =>
    decide({ principal: principal("person", ["/"]), agent: null, action: "read", resource: upload, grants })
      .effect;
  assert.equal(ofAda([]), "deny");
  assert.equal(ofAda([grant("read")]), "deny");
  assert.equal(ofAda([grant("write", "other_docs")]), "deny");
  assert.equal(ofAda([grant("write")]), "allow");
  assert.equal(verdict(principal("owner", []), upload), "allow: owner");
});

test("a rule about collections, agents or tools opens no folder", () => {
  const grants = (["collection", "agent", "tool", "room"] as const).map((resourceKind) => ({
    ...{
      id: "00000000-0000-4000-8000-000000000001",
      subjectKind: "principal" as const,
      subject: "ada",
      effect: "allow" as const,
    },
    ...{
      resourceKind,
      resource: "*",
      instance: "" as const,
      level: "admin" as const,
      createdAt: "2026-01-01T00:00:00.000Z",
    },
  }));
  const decision = decide({
    principal: principal("person", []),
    agent: null,
    action: "read",
    resource: folder("/x"),
    grants,
  });
  assert.equal(decision.rule, "default-deny");
});
