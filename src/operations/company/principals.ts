import { ownerOnly, owners } from "../../app/audit/attempt.ts";
import { RagctlError } from "../../core/errors.ts";
import { filterAsync } from "../../core/flow.ts";
import { z } from "../../core/schema.ts";
import { type AddedPrincipal, principalsShape } from "../../shapes/permissions.ts";
import { name, toggle } from "../fields.ts";
import { defined, field, type Operation, operation } from "../operation.ts";
import { tableOf } from "../result-text.ts";
import { requireAnyOption } from "./config.ts";
import { keyOperations } from "./keys.ts";
import { rowField, rowOperations } from "./rows.ts";

const tag = "Principals and permissions";
const kind = z.enum(["person", "service"]);
const names = z.array(name).max(100);
const folders = z.array(z.string().min(1).max(4096)).max(100);

const shared = rowOperations<AddedPrincipal>({
  noun: "principal",
  reference: "name or id",
  example: "ada",
  help: {
    list: "list principals",
    enable: "restore a disabled principal's access",
    disable: "suspend all of a principal's access; its rules are kept",
    remove: "remove a principal and its rules; rules of its departments are kept",
  },
  http: { tag, offers: ["list", "show", "remove"] },
  seen: owners,
  of: ({ permissions }) => ({
    list: permissions.principals,
    get: permissions.getPrincipal,
    set: permissions.setPrincipal,
    remove: permissions.removePrincipal,
  }),
  print: principalsShape,
  textOfAll: (principals) =>
    tableOf(principals, {
      principal: ({ name }) => name,
      kind: ({ kind }) => kind,
      departments: ({ departments }) => departments.join(", "),
      enabled: ({ enabled }) => (enabled ? "yes" : "no"),
    }),
  text: (principal, done) => `${done}${principalText(principal)}`,
});

const add = operation({
  name: "principals add",
  summary: "add a principal",
  input: {
    name: field("<name>", name, "unique name, not case-sensitive"),
    departments: field("--department <name>", names.default([]), "department it belongs to; may be repeated"),
    roots: field(
      "--root <folder>",
      folders.default([]),
      "folder it may ingest from, including subfolders; may be repeated (default: none)",
    ),
    kind: field("--kind <kind>", kind.default("person"), "person or service"),
  },
  examples: ["ragctl principals add ada --department hr"],
  http: {
    route: "POST /v1/principals",
    tag,
    summary: "Add a principal; create its keys on the command line",
    answer: "The principal",
    status: 201,
  },
  attempt: ({ word }) => [{ input: { name: `audit-${word}` }, ...ownerOnly }],
  async run(app, input, { run }) {
    const principal = await app.permissions.addPrincipal(input, run);
    const asked = { principal: principal.name, action: "read", agent: null } as const;
    const mayRead = async ({ name: resource }: { readonly name: string }) =>
      (await app.permissions.explain({ ...asked, resourceKind: "collection", resource }, run)).effect ===
      "allow";
    return { ...principal, readable: await filterAsync(await app.collections(run), mayRead) };
  },
  ...shared.shown,
  text: (principal) => `added ${principalText(principal)}`,
  notes: ({ name, readable }) => [
    `${name} can read ${readable.map(({ name }) => name).join(", ") || "no collection yet"}; \`ragctl permissions grant\` and \`deny\` change that`,
  ],
});

const set = operation({
  name: "principals set",
  summary: "change a principal's departments, folders or kind; anything you do not name is unchanged",
  input: {
    principal: rowField("principal", "name or id"),
    departments: field(
      "--department <name>",
      names.optional(),
      "department it belongs to; may be repeated; replaces the existing departments",
    ),
    no_departments: toggle("--no-departments", "remove it from all departments"),
    roots: field(
      "--root <folder>",
      folders.optional(),
      "folder it may ingest from; may be repeated; replaces the existing folders",
    ),
    no_roots: toggle("--no-roots", "revoke ingesting from any folder"),
    kind: field("--kind <kind>", kind.optional(), "person or service"),
    enabled: field("--enabled", z.boolean().optional(), "whether it has any access", { only: "api" }),
  },
  examples: ["ragctl principals set ada --department hr --department finance"],
  http: { route: "PATCH /v1/principals/{principal}", tag, answer: "The principal" },
  attempt: () => [{ input: { principal: "owner", departments: [] }, ...ownerOnly }],
  run(app, { principal, kind, enabled, ...lists }, { run, surface }) {
    const departments = wholeList("department", lists.departments, lists.no_departments);
    const roots = wholeList("root", lists.roots, lists.no_roots);
    const changes = defined({ departments, roots, kind, enabled });
    if (surface === "command") requireAnyOption(changes, "principals set");
    return app.permissions.setPrincipal(principal, changes, run);
  },
  ...shared.shown,
  text: (principal) => `changed ${principalText(principal)}`,
});

/**
 * A list as its flags state it: what `--name` gave, none for `--no-names`, undefined where neither was given.
 * @throws USAGE_INVALID for both
 */
function wholeList(name: string, values: string[] | undefined, isNone: boolean): string[] | undefined {
  if (!isNone) return values;
  if (values === undefined) return [];
  throw new RagctlError("USAGE_INVALID", `--${name} cannot be combined with --no-${name}s`, {
    hint: "remove one of them",
  });
}

/** One line: `ada: person, hr, ingests from /srv/hr`. */
export function principalText({ name, kind, departments, roots = [], enabled }: AddedPrincipal): string {
  const from = kind === "owner" ? "everywhere" : roots.join(", ") || "nowhere";
  return `${name}: ${kind}, ${departments.join(", ") || "no department"}, ingests from ${from}${enabled ? "" : ", disabled"}`;
}

/** Who asks, in the order of the help. */
export const principals: readonly Operation[] = [
  ...[shared.list, shared.show, add, set, shared.enable, shared.disable, shared.remove],
  ...keyOperations,
];
