import { randomUUID } from "node:crypto";
import { RagctlError } from "../../core/errors.ts";
import { didYouMean } from "../../core/nearest.ts";
import type { Principal } from "../../core/permission.ts";
import { z } from "../../core/schema.ts";
import type { Database } from "../database.ts";
import { checked, jsonOf, printable, taken } from "../rows.ts";
import { rootList, rowName, strict, word } from "./definitions.ts";

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

const newPrincipal = strict({
  name: rowName,
  kind: z.enum(["person", "service"]).default("person"),
  departments: departments.default([]),
  roots: rootList.default([]),
  enabled: z.boolean().default(true),
});

const changes = strict({
  kind: z.enum(["person", "service"]).optional(),
  departments: departments.optional(),
  roots: rootList.optional(),
  enabled: z.boolean().optional(),
});

/** Fields of a new principal; the registry makes id and time. */
export type PrincipalInput = z.input<typeof newPrincipal>;
/** Fields to change; what is absent stays. */
export type PrincipalChanges = z.input<typeof changes>;

export interface Principals {
  /** By name, the owner first. */
  list(): readonly PrincipalRecord[];
  find(reference: string): PrincipalRecord | undefined;
  /** By id or name. @throws NOT_FOUND */
  get(reference: string): PrincipalRecord;
  /** @throws USAGE_INVALID naming the field, or for a name that is taken */
  add(principal: PrincipalInput): PrincipalRecord;
  /** Adds a principal unless one of that name is there; true when it was added. @throws USAGE_INVALID */
  insertIfAbsent(principal: PrincipalInput): boolean;
  /** @throws NOT_FOUND, USAGE_INVALID; the owner can be given departments only */
  set(reference: string, changes: PrincipalChanges): PrincipalRecord;
  /** Removes it with the rules about it by name, so that a later one of that name inherits nothing. @throws NOT_FOUND, USAGE_INVALID for the owner */
  remove(reference: string): PrincipalRecord;
}

interface Row {
  readonly id: string;
  readonly name: string;
  readonly kind: Principal["kind"];
  readonly enabled: number;
  readonly created_at: string;
  /** JSON array. */
  readonly departments: string;
  /** JSON array. */
  readonly roots: string;
}

const select = `SELECT p.id, p.name, p.kind, p.enabled, p.created_at, p.roots,
    (SELECT json_group_array(department ORDER BY department) FROM principal_departments WHERE principal_id = p.id) AS departments
  FROM principals p`;

const recordOf = ({ enabled, created_at, departments: names, roots, ...row }: Row): PrincipalRecord => ({
  ...row,
  enabled: enabled === 1,
  createdAt: created_at,
  departments: z.array(z.string()).parse(JSON.parse(names)),
  roots: jsonOf(roots, rootList, {
    ...{ table: "principals", row: row.name, column: "roots" },
    repair: `ragctl principals set "${row.name}" --root FOLDER`,
  }),
});

/** Opens the principals of a registry. */
export function openPrincipals(database: Database, now: () => Date = () => new Date()): Principals {
  const list = () =>
    database.read(() =>
      database.statement<Row>(`${select} ORDER BY p.kind <> 'owner', p.name`).all().map(recordOf),
    );
  const find = (reference: string): PrincipalRecord | undefined => {
    const row = database.read(() =>
      database.statement<Row>(`${select} WHERE p.name = :reference OR p.id = :reference`).get({ reference }),
    );
    return row === undefined ? undefined : recordOf(row);
  };
  const get = (reference: string): PrincipalRecord => {
    const known = find(reference);
    if (known !== undefined) return known;
    const names = list().map(({ name }) => name);
    throw new RagctlError(
      "NOT_FOUND",
      `there is no principal "${printable(reference)}"${didYouMean(reference, names)}`,
      {
        hint: `there are: ${names.slice(0, 20).join(", ")}; \`ragctl principals add NAME --department D\` adds one`,
      },
    );
  };
  const give = (id: string, names: readonly string[]): void => {
    database.statement("DELETE FROM principal_departments WHERE principal_id = ?").run(id);
    const insert = database.statement(
      "INSERT INTO principal_departments (principal_id, department) VALUES (?, ?)",
    );
    for (const name of names) insert.run(id, name);
  };
  const insert = (input: PrincipalInput): string | undefined => {
    const principal = checked(newPrincipal, input, "the principal");
    return database.write(() => {
      const id = randomUUID();
      const { changes: added } = database
        .statement(
          "INSERT INTO principals (id, name, kind, enabled, created_at, roots) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
        )
        .run(
          id,
          principal.name,
          principal.kind,
          principal.enabled ? 1 : 0,
          now().toISOString(),
          JSON.stringify(principal.roots),
        );
      if (added === 0) return undefined;
      give(id, principal.departments);
      return id;
    });
  };
  return {
    list,
    find,
    get,
    add(input) {
      const id = insert(input);
      if (id === undefined) throw taken("principal", input.name, `ragctl principals set "${input.name}" …`);
      return get(id);
    },
    insertIfAbsent: (input) => insert(input) !== undefined,
    set(reference, given) {
      const { kind, departments: names, roots, enabled } = checked(changes, given, "the change");
      return database.write(() => {
        const known = get(reference);
        if (known.kind === "owner" && (kind !== undefined || enabled === false)) throw ownerStays(known.name);
        if (known.kind === "owner" && roots !== undefined && roots.length > 0)
          throw ownerEverywhere(known.name);
        database
          .statement("UPDATE principals SET kind = ?, enabled = ?, roots = ? WHERE id = ?")
          .run(
            kind ?? known.kind,
            (enabled ?? known.enabled) ? 1 : 0,
            JSON.stringify(roots ?? known.roots),
            known.id,
          );
        if (names !== undefined) give(known.id, names);
        return get(known.id);
      });
    },
    remove(reference) {
      return database.write(() => {
        const known = get(reference);
        if (known.kind === "owner") throw ownerStays(known.name);
        database
          .statement("DELETE FROM permissions WHERE subject_kind = 'principal' AND subject = ?")
          .run(known.name);
        database.statement("DELETE FROM principals WHERE id = ?").run(known.id);
        return known;
      });
    },
  };
}

function ownerEverywhere(name: string): RagctlError {
  return new RagctlError(
    "USAGE_INVALID",
    `${name} may ingest from every folder but ragctl's own home, so none can be given to it`,
    {
      hint: "give folders to other principals",
    },
  );
}

function ownerStays(name: string): RagctlError {
  return new RagctlError(
    "USAGE_INVALID",
    `${name} is the owner of this home: its kind stays, and it can be neither disabled nor removed`,
    {
      hint: "a denial limits what it may do: ragctl permissions deny read COLLECTION --principal owner",
    },
  );
}
