/**
 * Of a name that ignores case: a collation in SQLite; PostgreSQL compares by `lower()`, also in unique
 * indexes.
 */
export const nocase = "/* SQLite */ COLLATE NOCASE/* end */";
/** The same for unique names. */
export const nocaseUnique = "/* SQLite */ COLLATE NOCASE UNIQUE/* end */";
/** Of numbers that are given once, also where a row was deleted. */
export const counted = "/* SQLite */ AUTOINCREMENT/* end */";
/** The time as a text, on a server. */
export const nowText = `to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The id of a row, which one inserted by hand on a server may leave out. */
export const id =
  "id TEXT PRIMARY KEY /* PostgreSQL: DEFAULT gen_random_uuid()::text */ CHECK (length(id) = 36)";
/** When the row was made. */
export const createdAt = `created_at TEXT NOT NULL /* PostgreSQL: DEFAULT ${nowText} */`;
/** A switch: a boolean on a server. */
export const toggle = (name: string): string =>
  `${name} /* SQLite */INTEGER NOT NULL DEFAULT 1 CHECK (${name} IN (0, 1))/* end *//* PostgreSQL: BOOLEAN NOT NULL DEFAULT true */`;
