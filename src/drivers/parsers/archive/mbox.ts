import type { Parser } from "../../../core/documents/document.ts";
import { damagedFile } from "../blocks.ts";
import { mailContent } from "../mail/blocks.ts";
import { readEml } from "../mail/read-eml.ts";
import { type Member, membersContent, recordSkipped, type SkippedMembers } from "./members.ts";

/** Most messages that are read. */
const mostMessages = 2_000;

/** The line before a message as mail programs write it, with sender and date. Source: RFC 4155, appendix A. */
const dated = /^From \S.{0,300}? [A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]?\d \d{1,2}:\d{2}/;
/** A line of a header. */
const field = /^(?:[!-9;-~]{1,80}:|>?From )/;

/** The messages of a mailbox, without the line `From …` before each and the marks of such lines in them. */
function* messagesIn(bytes: Uint8Array): Generator<Uint8Array> {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lineAt = (from: number): string => {
    const end = all.indexOf(10, from);
    return all.toString("latin1", from, Math.min(end < 0 ? all.length : end, from + 400));
  };
  // Mailboxes without dates in these lines exist; paragraphs begin with the word, too.
  const hasDates = dated.test(lineAt(0));
  const begins = (from: number): boolean => {
    const next = all.indexOf(10, from) + 1;
    return (!hasDates || dated.test(lineAt(from))) && next > 0 && field.test(lineAt(next));
  };
  const nextOf = (start: number): number => {
    for (let at = all.indexOf("\nFrom ", start); at >= 0; at = all.indexOf("\nFrom ", at + 1)) {
      const isBelowBlank = all[at - 1] === 10 || (all[at - 1] === 13 && all[at - 2] === 10);
      if (isBelowBlank && begins(at + 1)) return at + 1;
    }
    return all.length;
  };
  for (let start = 0; start < all.length; ) {
    const end = nextOf(start);
    const line = all.indexOf("\n", start);
    if (line >= 0 && line < end) yield withoutMarks(all.subarray(line + 1, end));
    start = end;
  }
}

/** A message without the sign before lines that would begin another. */
const withoutMarks = (message: Buffer): Uint8Array =>
  message.includes("\n>From ") || message.includes("\n>>")
    ? Buffer.from(message.toString("latin1").replace(/^>(>{0,20}From )/gm, "$1"), "latin1")
    : message;

/** Mailboxes as folders of messages, each under its number; the format is RFC 4155's. */
export default (): Parser => ({
  id: "mbox",
  parse: async (bytes, { name }) => {
    const begins = Buffer.from(bytes.subarray(0, 5)).toString("latin1") === "From ";
    if (!begins) throw damagedFile(name, "a mailbox", new Error("it does not begin with a line “From …”"));
    const left: SkippedMembers = new Map();
    async function* members(): AsyncGenerator<Member> {
      let number = 0;
      for (const message of messagesIn(bytes)) {
        number += 1;
        const own = `message ${number}`;
        if (number <= mostMessages)
          yield { name: own, read: async () => await mailContent(await readEml(message, own), own) };
        else recordSkipped(left, `skipped: only ${mostMessages} messages of a mailbox are read`, own);
      }
    }
    return await membersContent(name, members(), left);
  },
});
