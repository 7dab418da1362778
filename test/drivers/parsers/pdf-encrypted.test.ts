import assert from "node:assert/strict";
import { createCipheriv, createHash } from "node:crypto";
import { test } from "node:test";
import { parsePdf } from "./pdf-make.ts";

const id = Buffer.from("00112233445566778899aabbccddeeff", "hex");
const owner = Buffer.alloc(48, 7);
const padding = Buffer.from("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a", "hex");
const md5 = (...parts: Uint8Array[]) => createHash("md5").update(Buffer.concat(parts)).digest();
const hex = (bytes: Uint8Array) => `<${Buffer.from(bytes).toString("hex")}>`;
const aes = (bits: number, key: Uint8Array, data: Uint8Array) => {
  const cipher = createCipheriv(`aes-${bits}-cbc`, key, id);
  return Buffer.concat([id, cipher.update(data), cipher.final()]);
};

/** RC4, which OpenSSL has given up. */
function rc4(key: Uint8Array, data: Uint8Array): Uint8Array {
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

/** The hash of the empty password with a salt. Source: ISO 32000-2, 7.6.4.3.4, algorithm 2.B. */
function saltedHash(salt: Uint8Array, revision: number): Uint8Array {
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

interface Lock {
  readonly dictionary: string;
  encrypt(data: Uint8Array, number: number): Uint8Array;
}

/** Locks of revisions 2 to 4 with an empty user password. Source: ISO 32000-2, 7.6.4.3. */
function oldLock(version: 1 | 2 | 4): Lock {
  const revision = version === 4 ? 4 : version + 1;
  const length = version === 1 ? 5 : 16;
  let key = md5(padding, owner.subarray(0, 32), Buffer.from([0xfc, 255, 255, 255]), id);
  if (revision > 2) for (let round = 0; round < 50; round++) key = md5(key.subarray(0, length));
  key = key.subarray(0, length);
  let user = Buffer.from(rc4(key, revision === 2 ? padding : md5(padding, id)));
  if (revision > 2) {
    for (let round = 1; round < 20; round++)
      user = Buffer.from(
        rc4(
          key.map((byte) => byte ^ round),
          user,
        ),
      );
    user = Buffer.concat([user, Buffer.alloc(16)]);
  }
  const filters =
    version === 4
      ? "/CF <</StdCF <</CFM /AESV2 /AuthEvent /DocOpen /Length 16>>>> /StmF /StdCF /StrF /StdCF"
      : "";
  return {
    dictionary: `/V ${version} /R ${revision} /Length ${length * 8} /P -4 /O ${hex(owner.subarray(0, 32))} /U ${hex(user)} ${filters}`,
    encrypt(data, number) {
      const own = md5(
        key,
        Buffer.from([number, 0, 0, 0, 0]),
        Buffer.from(version === 4 ? "sAlT" : ""),
      ).subarray(0, Math.min(16, length + 5));
      return version === 4 ? aes(128, own, data) : rc4(own, data);
    },
  };
}

function newLock(revision: 5 | 6): Lock {
  const key = Buffer.alloc(32, 9);
  const [check, salt] = [Buffer.from("abcdefgh"), Buffer.from("ijklmnop")];
  const user = Buffer.concat([saltedHash(check, revision), check, salt]);
  const cipher = createCipheriv("aes-256-cbc", saltedHash(salt, revision), Buffer.alloc(16)).setAutoPadding(
    false,
  );
  const filters = "/CF <</StdCF <</CFM /AESV3 /AuthEvent /DocOpen /Length 32>>>> /StmF /StdCF /StrF /StdCF";
  const keys = `/UE ${hex(cipher.update(key))} /OE ${hex(Buffer.alloc(32))} /Perms ${hex(Buffer.alloc(16))}`;
  return {
    dictionary: `/V 5 /R ${revision} /Length 256 /P -4 /O ${hex(owner)} /U ${hex(user)} ${keys} ${filters}`,
    encrypt: (data) => aes(256, key, data),
  };
}

/** A page with a table drawn with lines and a line nobody can see, its content encrypted. */
function locked(lock: Lock): Uint8Array {
  const cells = [
    ["City", "River"],
    ["Wien", "Donau"],
    ["Paris", "Seine"],
  ];
  const texts = cells.flatMap((row, y) =>
    row.map((text, x) => `BT /F1 10 Tf ${80 + x * 100} ${705 - y * 20} Td (${text}) Tj ET`),
  );
  const rules = [0, 1, 2, 3].map((y) => `72 ${720 - y * 20} m 272 ${720 - y * 20} l S`);
  const columns = [72, 172, 272].map((x) => `${x} 720 m ${x} 660 l S`);
  const unseen = "BT 3 Tr /F1 10 Tf 72 400 Td (This sentence was never meant to be seen by anybody) Tj ET";
  const content = lock.encrypt(Buffer.from([...rules, ...columns, ...texts, unseen].join("\n")), 5);
  const objects = [
    "<</Type /Catalog /Pages 2 0 R>>",
    "<</Type /Pages /Kids [3 0 R] /Count 1>>",
    "<</Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources <</Font <</F1 4 0 R>>>> /Contents 5 0 R>>",
    "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
    Buffer.concat([
      Buffer.from(`<</Length ${content.length}>>\nstream\n`),
      content,
      Buffer.from("\nendstream"),
    ]),
    `<</Filter /Standard ${lock.dictionary}>>`,
  ];
  const parts = objects.flatMap((object, index) => [
    Buffer.from(`${index + 1} 0 obj\n`),
    Buffer.from(object),
    Buffer.from("\nendobj\n"),
  ]);
  const trailer = `trailer <</Root 1 0 R /Size 7 /Encrypt 6 0 R /ID [${hex(id)} ${hex(id)}]>>\nstartxref\n0\n%%EOF`;
  return Buffer.concat([Buffer.from("%PDF-1.7\n"), ...parts, Buffer.from(trailer)]);
}

const locks = {
  "RC4 of 40 bits": oldLock(1),
  "RC4 of 128 bits": oldLock(2),
  AESV2: oldLock(4),
  AESV3: newLock(6),
  "AESV3 of revision 5": newLock(5),
};
for (const [name, lock] of Object.entries(locks)) {
  test(`a file locked with ${name} that opens without a password has its drawn table read and its hidden text left out`, async () => {
    const { blocks, warnings } = await parsePdf(locked(lock));
    assert.deepEqual(
      blocks.map(({ table }) => table?.rows),
      [
        [
          ["City", "River"],
          ["Wien", "Donau"],
          ["Paris", "Seine"],
        ],
      ],
    );
    assert.match(warnings.join(), /invisible text was skipped on pages: 1/);
  });
}
