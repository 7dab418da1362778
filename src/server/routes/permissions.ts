import { accessLevels } from "../../core/permission.ts";
import { z } from "../../core/schema.ts";
import {
  decisionsShape,
  explanationShape,
  permissionsShape,
  principalsShape,
} from "../../shapes/permissions.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";
import { name } from "../inputs.ts";
import { json } from "../reply.ts";
import { documentNamed } from "../shapes.ts";

const tag = "Principals and permissions";

const level = z.enum(accessLevels);
const kinds = ["collection", "agent", "tool", "room", "folder"] as const;
const departments = z.array(name).max(100);
const roots = z.array(z.string().min(1).max(4096)).max(100);
const kind = z.enum(["person", "service"]);
const shown = { 200: { description: "Principals", schema: documentNamed("principals") } };

const principals: readonly Endpoint[] = [
  endpoint(
    { method: "get", path: "/v1/principals", tag, summary: "List principals", answers: shown },
    (_, { server, run }) => json(principalsShape(server.app.permissions.principals(run))),
  ),
  endpoint(
    {
      method: "post",
      path: "/v1/principals",
      tag,
      summary: "Add a principal; its keys are made on the command line",
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
    { method: "get", path: "/v1/principals/{principal}", tag, summary: "Show a principal", answers: shown },
    ({ params: { principal = "" } }, { server, run }) =>
      json(principalsShape([server.app.permissions.getPrincipal(principal, run)])),
  ),
  endpoint(
    {
      method: "patch",
      path: "/v1/principals/{principal}",
      tag,
      summary: "Change a principal; what is not named stays",
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
    {
      method: "delete",
      path: "/v1/principals/{principal}",
      tag,
      summary: "Remove a principal with its keys and the rules that name it",
      answers: shown,
    },
    ({ params: { principal = "" } }, { server, run }) =>
      json(principalsShape([server.app.permissions.removePrincipal(principal, run)])),
  ),
];

const rules: readonly Endpoint[] = [
  endpoint(
    {
      method: "get",
      path: "/v1/permissions",
      tag,
      summary: "List rules",
      answers: { 200: { description: "Rules", schema: documentNamed("permissions") } },
    },
    (_, { server, run }) => json(permissionsShape(server.app.permissions.rules({}, run))),
  ),
  endpoint(
    {
      method: "post",
      path: "/v1/permissions",
      tag,
      summary: "Grant or deny; a rule about the same is replaced",
      body: z.strictObject({
        effect: z.enum(["allow", "deny"]),
        level,
        subject_kind: z.enum(["department", "principal"]),
        subject: name,
        resource_kind: z.enum(["collection", "agent", "tool", "room"]).default("collection"),
        resource: name.describe("* for every one of its kind."),
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
    {
      method: "delete",
      path: "/v1/permissions/{rule}",
      tag,
      summary: "Remove a rule by its id",
      answers: { 200: { description: "What was removed", schema: documentNamed("permissions") } },
    },
    ({ params: { rule = "" } }, { server, run }) =>
      json(permissionsShape(server.app.permissions.removeRules({ id: rule }, run))),
  ),
  endpoint(
    {
      method: "get",
      path: "/v1/permissions/explain",
      tag,
      summary: "Why somebody may do something or not",
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
    {
      method: "get",
      path: "/v1/permissions/decisions",
      tag,
      summary: "What was decided, newest first",
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
export const permissions: readonly Endpoint[] = [...principals, ...rules];
