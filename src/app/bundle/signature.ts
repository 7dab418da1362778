import { createHash, createPublicKey, verify } from "node:crypto";
import { pipeline } from "node:stream/promises";
import { RagctlError } from "../../core/errors.ts";
import { readUserFile, streamUserFile } from "../../files.ts";

/** Extension of the signature file next to a bundle, as minisign names it. */
const signatureEnding = ".minisig";
/** DER of an Ed25519 public key up to its 32 bytes (RFC 8410, section 4). */
const ed25519Prefix = Buffer.from("302a300506032b6570032100", "hex");

interface PublicKey {
  readonly id: Buffer;
  readonly key: ReturnType<typeof createPublicKey>;
}

/** The digest of a bundle that is signed: BLAKE2b with 512 bits. */
export const createDigest = () => createHash("blake2b512");

/**
 * Checks the minisign signature next to a bundle (https://jedisct1.github.io/minisign/): `key` is the public
 * key or the file that holds it. Returns the digest that was signed, in hex, and the trusted comment.
 * @throws HASH_MISMATCH where there is no signature or it does not match this key and file, SOURCE_MISSING
 * for a key file that does not exist, USAGE_INVALID for an invalid key
 */
export async function verifySignature(
  file: string,
  key: string,
  signal: AbortSignal,
): Promise<{ readonly digest: string; readonly comment: string }> {
  const { id, key: publicKey } = await readKey(key);
  const signature = await readSignature(`${file}${signatureEnding}`);
  if (!signature.keyId.equals(id)) throw refused(file, `was signed with a key other than ${key}`);
  const digest = createDigest();
  await pipeline(streamUserFile(file), digest, { signal });
  const hash = digest.digest();
  const isWhole =
    verify(null, hash, publicKey, signature.bytes) &&
    verify(null, Buffer.concat([signature.bytes, signature.comment]), publicKey, signature.global);
  if (!isWhole) throw refused(file, "is not the file that was signed");
  return { digest: hash.toString("hex"), comment: signature.comment.toString("utf8") };
}

/** Whether a text is a public key rather than a path: 42 bytes in base64, of which the first two are `Ed`. */
export const isPublicKey = (text: string): boolean => /^RW[A-Za-z0-9+/]{54}$/.test(text);

/** A key is 42 bytes: `Ed`, 8 of its number, 32 of Ed25519. */
async function readKey(given: string): Promise<PublicKey> {
  const text = isPublicKey(given) ? given : await readLines(given, "public key");
  const line = text.split("\n").findLast((each) => each.trim() !== "") ?? "";
  const bytes = Buffer.from(line, "base64");
  if (bytes.length !== 42 || bytes.toString("latin1", 0, 2) !== "Ed") {
    throw new RagctlError("USAGE_INVALID", `${given} is not a minisign public key`, {
      hint: "pass the .pub file written by `minisign -G`, or its second line",
    });
  }
  const der = Buffer.concat([ed25519Prefix, bytes.subarray(10)]);
  return { id: bytes.subarray(2, 10), key: createPublicKey({ key: der, format: "der", type: "spki" }) };
}

/** Lines: a comment; `ED`, number of the key and signature; a trusted comment; signature of both. */
async function readSignature(path: string) {
  const text = await readLines(path, "signature");
  const [, first = "", trusted = "", second = ""] = text.split(/\r?\n/);
  const [bytes, global] = [Buffer.from(first, "base64"), Buffer.from(second, "base64")];
  const prefix = "trusted comment: ";
  const algorithm = bytes.toString("latin1", 0, 2);
  if (algorithm === "Ed")
    throw unusable(path, "signs the file itself instead of its digest", "minisign 0.10 or newer");
  if (bytes.length !== 74 || algorithm !== "ED" || global.length !== 64 || !trusted.startsWith(prefix))
    throw unusable(path, "is not a minisign signature", "minisign");
  const comment = Buffer.from(trusted.slice(prefix.length));
  return { keyId: bytes.subarray(2, 10), bytes: bytes.subarray(10), global, comment };
}

async function readLines(path: string, what: string): Promise<string> {
  try {
    return (await readUserFile(path)).toString("utf8");
  } catch (cause) {
    if (cause instanceof RagctlError) throw cause;
    const isSignature = what === "signature";
    throw new RagctlError(
      isSignature ? "HASH_MISMATCH" : "SOURCE_MISSING",
      `${what} ${path} does not exist`,
      {
        hint: isSignature
          ? "sign the bundle where it was created (minisign -Sm FILE) and copy the .minisig file along with it"
          : "pass the .pub file written by `minisign -G`",
        cause,
      },
    );
  }
}

const unusable = (path: string, why: string, by: string): RagctlError =>
  new RagctlError("HASH_MISMATCH", `${path} ${why}`, { hint: `sign the bundle again with ${by}` });

const refused = (file: string, why: string): RagctlError =>
  new RagctlError("HASH_MISMATCH", `${file} ${why}`, {
    hint: "nothing was installed; get the bundle and its .minisig file again from a source you trust",
  });
