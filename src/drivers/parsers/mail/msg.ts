import type { Parser } from "../../../core/documents/document.ts";
import { unreadable } from "../blocks.ts";
import { decode } from "../decode.ts";
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

const shown = (name: string | undefined, address: string | undefined) =>
  name && address && name !== address ? `${name} <${address}>` : (name ?? address ?? "");

/** Outlook messages by msgreader. */
export default (): Parser => ({
  id: "msgreader",
  async parse(bytes, file) {
    const module: unknown = await import("@kenjiuno/msgreader");
    const found = module as {
      default: { default?: new (buffer: ArrayBuffer) => Reader } & (new (buffer: ArrayBuffer) => Reader);
    }; // a CommonJS default export, wrapped once more by Node
    const MsgReader = found.default.default ?? found.default;
    let reader: Reader;
    let fields: Fields;
    try {
      reader = new MsgReader(new Uint8Array(bytes).buffer);
      fields = reader.getFileData();
    } catch (error) {
      throw unreadable(file.name, "an Outlook message", error);
    }
    if (fields.error !== undefined)
      throw unreadable(file.name, "an Outlook message", new Error(fields.error));
    const warnings: string[] = [];
    const to = (type: string) =>
      (fields.recipients ?? [])
        .filter(({ recipType }) => (recipType ?? "to") === type)
        .map(({ name, smtpAddress, email }) => shown(name, smtpAddress ?? email))
        .join(", ");
    const attachments = (fields.attachments ?? []).flatMap((one, index) => {
      if (one.attachmentHidden === true) return [];
      if (one.innerMsgContent === true) {
        warnings.push(`the attached message ${one.fileName ?? index + 1} was not opened`);
        return [];
      }
      try {
        const { fileName, content } = reader.getAttachment(index);
        return [{ name: fileName || one.fileName || `attachment ${index + 1}`, bytes: content }];
      } catch (error) {
        warnings.push(
          `the attachment ${one.fileName ?? index + 1} could not be read: ${error instanceof Error ? error.message : String(error)}`,
        );
        return [];
      }
    });
    const html =
      fields.bodyHtml ??
      (fields.html === undefined ? undefined : (await decode(fields.html, file.name)).text);
    const content = await mailContent(
      {
        subject: fields.subject ?? "",
        headers: [
          ["From", shown(fields.senderName, fields.senderSmtpAddress ?? fields.senderEmail)],
          ["To", to("to")],
          ["Cc", to("cc")],
          ["Date", fields.clientSubmitTime ?? fields.messageDeliveryTime ?? ""],
        ],
        html,
        text: fields.body,
        attachments,
        warnings,
      },
      file.name,
    );
    return content;
  },
});
