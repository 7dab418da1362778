import assert from "node:assert/strict";
import { test } from "node:test";
import type { Grant } from "../../src/core/permission.ts";
import {
  auditShape,
  decisionsShape,
  explanationShape,
  permissionsShape,
  principalsShape,
  signInsShape,
} from "../../src/shapes/permissions.ts";
import { assertFits } from "../cli/support.ts";

const at = "2026-03-02T08:00:00.000Z";
const ada = {
  id: "p1",
  name: "ada",
  kind: "person",
  departments: ["hr"],
  enabled: true,
  createdAt: at,
} as const;
const grant: Grant = {
  ...{ id: "g1", subjectKind: "department", subject: "hr", effect: "allow", resourceKind: "collection" },
  ...{ resource: "hr_docs", instance: "private", level: "write", createdAt: at },
};
const decision = {
  effect: "allow",
  rule: "grant",
  reason: "department hr was granted write",
  grantId: "g1",
} as const;
const resource = { kind: "collection", name: "hr_docs", instance: "private", department: "" } as const;
const asked = { agent: null, action: "read", resource } as const;

test("principals, rules, decisions, explanations and audits fit their schemas", () => {
  assertFits("principals", principalsShape([ada]));
  assertFits("permissions", permissionsShape([grant]));
  assertFits("explanation", explanationShape({ ...decision, ...asked, principal: ada, exists: true, grant }));
  const byRule = { ...decision, rule: "owner", grantId: null };
  const explanation = explanationShape({
    ...byRule,
    ...asked,
    agent: "HR Assistant",
    principal: ada,
    exists: false,
    grant: null,
  });
  assertFits("explanation", explanation);
  assert.deepEqual([explanation.permission, explanation.resource.exists], [null, false]);
  assertFits(
    "decisions",
    decisionsShape([{ ...decision, ...asked, agent: "", principal: "ada", runId: "r1", decidedAt: at }]),
  );
  const known = { outcome: "acting-as", principal: "owner", actingAs: "ada", keyId: "0123456789ab" } as const;
  assertFits("sign-ins", signInsShape([{ ...known, at, address: "127.0.0.1" }]));
  const leak = {
    principal: "ada",
    surface: "rest",
    attempt: "search",
    like: "hr_docs",
    evidence: "a chunk",
  } as const;
  const counts = { attempts: 20, controls: 3, controlsFailed: [], leaks: [leak] };
  const audit = auditShape({
    canaries: 4,
    principals: [{ principal: "ada", ...counts }],
    surfaces: [{ surface: "rest", ...counts }],
    leaks: [leak],
    untried: ["GET /v1/new"],
  });
  assertFits("audit", audit);
  assert.equal(audit.principals[0]?.leaked, 1);
});
