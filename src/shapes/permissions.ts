import { accessLevels, type Grant, type Principal, type Resource } from "../core/permission.ts";
import { z } from "../core/schema.ts";
import type { RecordedDecision } from "../registry/company/decisions.ts";
import { count, time } from "./members.ts";
import { derive, documentSchema, printer, type Source } from "./shape.ts";

const uuid = z.string().describe("UUID.");
const effect = z.enum(["allow", "deny"]);
const level = z.enum(accessLevels).describe("Each level includes the previous ones.");
const anyInstance = z
  .enum(["", "public", "private"])
  .describe("Instance of a collection; empty for other resources and for rules on both instances.");
const resourceKind = z.enum(["collection", "agent", "tool", "room", "folder"]);
const ruleName = z
  .string()
  .describe("Stable name of the rule that decided; docs/explanation/permissions.md lists them.");

const principal = derive(
  z.object({
    id: uuid,
    name: z.string(),
    kind: z.enum(["owner", "person", "service"]),
    departments: z.array(z.string()),
    roots: z
      .array(z.string())
      .describe(
        "Real paths of the folders it may ingest from. Empty: none; for the owner, everywhere except the home.",
      ),
    enabled: z.boolean(),
    created_at: time,
  }),
  ({ roots = [], ...rest }: Principal & { readonly createdAt: string }) => ({ ...rest, roots }),
);
const principals = documentSchema("principals", "Output of ragctl principals --format json", {
  principals: z.array(principal),
});
const printPrincipals = printer(principals);
/** A principal with the time it was added, ISO 8601. */
export type AddedPrincipal = Source<typeof principal>;
/** principals.schema.json. */
export const principalsShape = (list: readonly AddedPrincipal[]) => printPrincipals({ principals: list });

const key = z.object({
  id: z
    .string()
    .regex(/^[0-9a-f]{12}$/)
    .describe("Part of the key itself."),
  principal: z.string(),
  label: z.string().describe("Purpose of the key; empty if not given."),
  may_impersonate: z.boolean().describe("Whether requests with this key may act as another principal."),
  created_at: time,
  last_used_at: time.nullable().describe("ISO 8601, to the minute; null for never."),
  revoked_at: time.nullable().describe("ISO 8601; null for a valid key."),
});
const keys = documentSchema("keys", "Output of ragctl principals key add, list and revoke --format json", {
  keys: z.array(key),
  key: z.string().describe("The key itself; only for a new key, and not shown again.").optional(),
});
const printKeys = printer(keys);
/** keys.schema.json; `made` is a new key itself. */
export const keysShape = (list: Source<typeof keys>["keys"], made?: string) =>
  printKeys({ keys: list, ...(made === undefined ? {} : { key: made }) });

const signIn = z.object({
  at: time,
  outcome: z.enum(["signed-in", "refused", "locked-out", "acting-as"]),
  principal: z.string().describe("Empty if nobody was recognised."),
  acting_as: z.string().describe("Empty unless acting as another principal."),
  key_id: z.string().describe("Empty for the printed link and if no key was recognised."),
  address: z.string().describe("Address of the client; empty if unknown."),
});
const signIns = documentSchema("sign-ins", "Output of ragctl principals sign-ins --format json", {
  sign_ins: z.array(signIn).describe("Newest first; the newest 10 000 are kept."),
});
const printSignIns = printer(signIns);
/** sign-ins.schema.json. */
export const signInsShape = (list: Source<typeof signIns>["signIns"]) => printSignIns({ signIns: list });

const rule = z.object({
  id: uuid,
  effect,
  level,
  subject_kind: z.enum(["department", "principal"]),
  subject: z.string(),
  resource_kind: resourceKind.exclude(["folder"]),
  resource: z.string().describe("Name of the resource; * means all of its kind."),
  instance: anyInstance,
  created_at: time,
});
const permissions = documentSchema(
  "permissions",
  "Output of ragctl permissions list, grant, deny and revoke --format json",
  {
    permissions: z
      .array(rule)
      .describe("Matching rules (list), the new rule (grant, deny) or the removed rules (revoke)."),
  },
);
const printPermissions = printer(permissions);
/** permissions.schema.json: the rules that fit, were written or were removed. */
export const permissionsShape = (rules: readonly Grant[]) => printPermissions({ permissions: rules });

const explanation = documentSchema("explanation", "Output of ragctl permissions explain --format json", {
  principal: z.string(),
  departments: z.array(z.string()),
  agent: z.string().nullable(),
  action: level,
  resource: z.object({
    kind: resourceKind,
    name: z.string(),
    instance: anyInstance,
    exists: z.boolean(),
  }),
  effect,
  rule: ruleName,
  reason: z.string(),
  permission: rule.nullable().describe("The grant or denial that decided; null if a built-in rule did."),
});
const printExplanation = printer(explanation);
/** explanation.schema.json. */
export const explanationShape = ({
  principal: asker,
  resource,
  exists,
  grant,
  ...rest
}: Pick<Source<typeof explanation>, "agent" | "action" | "effect" | "rule" | "reason"> & {
  readonly principal: Principal;
  readonly resource: Resource;
  readonly exists: boolean;
  readonly grant: Source<typeof rule> | null;
}) =>
  printExplanation({
    ...rest,
    principal: asker.name,
    departments: asker.departments,
    resource: { ...resource, exists },
    permission: grant,
  });

const decision = derive(
  z.object({
    decided_at: time,
    run_id: z.string(),
    principal: z.string(),
    agent: z.string().describe("Empty if none."),
    action: level,
    resource_kind: resourceKind,
    resource: z.string(),
    instance: anyInstance,
    effect,
    rule: ruleName,
    reason: z.string(),
    permission_id: z.string().nullable(),
  }),
  ({ resource: { kind, name, instance }, grantId, ...rest }: RecordedDecision) => ({
    ...rest,
    resourceKind: kind,
    resource: name,
    instance,
    permissionId: grantId,
  }),
);
const decisions = documentSchema("decisions", "Output of ragctl permissions decisions --format json", {
  decisions: z.array(decision).describe("Newest first."),
});
const printDecisions = printer(decisions);
/** decisions.schema.json. */
export const decisionsShape = (list: readonly RecordedDecision[]) => printDecisions({ decisions: list });

/** Where a principal tries to get at something. */
export const auditedSurfaces = [
  "library",
  "rest",
  "page",
  "streams",
  "rooms",
  "openai",
  "short",
  "mcp-http",
  "mcp-stdio",
] as const;
const surface = z
  .enum(auditedSurfaces)
  .describe("Where it was attempted; docs/explanation/permissions.md explains each surface.");
const leaked = z.object({
  principal: z.string(),
  surface,
  attempt: z.string(),
  like: z.string().describe("The collection whose rules the canary copied."),
  evidence: z.string(),
});
const counts = {
  attempts: count.describe("Forbidden attempts."),
  leaked: count,
  controls: count.describe("Permitted attempts."),
  controls_failed: z.array(z.string()),
};
/** How often something was tried; permitted attempts must all succeed, else the audit proves nothing. */
export type AuditCounts = Omit<Source<z.ZodObject<typeof counts>>, "leaked"> & {
  readonly leaks: readonly Source<typeof leaked>[];
};
export type PrincipalAudit = AuditCounts & { readonly principal: string };
export type SurfaceAudit = AuditCounts & { readonly surface: (typeof auditedSurfaces)[number] };
const withLeaks = <T extends AuditCounts>({ leaks, ...rest }: T) => ({ ...rest, leaked: leaks.length });
const audit = documentSchema("audit", "Output of ragctl permissions audit --format json", {
  canaries: count.describe("Documents that were planted, one per set of rules."),
  principals: z.array(derive(z.object({ principal: z.string(), ...counts }), withLeaks<PrincipalAudit>)),
  surfaces: z.array(derive(z.object({ surface, ...counts }), withLeaks<SurfaceAudit>)),
  leaks: z.array(leaked),
  untried: z.array(z.string()).describe("Server routes not covered by any attempt, so unchecked."),
});
/** The results of an audit. */
export type AuditReport = Source<typeof audit>;
/** audit.schema.json. */
export const auditShape = printer(audit);

/** The documents of this file, for config/schemas/. */
export const permissionDocuments = [principals, keys, signIns, permissions, explanation, decisions, audit];
