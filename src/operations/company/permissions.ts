import { type Canary, ownerOnly, owners } from "../../app/audit/attempt.ts";
import type { Explanation } from "../../app/owner/permissions.ts";
import { RagctlError } from "../../core/errors.ts";
import { accessLevels, type Grant } from "../../core/permission.ts";
import { z } from "../../core/schema.ts";
import { decisionsShape, explanationShape, permissionsShape } from "../../shapes/permissions.ts";
import { limit, name, toggle } from "../fields.ts";
import { defined, type Fields, field, type InputOf, type Operation, operation } from "../operation.ts";
import { listed, type Text } from "../result-text.ts";
import { timeOf } from "../text.ts";
import { principalText } from "./principals.ts";

const tag = "Principals and permissions";
const kinds = ["collection", "agent", "tool", "room"] as const;
const kind = z.enum(kinds).default("collection");
const instance = z.enum(["public", "private"]).optional();
const level = field("<level>", z.enum(accessLevels), "each level includes the previous ones");

const subjectFields = (
  rest: Pick<Fields[string], "only"> = {},
  department = "all principals and agents of this department",
  principal = "this principal only",
) => ({
  department: field("--department <name>", name.optional(), department, { conflicts: "principal", ...rest }),
  principal: field("--principal <name>", name.optional(), principal, rest),
});

const resourceFields = <Kind extends z.ZodType>(kind: Kind, rest: Pick<Fields[string], "only"> = {}) => ({
  kind: field("--kind <kind>", kind, "kind of resource", rest),
  instance: field(
    "--instance <instance>",
    instance,
    "Milvus instance of the collection (default: its current one)",
    rest,
  ),
});

const ruleFields = {
  level,
  resource: field("<resource>", name, "name, or * for all"),
  ...subjectFields(),
  ...resourceFields(kind),
};

function subjectOf({ department, principal }: InputOf<ReturnType<typeof subjectFields>>) {
  if (department !== undefined) return { subjectKind: "department" as const, subject: department };
  if (principal !== undefined) return { subjectKind: "principal" as const, subject: principal };
  throw new RagctlError("USAGE_INVALID", "no department or principal given", {
    hint: "pass --department NAME or --principal NAME",
  });
}

const ruleOn = ({ collection }: Canary) => ({ level: "read", resource: collection, instance: "private" });

/** `grant` and `deny`. */
const written = (verb: "grant" | "deny", summary: string, example: string): Operation =>
  operation({
    name: `permissions ${verb}`,
    summary,
    input: ruleFields,
    document: "permissions",
    examples: [example],
    attempt: (canary) => [{ input: { ...ruleOn(canary), principal: "owner" }, ...ownerOnly }],
    run: (app, { level, resource, kind: resourceKind, instance, ...subject }, { run }) => {
      const effect = verb === "grant" ? ("allow" as const) : ("deny" as const);
      const rule = { ...subjectOf(subject), effect, level, resourceKind, resource, ...defined({ instance }) };
      return app.permissions.putRule(rule, run);
    },
    print: ({ rule }) => permissionsShape([rule]),
    text: ({ rule }) => ruleText(rule),
    notes: ({ notes }) => notes.map((note) => `note: ${note}`),
  });

const grant = written(
  "grant",
  "grant a department or principal access to a resource",
  "ragctl permissions grant read hr_private_docs --department hr",
);
const deny = written(
  "deny",
  "deny a level of access and all levels above it; overrides grants",
  "ragctl permissions deny read hr_private_docs --principal ada",
);

/** Both in one, for programs. */
const put = operation({
  name: "permissions put",
  summary: "grant or deny access; replaces an existing rule for the same subject and resource",
  isCommand: false,
  input: {
    effect: field("--effect <effect>", z.enum(["allow", "deny"]), "what the rule does"),
    level,
    subject_kind: field("--subject-kind <kind>", z.enum(["department", "principal"]), "kind of subject"),
    subject: field("--subject <name>", name, "name of the department or principal"),
    resource_kind: field("--resource-kind <kind>", kind, "kind of resource"),
    resource: field("<resource>", name, "name of the resource; * for all of its kind"),
    instance: field("--instance <instance>", instance, "Milvus instance of the collection"),
  },
  document: "permissions",
  http: { route: "POST /v1/permissions", tag, answer: "The rule", status: 201 },
  attempt: (canary) => [
    {
      input: { ...ruleOn(canary), effect: "allow", subject_kind: "principal", subject: "owner" },
      ...ownerOnly,
    },
  ],
  run: async (app, { subject_kind: subjectKind, resource_kind: resourceKind, instance, ...rest }, { run }) =>
    (await app.permissions.putRule({ ...rest, subjectKind, resourceKind, ...defined({ instance }) }, run))
      .rule,
  print: (rule) => permissionsShape([rule]),
  text: ruleText,
});

const revoke = operation({
  name: "permissions revoke",
  summary: "remove a grant, or with --denial a denial; takes effect with the next command",
  input: {
    rule: field("<rule>", name, "id of a rule, or the name of its resource"),
    ...subjectFields({ only: "command" }),
    ...resourceFields(kind, { only: "command" }),
    denial: toggle("--denial", "remove a denial instead of a grant"),
  },
  document: "permissions",
  examples: ["ragctl permissions revoke hr_private_docs --department hr"],
  http: {
    route: "DELETE /v1/permissions/{rule}",
    tag,
    summary: "Remove a rule by its id",
    answer: "The removed rule",
  },
  attempt: ({ word }) => [{ input: { rule: word }, ...ownerOnly }],
  run(app, { rule, kind: resourceKind, instance, denial, ...subject }, { run }) {
    if (subject.department === undefined && subject.principal === undefined)
      return app.permissions.removeRules({ id: rule }, run);
    const effect = denial ? ("deny" as const) : ("allow" as const);
    const filter = { ...subjectOf(subject), effect, resourceKind, resource: rule, ...defined({ instance }) };
    return app.permissions.removeRules(filter, run);
  },
  print: permissionsShape,
  text: (removed) => removed.map((each) => `removed: ${ruleText(each)}`),
});

const noneMatching = "no matching rules; `ragctl permissions list` shows all";
const noRules = "no rules: everyone can read public collections; the owner can do everything";

const list = operation({
  name: "permissions list",
  summary: "list permission rules",
  input: {
    resource: field("[resource]", name.optional(), "only rules about this resource"),
    ...subjectFields({}, "only rules about this department", "only rules about this principal"),
    kind: field("--kind <kind>", z.enum(kinds).optional(), "only rules about this kind of resource"),
  },
  document: "permissions",
  examples: ["ragctl permissions list --department finance"],
  http: { route: "GET /v1/permissions", tag, answer: "Rules" },
  attempt: () => [owners],
  run(app, { resource, kind: resourceKind, ...subject }, { run }) {
    const anyone = subject.department === undefined && subject.principal === undefined;
    const filter = { ...(anyone ? {} : subjectOf(subject)), ...defined({ resourceKind, resource }) };
    return app.permissions.rules(filter, run);
  },
  print: permissionsShape,
  text: (rules, input) =>
    listed(rules, Object.values(input).some((value) => value !== undefined) ? noneMatching : noRules, {
      subject: ({ subjectKind }) => subjectKind,
      name: ({ subject }) => subject,
      effect: ({ effect }) => effect,
      level: ({ level }) => level,
      kind: ({ resourceKind }) => resourceKind,
      resource: ({ resource }) => resource,
      instance: ({ instance }) => instance,
      rule: ({ id }) => id,
    }),
});

const explain = operation({
  name: "permissions explain",
  summary: "show whether a principal may do something, and which rule decided it",
  input: {
    principal: field("<principal>", name, "name or id"),
    action: level,
    resource: field(
      "<resource>",
      z.string().min(1).max(4096),
      "name of the resource; for --kind folder, a path to ingest",
    ),
    ...resourceFields(z.enum([...kinds, "folder"]).default("collection")),
    agent: field("--agent <name>", name.optional(), "agent acting for the principal"),
  },
  document: "explanation",
  examples: ["ragctl permissions explain ada read finance_private_docs --agent 'HR Assistant'"],
  http: { route: "GET /v1/permissions/explain", tag, answer: "The decision" },
  attempt: ({ collection }) => [
    { input: { principal: "owner", action: "read", resource: collection }, ...owners },
  ],
  run: (app, { kind: resourceKind, agent = null, instance, ...rest }, { run }) =>
    app.permissions.explain({ ...rest, resourceKind, agent, ...defined({ instance }) }, run),
  print: explanationShape,
  text: explanationText,
});

const decisions = operation({
  name: "permissions decisions",
  summary: "show recent access decisions, newest first",
  input: {
    principal: field("--principal <name>", name.optional(), "only decisions about this principal"),
    denied: toggle("--denied", "only denials"),
    effect: field("--effect <effect>", z.enum(["allow", "deny"]).optional(), "only these decisions", {
      only: "api",
    }),
    limit: limit(10_000, 20, "number of decisions to show"),
  },
  document: "decisions",
  examples: ["ragctl permissions decisions --principal ada --denied"],
  http: { route: "GET /v1/permissions/decisions", tag, answer: "Decisions" },
  attempt: () => [owners],
  run: (app, { principal, denied, effect, limit }, { run }) =>
    app.permissions.decisions({ limit, ...defined({ principal, effect: denied ? "deny" : effect }) }, run),
  print: decisionsShape,
  text: (found, { principal, denied }) =>
    listed(found, principal !== undefined || denied ? "no matching decisions" : "no decisions yet", {
      when: ({ decidedAt }) => timeOf(decidedAt),
      principal: (each) => each.principal,
      agent: ({ agent }) => agent,
      action: ({ action }) => action,
      resource: ({ resource }) => `${resource.kind} ${resource.name}`,
      effect: ({ effect }) => effect,
      rule: ({ rule }) => rule,
    }),
});

/** Who may do what, and why, in the order of the help. */
export const permissions: readonly Operation[] = [grant, deny, put, revoke, list, explain, decisions];

/** `the department hr may read the collection x (private)`. */
function ruleText({ subjectKind, subject, effect, level, resourceKind, resource, instance }: Grant): string {
  const what = resource === "*" ? `every ${resourceKind}` : `the ${resourceKind} ${resource}`;
  return `the ${subjectKind} ${subject} ${effect === "allow" ? "may" : "may not"} ${level} ${what}${instance === "" ? "" : ` (${instance})`}`;
}

function explanationText({
  principal,
  agent,
  action: level,
  resource,
  exists,
  effect,
  rule,
  reason,
  grant,
}: Explanation): Text {
  const through = agent === null ? "" : ` through the agent ${agent}`;
  const place =
    resource.instance === "" ? "" : ` (${resource.instance}${exists ? "" : ", does not exist yet"})`;
  return [
    `${effect}: ${principal.name}${through}, ${level} ${resource.kind} ${resource.name}${place}`,
    `rule: ${rule}`,
    `reason: ${reason}`,
    ...(grant === null ? [] : [`decided by: ${ruleText(grant)} (rule ${grant.id})`]),
    principalText(principal),
  ];
}
