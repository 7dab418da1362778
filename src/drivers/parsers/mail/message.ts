/** A file attached to a message. */
export interface Attachment {
  readonly name: string;
  /** Media type, where the message declares it. */
  readonly type?: string;
  readonly bytes: Uint8Array;
}

/** A message as either of the mail formats gives it. */
export interface MailMessage {
  readonly subject: string;
  /**
   * Header lines in the order they are shown, e.g. `["From", "Ann <ann@example.org>"]`; empty values are left
   * out.
   */
  readonly headers: readonly (readonly [string, string])[];
  /** Undefined where the message has no such body. */
  readonly html: string | undefined;
  readonly text: string | undefined;
  /** Unpacks the body in RTF, which is read where there is no other. */
  readonly rtf?: () => Promise<Uint8Array | undefined>;
  readonly attachments: readonly Attachment[];
  readonly warnings: readonly string[];
}
