import { maxContentBytes } from "../../pages.ts";
import { type Dictionary, isReference, type PdfValue } from "./lexer.ts";
import type { PdfObjects } from "./objects.ts";

/** The unpacked content of a page, its streams joined, with what it names. */
export interface PageContent {
  readonly bytes: Uint8Array;
  readonly resources: PdfValue | undefined;
}

/** The content of a page; undefined where it is packed in a way not known here, `too large` where it unpacks to more than any page needs. */
export function readContent(objects: PdfObjects, pageNumber: number): PageContent | "too large" | undefined {
  const page = objects.dictionary({ ref: pageNumber });
  if (page === undefined) return undefined;
  const contents = objects.resolve(page.get("/Contents"));
  const parts = Array.isArray(contents)
    ? contents
    : page.get("/Contents") === undefined
      ? []
      : [page.get("/Contents")];
  const streams: Uint8Array[] = [];
  let total = 0;
  let isWhole = true;
  for (const part of parts) {
    const stream = isReference(part) ? objects.stream(part) : undefined;
    total += stream?.length ?? (isReference(part) ? objects.unpackedBytes(part, maxContentBytes) : 0);
    // Looked at before the next one is unpacked: a few hundred bytes can name a gigabyte many times.
    if (total > maxContentBytes) return "too large";
    if (stream === undefined) isWhole = false;
    else streams.push(stream);
  }
  if (!isWhole) return undefined;
  let holder: Dictionary | undefined = page;
  for (let depth = 0; holder !== undefined && !holder.has("/Resources") && depth < 20; depth++)
    holder = objects.dictionary(holder.get("/Parent"));
  const [first = new Uint8Array()] = streams;
  const bytes =
    streams.length <= 1 ? first : Buffer.concat(streams.flatMap((stream) => [stream, Buffer.from("\n")]));
  return { bytes, resources: holder?.get("/Resources") };
}
