import type { Address, Email } from "postal-mime";
import type { Parser } from "../../../core/documents/document.ts";
import { damaged } from "../blocks.ts";
import { mailContent } from "./blocks.ts";

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

const garbled = (mail: Email) => /\ufffd/.test(`${mail.html ?? ""}${mail.text ?? ""}${mail.subject ?? ""}`);

async function readMail(bytes: Uint8Array, name: string): Promise<{ mail: Email; warnings: string[] }> {
  const { default: PostalMime } = await import("postal-mime");
  const read = async (raw: Uint8Array) => {
    try {
      return await PostalMime.parse(raw, {
        attachmentEncoding: "arraybuffer",
        maxNestingDepth: 64,
        maxHeadersSize: 2 * 1024 ** 2,
      });
    } catch (error) {
      throw damaged(name, "an e-mail message", error);
    }
  };
  const mail = await read(bytes);
  if (!garbled(mail)) return { mail, warnings: [] };
  // The declared character set does not fit the bytes: read again as the one that old mailers use without
  // saying so.
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const other = await read(
    Buffer.from(raw.replace(/charset\s*=\s*"?[\w.:-]+"?/gi, "charset=windows-1252"), "latin1"),
  );
  return garbled(other)
    ? { mail, warnings: ["some characters could not be read in the character set the message declares"] }
    : {
        mail: other,
        warnings: [
          "the message is not in the character set it declares; it was read as windows-1252, which is a guess",
        ],
      };
}

/** E-mail messages (RFC 5322) by postal-mime. */
export default (): Parser => ({
  id: "postal-mime",
  async parse(bytes, file) {
    const { mail, warnings } = await readMail(bytes, file.name);
    const header = (key: string) => mail.headers.find((one) => one.key === key)?.value ?? "";
    return await mailContent(
      {
        subject: mail.subject ?? "",
        headers: [
          ["From", displayed(mail.from)],
          ["To", displayed(mail.to)],
          ["Cc", displayed(mail.cc)],
          ["Date", header("date")],
        ],
        html: mail.html,
        text: mail.text,
        attachments: mail.attachments
          // Pictures that the text shows are part of it, not attached to it.
          .filter((one) => !(one.related === true && one.mimeType.startsWith("image/")))
          .map((one, index) => ({
            name: one.filename ?? `attachment ${index + 1} (${one.mimeType})`,
            bytes:
              typeof one.content === "string"
                ? new TextEncoder().encode(one.content)
                : new Uint8Array(one.content),
          })),
        warnings,
      },
      file.name,
    );
  },
});
