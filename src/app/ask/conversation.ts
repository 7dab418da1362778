import type { Cache } from "../../cache/cache.ts";
import type { Settings } from "../../config/settings.ts";
import type { LanguageModel } from "../../core/answers/answer.ts";
import type { AskRequest } from "../../core/app.ts";
import type { Embedder } from "../../core/documents/embedding.ts";
import type { Instance, VectorStore } from "../../core/retrieval.ts";
import type { Run } from "../../core/run.ts";
import { openAgents } from "../../registry/company/agents.ts";
import type { Permissions } from "../../registry/company/permissions.ts";
import { openProviders } from "../../registry/company/providers.ts";
import { openTools } from "../../registry/company/tools.ts";
import type { Database } from "../../registry/database.ts";
import type { Documents } from "../../registry/documents/documents.ts";
import { openChats } from "../../registry/history/chats.ts";
import type { Runs } from "../../registry/history/runs.ts";
import type { Access } from "../access.ts";
import { openLanguageModels } from "../engines/language-models.ts";
import { routerVectors, type TextVectors } from "../engines/text-vectors.ts";
import { type AskParts, askQuestion, loadUtterances } from "./ask.ts";
import { type Chat, openChat } from "./chat.ts";
import type { AskContext } from "./graph-drivers.ts";
import { lenientMessages } from "./lenient-messages.ts";
import { openMessages } from "./messages.ts";
import type { Retrieval } from "./retrieval.ts";
import { sheetsOf, spreadsheetsOf } from "./sheets.ts";
import { openToolbox } from "./toolbox.ts";

/** What asking and talking need. */
export interface ConversationParts {
  readonly settings: Settings;
  readonly programVersion: string;
  readonly registry: Database;
  readonly access: Access;
  readonly documents: Pick<Documents, "latest">;
  readonly permissions: Pick<Permissions, "put">;
  readonly runs: Pick<Runs, "record">;
  readonly retrieval: Retrieval;
  readonly vectors: TextVectors;
  /** Vectors by another embedding model of the manifest. */
  readonly vectorsOf: (id: string) => TextVectors;
  readonly embedder: () => Promise<Embedder>;
  /** A local model by id, or with null the one of the settings; null where it is not installed. */
  readonly localModel: (id: string | null) => Promise<LanguageModel | null>;
  readonly cache: () => Promise<Cache>;
  readonly store: (instance: Instance) => Promise<VectorStore>;
  readonly secret: (name: string) => string | undefined;
  readonly environment: () => Readonly<Record<string, string>>;
  readonly resources: AsyncDisposableStack;
  /** A request with its collections and documents resolved among what may be read. @throws NOT_FOUND */
  readonly resolve: (request: AskRequest, run: Run) => AskRequest;
  /** Stands before the names of the collections of messages; an audit keeps its own apart. */
  readonly messageMark?: string;
}

export interface Conversation {
  ask(request: AskRequest, run: Run, context?: AskContext): ReturnType<typeof askQuestion>;
  readonly chat: Chat;
}

const alone: AskContext = { history: [], memory: null };

/** Joins agents, tools, models and rooms. */
export function openConversation(parts: ConversationParts): Conversation {
  const { settings, registry, access, vectors, localModel, secret, resources } = parts;
  const providers = openProviders(registry);
  const routing = routerVectors(
    () => {
      const row = providers
        .list("semantic_router")
        .find(({ active, provider }) => active && provider === "local");
      const id = row?.config["model"];
      return typeof id === "string" && id !== settings.embed.model ? id : undefined;
    },
    parts.vectorsOf,
    vectors,
  );
  const models = openLanguageModels({
    settings,
    providers,
    local: localModel,
    secret,
    isOwner: (run) => access.principal(run).kind === "owner",
    resources,
  });
  const toolbox = openToolbox({
    access,
    embed: (texts, purpose, run) => vectors.embed(texts, purpose, run),
    model: (agent, run) => models.of("llm", agent, run).model(),
    sheets: (collections, run) => sheetsOf(collections, parts, run),
    sheetsMark: (collections) =>
      spreadsheetsOf(collections, parts)
        .map(({ versionId }) => versionId)
        .join(" "),
    secret,
    environment: parts.environment,
    resources,
  });
  let utterances: ReturnType<typeof loadUtterances> | undefined;
  const asking: AskParts = {
    ...{ settings, access, vectors: routing, models, toolbox },
    programVersion: parts.programVersion,
    agents: openAgents(registry),
    tools: openTools(registry),
    documents: parts.documents,
    retrieval: parts.retrieval,
    utterances: () => {
      utterances ??= loadUtterances();
      return utterances;
    },
    record: parts.runs.record,
  };
  const chats = openChats(registry);
  const messages = openMessages({
    chats,
    embedder: parts.embedder,
    store: () => parts.store("private"),
    mark: parts.messageMark ?? "",
  });
  return {
    ask: (request, run, context = alone) => askQuestion(request, context, asking, run),
    chat: openChat({
      access,
      ...{ agents: asking.agents, tools: asking.tools, resolve: parts.resolve },
      chats,
      messages: lenientMessages(messages),
      permissions: parts.permissions,
      ask: (request, context, run) => askQuestion(request, context, asking, run),
      model: (run) => models.of("llm", null, run).model(),
    }),
  };
}
