import { encryptedSource, readParts } from "./zip.ts";

/** @throws SOURCE_ENCRYPTED when an OpenDocument package says that its parts are encrypted */
export async function refuseEncryptedOdf(bytes: Uint8Array, name: string): Promise<void> {
  const manifest =
    (await readParts(bytes, name, (part) => part === "META-INF/manifest.xml")).get("META-INF/manifest.xml") ??
    "";
  if (/<(?:\w+:)?encryption-data\b/.test(manifest)) throw encryptedSource(name);
}
