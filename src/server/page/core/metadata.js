/**
 * Metadata in the syntax of filter conditions: `author=A. Smith`, with a line for each item of a list.
 * @param {Readonly<Record<string, string | number | boolean | readonly string[]>>} metadata
 */
export const metadataLines = (metadata) =>
  Object.entries(metadata).flatMap(([key, value]) =>
    (typeof value === "object" ? value : [value]).map((each) => `${key}=${each}`),
  );
