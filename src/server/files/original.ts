import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { Readable } from "node:stream";
import type { DocumentSummary } from "../../core/app.ts";
import { RagctlError } from "../../core/errors.ts";

/** Types that a browser shows by itself without running anything. */
const shown: Readonly<Record<string, string>> = {
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  bmp: "image/bmp",
};

/** Original files of documents. */
export interface Originals {
  /**
   * The bytes of a document, or the part of them in `Range`. The file is opened once and compared with the
   * ingested version, so that a path with a new target reveals nothing. @throws SOURCE_MISSING,
   * SOURCE_CHANGED
   */
  response(document: DocumentSummary, request: Request): Promise<Response>;
}

/** Number of remembered files that are recognized as unchanged without reading them. */
const remembered = 1000;

/** Creates the files of documents. */
export function createOriginalFiles(): Originals {
  const hashes = new Map<string, string>();
  const hashOf = async (file: FileHandle): Promise<string> => {
    const { dev, ino, size, ctimeNs } = await file.stat({ bigint: true });
    const stamp = [dev, ino, size, ctimeNs].join(" ");
    const hash = hashes.get(stamp) ?? (await sha256Of(file));
    if (hashes.size >= remembered) hashes.clear();
    hashes.set(stamp, hash);
    return hash;
  };
  return {
    async response(document, request) {
      const file = await openSource(document);
      try {
        if ((await hashOf(file)) !== document.sha256)
          throw new RagctlError("SOURCE_CHANGED", `${document.name} has changed since it was ingested`, {
            hint: "ingest it again to see its current content",
          });
        return await fileResponse(file, document, request);
      } catch (error) {
        await file.close();
        throw error;
      }
    },
  };
}

async function openSource({ path, name }: DocumentSummary): Promise<FileHandle> {
  const missing = (cause?: unknown): RagctlError =>
    new RagctlError("SOURCE_MISSING", `the file of ${name} no longer exists`, {
      hint: "its text can still be searched; put the file back to view it",
      cause,
    });
  // Anything but a plain file could block for ever or have any content.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause: unknown) => {
      throw missing(cause);
    },
  );
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw missing();
}

async function sha256Of(file: FileHandle): Promise<string> {
  const hash = createHash("sha256");
  for await (const part of file.createReadStream({ start: 0, autoClose: false })) hash.update(part);
  return hash.digest("hex");
}

async function fileResponse(
  file: FileHandle,
  document: DocumentSummary,
  request: Request,
): Promise<Response> {
  const { size } = await file.stat();
  const etag = `"${document.sha256}"`;
  const type = shown[document.path.split(".").at(-1)?.toLowerCase() ?? ""];
  const headers = new Headers({
    "content-type": type ?? "application/octet-stream",
    "content-disposition": disposition(type === undefined ? "attachment" : "inline", document.name),
    // A document is no page of ours, whatever is written in it; viewers of PDF do not run in a sandbox.
    "content-security-policy": `${type === undefined ? "sandbox; " : ""}default-src 'none'; frame-ancestors 'none'`,
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    etag,
  });
  const without = async (status: number): Promise<Response> => {
    await file.close();
    return new Response(null, { status, headers });
  };
  if (names(request.headers.get("if-none-match"), etag)) return without(304);
  // A client's part of another file must not be completed with a part of this one.
  const isOfThis = (request.headers.get("if-range") ?? etag) === etag;
  const range = rangeOf(isOfThis ? request.headers.get("range") : null, size);
  if (range === null) {
    headers.set("content-range", `bytes */${size}`);
    return without(416);
  }
  const { start, end } = range;
  headers.set("content-length", String(end - start + 1));
  const whole = start === 0 && end === size - 1;
  const status = whole ? 200 : 206;
  if (!whole) headers.set("content-range", `bytes ${start}-${end}/${size}`);
  if (request.method === "HEAD") return without(status);
  // Node's streams are those of the web; their declarations differ.
  const body = Readable.toWeb(file.createReadStream({ start, end })) as ReadableStream<Uint8Array>;
  return new Response(body, { status, headers });
}

/** Whether a client that holds these versions holds this one. Source: RFC 9110, 13.1.2 */
const names = (header: string | null, etag: string): boolean =>
  header?.trim() === "*" ||
  (header ?? "").split(",").some((each) => each.trim().replace(/^W\//, "") === etag);

/**
 * The requested bytes, both ends included; null for a range outside the file. A header that is not understood
 * requests all.
 */
function rangeOf(header: string | null, size: number) {
  const [, from = "", to = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "") ?? [];
  if (from === "" && to === "") return { start: 0, end: size - 1 };
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  return start > end ? null : { start, end };
}

/** The name for old clients and, by RFC 5987, whole. */
function disposition(kind: "attachment" | "inline", name: string): string {
  const plain = name.replace(/[^\w.-]/g, "_");
  const whole = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${kind}; filename="${plain}"; filename*=UTF-8''${whole}`;
}
