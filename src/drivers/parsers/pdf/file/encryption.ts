import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import {
  type Dictionary,
  isDictionary,
  isStringPlace,
  nextValue,
  type PdfValue,
  type StringPlace,
} from "./lexer.ts";

/** What an encryption dictionary says, its strings as bytes. */
interface Encryption {
  /** Algorithm and revision of the standard security handler. */
  readonly version: number;
  readonly revision: number;
  /** Bits of the file's key. */
  readonly keyBits: number;
  readonly permissions: number;
  readonly encryptsMetadata: boolean;
  /**
   * How streams are encrypted where crypt filters say so: `/V2`, `/AESV2`, `/AESV3`; `/Identity` where they
   * are not.
   */
  readonly method: string;
  readonly owner: Uint8Array;
  readonly user: Uint8Array;
  readonly userKey: Uint8Array;
  /** First part of the file's identifier. */
  readonly id: Uint8Array;
}

/** Decrypts a stream of the object with this number and generation. */
export type Decrypt = (data: Uint8Array, number: number, generation: number) => Uint8Array;

// What passwords are filled up with; all of it stands for the empty one. Source: ISO 32000-2, 7.6.4.3.2.
const padding = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");

const md5 = (...parts: readonly Uint8Array[]) => createHash("md5").update(Buffer.concat(parts)).digest();

/** A little-endian number of so many bytes. */
function little(value: number, bytes: number): Buffer {
  return Buffer.from(Array.from({ length: bytes }, (_, index) => (value >> (8 * index)) & 255));
}

/**
 * RC4, which OpenSSL 3 no longer offers: the bytes with the key's stream laid over them; the same call
 * encrypts and decrypts.
 */
export function rc4(key: Uint8Array, data: Uint8Array): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  for (let i = 0, j = 0; i < 256; i++) {
    const held = state[i] ?? 0;
    j = (j + held + (key[i % key.length] ?? 0)) & 255;
    state[i] = state[j] ?? 0;
    state[j] = held;
  }
  const result = new Uint8Array(data.length);
  for (let at = 0, i = 0, j = 0; at < data.length; at++) {
    i = (i + 1) & 255;
    const one = state[i] ?? 0;
    j = (j + one) & 255;
    const two = state[j] ?? 0;
    state[i] = two;
    state[j] = one;
    result[at] = (data[at] ?? 0) ^ (state[(one + two) & 255] ?? 0);
  }
  return result;
}

function aesDecrypt(bits: 128 | 256, key: Uint8Array, data: Uint8Array): Uint8Array {
  const whole = data.length - (data.length % 16);
  if (whole < 32) return new Uint8Array();
  const cipher = createDecipheriv(`aes-${bits}-cbc`, key, data.subarray(0, 16)).setAutoPadding(false);
  const plain = Buffer.concat([cipher.update(data.subarray(16, whole)), cipher.final()]);
  const pad = plain.at(-1) ?? 0;
  return pad >= 1 && pad <= 16 ? plain.subarray(0, plain.length - pad) : plain;
}

/**
 * The hash of the empty password with a salt. Source: ISO 32000-2, 7.6.4.3.4, algorithm 2.B; revision 5 has
 * the first step only.
 */
export function saltedHash(salt: Uint8Array, revision: number): Uint8Array {
  let key: Buffer = createHash("sha256").update(salt).digest();
  if (revision < 6) return key;
  for (let round = 0, last = 0; round < 64 || last > round - 32; round++) {
    const cipher = createCipheriv("aes-128-cbc", key.subarray(0, 16), key.subarray(16, 32));
    const mixed = cipher.setAutoPadding(false).update(Buffer.concat(new Array<Buffer>(64).fill(key)));
    const rest = mixed.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = createHash(["sha256", "sha384", "sha512"][rest] ?? "sha256")
      .update(mixed)
      .digest();
    last = mixed.at(-1) ?? 0;
  }
  return key.subarray(0, 32);
}

/** The key of a file of revision 2 to 4 that opens without a password, undefined where it needs one. */
function oldKey(encryption: Encryption): Uint8Array | undefined {
  const { revision, keyBits, permissions, encryptsMetadata, owner, user, id } = encryption;
  const length = revision < 3 ? 5 : Math.min(16, Math.max(5, keyBits >> 3));
  const flag = revision >= 4 && !encryptsMetadata ? Buffer.alloc(4, 255) : Buffer.alloc(0);
  let key = md5(padding, owner.subarray(0, 32), little(permissions, 4), id, flag);
  if (revision >= 3) for (let round = 0; round < 50; round++) key = md5(key.subarray(0, length));
  key = key.subarray(0, length);
  let check: Uint8Array = rc4(key, revision < 3 ? padding : md5(padding, id));
  for (let round = 1; revision >= 3 && round < 20; round++) {
    const roundKey = key.map((byte) => byte ^ round);
    check = rc4(roundKey, check);
  }
  return Buffer.compare(check, user.subarray(0, check.length)) === 0 ? key : undefined;
}

/** The key of a file of revision 5 or 6 that opens without a password. */
function newKey({ revision, user, userKey }: Encryption): Uint8Array | undefined {
  if (user.length < 48 || userKey.length < 32) return undefined;
  if (Buffer.compare(saltedHash(user.subarray(32, 40), revision), user.subarray(0, 32)) !== 0)
    return undefined;
  const intermediate = saltedHash(user.subarray(40, 48), revision);
  const cipher = createDecipheriv("aes-256-cbc", intermediate, Buffer.alloc(16)).setAutoPadding(false);
  return cipher.update(userKey.subarray(0, 32));
}

/** Decryption of a file that opens without a password; undefined for one that needs it. */
function openDecryption(encryption: Encryption): Decrypt | undefined {
  const { version, method } = encryption;
  // Only attachments may be encrypted: the pages' streams are not.
  if (version >= 4 && method === "/Identity") return (data) => data;
  const key = version >= 5 ? newKey(encryption) : oldKey(encryption);
  if (key === undefined) return undefined;
  if (version >= 5) return (data) => aesDecrypt(256, key, data);
  const isAes = version === 4 && method === "/AESV2";
  const salt = Buffer.from(isAes ? "sAlT" : "");
  return (data, number, generation) => {
    const hash = md5(key, little(number, 3), little(generation, 2), salt);
    const objectKey = hash.subarray(0, Math.min(16, key.length + 5));
    return isAes ? aesDecrypt(128, objectKey, data) : rc4(objectKey, data);
  };
}

/** What a letter after a backslash stands for. Source: ISO 32000-2, 7.3.4.2. */
const escapes: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

function readHexString(file: Buffer, at: number): Uint8Array {
  const hex = file.toString("latin1", at + 1, file.indexOf(62, at)).replace(/[^0-9a-fA-F]/g, "");
  return Buffer.from(hex.length % 2 === 0 ? hex : `${hex}0`, "hex");
}

/** Reads what follows a backslash and returns the place after it. */
function readEscape(file: Buffer, at: number, bytes: number[]): number {
  const octal = /^[0-7]{1,3}/.exec(file.toString("latin1", at, at + 3))?.[0];
  if (octal !== undefined) {
    bytes.push(Number.parseInt(octal, 8) & 255);
    return at + octal.length;
  }
  const code = file[at] ?? 0;
  // A line that ends in a backslash goes on in the next one.
  if (code === 13 && file[at + 1] === 10) return at + 2;
  if (code !== 13 && code !== 10) bytes.push(escapes[String.fromCharCode(code)] ?? code);
  return at + 1;
}

function readLiteral(file: Buffer, start: number): Uint8Array {
  const bytes: number[] = [];
  let depth = 1;
  let at = start + 1;
  while (at < file.length) {
    const code = file[at++] ?? 0;
    if (code === 92) {
      at = readEscape(file, at, bytes);
      continue;
    }
    if (code === 40) depth++;
    else if (code === 41) depth--;
    if (depth === 0) break;
    // Every end of a line inside a string counts as one line feed.
    if (code !== 13) bytes.push(code);
    else if (file[at] !== 10) bytes.push(10);
  }
  return Uint8Array.from(bytes);
}

/** The bytes of a string. */
export function readString({ bytes, at }: StringPlace): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return file[at] === 60 ? readHexString(file, at) : readLiteral(file, at);
}

/** Where `name` stands as a whole name, last place first. */
function* placesOf(file: Buffer, name: string): Generator<number> {
  for (let at = file.lastIndexOf(name); at >= 0; at = at === 0 ? -1 : file.lastIndexOf(name, at - 1)) {
    if (!/^[A-Za-z0-9]/.test(file.toString("latin1", at + name.length, at + name.length + 1)))
      yield at + name.length;
  }
}

function valueAfter(file: Buffer, at: number): PdfValue | undefined {
  return nextValue({ bytes: file, references: true, at });
}

function stringBytes(value: PdfValue | undefined): Uint8Array {
  return isStringPlace(value) ? readString(value) : new Uint8Array();
}

type Resolve = (value: PdfValue | undefined) => PdfValue | undefined;

/** The last encryption dictionary of the standard handler that the file names, and where it names it. */
function findDictionary(
  file: Buffer,
  resolve: Resolve,
): { readonly dictionary: Dictionary; readonly at: number } | undefined {
  for (const at of placesOf(file, "/Encrypt")) {
    const dictionary = resolve(valueAfter(file, at));
    if (isDictionary(dictionary) && resolve(dictionary.get("/Filter")) === "/Standard")
      return { dictionary, at };
  }
  return undefined;
}

/**
 * First part of the identifier in the trailer that names the encryption at `place`: the one nearest to it.
 */
function readId(file: Buffer, place: number): Uint8Array {
  let id: PdfValue | undefined;
  let nearest = Number.POSITIVE_INFINITY;
  for (const at of placesOf(file, "/ID")) {
    const list = Math.abs(at - place) < nearest ? valueAfter(file, at) : undefined;
    // isArray loses what a readonly list holds.
    const first = Array.isArray(list) ? (list as readonly PdfValue[])[0] : undefined;
    if (first === undefined) continue;
    nearest = Math.abs(at - place);
    id = first;
  }
  return stringBytes(id);
}

/** How streams are encrypted, by the crypt filter that the dictionary names for them. */
function streamMethod(dictionary: Dictionary, resolve: Resolve): string {
  const filters = resolve(dictionary.get("/CF"));
  const name = resolve(dictionary.get("/StmF"));
  const filter = isDictionary(filters) && typeof name === "string" ? resolve(filters.get(name)) : undefined;
  const method = isDictionary(filter) ? resolve(filter.get("/CFM")) : undefined;
  return typeof method === "string" ? method : "/Identity";
}

/**
 * Decryption of the file's streams: undefined where it is not encrypted, "refused" where it needs a password
 * or is encrypted in a way not known here. `resolve` looks up references.
 */
export function readEncryption(file: Buffer, resolve: Resolve): Decrypt | "refused" | undefined {
  const match = findDictionary(file, resolve);
  if (match === undefined) return file.includes("/Encrypt ") ? "refused" : undefined;
  const { dictionary } = match;
  const number = (name: string, fallback: number): number => {
    const value = resolve(dictionary.get(name));
    return typeof value === "number" ? value : fallback;
  };
  const text = (name: string) => stringBytes(resolve(dictionary.get(name)));
  const version = number("/V", 0);
  const decrypt = openDecryption({
    version,
    revision: number("/R", 0),
    keyBits: version === 4 ? 128 : number("/Length", 40),
    permissions: number("/P", 0),
    encryptsMetadata: resolve(dictionary.get("/EncryptMetadata")) !== false,
    method: streamMethod(dictionary, resolve),
    owner: text("/O"),
    user: text("/U"),
    userKey: text("/UE"),
    id: readId(file, match.at),
  });
  return decrypt ?? "refused";
}
