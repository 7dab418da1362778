/** A JSON object whose members have not been checked, e.g. a column of the registry. */
export type JsonObject = Readonly<Record<string, unknown>>;
