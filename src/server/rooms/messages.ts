import type { Chat, ChatEvent } from "../../app/ask/chat.ts";
import { messageShape } from "../../shapes/chat.ts";
import type { Call } from "../define-route.ts";
import { answerEvent } from "../stream/answers.ts";

/** An event of a room as clients receive it. */
export function chatEvent(event: ChatEvent) {
  switch (event.type) {
    case "message-stored":
      return { name: event.type, data: messageShape(event.message) };
    case "silent":
      return { name: event.type, data: { reason: event.reason } };
    default:
      return answerEvent(event);
  }
}

/** Posts a message to a room and notifies listeners. */
export async function* postMessage(
  request: Parameters<Chat["say"]>[0],
  { server, run }: Pick<Call, "server" | "run">,
): AsyncGenerator<ChatEvent> {
  const chat = await server.app.chat();
  try {
    for await (const event of chat.say(request, run)) {
      if (event.type === "answer-end") server.metrics.answer(event.answer);
      yield event;
      if (event.type === "message-stored") server.news.announce();
    }
  } finally {
    // The answer is stored once its events have ended.
    server.news.announce();
  }
}
