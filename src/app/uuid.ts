import { createHash } from "node:crypto";

/** A UUID that depends on the text alone: version 8 of RFC 9562, whose bits are its maker's to fill. */
export function deterministicUuid(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
