import { RagctlError } from "../../core/errors.ts";
import { abortable } from "../../core/run.ts";

/** How long an answer is written on while nobody reads it, ms. */
const aloneMs = 600_000;

/** Whose answer is meant, and in which conversation: the one that began last. */
export interface AnswerKey {
  readonly principal: string;
  readonly conversation: string;
}

/** Answers in the making that go on when their reader leaves, such as a page that is loaded again. */
export interface UnderWay<T> {
  /** Begins an answer. `slot` is held until it has ended, `stop` ends it early. */
  begin(key: AnswerKey, events: AsyncIterable<T>, slot: Disposable, stop: () => void): void;
  /**
   * Its events from the first on, until `reader` is aborted. @throws NOT_FOUND where none is made in the
   * conversation
   */
  follow(key: AnswerKey, reader: AbortSignal): AsyncGenerator<T>;
  /** @throws NOT_FOUND as `follow` */
  stop(key: AnswerKey): void;
}

interface Work<T> {
  readonly read: (reader: AbortSignal) => AsyncGenerator<T>;
  readonly stop: () => void;
}

/** Opens the answers in the making of one server. */
export function createPendingAnswers<T>(waitMs = aloneMs): UnderWay<T> {
  const works = new Map<string, Work<T>>();
  const nameOf = ({ principal, conversation }: AnswerKey): string => `${principal} ${conversation}`;
  const find = (key: AnswerKey): Work<T> => {
    const work = works.get(nameOf(key));
    if (work !== undefined) return work;
    throw new RagctlError("NOT_FOUND", "no answer is being written in this conversation", {
      hint: "GET /v1/conversations/{conversation} has the finished ones",
    });
  };
  return {
    begin(key, events, slot, stop) {
      const name = nameOf(key);
      const work: Work<T> = {
        stop,
        read: kept(events, { waitMs, stop }, () => {
          slot[Symbol.dispose]();
          if (works.get(name) === work) works.delete(name);
        }),
      };
      works.set(name, work);
    },
    follow: (key, reader) => find(key).read(reader),
    stop: (key) => find(key).stop(),
  };
}

/**
 * Goes through events at once and keeps them; each reader gets all of them. `ended` is called once; `stop`,
 * when nobody has read them for `waitMs`.
 */
function kept<T>(
  events: AsyncIterable<T>,
  { waitMs, stop }: { readonly waitMs: number; readonly stop: () => void },
  ended: () => void,
): Work<T>["read"] {
  const past: T[] = [];
  const state: { end?: { readonly thrown?: unknown }; readers: number; alone?: NodeJS.Timeout } = {
    readers: 0,
  };
  const wait = (): void => {
    if (state.readers === 0 && state.end === undefined) state.alone = setTimeout(stop, waitMs).unref();
  };
  let news = Promise.withResolvers<void>();
  const tell = (): void => {
    news.resolve();
    news = Promise.withResolvers();
  };
  const run = async (): Promise<void> => {
    for await (const event of events) {
      past.push(event);
      tell();
    }
  };
  const finish = (end: { readonly thrown?: unknown }): void => {
    state.end = end;
    clearTimeout(state.alone);
    ended();
    tell();
  };
  run().then(
    () => finish({}),
    (thrown: unknown) => finish({ thrown }),
  );
  wait();
  return async function* read(reader) {
    clearTimeout(state.alone);
    state.readers += 1;
    try {
      for (let at = 0; ; ) {
        const event = past[at];
        if (event !== undefined) {
          at += 1;
          yield event;
        } else if (state.end === undefined) await abortable(news.promise, reader);
        else if ("thrown" in state.end) throw state.end.thrown;
        else return;
      }
    } finally {
      state.readers -= 1;
      wait();
    }
  };
}
