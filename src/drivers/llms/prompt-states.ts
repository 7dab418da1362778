import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { LlamaContextSequence, Token } from "node-llama-cpp";
import { keepNewest } from "../newest-files.ts";

/**
 * Evaluated states of the fixed beginnings of prompts, as files that outlive the process, so that its first
 * answer evaluates only the rest.
 */
export interface PromptStates {
  /** Loads the state kept for `tokens` into a sequence; leaves the sequence unchanged where none is kept. */
  load(sequence: LlamaContextSequence, tokens: readonly Token[]): Promise<boolean>;
  /** Keeps the state of a sequence that holds `tokens` and nothing more. */
  save(sequence: LlamaContextSequence, tokens: readonly Token[]): Promise<void>;
}

/** What a state depends on in addition to its tokens. */
export interface PromptStateFacts {
  readonly modelPath: string;
  /** `cpu`, `cuda`, `metal` or `vulkan`. */
  readonly provider: string;
  /** Release of llama.cpp. */
  readonly release: string;
}

/**
 * Files that are kept, those used last, and the largest of them: 25 kB a token is usual for a small model.
 */
const maxFiles = 8;
const maxFileBytes = 32 * 1024 * 1024;
/** Bytes of a model file that are compared: GGUF names its tensors and their sizes first. */
const headBytes = 1024 * 1024;

/** States of no process but this one. */
export const noPromptStates: PromptStates = { load: async () => false, save: async () => undefined };

/**
 * States in `folder`, of one model. A file that does not carry its own checksum is removed, one of another
 * model, engine or processor has another name, and what cannot be read or written counts as not there.
 */
export async function createPromptStates(folder: string, facts: PromptStateFacts): Promise<PromptStates> {
  const model = await modelKey(facts).catch(() => undefined);
  if (model === undefined) return noPromptStates;
  const keyOf = (tokens: readonly Token[]): string => digest(JSON.stringify([model, tokens]));
  return {
    async load(sequence, tokens) {
      const key = keyOf(tokens);
      try {
        for (const name of await readdir(folder)) {
          if (!name.startsWith(`${key}.`) || name.endsWith(".tmp")) continue;
          const path = join(folder, name);
          // llama.cpp takes a damaged state for what it says, and may end the process over it.
          if (name === nameOf(key, await readFile(path))) {
            await sequence.loadStateFromFile(path, { acceptRisk: true });
            await utimes(path, new Date(), new Date());
            return true;
          }
          await rm(path, { force: true });
        }
      } catch {
        // Discard the partly loaded state; the tokens are evaluated again.
        await sequence.clearHistory();
      }
      return false;
    },
    async save(sequence, tokens) {
      const key = keyOf(tokens);
      const temporary = join(folder, `${key}.${randomUUID()}.tmp`);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const { fileSize } = await sequence.saveStateToFile(temporary);
        if (fileSize <= maxFileBytes)
          await rename(temporary, join(folder, nameOf(key, await readFile(temporary))));
        await keepNewest(folder, maxFiles);
      } catch {
        // The next process evaluates it again.
      } finally {
        await rm(temporary, { force: true }).catch(() => undefined);
      }
    },
  };
}

const digest = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex").slice(0, 32);

const nameOf = (key: string, content: Uint8Array): string => `${key}.${digest(content)}.state`;

/** Changes with the weights, the engine and what it computes on. */
async function modelKey({ modelPath, provider, release }: PromptStateFacts): Promise<string> {
  const file = await open(modelPath, "r");
  try {
    const { size, mtimeMs } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return JSON.stringify([release, provider, size, mtimeMs, digest(buffer.subarray(0, bytesRead))]);
  } finally {
    await file.close();
  }
}
