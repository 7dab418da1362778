import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type DecisionRequest, decide } from "../../src/core/decide.ts";
import type { ActingAgent, Grant, Principal, Resource } from "../../src/core/permission.ts";
import { accessLevels } from "../../src/core/permission.ts";

const names = ["ada", "Bo", "hr_docs", "plans", "Analyst"];
const departmentNames = ["general", "hr", "finance", "engineering"];
const department = fc.constantFrom(...departmentNames);
const name = fc.constantFrom(...names);
const level = fc.constantFrom(...accessLevels);
const kind = fc.constantFrom("collection" as const, "agent" as const, "tool" as const, "room" as const);

const grant: fc.Arbitrary<Grant> = fc
  .record({
    id: fc.uuid(),
    subjectKind: fc.constantFrom("department" as const, "principal" as const),
    effect: fc.constantFrom("allow" as const, "allow" as const, "deny" as const),
    resourceKind: kind,
    resource: fc.oneof(name, fc.constant("*")),
    instance: fc.constantFrom("" as const, "public" as const, "private" as const),
    level,
    createdAt: fc.constant("2026-01-01T00:00:00.000Z"),
  })
  .chain((rest) =>
    (rest.subjectKind === "principal" ? name : department).map((subject) => ({ ...rest, subject })),
  );

const principal: fc.Arbitrary<Principal> = fc.record({
  id: fc.uuid(),
  name,
  kind: fc.constantFrom("person" as const, "service" as const, "person" as const, "owner" as const),
  departments: fc.uniqueArray(department, { maxLength: 3 }),
  enabled: fc.constantFrom(true, true, true, true, false),
});
const agent: fc.Arbitrary<ActingAgent> = fc.record({
  name,
  department,
  enabled: fc.constantFrom(true, true, true, false),
});
const resource: fc.Arbitrary<Resource> = fc
  .record({
    kind,
    name,
    instance: fc.constantFrom("public" as const, "private" as const),
    department,
    restricted: fc.boolean(),
  })
  .map((each) => ({
    ...each,
    instance: each.kind === "collection" || each.kind === "room" ? each.instance : ("" as const),
    department: each.kind === "agent" ? each.department : "",
  }));
const request: fc.Arbitrary<DecisionRequest> = fc.record({
  principal,
  agent: fc.option(agent, { nil: null }),
  action: level,
  resource,
  grants: fc.array(grant, { maxLength: 12 }),
});

const allowed = (asked: DecisionRequest): boolean => decide(asked).effect === "allow";
const check = <T>(arbitrary: fc.Arbitrary<T>, predicate: (value: T) => void): void =>
  fc.assert(fc.property(arbitrary, predicate), { numRuns: 5000 });

test("a denial of the principal, of its departments or of the agent's beats every grant and even the owner", () => {
  check(fc.tuple(request, fc.boolean(), level), ([asked, byName, at]) => {
    const subjects = [
      ...asked.principal.departments,
      ...(asked.agent === null ? [] : [asked.agent.department]),
    ];
    const [first] = subjects;
    const about =
      byName || first === undefined
        ? ({ subjectKind: "principal", subject: asked.principal.name } as const)
        : ({ subjectKind: "department", subject: first } as const);
    const { kind, name: resource, instance } = asked.resource;
    const resourceKind = kind as Grant["resourceKind"]; // no folder is among the resources made here
    const denial: Grant = {
      ...about,
      id: "d",
      effect: "deny",
      resourceKind,
      resource,
      instance,
      level: at,
      createdAt: "",
    };
    const denied = accessLevels.indexOf(at) <= accessLevels.indexOf(asked.action);
    const decision = decide({ ...asked, grants: [...asked.grants, denial] });
    if (denied) assert.equal(decision.effect, "deny");
    else assert.deepEqual(decision.effect, decide(asked).effect);
  });
});

test("a further grant never takes anything away, and removing one never allows more", () => {
  check(fc.tuple(request, grant), ([asked, more]) => {
    const after = { ...asked, grants: [...asked.grants, more] };
    if (more.effect === "allow") assert.ok(!allowed(asked) || allowed(after));
    else assert.ok(!allowed(after) || allowed(asked));
  });
});

test("a higher level of a grant allows what a lower one does", () => {
  check(fc.tuple(request, fc.nat()), ([asked, at]) => {
    const raised = asked.grants.map((each, index) =>
      index === at % (asked.grants.length || 1) && each.effect === "allow"
        ? { ...each, level: "admin" as const }
        : each,
    );
    assert.ok(!allowed(asked) || allowed({ ...asked, grants: raised }));
  });
});

test("without rules nobody but the owner gets more of collections and rooms than reading what is public", () => {
  check(request, (asked) => {
    const bare = { ...asked, grants: [] };
    const { kind: what, instance } = asked.resource;
    if (asked.principal.kind === "owner" || (what !== "collection" && what !== "room") || !allowed(bare))
      return;
    assert.deepEqual([asked.action, instance], ["read", "public"]);
  });
});

test("through an agent nobody gets what it does not get alone, nor what the agent's department does not get", () => {
  check(request, (asked) => {
    if (asked.agent === null || !allowed(asked)) return;
    assert.ok(allowed({ ...asked, agent: null }), "more than alone");
    const { kind: what } = asked.resource;
    if (what !== "collection" && what !== "room") return;
    const department: Principal = {
      id: "x",
      name: "nobody of that name",
      kind: "service",
      departments: [asked.agent.department],
      enabled: true,
    };
    assert.ok(allowed({ ...asked, agent: null, principal: department }), "more than the agent's department");
  });
});

test("whoever is disabled may do nothing, by itself or through a disabled agent", () => {
  check(request, (asked) => {
    assert.ok(!allowed({ ...asked, principal: { ...asked.principal, enabled: false } }));
    if (asked.agent !== null) assert.ok(!allowed({ ...asked, agent: { ...asked.agent, enabled: false } }));
  });
});

test("the order of the rules and the case of names do not change what is allowed", () => {
  check(fc.tuple(request, fc.nat()), ([asked, by]) => {
    const cut = by % (asked.grants.length || 1);
    const turned = [...asked.grants.slice(cut), ...asked.grants.slice(0, cut)].map((each) => ({
      ...each,
      subject: each.subject.toUpperCase(),
      resource: each.resource.toLowerCase(),
    }));
    assert.equal(allowed({ ...asked, grants: turned }), allowed(asked));
  });
});

test("the reason names the thing that was asked about, the asker, the agent and departments of theirs, and nothing else of the rules", () => {
  check(request, (asked) => {
    const { reason, grantId, rule, effect } = decide(asked);
    assert.ok(reason !== "" && rule !== "");
    const grantOf = asked.grants.find(({ id }) => id === grantId);
    assert.equal(grantOf === undefined, grantId === null);
    if (grantOf !== undefined) assert.equal(grantOf.effect, effect);
    const known = new Set(
      [
        asked.resource.name,
        asked.principal.name,
        asked.agent?.name,
        asked.resource.department,
        asked.agent?.department,
        ...asked.principal.departments,
      ].map((each) => each?.toLowerCase()),
    );
    for (const other of [...names, ...departmentNames])
      if (!known.has(other.toLowerCase()))
        assert.ok(!new RegExp(`\\b${other}\\b`, "i").test(reason), `${reason} names ${other}`);
  });
});

const person = (own: Partial<Principal>): Principal => ({
  id: "p",
  name: "ada",
  kind: "person",
  departments: [],
  enabled: true,
  ...own,
});
const rule = (own: Partial<Grant>): Grant => ({
  ...{ id: "g", subjectKind: "department", subject: "hr", effect: "allow", resourceKind: "collection" },
  ...{ resource: "hr_docs", instance: "private", level: "read", createdAt: "" },
  ...own,
});
const hrDocs: Resource = { kind: "collection", name: "hr_docs", instance: "private", department: "" };

test("each rule decides the case it is for, under its stable name", () => {
  const hr = person({ departments: ["hr"] });
  const hrAgent: ActingAgent = { name: "HR Assistant", department: "hr", enabled: true };
  const web: Resource = { kind: "tool", name: "Web Search", instance: "", department: "", restricted: true };
  const agentOf = (department: string): Resource => ({
    kind: "agent",
    name: "Analyst",
    instance: "",
    department,
  });
  const asks: readonly (readonly [string, DecisionRequest])[] = [
    [
      "principal-disabled",
      { principal: person({ enabled: false }), agent: null, action: "read", resource: hrDocs, grants: [] },
    ],
    [
      "agent-disabled",
      {
        principal: hr,
        agent: { ...hrAgent, enabled: false },
        action: "read",
        resource: hrDocs,
        grants: [rule({})],
      },
    ],
    [
      "deny-beats-grant",
      {
        principal: hr,
        agent: null,
        action: "read",
        resource: hrDocs,
        grants: [rule({}), rule({ id: "d", effect: "deny" })],
      },
    ],
    [
      "owner",
      { principal: person({ kind: "owner" }), agent: null, action: "admin", resource: hrDocs, grants: [] },
    ],
    [
      "public",
      {
        principal: person({}),
        agent: null,
        action: "read",
        resource: { ...hrDocs, instance: "public" },
        grants: [],
      },
    ],
    [
      "grant",
      { principal: hr, agent: hrAgent, action: "read", resource: hrDocs, grants: [rule({ level: "write" })] },
    ],
    ["default-deny", { principal: hr, agent: null, action: "write", resource: hrDocs, grants: [rule({})] }],
    [
      "agent-not-granted",
      {
        principal: person({ kind: "owner" }),
        agent: { ...hrAgent, department: "general" },
        action: "read",
        resource: hrDocs,
        grants: [rule({})],
      },
    ],
    [
      "agent-not-allowed",
      {
        principal: person({}),
        agent: hrAgent,
        action: "read",
        resource: { ...hrDocs, instance: "public" },
        grants: [],
      },
    ],
    [
      "agent-department",
      { principal: person({}), agent: null, action: "read", resource: agentOf("general"), grants: [] },
    ],
    ["agent-department", { principal: hr, agent: null, action: "read", resource: agentOf("hr"), grants: [] }],
    [
      "default-deny",
      { principal: hr, agent: null, action: "read", resource: agentOf("finance"), grants: [] },
    ],
    [
      "grant",
      {
        principal: hr,
        agent: null,
        action: "read",
        resource: agentOf("finance"),
        grants: [rule({ resourceKind: "agent", resource: "*", instance: "" })],
      },
    ],
    [
      "tool-open",
      { principal: hr, agent: hrAgent, action: "read", resource: { ...web, restricted: false }, grants: [] },
    ],
    ["default-deny", { principal: hr, agent: hrAgent, action: "read", resource: web, grants: [] }],
    [
      "grant",
      {
        principal: hr,
        agent: hrAgent,
        action: "read",
        resource: web,
        grants: [rule({ resourceKind: "tool", resource: "web search", instance: "" })],
      },
    ],
  ];
  for (const [expected, asked] of asks) assert.equal(decide(asked).rule, expected, JSON.stringify(asked));
});

test("a denial of writing leaves reading alone", () => {
  const asked = {
    principal: person({ departments: ["hr"] }),
    agent: null,
    resource: hrDocs,
    grants: [rule({ level: "admin" }), rule({ id: "d", effect: "deny", level: "write" })],
  };
  assert.deepEqual(
    accessLevels.map((action) => decide({ ...asked, action }).effect),
    ["allow", "deny", "deny"],
  );
});
