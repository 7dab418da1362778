/**
 * How questions specify the form of the answer. Lists of words separated by spaces, with `_` for a space
 * inside one; `examples` and `manners` are alternatives of a pattern.
 */
export interface AnswerForms {
  /** Before the verb of a request. */
  readonly leads: string;
  /** Open a sentence about how to answer, whatever follows: `round`. */
  readonly answering: string;
  /** Open one in combination with a word for the answer or a form: `give`. */
  readonly giving: string;
  /** Words for the answer or the question. */
  readonly answers: string;
  /** Names of forms: `integer`. */
  readonly forms: string;
  /** In brackets, show that the remark is about the form: `rounded`. */
  readonly remarks?: string;
  /** Accompany such names without adding anything: `order`. */
  readonly beside: string;
  /** `Assume that you are an analyst`: the verb, and the person addressed. */
  readonly supposing?: string;
  readonly hearers?: string;
  /** `If that is not a useful metric, then state that`: the words of such a sentence. */
  readonly conditions?: string;
  readonly denials?: string;
  readonly stating?: string;
  readonly inapplicable?: string;
  /** Before a sample answer: `e.g. ["1"]`. */
  readonly examples?: string;
  /** How to answer, at the end of a question: `in one sentence`. */
  readonly manners?: string;
}
