import { open as openFile } from "node:fs/promises";
import type {
  ChatWrapper,
  Llama,
  LlamaContext,
  LlamaContextSequence,
  LlamaGrammar,
  LlamaModel,
  Token,
} from "node-llama-cpp";
import type { Message, ModelTool } from "../../core/answers/answer.ts";
import { RagctlError } from "../../core/errors.ts";
import { lazyMap } from "../../core/lazy.ts";
import { usableCores } from "./cores.ts";
import { type Conversed, type ConverseOptions, converse, functionsOf, historyOf } from "./llama-chat.ts";

/** Whether a graphics processor may be used: `auto` takes the best there is. */
export type GpuChoice = "auto" | false;

export interface LlamaSettings {
  readonly modelPath: string;
  /** Upper bound of the context, in tokens; the model's own training length bounds it too. */
  readonly contextTokens: number;
  readonly gpu: GpuChoice;
  /** Threads for evaluation; 0 takes the cores that help and that this process may run on. */
  readonly threads: number;
}

/** A loaded GGUF model with one sequence whose evaluated state stays between calls. */
export interface LlamaSession extends AsyncDisposable {
  readonly model: LlamaModel;
  readonly sequence: LlamaContextSequence;
  readonly contextTokens: number;
  /** `cpu`, `cuda`, `metal` or `vulkan`. */
  readonly provider: string;
  /** Release of llama.cpp. */
  readonly release: string;
  /**
   * The chat template of the model applied, with the tools that it is offered; text of messages is never read
   * as control tokens.
   */
  render(messages: readonly Message[], tools?: readonly ModelTool[]): Token[];
  /** Writes a reply that may call tools; what the sequence holds of its prompt is not evaluated again. */
  converse(
    messages: readonly Message[],
    tools: readonly ModelTool[],
    options: ConverseOptions,
  ): Promise<Conversed>;
  /** A fresh walk of a GBNF grammar. @throws USAGE_INVALID */
  grammarState(gbnf: string): Promise<GrammarState>;
}

/** Position inside a grammar; one per generated text. */
export type GrammarState = import("node-llama-cpp").LlamaGrammarEvaluationState;

interface Engine {
  readonly library: typeof import("node-llama-cpp");
  readonly llama: Llama;
}

async function startEngine(gpu: GpuChoice): Promise<Engine> {
  try {
    const library = await import("node-llama-cpp");
    const llama = await library.getLlama({
      gpu,
      build: "never",
      skipDownload: true,
      progressLogs: false,
      logLevel: library.LlamaLogLevel.disabled,
      logger: () => {},
    });
    return { library, llama };
  } catch (cause) {
    throw new RagctlError("RUNTIME_MISSING", "the llama.cpp runtime could not be started on this machine", {
      hint: "install its prebuilt binary with `npm install node-llama-cpp --include=optional`, or ask without a model: answers then quote the passages",
      cause,
    });
  }
}

/** The native engine, started once per choice of processor. @throws RUNTIME_MISSING */
const engine = lazyMap(startEngine);

/**
 * Only a file with a possible GGUF header is handed to the native loader: magic, version, and counts the file
 * is long enough for (a tensor's entry takes at least 24 bytes, a key's 13; absurd counts make loaders loop).
 * @throws MODEL_MISSING, MODEL_UNREADABLE
 */
async function checkHeader(modelPath: string): Promise<void> {
  const file = await openFile(modelPath, "r").catch((cause: unknown) => {
    throw new RagctlError("MODEL_MISSING", `cannot open the model file ${modelPath}`, {
      hint: "`ragctl models list` names what is installed; `ragctl models pull ID` downloads a model",
      cause,
    });
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(24), 0, 24, 0);
    const { size } = await file.stat();
    const possible =
      bytesRead === 24 &&
      buffer.toString("latin1", 0, 4) === "GGUF" &&
      [2, 3].includes(buffer.readUInt32LE(4)) &&
      24 + 24 * Number(buffer.readBigUInt64LE(8)) + 13 * Number(buffer.readBigUInt64LE(16)) <= size;
    if (!possible) throw unreadable(modelPath, undefined);
  } finally {
    await file.close();
  }
}

function unreadable(modelPath: string, cause: unknown): RagctlError {
  if (cause instanceof Error && cause.name === "InsufficientMemoryError") {
    return new RagctlError(
      "MODEL_UNREADABLE",
      `model ${modelPath} does not fit in the free memory of this machine`,
      {
        hint: "free some memory, lower the context length in the settings, or choose a smaller model",
        cause,
      },
    );
  }
  return new RagctlError("MODEL_UNREADABLE", `${modelPath} is not a readable GGUF model`, {
    hint: "the file is damaged or has another format; delete it and download it again with `ragctl models pull`",
    cause,
  });
}

/**
 * llama.cpp counts the cores of the machine, but a container or a service may be bound to fewer. Its threads
 * wait for each other by spinning: two of them on one core took minutes for a token.
 */
const ownCores = ({ cpuMathCores }: Llama): number => Math.min(cpuMathCores, usableCores());

/** Loads a model and makes one context for it. @throws MODEL_MISSING, MODEL_UNREADABLE, RUNTIME_MISSING */
export async function openLlama(settings: LlamaSettings): Promise<LlamaSession> {
  await checkHeader(settings.modelPath);
  const { library, llama } = await engine(settings.gpu);
  let model: LlamaModel | undefined;
  let context: LlamaContext;
  try {
    model = await llama.loadModel({ modelPath: settings.modelPath });
    context = await model.createContext({
      contextSize: Math.min(settings.contextTokens, model.trainContextSize),
      threads: settings.threads > 0 ? settings.threads : ownCores(llama),
    });
  } catch (cause) {
    await model?.dispose();
    throw unreadable(settings.modelPath, cause);
  }
  const loaded = model;
  const sequence = context.getSequence();
  const wrapper: ChatWrapper = library.resolveChatWrapper(loaded);
  const chat = new library.LlamaChat({ contextSequence: sequence, chatWrapper: wrapper });
  const grammars = new Map<string, Promise<LlamaGrammar>>();

  function grammarFor(gbnf: string): Promise<LlamaGrammar> {
    const cached = grammars.get(gbnf);
    if (cached !== undefined) return cached;
    const made = llama.createGrammar({ grammar: gbnf });
    if (grammars.size >= 16) grammars.clear();
    grammars.set(gbnf, made);
    return made;
  }

  return {
    model: loaded,
    sequence,
    contextTokens: context.contextSize,
    provider: llama.gpu === false ? "cpu" : llama.gpu,
    release: llama.llamaCppRelease.release,
    render(messages, tools = []) {
      const { contextText } = wrapper.generateContextState({
        chatHistory: historyOf(messages),
        availableFunctions: functionsOf(tools),
        documentFunctionParams: true,
      });
      return contextText.tokenize(loaded.tokenizer);
    },
    converse: (messages, tools, options) => converse(chat, messages, tools, options),
    async grammarState(gbnf) {
      try {
        return new library.LlamaGrammarEvaluationState({ model: loaded, grammar: await grammarFor(gbnf) });
      } catch (cause) {
        throw new RagctlError("USAGE_INVALID", "the output grammar is not valid GBNF", { cause });
      }
    },
    async [Symbol.asyncDispose]() {
      sequence.dispose();
      await context.dispose();
      await loaded.dispose();
    },
  };
}

/**
 * What llama.cpp would compute on: `cuda`, `metal`, `vulkan`; null when only the CPU. @throws RUNTIME_MISSING
 */
export async function gpuName(): Promise<string | null> {
  const { gpu } = (await engine("auto")).llama;
  return gpu === false ? null : gpu;
}
