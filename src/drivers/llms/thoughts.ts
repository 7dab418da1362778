/** Marks between which models think before they answer, as their templates write them. */
const marks = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["[THINK]", "[/THINK]"],
] as const;

/** Takes the output of a model in pieces and returns the parts that belong to the answer. */
export interface ThoughtFilter {
  take(text: string): string;
  /** The text held back at the end because it could have begun a thought. */
  rest(): string;
}

/** Creates a filter that removes thoughts before an answer. Later marks are part of the answer. */
export function createThinkingFilter(): ThoughtFilter {
  let held = "";
  let closing: string | undefined;
  let isAnswer = false;
  /** Whether a thought began or ended in the held text, so that the rest must be examined again. */
  const step = (): boolean => {
    if (closing !== undefined) {
      const at = held.indexOf(closing);
      held = at < 0 ? held.slice(1 - closing.length) : held.slice(at + closing.length);
      if (at >= 0) closing = undefined;
      return at >= 0;
    }
    const start = held.trimStart();
    const mark = marks.find(([open]) => start.startsWith(open));
    if (mark === undefined) {
      isAnswer = !marks.some(([open]) => open.startsWith(start));
      return false;
    }
    held = start.slice(mark[0].length);
    closing = mark[1];
    return true;
  };
  const released = (): string => {
    const text = held;
    held = "";
    return text;
  };
  return {
    take(text) {
      if (isAnswer) return text;
      held += text;
      while (step());
      return isAnswer ? released() : "";
    },
    rest: () => (closing === undefined ? released() : ""),
  };
}
