import type { FieldsData, default as library, ParserConfig } from "@kenjiuno/msgreader";
import { damagedFile } from "../blocks.ts";
import { declaredCharset } from "../declared-charset.ts";
import { decode } from "../decode.ts";
import type { Attachment, MailMessage } from "./message.ts";

/** Media type of an Outlook message. */
const outlookType = "application/vnd.ms-outlook";

const displayed = (name: string | undefined, address: string | undefined) =>
  name && address && name !== address ? `${name} <${address}>` : (name ?? address ?? "");

/** Recipients of a type as one header line; those without a type are addressees. */
function recipients({ recipients: all = [] }: FieldsData, type: "to" | "cc"): string {
  return all
    .filter(({ recipType }) => (recipType ?? "to") === type)
    .map(({ name, smtpAddress, email }) => displayed(name, smtpAddress ?? email))
    .join(", ");
}

/** Attachments that can be read; the others are named in `warnings`. */
function readAttachments(
  reader: library.default,
  { attachments = [] }: FieldsData,
  warnings: string[],
): Attachment[] {
  return attachments.flatMap(({ attachmentHidden, innerMsgContent, fileName: declared, name }, index) => {
    if (attachmentHidden === true) return [];
    try {
      const { fileName, content } = reader.getAttachment(index);
      return innerMsgContent === true
        ? [{ name: name || declared || `message ${index + 1}`, type: outlookType, bytes: content }]
        : [{ name: fileName || declared || `attachment ${index + 1}`, bytes: content }];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      warnings.push(`cannot read attachment ${declared ?? index + 1}: ${reason}`);
      return [];
    }
  });
}

/** Type of a property that is text in a code page of Windows. */
const codePageText = 0x1e;

/** Code pages of ASCII and UTF-8: text that is neither has another. */
const saysNothing: ReadonlySet<number> = new Set([20127, 65001]);

/**
 * Decodes the text of a message that is not Unicode: as UTF-8 where it is valid, else in the declared code
 * page, else in a guessed one, which is reported.
 */
async function readFields(
  bytes: Uint8Array,
  name: string,
  warnings: string[],
): Promise<{ readonly reader: library.default; readonly fields: FieldsData }> {
  // A CommonJS default export, which Node wraps again.
  const { default: Reader } = (await import("@kenjiuno/msgreader")).default;
  const read = (config: ParserConfig) => {
    const reader = new Reader(new Uint8Array(bytes).buffer);
    reader.parserConfig = config;
    return { reader, fields: reader.getFileData() };
  };
  const texts: Uint8Array[] = [];
  const first = read({
    propertyObserver: (_, tag, text) => {
      if ((tag & 0xffff) === codePageText && text !== null) texts.push(text);
    },
  });
  const all = Buffer.concat(texts);
  if (!all.some((byte) => byte >= 0x80)) return first;
  const declared = [first.fields.messageCodepage, first.fields.internetCodepage]
    .filter((page) => page !== undefined && !saysNothing.has(page))
    .map(String)[0];
  const { charset, warnings: told } = await decode(all, name, declared);
  if (charset !== declared) warnings.push(...told);
  return read({ ansiEncoding: charset });
}

/** The unpacked RTF of a body; undefined where there is none. */
async function rtfOf({ compressedRtf }: FieldsData): Promise<Uint8Array | undefined> {
  if (compressedRtf === undefined || compressedRtf.length < 16) return undefined;
  const { decompressRTF } = await import("@kenjiuno/decompressrtf");
  const packed = new Uint8Array(compressedRtf);
  // The library reads up to the stated size, even beyond the bytes present.
  const view = new DataView(packed.buffer);
  view.setUint32(0, Math.min(view.getUint32(0, true), packed.length - 4), true);
  return new Uint8Array(decompressRTF(Array.from(packed)));
}

/** The HTML of a body, in the character set that it or the message declares. */
async function htmlOf(
  { bodyHtml, html, internetCodepage }: FieldsData,
  name: string,
): Promise<string | undefined> {
  if (bodyHtml !== undefined || html === undefined) return bodyHtml;
  const declared = internetCodepage === undefined ? undefined : String(internetCodepage);
  return (await decode(html, name, declaredCharset(html) ?? declared)).text;
}

/** Reads an Outlook message by msgreader. @throws SOURCE_DAMAGED */
export async function readMsg(bytes: Uint8Array, name: string): Promise<MailMessage> {
  const warnings: string[] = [];
  const { reader, fields } = await readFields(bytes, name, warnings).catch((error: unknown) => {
    throw damagedFile(name, "an Outlook message", error);
  });
  if (fields.error !== undefined) throw damagedFile(name, "an Outlook message", new Error(fields.error));
  return {
    attachments: readAttachments(reader, fields, warnings),
    subject: fields.subject ?? "",
    headers: [
      ["From", displayed(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail)],
      ["To", recipients(fields, "to")],
      ["Cc", recipients(fields, "cc")],
      ["Date", fields.clientSubmitTime ?? fields.messageDeliveryTime ?? ""],
    ],
    html: await htmlOf(fields, name),
    text: fields.body,
    rtf: () => rtfOf(fields),
    warnings,
  };
}
