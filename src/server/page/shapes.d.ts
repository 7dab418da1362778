import type { z } from "../../core/schema.ts";
import type { runDetailShape } from "../../shapes/answer.ts";
import type { chatMessagesShape, chatRoomsShape } from "../../shapes/chat.ts";
import type * as documents from "../../shapes/documents.ts";
import type { errorShape } from "../../shapes/error.ts";
import type { decisionsShape, explanationShape, principalsShape } from "../../shapes/permissions.ts";
import type { agentsShape, collectionListShape, toolsShape } from "../../shapes/registry.ts";
import type { logsShape } from "../../shapes/runs.ts";
import type { chatEvent } from "../rooms/messages.ts";
import type { matrixSchema } from "../routes/matrix.ts";
import type { conversationsShape, pageShape, passageShape, sessionShape } from "../shapes.ts";
import type { answerEvent } from "../stream/answers.ts";

/** A named event of an answer. */
export type AnswerEvent = ReturnType<typeof answerEvent>;
type DataOf<Name> = Extract<AnswerEvent, { readonly name: Name }>["data"];
export type Answer = DataOf<"answer-end">;
export type Verdict = Answer["verdict"];
export type Sentence = Verdict["sentences"][number];
export type Citation = Answer["citations"][number];
/** A passage that an answer is written from. */
export type Passage = DataOf<"context-ready">["passages"][number];
export type Step = DataOf<"node-end">;
/** A citation, or a passage that the answer is written from. */
export type Source = Citation | Passage;
/** The place of one. */
export type Place = Pick<Source, "source_file" | "page_number" | "section" | "cells">;
/** The parts of a finished answer that are shown. */
export type Finished = Pick<Answer, "response" | "citations" | "verdict"> &
  Pick<Run, "draft" | "tools" | "unavailable" | "searched">;
/** An error as it is shown. */
export interface Problem {
  readonly message: string;
  readonly hint?: string;
}
/** An error of the server. */
export type Refusal = ReturnType<typeof errorShape>;
export type Session = ReturnType<typeof sessionShape>;
export type DocumentFile = ReturnType<typeof documents.documentsShape>["documents"][number];
export type Chunk = ReturnType<typeof documents.showShape>["chunks"][number];
export type Version = ReturnType<typeof documents.historyShape>["versions"][number];
export type Difference = ReturnType<typeof documents.diffShape>;
export type CitedPassage = ReturnType<typeof passageShape>;
export type Box = CitedPassage["boxes"][number];
export type Block = ReturnType<typeof pageShape>["blocks"][number];
export type Job = ReturnType<typeof documents.jobShape>;
export type Matrix = z.output<typeof matrixSchema>;
export type Decision = ReturnType<typeof decisionsShape>["decisions"][number];
export type RunLine = ReturnType<typeof logsShape>["runs"][number];
export type Run = ReturnType<typeof runDetailShape>;
export type Room = ReturnType<typeof chatRoomsShape>["rooms"][number];
export type Message = ReturnType<typeof chatMessagesShape>["messages"][number];
/** A message from the socket of a room. */
export type RoomLine =
  | ReturnType<typeof chatEvent>
  | { readonly name: "message"; readonly data: Message }
  | { readonly name: "error"; readonly data: Refusal };

/** A member of a request, as far as a form shows it. */
export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Pick<z.core.JSONSchema.BaseSchema, "default" | "maxLength" | "minimum" | "maximum"> & {
    readonly [Name in "type" | "description"]?: string;
  } & { readonly enum?: readonly string[]; readonly anyOf?: readonly object[] };
}
/** A route, as the server describes it. */
interface Described {
  readonly summary: string;
  readonly parameters: readonly Member[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: BodySchema }>> };
}
interface BodySchema {
  readonly properties: Readonly<Record<string, Member["schema"]>>;
  readonly required?: readonly string[];
}
/** An object of a response whose route the page does not know. */
export type Told = Partial<Citation> & {
  readonly [Name in "document" | "document_id" | "id" | "name" | "ingested_at" | "statement"]?: string;
} & { readonly headings?: readonly string[] };

/** Paths of GET and POST that the page reads, with their responses; of several that fit, the first holds. */
type Answers = [
  ["/health", { readonly version: string }],
  ["/v1/session", Session],
  ["/v1/collections", ReturnType<typeof collectionListShape>],
  ["/openapi.json", { readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>> }],
  ["/v1/principals", ReturnType<typeof principalsShape>],
  ["/v1/agents", ReturnType<typeof agentsShape>],
  ["/v1/tools", ReturnType<typeof toolsShape>],
  ["/v1/chats", ReturnType<typeof chatRoomsShape>],
  [`/v1/chats${string}`, ReturnType<typeof chatMessagesShape>],
  [`/v1/documents/${string}/versions`, ReturnType<typeof documents.historyShape>],
  [`/v1/documents/${string}/pages/${string}`, ReturnType<typeof pageShape>],
  [`/v1/documents/${string}/diff${string}`, Difference],
  [`/v1/documents/${string}/original`, unknown],
  [`/v1/documents/${string}`, ReturnType<typeof documents.showShape>],
  [`/v1/documents${string}`, ReturnType<typeof documents.documentsShape>],
  [`/v1/permissions/matrix${string}`, Matrix],
  [`/v1/permissions/explain${string}`, ReturnType<typeof explanationShape>],
  [`/v1/permissions/decisions${string}`, ReturnType<typeof decisionsShape>],
  [`/v1/passages/${string}`, CitedPassage],
  [`/v1/jobs?${string}`, ReturnType<typeof documents.jobsShape>],
  [`/v1/jobs/${string}`, Job],
  [`/v1/conversations?${string}`, ReturnType<typeof conversationsShape>],
  [`/v1/conversations/${string}`, { readonly runs: readonly Run[] }],
  [`/v1/runs?${string}`, ReturnType<typeof logsShape>],
  [`/v1/runs/${string}`, Run],
];
type FirstThatFits<Path, All> = All extends [[infer Form, infer Answered], ...infer Others]
  ? Path extends Form
    ? Answered
    : FirstThatFits<Path, Others>
  : unknown;

/** The response to GET or POST of a path; `unknown` if the page does not read it. */
export type AnswerTo<Path extends string> = FirstThatFits<Path, Answers>;

/** The events of a stream, by its path. */
export type EventOf<Path extends string> = Path extends `/v1/jobs/${string}`
  ? { readonly name: string; readonly data: Job }
  : AnswerEvent;

/** A node, a text or a list of them; empty ones are skipped. */
export type Child = Node | string | false | null | undefined | readonly Child[];
/** A turn of the conversation before a question. */
export interface Turn {
  readonly role: "user" | "assistant";
  readonly text: string;
}
type Listeners = {
  readonly [Name in keyof HTMLElementEventMap as `on${Name}`]?: (event: HTMLElementEventMap[Name]) => unknown;
};
/** Attributes, listeners and states of an element. */
export type Properties = Listeners & {
  readonly dataset?: Readonly<Record<string, string>>;
  readonly hidden?: boolean;
  readonly disabled?: boolean;
} & { readonly [attribute: string]: unknown };

/** The letters below an element with their positions. */
export interface Letters {
  letters: string;
  places: { readonly node: Text; readonly offset: number; readonly end: number }[];
  stopped: { readonly element: HTMLElement; readonly at: number }[];
}
/** A range of letters; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A citation to open in the reader. */
export interface Opened {
  readonly chunkId: string;
  readonly quote: string;
  /** The sentence of the answer that cites it, or "". */
  readonly sentence: string;
  readonly marker: number;
  /** Gets the focus back when the reader closes. */
  readonly back: HTMLElement;
  /** Its position among the citations of the answer. */
  readonly position?: number;
  readonly count?: number;
  /** Goes to the previous or next citation. */
  readonly step?: (by: number) => void;
}
/** The contents of the reader's header. */
export interface Head extends Pick<Opened, "position" | "count" | "step"> {
  readonly file?: DocumentFile;
  readonly tools?: HTMLElement;
  readonly note?: readonly Child[];
}
/** The passage and quote to mark in a document. */
export interface Cited {
  readonly quote: string;
  readonly sentence: string;
  readonly text: string;
  readonly section: string;
  readonly boxes: readonly Box[];
}
/** A document to show, and where. */
export interface Shown {
  readonly file: DocumentFile;
  readonly page: number;
  readonly cited?: Cited;
  readonly body: HTMLElement;
  readonly tools: HTMLElement;
  /** False once the reader has moved on to something else. */
  readonly alive: () => boolean;
}
