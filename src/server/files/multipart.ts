import { parse } from "content-disposition";
import { RagctlError } from "../../core/errors.ts";

/** One part of a form. */
export interface Part {
  /** Name of the field. */
  readonly name: string;
  /** File name sent by the client; undefined for a field that is not a file. */
  readonly fileName?: string;
  /** Must be read before the next part is requested; unread bytes are skipped. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Longest headers of a part and most bytes before the first one. */
const headerLimit = 16_384;

/** Most parts of one form, including unused ones. */
const mostParts = 200;

const invalid = (reason: string): RagctlError =>
  new RagctlError("REQUEST_INVALID", `cannot read the form: ${reason}`, {
    hint: "send multipart/form-data with one part per file",
  });

/** The boundary that a content type names. @throws REQUEST_INVALID */
export function boundaryOf(contentType: string): string {
  const { boundary = "" } = parse(contentType).parameters;
  if (boundary !== "" && boundary.length <= 70) return boundary;
  throw invalid("its content type has no boundary");
}

/** Received bytes that are not yet read. */
interface Pending {
  /** Bytes up to the mark, which is read too. @throws REQUEST_INVALID where the body ends before it */
  until(mark: Uint8Array): AsyncGenerator<Uint8Array>;
  /** The same as one piece of at most `limit` bytes. */
  short(mark: Uint8Array, limit: number): Promise<Buffer>;
  /** The next two bytes. */
  two(): Promise<string>;
}

function openPending(body: AsyncIterable<Uint8Array>): Pending {
  const source = body[Symbol.asyncIterator]();
  // As if a line had ended before the body, so that the first boundary is found like the others.
  let pending: Buffer = Buffer.from("\r\n");
  // What ended the body early: later reads fail with the same error.
  let broken: Promise<never> | undefined;
  const more = async (): Promise<void> => {
    try {
      const next = await (broken ?? source.next());
      if (next.done === true) throw invalid("it ends before its last boundary");
      pending = Buffer.concat([pending, next.value]);
    } catch (error) {
      broken = Promise.reject(error);
      broken.catch(() => undefined);
      throw error;
    }
  };
  const take = (length: number): Buffer => {
    const taken = pending.subarray(0, length);
    pending = pending.subarray(length);
    return taken;
  };
  async function* until(mark: Uint8Array): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = pending.indexOf(mark);
      if (at >= 0) {
        if (at > 0) yield take(at);
        take(mark.length);
        return;
      }
      const safe = pending.length - mark.length + 1;
      if (safe > 0) yield take(safe);
      await more();
    }
  }
  return {
    until,
    async short(mark, limit) {
      const pieces: Uint8Array[] = [];
      let size = 0;
      for await (const piece of until(mark)) {
        size += piece.length;
        if (size > limit) throw invalid(`the headers of a part are longer than ${limit} bytes`);
        pieces.push(piece);
      }
      return Buffer.concat(pieces);
    },
    async two() {
      while (pending.length < 2) await more();
      return take(2).toString("latin1");
    },
  };
}

/**
 * Parts of a form one after the other, none of them held in memory. Source: RFC 7578. @throws REQUEST_INVALID
 */
export async function* multipartParts(
  body: AsyncIterable<Uint8Array>,
  boundary: string,
): AsyncGenerator<Part> {
  const pending = openPending(body);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  await pending.short(delimiter, headerLimit);
  for (let count = 0; ; count++) {
    const after = await pending.two();
    if (after === "--") return;
    if (after !== "\r\n") throw invalid("a boundary is followed by unexpected data");
    if (count === mostParts) throw invalid(`it has more than ${mostParts} parts`);
    const headers = await pending.short(Buffer.from("\r\n\r\n"), headerLimit);
    const reading = { isOver: false };
    const content = contentOf(pending, delimiter, reading);
    yield { ...namesOf(headers.toString("utf8")), body: content };
    // Waits for a reader that stopped while a chunk was arriving, then skips the unread rest.
    await content.return();
    if (!reading.isOver) for await (const _ of pending.until(delimiter));
  }
}

/** The bytes of a part; `reading` says whether its end was reached. */
async function* contentOf(
  pending: Pending,
  delimiter: Uint8Array,
  reading: { isOver: boolean },
): AsyncGenerator<Uint8Array, void> {
  yield* pending.until(delimiter);
  reading.isOver = true;
}

/** Names in the headers of a part. @throws REQUEST_INVALID */
function namesOf(headers: string): Pick<Part, "name" | "fileName"> {
  const disposition = /^content-disposition:(.*)/im.exec(headers)?.[1] ?? "";
  // Browsers write a quote as %22, other programs as RFC 7230 does.
  const { type, parameters } = parse(disposition.replaceAll('\\"', "%22"), { multipart: true });
  const { name, filename } = parameters;
  if (type !== "form-data" || name === undefined) throw invalid("a part has no name");
  return { name, ...(filename === undefined ? {} : { fileName: filename }) };
}
