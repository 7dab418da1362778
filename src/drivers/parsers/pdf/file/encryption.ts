import { type Decrypt, type Encryption, openDecryption } from "./decrypt.ts";
import { type Dictionary, isDictionary, openLexer, type PdfValue } from "./lexer.ts";

const hexDigits = /[^0-9a-fA-F]/g;
const escapes: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12 };

/** The bytes of the string that starts at `at` with its bracket. */
export function readString(file: Buffer, at: number): Uint8Array {
  if (file[at] === 60) {
    const hex = file.toString("latin1", at + 1, file.indexOf(62, at)).replace(hexDigits, "");
    return Buffer.from(hex.length % 2 === 0 ? hex : `${hex}0`, "hex");
  }
  const bytes: number[] = [];
  for (let place = at + 1, depth = 1; place < file.length; place++) {
    const code = file[place] ?? 0;
    if (code === 40) depth++;
    else if (code === 41 && --depth === 0) break;
    if (code !== 92) {
      // Every end of a line inside a string counts as one line feed.
      if (code === 13 && file[place + 1] === 10) continue;
      bytes.push(code === 13 ? 10 : code);
      continue;
    }
    const octal = /^[0-7]{1,3}/.exec(file.toString("latin1", place + 1, place + 4))?.[0];
    const next = String.fromCharCode(file[place + 1] ?? 0);
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 255);
    else if (next === "\r" || next === "\n") place += next === "\r" && file[place + 2] === 10 ? 1 : 0;
    else bytes.push(escapes[next] ?? file[place + 1] ?? 0);
    place += octal?.length ?? 1;
  }
  return Uint8Array.from(bytes);
}

/** Where `name` stands as a whole name, last place first. */
function* placesOf(file: Buffer, name: string): Generator<number> {
  for (let at = file.lastIndexOf(name); at >= 0; at = at === 0 ? -1 : file.lastIndexOf(name, at - 1)) {
    if (!/^[A-Za-z0-9]/.test(file.toString("latin1", at + name.length, at + name.length + 1)))
      yield at + name.length;
  }
}

function valueAfter(file: Buffer, at: number): PdfValue | undefined {
  const token = openLexer(file, at, true).next();
  return token === undefined || "operator" in token ? undefined : token.value;
}

/**
 * Decryption of the file's streams: undefined where it is not encrypted, "refused" where it needs a password or is encrypted in a
 * way not known here. `resolve` looks up references.
 */
export function readEncryption(
  file: Buffer,
  resolve: (value: PdfValue | undefined) => PdfValue | undefined,
): Decrypt | "refused" | undefined {
  let dictionary: Dictionary | undefined;
  let place = -1;
  for (const at of placesOf(file, "/Encrypt")) {
    const found = resolve(valueAfter(file, at));
    if (!isDictionary(found) || resolve(found.get("/Filter")) !== "/Standard") continue;
    dictionary = found;
    place = at;
    break;
  }
  if (dictionary === undefined) return file.includes("/Encrypt ") ? "refused" : undefined;
  const { get } = { get: (name: string) => resolve(dictionary.get(name)) };
  const number = (name: string, none: number) => {
    const value = get(name);
    return typeof value === "number" ? value : none;
  };
  const text = (value: PdfValue | undefined) =>
    typeof value === "object" && value !== null && "bytes" in value
      ? readString(file, value.at)
      : new Uint8Array();
  const filters = get("/CF");
  const name = get("/StmF");
  const filter = isDictionary(filters) && typeof name === "string" ? resolve(filters.get(name)) : undefined;
  const method = isDictionary(filter) ? resolve(filter.get("/CFM")) : undefined;
  // The identifier belongs to the trailer that names the encryption: the one nearest to it.
  let id: Uint8Array = new Uint8Array();
  let nearest = Number.POSITIVE_INFINITY;
  for (const at of placesOf(file, "/ID")) {
    const list = Math.abs(at - place) < nearest ? valueAfter(file, at) : undefined;
    const first = Array.isArray(list) ? (list as readonly PdfValue[])[0] : undefined; // isArray loses what a readonly list holds
    if (first === undefined) continue;
    nearest = Math.abs(at - place);
    id = text(first);
  }
  const version = number("/V", 0);
  const encryption: Encryption = {
    version,
    revision: number("/R", 0),
    keyBits: version === 4 ? 128 : number("/Length", 40),
    permissions: number("/P", 0),
    encryptsMetadata: get("/EncryptMetadata") !== false,
    method: typeof method === "string" ? method : "/Identity",
    owner: text(get("/O")),
    user: text(get("/U")),
    userKey: text(get("/UE")),
    id,
  };
  return openDecryption(encryption) ?? "refused";
}
