import { InvalidArgumentError, Option } from "commander";
import { type Format, formats } from "../../core/documents/formats.ts";
import { priorities } from "../../core/documents/queue.ts";
import { nearest } from "../../core/nearest.ts";
import { invalidValue, numberOf, numberWithin, repeated, wholeFrom } from "../../operations/derive/typed.ts";

/**
 * A flag with one value that may be given several times. Not variadic: `search --type pdf QUESTION` keeps its
 * question.
 */
export function listOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser(repeated((text) => text));
}

/** Restricts a question to collections. */
export function collectionOption(): Option {
  return listOption("-c, --collection <name>", "search only this collection; may be repeated (default: all)");
}

/** Number of search results to use. */
export function topKOption(what: string): Option {
  return new Option("-k, --top-k <n>", `${what} (default: retrieve.topK, 5)`).argParser(positiveInteger);
}

/** The text that chunks are cut from; same as `--set chunk.preset=…`. */
export const exportTypeOption = (): Option =>
  new Option(
    "--export-type <type>",
    "split documents by structure (doc_chunks: chunk.preset hybrid) or as running text (markdown: window)",
  ).choices(["doc_chunks", "markdown"]);

/** Who scores the first hits again; same as `--set retrieve.rerankModel=MODEL`. */
export const rerankerOption = (): Option =>
  new Option(
    "--reranker-model <model>",
    "id or hub name of the reranker (retrieve.rerankModel; default: off)",
  );

/** Where vectors are; same as `--set` of `milvus.publicUri` and `milvus.privateUri`. */
export const milvusOption = (): Option =>
  new Option(
    "--milvus-uri <uri>",
    "Milvus for both instances: address of a server, or a Milvus Lite file such as ./m.db (default: the home's)",
  );

/** What texts are embedded with; same as `--set embed.model=MODEL`. */
export const embeddingModelOption = (): Option =>
  new Option(
    "--embedding-model <model>",
    "id or folder of the embedding model (embed.model; default: bge-small-en-v1.5-int8)",
  );

/** Size of a chunk; same as `--set chunk.size=N`. */
export const chunkSizeOption = (): Option =>
  new Option(
    "--chunk-size <n>",
    "chunk size in characters, or in tokens for the presets hybrid and window (chunk.size; default: set by the preset)",
  ).argParser(positiveInteger);

/** What neighbouring chunks share; same as `--set chunk.overlap=N`. */
export const chunkOverlapOption = (): Option =>
  new Option(
    "--chunk-overlap <n>",
    "overlap of neighbouring chunks, in the unit of --chunk-size (chunk.overlap; default: set by the preset)",
  ).argParser(wholeNumber);

/** One of the choices, in any case. @throws InvalidArgumentError that lists them */
export function choiceFrom<Choice extends string>(text: string, choices: readonly Choice[]): Choice {
  const wanted = text.trim().toLowerCase();
  const choice = choices.find((each) => each === wanted);
  if (choice !== undefined) return choice;
  const near = nearest(wanted, choices);
  // The first sentence is the one that commander prints for its own choices.
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.${hint}`);
}

/** Commander's parser for a format: `PDF` and `.pdf` are `pdf`. */
export const formatFrom = (text: string): Format => choiceFrom(text.trim().replace(/^\./, ""), formats);

/** Commander's parser for a whole number of at least 1. */
export const positiveInteger = wholeFrom(1);

/** Commander's parser for a whole number of at least 0. */
export const wholeNumber = wholeFrom(0);

/** Commander's parser for a number from 0 to 1. */
export const share = numberWithin(0, 1);

/** Commander's parser for a version of a document: `2`, or `v2` as `ragctl history` shows it. */
export const versionNumber = (text: string): number => positiveInteger(text.trim().replace(/^v(?=\d)/i, ""));

/** Commander's parser for the priority of a job: `low`, `normal`, `high`, or a whole number. */
export function jobPriority(text: string): number {
  const named = Object.entries(priorities).find(([name]) => name === text.trim().toLowerCase())?.[1];
  const value = named ?? numberOf(text);
  if (!Number.isInteger(value)) throw invalidValue("must be low, normal, high or a whole number");
  return value;
}

/** Commander's parser for a port of TCP; 0 is any that is free. */
export function portNumber(text: string): number {
  const value = numberOf(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw invalidValue("must be a port from 0 to 65535");
  return value;
}
