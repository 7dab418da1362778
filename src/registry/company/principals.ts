import { RagctlError } from "../../core/errors.ts";
import type { Principal } from "../../core/permission.ts";
import { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { jsonOf, nameTakenError, parseRow } from "../rows.ts";
import { rootList, rowName, strictRow, word } from "./definitions.ts";
import { createNamedRepository } from "./named-rows.ts";

/** A principal as the registry keeps it. */
export interface PrincipalRecord extends Principal {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly roots: readonly string[];
}

const departments = z
  .array(word)
  .max(100, "at most 100")
  .transform((names) => [...new Set(names)].sort());

const newPrincipal = strictRow({
  name: rowName,
  kind: z.enum(["person", "service"]).default("person"),
  departments: departments.default([]),
  roots: rootList.default([]),
  enabled: z.boolean().default(true),
});

const changes = strictRow({
  kind: z.enum(["person", "service"]).optional(),
  departments: departments.optional(),
  roots: rootList.optional(),
  enabled: z.boolean().optional(),
});

/** Fields of a new principal; the registry makes id and time. */
export type PrincipalInput = z.input<typeof newPrincipal>;
/** Fields to change; absent ones are unchanged. */
export type PrincipalChanges = z.input<typeof changes>;

export interface Principals {
  /** By name, the owner first. */
  list(): readonly PrincipalRecord[];
  names(): readonly string[];
  find(reference: string): PrincipalRecord | undefined;
  /** By id or name. @throws NOT_FOUND */
  get(reference: string): PrincipalRecord;
  /** @throws USAGE_INVALID naming the field, or for a name that is taken */
  add(principal: PrincipalInput): PrincipalRecord;
  /** Adds a principal unless one of that name is there; true when it was added. @throws USAGE_INVALID */
  insertIfAbsent(principal: PrincipalInput): boolean;
  /** @throws NOT_FOUND, USAGE_INVALID; the owner can be given departments only */
  set(reference: string, changes: PrincipalChanges): PrincipalRecord;
  /**
   * Removes it with the rules about it by name, so that a later one of that name inherits nothing. @throws
   * NOT_FOUND, USAGE_INVALID for the owner
   */
  remove(reference: string): PrincipalRecord;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly kind: Principal["kind"];
  readonly enabled: number;
  readonly created_at: string;
  /** Words with commas between them; null for none. */
  readonly departments: string | null;
  /** JSON array. */
  readonly roots: string;
}

const recordOf = ({ enabled, created_at, departments: names, roots, ...row }: Row): PrincipalRecord => ({
  ...row,
  enabled: enabled === 1,
  createdAt: created_at,
  departments: names?.split(",") ?? [],
  roots: jsonOf(roots, rootList, {
    table: "principals",
    row: row.name,
    column: "roots",
    repair: `ragctl principals set "${row.name}" --root FOLDER`,
  }),
});

const kind = {
  kind: "principal",
  table: "principals",
  select: `SELECT id, name, kind, enabled, created_at, roots,
      (SELECT string_agg(department, ',' ORDER BY department) FROM principal_departments WHERE principal_id = principals.id) AS departments
    FROM principals`,
  order: "kind <> 'owner', lower(name)",
  rules: "subject_kind = 'principal' AND lower(subject) = (SELECT lower(name) FROM principals WHERE id = ?)",
  hint: (names: readonly string[]) =>
    `principals: ${names.slice(0, 20).join(", ")}; to add one: \`ragctl principals add NAME --department D\``,
};

/**
 * Access to the principals of a registry. Their times come from the registry's clock, like those of jobs and
 * runs, because the clocks of machines differ: anything older than a principal is not its own.
 */
export function createPrincipalRepository(
  database: Database,
  now: () => Date = () => new Date(database.now()),
): Principals {
  const rows = createNamedRepository<Row>(database, kind, now);
  const get = (reference: string): PrincipalRecord => recordOf(rows.get(reference));
  const insert = (input: PrincipalInput): string | undefined => {
    const { name, roots, enabled, ...principal } = parseRow(newPrincipal, input, "the principal");
    return database.write(() => {
      const id = rows.insert({
        name,
        kind: principal.kind,
        enabled: Number(enabled),
        roots: JSON.stringify(roots),
      });
      if (id !== undefined) setDepartments(id, principal.departments, database);
      return id;
    });
  };
  return {
    list: () => rows.all().map(recordOf),
    names: rows.names,
    find(reference) {
      const row = rows.find(reference);
      return row === undefined ? undefined : recordOf(row);
    },
    get,
    add(input) {
      const id = insert(input);
      if (id === undefined)
        throw nameTakenError("principal", input.name, `ragctl principals set "${input.name}" …`);
      return get(id);
    },
    insertIfAbsent: (input) => insert(input) !== undefined,
    set(reference, patch) {
      const next = parseRow(changes, patch, "the change");
      return database.write(() => {
        const principal = get(reference);
        if (principal.kind === "owner") checkOwner(principal.name, next);
        rows.update(principal.id, {
          kind: next.kind ?? principal.kind,
          enabled: Number(next.enabled ?? principal.enabled),
          roots: JSON.stringify(next.roots ?? principal.roots),
        });
        if (next.departments !== undefined) setDepartments(principal.id, next.departments, database);
        return get(principal.id);
      });
    },
    remove(reference) {
      return database.write(() => {
        const row = rows.get(reference);
        if (row.kind === "owner") throw ownerStays(row.name);
        const principal = recordOf(row);
        rows.remove(reference);
        return principal;
      });
    },
  };
}

function setDepartments(id: string, names: readonly string[], database: Database): void {
  database.statement("DELETE FROM principal_departments WHERE principal_id = ?").run(id);
  const insert = database.statement(
    "INSERT INTO principal_departments (principal_id, department) VALUES (?, ?)",
  );
  for (const name of names) insert.run(id, name);
}

/** The owner can be given departments only. @throws USAGE_INVALID */
function checkOwner(name: string, { kind: newKind, enabled, roots }: z.output<typeof changes>): void {
  if (newKind !== undefined || enabled === false) throw ownerStays(name);
  if (roots !== undefined && roots.length > 0) throw ownerEverywhere(name);
}

function ownerEverywhere(name: string): RagctlError {
  return new RagctlError(
    "USAGE_INVALID",
    `${name} may already ingest from every folder except ragctl's own home`,
    {
      hint: "assign folders to other principals",
    },
  );
}

function ownerStays(name: string): RagctlError {
  return new RagctlError(
    "USAGE_INVALID",
    `${name} is the owner of this home and cannot be disabled, removed or given another kind`,
    {
      hint: "to limit its access, add a denial: ragctl permissions deny read COLLECTION --principal owner",
    },
  );
}
