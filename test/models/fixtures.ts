import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { stringify } from "yaml";
import { type Models, openModelFolder } from "../../src/models/models.ts";
import type { SourcePrograms } from "../../src/models/sources/source.ts";

export const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

export const never = (): AbortSignal => new AbortController().signal;

export async function temporaryFolder(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "ragctl-models-"));
  test.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Bytes that do not compress and differ from call to call. */
export const someBytes = (size: number): Buffer => randomBytes(size);

/** A manifest entry of one embedding model; `pinned: false` leaves hash and size to the hub. */
export function embedEntry(
  id: string,
  files: Readonly<Record<string, Buffer>>,
  sources: readonly object[],
  pinned = true,
): object {
  return {
    id,
    task: "embed",
    licence: "MIT",
    embed: {
      architecture: "bert",
      precision: "fp32",
      language: "english",
      dimensions: 4,
      pooling: "cls",
      queryPrefix: "",
      passagePrefix: "",
      maxTokens: 8,
    },
    files: Object.entries(files).map(([name, bytes]) => ({
      name,
      sizeBytes: pinned ? bytes.byteLength : null,
      sha256: pinned ? sha256(bytes) : null,
    })),
    sources,
  };
}

export async function modelsOf(
  folder: string,
  entries: readonly object[],
  more: { hubUrl?: string; tools?: SourcePrograms; platform?: string; home?: string } = {},
): Promise<Models & { readonly home: string }> {
  const manifestPath = join(folder, "manifest.yaml");
  await mkdir(folder, { recursive: true });
  await writeFile(manifestPath, stringify({ models: entries }));
  const home = more.home ?? join(folder, "home");
  const models = await openModelFolder({
    hubUrl: "http://127.0.0.1:9",
    ...more,
    manifestPath,
    home,
  });
  return { ...models, home };
}

export interface Hub {
  readonly url: string;
  /** `METHOD path range` of every request for a file. */
  readonly requests: string[];
}

/**
 * A model hub on this machine: serves `files` by `owner/name/resolve/revision/path`, with ranges and the
 * large-file header. `interfere` may answer a request itself by returning true.
 */
export async function startHub(
  test: TestContext,
  files: Readonly<Record<string, Buffer>>,
  interfere: (request: IncomingMessage, response: ServerResponse, bytes: Buffer) => boolean = () => false,
): Promise<Hub> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").slice(1);
    const bytes = Object.hasOwn(files, path) ? files[path] : undefined;
    if (path === "") return response.end();
    requests.push(`${request.method} ${path} ${request.headers.range ?? ""}`.trim());
    if (bytes === undefined) {
      response.statusCode = 404;
      return response.end();
    }
    if (interfere(request, response, bytes)) return;
    response.setHeader("x-linked-etag", `"${sha256(bytes)}"`);
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? "")?.[1] ?? 0);
    if (from > 0) {
      response.statusCode = 206;
      response.setHeader("content-range", `bytes ${from}-${bytes.byteLength - 1}/${bytes.byteLength}`);
    }
    response.setHeader("content-length", bytes.byteLength - from);
    return response.end(request.method === "HEAD" ? undefined : bytes.subarray(from));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  test.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, requests };
}

/** A zip archive with stored (uncompressed) members, as a wheel or jar is one. */
export function zipOf(members: Readonly<Record<string, Buffer>>): Buffer {
  const locals: Buffer[] = [];
  const centrals: Buffer[] = [];
  let offset = 0;
  for (const [name, bytes] of Object.entries(members)) {
    const title = Buffer.from(name);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt32LE(crc32(bytes), 10);
    shared.writeUInt32LE(bytes.byteLength, 14);
    shared.writeUInt32LE(bytes.byteLength, 18);
    shared.writeUInt16LE(title.byteLength, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), shared, title, bytes]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE((0o100755 << 16) >>> 0, 6);
    tail.writeUInt32LE(offset, 10);
    centrals.push(Buffer.concat([Buffer.from("PK\x01\x02"), Buffer.from([20, 3]), shared, tail, title]));
    locals.push(local);
    offset += local.byteLength;
  }
  const central = Buffer.concat(centrals);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(centrals.length, 8);
  end.writeUInt16LE(centrals.length, 10);
  end.writeUInt32LE(central.byteLength, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}

/**
 * A program that stands where pip stands: it copies the named package's wheel from a shelf and writes down
 * what it was asked.
 */
export async function shelfPython(
  folder: string,
  wheels: Readonly<Record<string, Buffer>>,
): Promise<{ command: string; asked: string; shelf: string }> {
  const shelf = join(folder, "shelf");
  await mkdir(shelf, { recursive: true });
  for (const [name, bytes] of Object.entries(wheels)) await writeFile(join(shelf, name), bytes);
  const command = join(folder, "python-of-the-shelf");
  const asked = join(folder, "asked.txt");
  const script = `#!/bin/sh
echo "$@" >> "${asked}"
while [ $# -gt 1 ]; do [ "$1" = "-d" ] && target="$2"; shift; done
name=$(echo "$1" | sed 's/==/-/; s/^\\(.*\\)-\\([^-]*\\)$/\\1 \\2/' | awk '{ gsub("-", "_", $1); print $1 "-" $2 }')
cp "${shelf}/$name"-*.whl "$target" || { echo "ERROR: Could not find a version" >&2; exit 1; }
`;
  await mkdir(dirname(command), { recursive: true });
  await writeFile(command, script, { mode: 0o755 });
  return { command, asked, shelf };
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (0xedb88320 & -(crc & 1));
  }
  return ~crc >>> 0;
}
