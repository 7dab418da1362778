import { isAscii } from "node:buffer";
import type { Address, Email, default as PostalMime } from "postal-mime";
import { damagedFile } from "../blocks.ts";
import { charsetNamed } from "../declared-charset.ts";
import { decode } from "../decode.ts";
import type { Attachment, MailMessage } from "./message.ts";

/** A part of a message as the library keeps it. */
interface Part {
  content: ArrayBuffer | null;
  readonly contentType: {
    readonly parsed: { readonly params: Record<string, string> };
  };
}

/** The walk over the parts, which the library's types leave out. */
interface Walk {
  collectNode(part: Part, ...rest: unknown[]): Promise<void>;
  isInlineTextNode(part: Part): boolean;
}

function displayed(addresses: readonly Address[] | Address | undefined): string {
  const list: readonly Address[] =
    addresses === undefined ? [] : "length" in addresses ? addresses : [addresses];
  return list
    .map((one): string => {
      if ("group" in one && one.group !== undefined) return `${one.name}: ${displayed(one.group)}`;
      return one.name && one.name !== one.address
        ? `${one.name} <${one.address ?? ""}>`
        : (one.address ?? "");
    })
    .join(", ");
}

/** Bytes as text in a character set; undefined for an unknown set or invalid bytes. */
function inCharset(bytes: ArrayBuffer, charset: string): string | undefined {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined; // another is tried
  }
}

/** Character sets of one byte a character: none of their texts is UTF-8 by chance. */
const ofOneByte = /^(?:us-)?ascii|^(?:x-)?(?:iso[-_]?8859|windows|cp[-_]?12|latin|koi8|mac|ibm[-_]?8)/i;

/**
 * Converts a part of text to UTF-8. Valid UTF-8 is kept whatever the part declares, because mailers declare a
 * single-byte character set and send UTF-8; a part that is not valid in its declared set is read in the set
 * that a page names itself, or in a guessed one.
 */
async function toUtf8(part: Part, name: string, warnings: string[]): Promise<void> {
  const { params } = part.contentType.parsed;
  const { content } = part;
  const declared = charsetNamed(params["charset"]?.trim() ?? "");
  // The library reads the others.
  const isPlain = content !== null && isAscii(content) && !/utf-?7$/i.test(declared);
  if (content === null || isPlain) return;
  const isUnsaid = declared === "" || ofOneByte.test(declared);
  let text = isUnsaid ? inCharset(content, "utf-8") : undefined;
  if (text === undefined && declared !== "" && !/^(?:us-)?ascii$/i.test(declared))
    text = inCharset(content, declared);
  if (text === undefined) {
    const decoded = await decode(new Uint8Array(content), name, declared === "" ? undefined : declared);
    text = decoded.text;
    if (decoded.charset !== declared)
      warnings.push(...decoded.warnings.map((warning) => said(warning, declared)));
  }
  part.content = new TextEncoder().encode(text).buffer;
  params["charset"] = "utf-8";
}

const said = (warning: string, declared: string): string =>
  declared === "" ? warning : `a part does not use its declared character set (${declared}): ${warning}`;

/** A message whose header is UTF-8, as the library reads it; what old mailers write there is guessed. */
async function withHeaderInUtf8(bytes: Uint8Array, name: string, warnings: string[]): Promise<Uint8Array> {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const ends = ["\r\n\r\n", "\n\n"].map((end) => raw.indexOf(end)).filter((end) => end >= 0);
  const head = raw.subarray(0, Math.min(raw.length, ...ends));
  if (inCharset(new Uint8Array(head).buffer, "utf-8") !== undefined) return bytes;
  const { text, warnings: told } = await decode(head, name);
  warnings.push(...told.map((warning) => `the header of the message: ${warning}`));
  return Buffer.concat([Buffer.from(text), raw.subarray(head.length)]);
}

async function readMail(bytes: Uint8Array, name: string, warnings: string[]): Promise<Email> {
  const { default: Reader } = await import("postal-mime");
  try {
    const reader = new Reader({
      attachmentEncoding: "arraybuffer",
      maxNestingDepth: 64,
      maxHeadersSize: 2 * 1024 ** 2,
      // They are opened as attachments are, so that each has its own place.
      forceRfc822Attachments: true,
    }) as PostalMime & Walk; // it has both members
    const collect = reader.collectNode.bind(reader);
    reader.collectNode = async (part, ...rest) => {
      if (reader.isInlineTextNode(part)) await toUtf8(part, name, warnings);
      await collect(part, ...rest);
    };
    return await reader.parse(await withHeaderInUtf8(bytes, name, warnings));
  } catch (error) {
    throw damagedFile(name, "an e-mail message", error);
  }
}

/** Name of an attachment without a name. */
const unnamed = (mimeType: string, number: number): string =>
  mimeType === "message/rfc822" ? `message ${number}` : `attachment ${number} (${mimeType})`;

function attachmentsOf({ attachments }: Email): readonly Attachment[] {
  return (
    attachments
      // Pictures that the text shows are part of it, not attached to it.
      .filter((one) => !(one.related === true && one.mimeType.startsWith("image/")))
      .map((one, index) => ({
        name: one.filename ?? unnamed(one.mimeType, index + 1),
        type: one.mimeType,
        bytes:
          typeof one.content === "string"
            ? new TextEncoder().encode(one.content)
            : new Uint8Array(one.content),
      }))
  );
}

/** Reads an e-mail message (RFC 5322) by postal-mime. @throws SOURCE_DAMAGED */
export async function readEml(bytes: Uint8Array, name: string): Promise<MailMessage> {
  const warnings: string[] = [];
  const mail = await readMail(bytes, name, warnings);
  const header = (key: string) => mail.headers.find((one) => one.key === key)?.value ?? "";
  return {
    subject: mail.subject ?? "",
    headers: [
      ["From", displayed(mail.from)],
      ["To", displayed(mail.to)],
      ["Cc", displayed(mail.cc)],
      ["Date", header("date")],
    ],
    html: mail.html,
    text: mail.text,
    attachments: attachmentsOf(mail),
    warnings: [...new Set(warnings)],
  };
}
