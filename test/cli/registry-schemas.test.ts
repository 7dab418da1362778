import assert from "node:assert/strict";
import { test } from "node:test";
import {
  agentsShape,
  agentView,
  type CollectionView,
  changesShape,
  collectionListShape,
  collectionShape,
  providersShape,
  providerView,
  registryShape,
  removedShape,
  seedShape,
  toolsShape,
} from "../../src/shapes/registry.ts";
import { assertFits } from "./support.ts";

const fits = (name: string, value: unknown): void => assertFits(name, JSON.parse(JSON.stringify(value)));
const row = {
  id: "3f0c7a52-6c6f-4b0e-9f0e-2f6d1c0b8a11",
  createdAt: "2026-03-02T08:00:00.000Z",
  enabled: true,
};
const tool = { toolId: row.id, name: "Calculator", type: "calculator", priority: 10 };

test("an agent fits its schema, and lists only the tools it may use under tools", () => {
  const agent = {
    ...row,
    name: "HR",
    department: "hr",
    persona: "You are brief.",
    guidelines: "",
    description: "policies",
    capabilities: { topics: ["leave"], examples: ["How many days?"] },
    providerConfig: {},
    tools: [
      { ...tool, enabled: true },
      { ...tool, name: "Web Search", enabled: false },
    ],
  };
  const view = agentView(agent);
  fits("agents", agentsShape([agent]));
  assert.deepEqual([view.capabilities, view.tools, view.given_tools?.length], [["leave"], ["Calculator"], 2]);
});

test("tools, providers, what was seeded, removed and exported fit their schemas", () => {
  fits(
    "tools",
    toolsShape([
      {
        ...row,
        name: "Calculator",
        type: "calculator",
        config: { precision_digits: 8 },
        permissions: {},
      },
    ]),
  );
  const provider = {
    ...row,
    component: "llm" as const,
    provider: "local" as const,
    config: { model: "m" },
    enabled: true,
  };
  fits("providers", providersShape([provider]));
  assert.equal(providerView(provider).name, "llm/local");
  const added = {
    agents: 1,
    tools: 0,
    agentTools: 2,
    providers: 0,
    collections: 0,
    principals: 0,
    permissions: 0,
  };
  fits("seed", seedShape({ added, leftOut: ["agents IT Support"], undescribed: ["notes"] }));
  fits("removed", removedShape("agent", "HR"));
  fits("registry", registryShape("version: 1\n", null));
});

test("collections fit their schemas, ingested into or only described", () => {
  const summary = {
    name: "manuals",
    instance: "private" as const,
    documents: 1,
    chunks: 20,
    embedder: "bge-small",
    dimensions: 384,
    lexical: "bm25" as const,
  };
  const grant = {
    ...row,
    subjectKind: "department" as const,
    subject: "hr",
    effect: "deny" as const,
    resourceKind: "collection" as const,
    resource: "*",
    instance: "" as const,
    level: "read" as const,
  };
  const views: readonly CollectionView[] = [
    { name: "manuals", summary, profile: null, grants: [grant] },
    {
      name: "plans",
      summary: null,
      profile: { name: "plans", instance: "private", department: "it", description: "x" },
      grants: [],
    },
  ];
  for (const view of views) fits("collection", collectionShape(view));
  const list = collectionListShape(views);
  fits("collections", list);
  assert.deepEqual(
    [list.collections.length, list.planned],
    [1, [{ name: "plans", instance: "private", department: "it", description: "x" }]],
  );
});

test("changes fit their schema and are counted by kind", () => {
  const item = { name: "x", instance: "public", department: "", description: "" } as const;
  const shape = changesShape(
    [
      {
        section: "tools",
        name: "A",
        kind: "change",
        fields: [{ field: "enabled", before: true, after: undefined }],
        item,
      },
      { section: "agents", name: "B", kind: "keep", fields: [], item },
    ],
    false,
  );
  fits("changes", shape);
  assert.deepEqual(shape.counts, { add: 0, change: 1, remove: 0, keep: 1 });
  assert.equal(shape.changes[0]?.fields[0]?.after, null);
});
