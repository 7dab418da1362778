import type { Parser } from "../../../core/documents/document.ts";
import { damaged } from "../blocks.ts";
import { decode } from "../decode.ts";
import type { Attachment } from "./attachments.ts";
import { mailContent } from "./blocks.ts";

/** The part of the library that is used. */
interface Reader {
  getFileData(): Fields;
  getAttachment(index: number): { readonly fileName: string; readonly content: Uint8Array };
}

interface Fields {
  readonly error?: string;
  readonly subject?: string;
  readonly senderName?: string;
  readonly senderEmail?: string;
  readonly senderSmtpAddress?: string;
  readonly body?: string;
  readonly bodyHtml?: string;
  readonly html?: Uint8Array;
  readonly messageDeliveryTime?: string;
  readonly clientSubmitTime?: string;
  readonly attachments?: readonly {
    readonly fileName?: string;
    readonly innerMsgContent?: true;
    readonly attachmentHidden?: boolean;
  }[];
  readonly recipients?: readonly {
    readonly name?: string;
    readonly email?: string;
    readonly smtpAddress?: string;
    readonly recipType?: string;
  }[];
}

const displayed = (name: string | undefined, address: string | undefined) =>
  name && address && name !== address ? `${name} <${address}>` : (name ?? address ?? "");

/** Recipients of a type as one header line; those without a type are addressees. */
function recipients({ recipients: all = [] }: Fields, type: "to" | "cc"): string {
  return all
    .filter(({ recipType }) => (recipType ?? "to") === type)
    .map(({ name, smtpAddress, email }) => displayed(name, smtpAddress ?? email))
    .join(", ");
}

/** Attachments that can be read; the others are named in `warnings`. */
function readAttachments(reader: Reader, { attachments = [] }: Fields, warnings: string[]): Attachment[] {
  return attachments.flatMap(({ attachmentHidden, innerMsgContent, fileName: declared }, index) => {
    if (attachmentHidden === true) return [];
    if (innerMsgContent === true) {
      warnings.push(`the attached message ${declared ?? index + 1} was not opened`);
      return [];
    }
    try {
      const { fileName, content } = reader.getAttachment(index);
      return [{ name: fileName || declared || `attachment ${index + 1}`, bytes: content }];
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      warnings.push(`the attachment ${declared ?? index + 1} could not be read: ${reason}`);
      return [];
    }
  });
}

/** Outlook messages by msgreader. */
export default (): Parser => ({
  id: "msgreader",
  async parse(bytes, file) {
    const module: unknown = await import("@kenjiuno/msgreader");
    const wrapped = module as {
      default: { default?: new (buffer: ArrayBuffer) => Reader } & (new (buffer: ArrayBuffer) => Reader);
    }; // a CommonJS default export, wrapped once more by Node
    const MsgReader = wrapped.default.default ?? wrapped.default;
    let reader: Reader;
    let fields: Fields;
    try {
      reader = new MsgReader(new Uint8Array(bytes).buffer);
      fields = reader.getFileData();
    } catch (error) {
      throw damaged(file.name, "an Outlook message", error);
    }
    if (fields.error !== undefined) throw damaged(file.name, "an Outlook message", new Error(fields.error));
    const warnings: string[] = [];
    const attachments = readAttachments(reader, fields, warnings);
    const html =
      fields.bodyHtml ??
      (fields.html === undefined ? undefined : (await decode(fields.html, file.name)).text);
    return await mailContent(
      {
        subject: fields.subject ?? "",
        headers: [
          ["From", displayed(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail)],
          ["To", recipients(fields, "to")],
          ["Cc", recipients(fields, "cc")],
          ["Date", fields.clientSubmitTime ?? fields.messageDeliveryTime ?? ""],
        ],
        html,
        text: fields.body,
        attachments,
        warnings,
      },
      file.name,
    );
  },
});
