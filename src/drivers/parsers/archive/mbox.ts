import type { Parser } from "../../../core/documents/document.ts";
import { damaged } from "../blocks.ts";
import { mailContent } from "../mail/blocks.ts";
import { readEml } from "../mail/read-eml.ts";
import { type LeftOut, leaveOut, type Member, membersContent } from "./members.ts";

/** Most messages that are read. */
const mostMessages = 2_000;

/**
 * The messages of a mailbox, without the line `From …` before each; each further message follows a blank
 * line.
 */
function* messagesIn(bytes: Uint8Array): Generator<Uint8Array> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const next = (from: number): number => {
    const ends = ["\n\nFrom ", "\n\r\nFrom "].map((mark) => {
      const at = all.indexOf(mark, from);
      return at < 0 ? all.length : at + mark.length - "From ".length;
    });
    return Math.min(...ends);
  };
  for (let start = 0; start < all.length; ) {
    const end = next(start);
    const line = all.indexOf("\n", start);
    if (line >= 0 && line < end) yield all.subarray(line + 1, end);
    start = end;
  }
}

/** Mailboxes as folders of messages, each under its number; the format is RFC 4155's. */
export default (): Parser => ({
  id: "mbox",
  parse: async (bytes, { name }) => {
    const begins = Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "From ";
    if (!begins) throw damaged(name, "a mailbox", new Error("it does not begin with a line “From …”"));
    const left: LeftOut = new Map();
    async function* members(): AsyncGenerator<Member> {
      let number = 0;
      for (const message of messagesIn(bytes)) {
        number += 1;
        const own = `message ${number}`;
        if (number <= mostMessages)
          yield { name: own, read: async () => await mailContent(await readEml(message, own), own) };
        else leaveOut(left, `skipped: only ${mostMessages} messages of a mailbox are read`, own);
      }
    }
    return await membersContent(name, members(), left);
  },
});
