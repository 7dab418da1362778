/**
 * The metadata of a document as conditions on it are typed: `author=A. Smith`. A list has a line for each item.
 * @param {Readonly<Record<string, string | number | boolean | readonly string[]>>} metadata
 */
export const metadataLines = (metadata) =>
  Object.entries(metadata).flatMap(([key, value]) =>
    (typeof value === "object" ? value : [value]).map((each) => `${key}=${each}`),
  );
