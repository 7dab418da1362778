import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "../../src/core/schema.ts";

/** What is written to a question, and the passage that it cites: one of the file, with these words. */
export interface Written {
  readonly question: string;
  readonly file: string;
  readonly says: string;
  readonly sentence: string;
  /** What it searches for before it writes. */
  readonly looksFor?: string;
}

const asked = z.looseObject({
  messages: z.array(z.object({ role: z.string(), content: z.string().nullish() })),
});

const chunk = (delta: unknown, reason: string | null = null): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;

/** A provider that writes the sentence of a case word by word and cites the passage of its file, once it may. */
export function openWriter(sentences: readonly Written[]) {
  let may = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const body = asked.safeParse(JSON.parse((await request.toArray()).join("") || "{}"));
    const messages = body.data?.messages ?? [];
    const prompt = messages.find(({ role }) => role === "user")?.content ?? "";
    const wanted = sentences.find(({ question }) => prompt.includes(question));
    // Tables are described before the first passage.
    const passages = prompt.split(/\n(?=\[\d)/).slice(1);
    const passage = passages.find(
      (text) => wanted && [wanted.file, wanted.says].every((part) => text.includes(part)),
    );
    const marker = /\[(\d+)\]/.exec(passage ?? "")?.[1];
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (wanted?.looksFor !== undefined && messages.every(({ role }) => role !== "tool")) {
      const call = { name: "search", arguments: JSON.stringify({ query: wanted.looksFor }) };
      response.write(chunk({ tool_calls: [{ index: 0, id: "call_0", type: "function", function: call }] }));
      response.end(`${chunk({}, "tool_calls")}data: [DONE]\n\n`);
      return;
    }
    await may.promise;
    for (const content of `${wanted?.sentence} [${marker}].`.split(/(?= )/))
      response.write(chunk({ content }));
    response.end(`${chunk({}, "stop")}data: [DONE]\n\n`);
  });
  return {
    async start(): Promise<string> {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      // A server that listens on a port has an address with a port.
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    },
    /** Keeps what is asked from now on waiting, until `let` is called. */
    hold() {
      may = Promise.withResolvers<void>();
    },
    let: () => may.resolve(),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
