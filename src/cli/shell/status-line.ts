import { truncateToWidth } from "../../operations/text.ts";

/** One line at the bottom of a terminal that shows the current activity, and is never part of the output. */
export interface StatusLine {
  /** Shows the text in place of the one before; "" erases it. */
  show(text: string): void;
  /**
   * Writes other output to the terminal with the line out of its way; the line returns when that output ends
   * its own line.
   */
  aside(write: () => void, endsLine?: boolean): void;
}

/** Creates the status line of a terminal; on any other stream it is never shown. */
export function createStatusLine(
  stream: { readonly columns?: number; write(text: string): unknown },
  visible: boolean,
): StatusLine {
  if (!visible) return { show: () => undefined, aside: (write) => write() };
  let wanted = "";
  let drawn = "";
  let midLine = false;
  const draw = (text: string): void => {
    // Erasing the line, then writing without a line end, leaves the cursor on it.
    if (text !== drawn) stream.write(`\r\u001b[K${text}`);
    drawn = text;
  };
  return {
    show(text) {
      // A line as wide as the terminal would wrap, and the next one would not replace it.
      wanted = truncateToWidth(text, Math.max(20, stream.columns || 80) - 1);
      if (!midLine) draw(wanted);
    },
    aside(write, endsLine = true) {
      draw("");
      write();
      midLine = !endsLine;
      if (!midLine) draw(wanted);
    },
  };
}
