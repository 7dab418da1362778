import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { rc4 } from "./rc4.ts";

/** What an encryption dictionary says, its strings as bytes. */
export interface Encryption {
  /** Algorithm and revision of the standard security handler. */
  readonly version: number;
  readonly revision: number;
  /** Bits of the file's key. */
  readonly keyBits: number;
  readonly permissions: number;
  readonly encryptsMetadata: boolean;
  /** How streams are encrypted where crypt filters say so: `/V2`, `/AESV2`, `/AESV3`; `/Identity` where they are not. */
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

function aesDecrypt(bits: 128 | 256, key: Uint8Array, data: Uint8Array): Uint8Array {
  const whole = data.length - (data.length % 16);
  if (whole < 32) return new Uint8Array();
  const cipher = createDecipheriv(`aes-${bits}-cbc`, key, data.subarray(0, 16)).setAutoPadding(false);
  const plain = Buffer.concat([cipher.update(data.subarray(16, whole)), cipher.final()]);
  const pad = plain.at(-1) ?? 0;
  return pad >= 1 && pad <= 16 ? plain.subarray(0, plain.length - pad) : plain;
}

/** The hash of the empty password with a salt. Source: ISO 32000-2, 7.6.4.3.4, algorithm 2.B; revision 5 has the first step only. */
export function saltedHash(salt: Uint8Array, revision: number): Uint8Array {
  let key: Buffer = createHash("sha256").update(salt).digest();
  if (revision < 6) return key;
  for (let round = 0, last = 0; round < 64 || last > round - 32; round++) {
    const cipher = createCipheriv("aes-128-cbc", key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(
      false,
    );
    const mixed = cipher.update(Buffer.concat(new Array<Buffer>(64).fill(key)));
    const rest = mixed.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = createHash(["sha256", "sha384", "sha512"][rest] ?? "sha256")
      .update(mixed)
      .digest();
    last = mixed.at(-1) ?? 0;
  }
  return key.subarray(0, 32);
}

/** The key of a file of revision 2 to 4 that opens without a password, undefined where it needs one. */
function oldKey({
  revision,
  keyBits,
  permissions,
  encryptsMetadata,
  owner,
  user,
  id,
}: Encryption): Uint8Array | undefined {
  const length = revision < 3 ? 5 : Math.min(16, Math.max(5, keyBits >> 3));
  const flag = revision >= 4 && !encryptsMetadata ? Buffer.alloc(4, 255) : Buffer.alloc(0);
  let key = md5(padding, owner.subarray(0, 32), little(permissions, 4), id, flag);
  if (revision >= 3) for (let round = 0; round < 50; round++) key = md5(key.subarray(0, length));
  key = key.subarray(0, length);
  let check: Uint8Array = rc4(key, revision < 3 ? padding : md5(padding, id));
  if (revision >= 3) {
    for (let round = 1; round < 20; round++)
      check = rc4(
        key.map((byte) => byte ^ round),
        check,
      );
  }
  return Buffer.compare(check, user.subarray(0, check.length)) === 0 ? key : undefined;
}

function newKey({ revision, user, userKey }: Encryption): Uint8Array | undefined {
  if (user.length < 48 || userKey.length < 32) return undefined;
  if (Buffer.compare(saltedHash(user.subarray(32, 40), revision), user.subarray(0, 32)) !== 0)
    return undefined;
  const cipher = createDecipheriv(
    "aes-256-cbc",
    saltedHash(user.subarray(40, 48), revision),
    Buffer.alloc(16),
  ).setAutoPadding(false);
  return cipher.update(userKey.subarray(0, 32));
}

/** Decryption of a file that opens without a password; undefined for one that needs one or uses a handler not known here. */
export function openDecryption(encryption: Encryption): Decrypt | undefined {
  const { version, method } = encryption;
  // Only attachments may be encrypted: the pages' streams are as they are.
  if (version >= 4 && method === "/Identity") return (data) => data;
  const key = version >= 5 ? newKey(encryption) : oldKey(encryption);
  if (key === undefined) return undefined;
  if (version >= 5) return (data) => aesDecrypt(256, key, data);
  const isAes = version === 4 && method === "/AESV2";
  const salt = Buffer.from(isAes ? "sAlT" : "");
  return (data, number, generation) => {
    const own = md5(key, little(number, 3), little(generation, 2), salt).subarray(
      0,
      Math.min(16, key.length + 5),
    );
    return isAes ? aesDecrypt(128, own, data) : rc4(own, data);
  };
}
