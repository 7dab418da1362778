/**
 * How a question tells what its answer should look like. Lists of words separated by blanks, `_` is a blank within
 * one; `examples` and `manners` are alternatives of a pattern.
 */
export interface AnswerForms {
  /** Stand before the verb of a request. */
  readonly leads: string;
  /** Open a sentence that says how to answer, whatever follows: `round`. */
  readonly answering: string;
  /** Open one together with a word for the answer or for a form: `give`. */
  readonly giving: string;
  /** Mean the answer or the question. */
  readonly answers: string;
  /** Name a form: `integer`. */
  readonly forms: string;
  /** In a bracket, say that it speaks of the form: `rounded`. */
  readonly remarks?: string;
  /** Stand beside such names and add nothing: `order`. */
  readonly beside: string;
  /** `Assume that you are an analyst`: the verb, and who is spoken to. */
  readonly supposing?: string;
  readonly hearers?: string;
  /** `If that is not a useful metric, then state that`: the words that such a sentence is made of. */
  readonly conditions?: string;
  readonly denials?: string;
  readonly stating?: string;
  readonly inapplicable?: string;
  /** Before an answer as it might look: `e.g. ["1"]`. */
  readonly examples?: string;
  /** How to answer, at the end of a question: `in one sentence`. */
  readonly manners?: string;
}
