import { deflateSync } from "node:zlib";

/** A stream: entries of its dictionary, and its bytes as they stand in the file. */
export interface RawStream {
  readonly entries: string;
  readonly data: Uint8Array;
}

/** Bytes packed once. */
export function packed(content: Uint8Array | string): RawStream {
  return { entries: "/Filter /FlateDecode", data: deflateSync(content) };
}

/** So many spaces, packed three times: a few hundred bytes for a gigabyte. */
export function bomb(bytes: number): RawStream {
  return {
    entries: "/Filter [/FlateDecode /FlateDecode /FlateDecode]",
    data: deflateSync(deflateSync(deflateSync(Buffer.alloc(bytes, 32)))),
  };
}

/**
 * A PDF whose pages have the given contents, each of one or more streams; `forms`, objects 4 and on, can be
 * drawn by all of them as /F0, /F1…, `named` is what else they can name.
 */
export function rawPdf(
  pages: readonly (readonly RawStream[])[],
  forms: readonly RawStream[] = [],
  named = "",
): Uint8Array {
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n")];
  const places: number[] = [];
  const add = (body: string | RawStream): number => {
    places.push(parts.reduce((sum, part) => sum + part.length, 0));
    const number = places.length;
    if (typeof body === "string") parts.push(Buffer.from(`${number} 0 obj\n${body}\nendobj\n`));
    else {
      parts.push(Buffer.from(`${number} 0 obj\n<< ${body.entries} /Length ${body.data.length} >>\nstream\n`));
      parts.push(Buffer.from(body.data), Buffer.from("\nendstream\nendobj\n"));
    }
    return number;
  };
  const first = 4;
  add("<< /Type /Catalog /Pages 2 0 R >>");
  add(
    `<< /Type /Pages /Kids [${pages.map((_, index) => `${first + forms.length + index} 0 R`).join(" ")}] /Count ${pages.length} >>`,
  );
  // Code 31 is a soft hyphen.
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /Differences [31 /uni00AD] >> >>");
  const drawn = forms.map((form, index) => {
    const entries = `/Type /XObject /Subtype /Form /BBox [0 0 612 792] ${form.entries}`;
    return `/F${index} ${add({ entries, data: form.data })} 0 R`;
  });
  const resources = `/Resources << /Font << /A 3 0 R >> /XObject << ${drawn.join(" ")} >> ${named} >>`;
  let next = first + forms.length + pages.length;
  const contents = pages.map((streams) => streams.map(() => next++));
  for (const numbers of contents) {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] ${resources} /Contents [${numbers.map((number) => `${number} 0 R`).join(" ")}] >>`,
    );
  }
  for (const stream of pages.flat()) add(stream);
  const start = parts.reduce((sum, part) => sum + part.length, 0);
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const count = places.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return new Uint8Array(Buffer.concat(parts));
}

/** The content of an ordinary page of one line. */
export const line = (text: string): RawStream => packed(`BT /A 11 Tf 72 700 Td (${text}) Tj ET`);

/** The content of a page that takes a library seconds: text, placed again and again. */
export function heavy(operators: number): RawStream {
  return packed(
    `BT /A 11 Tf 72 700 Td (A heavy page) Tj ET\n${"q 1 0 0 1 0 0 cm BT /A 3 Tf 9 9 Td (x) Tj ET Q\n".repeat(operators)}`,
  );
}
