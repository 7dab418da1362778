import { randomBytes, randomUUID } from "node:crypto";
import type { DocumentSummary } from "../../core/app.ts";
import { asRagctlError } from "../../core/errors.ts";
import type { Metadata } from "../../core/metadata/metadata.ts";
import type { AccessLevel } from "../../core/permission.ts";
import type { Instance } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import type { auditedSurfaces } from "../../shapes/permissions.ts";
import type { Chat } from "../ask/chat.ts";
import type { Home } from "../home.ts";
import type { Surface } from "../surface.ts";

export type AuditedSurfaceName = (typeof auditedSurfaces)[number];

/** The kinds of reply that a room can keep. */
export const replyKinds = ["answer", "refusal", "clarification", "greeting", "tool result", "error"] as const;
export type ReplyKind = (typeof replyKinds)[number];

/** A tool that needs a grant. */
export interface CanaryTool {
  readonly name: string;
  /** The question that it answers. */
  readonly question: string;
  /** A search term that occurs nowhere else. 28 hex characters. */
  readonly find: string;
}

/** A document whose existence must not be revealed without a permission. */
export interface Canary {
  /** Its file name, and the word in questions about it. 28 hex characters. */
  readonly word: string;
  /**
   * A question that finds it. The same question is asked where there is nothing, because a model's behaviour
   * depends on its words.
   */
  readonly question: string;
  /** Occurs in its text and title and is never typed. 28 hex characters. */
  readonly secret: string;
  readonly collection: string;
  readonly instance: Instance;
  /** The collection whose rules it is under. */
  readonly like: string;
  readonly path: string;
  readonly document: DocumentSummary;
  /** Id of its only chunk. */
  readonly chunk: string;
  /** Id of a run in which the owner asked about it. */
  readonly asked: string;
  /** Id of a job in which the owner requested its ingest. */
  readonly job: string;
  /** A private room of the owner. */
  readonly room: string;
  /** What was said in the room and occurs nowhere else. 28 hex characters. */
  readonly told: string;
  /** Public rooms; in each the owner got one kind of reply that involves the canary. */
  readonly replies: Readonly<Record<ReplyKind, string>>;
  /** The tool whose find is the reply of `tool result`. */
  readonly tool: CanaryTool;
}

/** The copy of a home that is audited, as a server needs it. */
export interface HomeCopy {
  readonly home: Home;
  readonly surface: Surface;
  /** Where uploads go; removed at the end. */
  readonly folder: string;
  /** A run of the owner. */
  readonly run: Run;
}

/** A room over its socket. */
export interface RoomTalk extends Disposable {
  /** Says something and waits until it is answered. */
  say(text: string): Promise<void>;
  /** Every received message, unchanged. */
  readonly received: readonly string[];
}

/** A copy as others reach it: by the handlers of a server and of assistants, without a socket. */
export interface ServedCopy extends AsyncDisposable {
  /** Answers a request with the principal's own key. */
  request(principal: string, path: string, init?: RequestInit): Promise<Response>;
  /** Opens a room's socket; a refusal comes back as its response. */
  room(principal: string, room: string): Promise<Response | RoomTalk>;
  /**
   * The result or the error of one message over stdin and stdout, where the tools that write are there too.
   */
  assistant(principal: string, method: string, params: object): Promise<unknown>;
  /** The ways to a canary that operations state. */
  attempts(canary: Canary): readonly Attempt[];
}

/** Serves a copy; `main.ts` knows how. */
export type ServeCopy = (copy: HomeCopy) => Promise<ServedCopy>;

/** Everything that a principal can call and that reveals, or changes, stored data. */
export interface AuditedSurface extends Omit<Surface, "chat"> {
  readonly chat: Chat;
  /** Name of the owner, who plants the canaries. */
  readonly owner: string;
  /** The same as others reach it; null where the library alone is tried. */
  readonly served: ServedCopy | null;
}

/** What came of an attempt. */
export interface AttemptOutcome {
  readonly failed: boolean;
  /** Everything that came back: JSON, a response with its status and headers, or code, message and hint. */
  readonly text: string;
}

/** One way to get at a canary. */
export interface Attempt {
  readonly surface: AuditedSurfaceName;
  readonly name: string;
  /** The route of a request, as `GET /v1/documents`; "" for other attempts. */
  readonly route: string;
  /** The level that would allow it. */
  readonly needs: AccessLevel;
  /** Where it is allowed it would change the canary, or give nothing: it is left out there. */
  readonly onlyDenied: boolean;
  /**
   * Whether it must succeed where it is allowed. Asking need not: it goes through an agent, which may be
   * given less.
   */
  readonly certain: boolean;
  /** Whether only who ran it, or the owner, may see it. */
  readonly own: boolean;
  /** Whether the rules about the room decide, and not those about the collection. */
  readonly room: boolean;
  /** Whether the folders the principal may ingest from decide, and not the rules about the collection. */
  readonly place: boolean;
  /** Whether the result must equal, word for word, the result for something that does not exist. */
  readonly compare: boolean;
  /** Strings that the attempt types and may therefore get back. */
  readonly typed: readonly string[];
  readonly work: (app: AuditedSurface, run: Run) => Promise<AttemptOutcome>;
}

/** The statement in a canary's document. */
export const canaryStatement = ({ word }: Pick<Canary, "word">): string =>
  `The canary ${word} sings at the gate.`;

/** The question that finds a canary. */
export const questionOf = ({ word }: Pick<Canary, "word">): string => `Where does the canary ${word} sing?`;

/** The key of its metadata that an attempt types; its value is the word. */
export const metadataKeyOf = ({ word }: Pick<Canary, "word">): string => `canary_${word}`;

/** Its metadata: a key that is typed, and one that is not. */
export const metadataOf = ({ word, secret }: Pick<Canary, "word" | "secret">): Metadata => ({
  [metadataKeyOf({ word })]: word,
  [`canary_${secret}`]: secret,
});

/** 28 random hex characters, which occur nowhere else. */
export const randomName = (): string => randomBytes(14).toString("hex");

/** Prefix of names that the audit creates, by which leftovers of a killed audit are recognized. */
export const prefix = "audit_";

/** A name for something that the audit creates. */
export const auditName = (): string => `${prefix}${randomName()}`;

/** A canary that was not planted. */
export function nonexistentCanary(canary: Canary): Canary {
  const word = randomName();
  const id = randomBytes(8).toString("hex");
  const path = canary.path.replaceAll(canary.word, word);
  return {
    ...canary,
    asked: randomUUID(),
    job: randomUUID(),
    room: auditName(),
    told: randomName(),
    word,
    secret: randomName(),
    collection: auditName(),
    path,
    document: { ...canary.document, id, name: `${word}.md`, path },
    chunk: `${randomBytes(8).toString("hex")}-0`,
    tool: { ...canary.tool, name: auditName() },
  };
}

/** A name with its last character but one left out. */
export const withTypo = (name: string): string => `${name.slice(0, -2)}${name.slice(-1)}`;

/**
 * An attempt by what it types; unless said otherwise it reads, the rules of the collection decide, and it
 * must succeed where it is allowed.
 */
export function defineAttempt(
  attempt: Pick<Attempt, "surface" | "name" | "typed" | "work"> & Partial<Pick<Attempt, "route">>,
  rest: Partial<Attempt> = {},
): Attempt {
  return {
    route: "",
    needs: "read",
    onlyDenied: false,
    certain: true,
    own: false,
    room: false,
    place: false,
    compare: false,
    ...attempt,
    ...rest,
  };
}

/** What came of a call of the library. */
export async function toOutcome(work: () => Promise<unknown>, { signal }: Run): Promise<AttemptOutcome> {
  try {
    return { failed: false, text: JSON.stringify(await work()) };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message, hint } = asRagctlError(thrown);
    return { failed: true, text: `${code}: ${message} → ${hint ?? ""}` };
  }
}

/** It names the thing: a hidden one must be indistinguishable from one that does not exist. */
export const named = { compare: true };
/** It may find nothing where it is allowed. */
export const hint = { certain: false };
/** It changes the canary. */
export const write = { compare: true, onlyDenied: true, needs: "write" as const };
/** The rules of its room decide. */
export const inRoom = { compare: true, room: true };
/** Only the owner may see it, and it may have nothing to show. */
export const owners = { compare: true, own: true, certain: false };
/** Only the owner may do it. */
export const ownerOnly = { compare: true, own: true, onlyDenied: true };
