import { maxContentBytes } from "../../pages.ts";
import { type Dictionary, isReference, type PdfValue } from "./lexer.ts";
import type { PdfObjects } from "./objects.ts";

/** The unpacked content of a page, its streams joined, with what it names. */
export interface PageContent {
  readonly bytes: Uint8Array;
  readonly resources: PdfValue | undefined;
}

/** What `/Contents` of a page names: one stream or a list of them. */
function contentParts(objects: PdfObjects, page: Dictionary): readonly PdfValue[] {
  const stated = page.get("/Contents");
  if (stated === undefined) return [];
  const contents = objects.resolve(stated);
  return Array.isArray(contents) ? contents : [stated];
}

/** What the page may draw by name, which it can take over from the page trees it lies in. */
function pageResources(objects: PdfObjects, page: Dictionary): PdfValue | undefined {
  let holder: Dictionary | undefined = page;
  for (let depth = 0; holder !== undefined && !holder.has("/Resources") && depth < 20; depth++)
    holder = objects.dictionary(holder.get("/Parent"));
  return holder?.get("/Resources");
}

/**
 * The content of a page; undefined where it is packed in a way not known here, `too large` where it unpacks
 * to more than any page needs.
 */
export function readContent(objects: PdfObjects, pageNumber: number): PageContent | "too large" | undefined {
  const page = objects.dictionary({ ref: pageNumber });
  if (page === undefined) return undefined;
  const streams: Uint8Array[] = [];
  let total = 0;
  let isWhole = true;
  for (const part of contentParts(objects, page)) {
    const stream = isReference(part) ? objects.stream(part) : undefined;
    total += stream?.length ?? objects.unpackedBytes(part, maxContentBytes);
    // Looked at before the next one is unpacked: a few hundred bytes can name a gigabyte many times.
    if (total > maxContentBytes) return "too large";
    if (stream === undefined) isWhole = false;
    else streams.push(stream);
  }
  if (!isWhole) return undefined;
  const [first = new Uint8Array()] = streams;
  const bytes =
    streams.length <= 1 ? first : Buffer.concat(streams.flatMap((stream) => [stream, Buffer.from("\n")]));
  return { bytes, resources: pageResources(objects, page) };
}
