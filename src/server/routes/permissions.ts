import { accessLevels } from "../../core/permission.ts";
import { z } from "../../core/schema.ts";
import {
  decisionsShape,
  explanationShape,
  permissionsShape,
  principalsShape,
} from "../../shapes/permissions.ts";
import { type Endpoint, endpoint, tagged, type Untagged } from "../endpoint.ts";
import { name } from "../inputs.ts";
import { json } from "../reply.ts";
import { documentNamed, shows } from "../shapes.ts";

const level = z.enum(accessLevels);
const kinds = ["collection", "agent", "tool", "room", "folder"] as const;
const departments = z.array(name).max(100);
const roots = z.array(z.string().min(1).max(4096)).max(100);
const kind = z.enum(["person", "service"]);
const shown = { 200: { description: "Principals", schema: documentNamed("principals") } };

const principals: readonly Untagged[] = [
  endpoint(
    "GET /v1/principals",
    "List principals",
    {
      answers: shown,
    },
    (_, { server, run }) => json(principalsShape(server.app.permissions.principals(run))),
  ),
  endpoint(
    "POST /v1/principals",
    "Add a principal; create its keys on the command line",
    {
      body: z.strictObject({
        name,
        kind: kind.default("person"),
        departments: departments.default([]),
        roots: roots.default([]),
      }),
      answers: { 201: { description: "The principal", schema: documentNamed("principals") } },
    },
    ({ body }, { server, run }) =>
      json(principalsShape([server.app.permissions.addPrincipal(body, run)]), 201),
  ),
  endpoint(
    "GET /v1/principals/{principal}",
    "Show a principal",
    {
      answers: shown,
    },
    ({ params: { principal = "" } }, { server, run }) =>
      json(principalsShape([server.app.permissions.getPrincipal(principal, run)])),
  ),
  endpoint(
    "PATCH /v1/principals/{principal}",
    "Change a principal; omitted fields are unchanged",
    {
      body: z.strictObject({
        kind: kind.optional(),
        departments: departments.optional(),
        roots: roots.optional(),
        enabled: z.boolean().optional(),
      }),
      answers: shown,
    },
    ({ params: { principal = "" }, body }, { server, run }) =>
      json(principalsShape([server.app.permissions.setPrincipal(principal, body, run)])),
  ),
  endpoint(
    "DELETE /v1/principals/{principal}",
    "Remove a principal with its keys and rules",
    {
      answers: shown,
    },
    ({ params: { principal = "" } }, { server, run }) =>
      json(principalsShape([server.app.permissions.removePrincipal(principal, run)])),
  ),
];

const rules: readonly Untagged[] = [
  endpoint("GET /v1/permissions", "List rules", shows("Rules", "permissions"), (_, { server, run }) =>
    json(permissionsShape(server.app.permissions.rules({}, run))),
  ),
  endpoint(
    "POST /v1/permissions",
    "Grant or deny access; replaces an existing rule for the same subject and resource",
    {
      body: z.strictObject({
        effect: z.enum(["allow", "deny"]),
        level,
        subject_kind: z.enum(["department", "principal"]),
        subject: name,
        resource_kind: z.enum(["collection", "agent", "tool", "room"]).default("collection"),
        resource: name.describe("Name of the resource; * for all of its kind."),
        instance: z.enum(["public", "private"]).optional(),
      }),
      answers: { 201: { description: "The rule", schema: documentNamed("permissions") } },
    },
    ({ body: { subject_kind, resource_kind, instance, ...rest } }, { server, run }) => {
      const rule = { ...rest, subjectKind: subject_kind, resourceKind: resource_kind };
      const placed = instance === undefined ? rule : { ...rule, instance };
      return json(permissionsShape([server.app.permissions.putRule(placed, run).rule]), 201);
    },
  ),
  endpoint(
    "DELETE /v1/permissions/{rule}",
    "Remove a rule by its id",
    shows("The removed rule", "permissions"),
    ({ params: { rule = "" } }, { server, run }) =>
      json(permissionsShape(server.app.permissions.removeRules({ id: rule }, run))),
  ),
  endpoint(
    "GET /v1/permissions/explain",
    "Explain whether a principal may do something, and why",
    {
      query: z.strictObject({
        principal: name,
        action: level,
        kind: z.enum(kinds).default("collection"),
        resource: z.string().min(1).max(4096),
        agent: name.optional(),
        instance: z.enum(["public", "private"]).optional(),
      }),
      answers: { 200: { description: "The decision", schema: documentNamed("explanation") } },
    },
    ({ query: { kind: resourceKind, agent = null, instance, ...rest } }, { server, run }) => {
      const asked = { ...rest, resourceKind, agent, ...(instance === undefined ? {} : { instance }) };
      return json(explanationShape(server.app.permissions.explain(asked, run)));
    },
  ),
  endpoint(
    "GET /v1/permissions/decisions",
    "List access decisions, newest first",
    {
      query: z.strictObject({
        principal: name.optional(),
        effect: z.enum(["allow", "deny"]).optional(),
        limit: z.coerce.number().int().min(1).max(10_000).default(20),
      }),
      answers: { 200: { description: "Decisions", schema: documentNamed("decisions") } },
    },
    ({ query: { principal, effect, limit } }, { server, run }) => {
      const filter = {
        limit,
        ...(principal === undefined ? {} : { principal }),
        ...(effect === undefined ? {} : { effect }),
      };
      return json(decisionsShape(server.app.permissions.decisions(filter, run)));
    },
  ),
];

/** Who may do what; for the owner. */
export const permissions: readonly Endpoint[] = tagged("Principals and permissions", [
  ...principals,
  ...rules,
]);
