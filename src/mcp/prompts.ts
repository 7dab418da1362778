import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { cleanLine } from "../pipeline/answer/clean.ts";
import { dataNotice } from "./text.ts";

/** A task that a user can choose; the text names the tools for it. */
interface Offer {
  readonly listing: Prompt;
  text(given: Readonly<Record<string, string>>): string;
}

/** Longest argument, in characters: that of a question. */
const maxCharacters = 4000;

const offers: readonly Offer[] = [
  {
    listing: {
      name: "answer_with_citations",
      title: "Answer with citations",
      description: "Answer a question from the documents and cite a document and page for each statement.",
      arguments: [
        { name: "question", description: "The question.", required: true },
        { name: "collection", description: "Collection to search. Default: all." },
      ],
    },
    text: ({ question = "", collection }) =>
      `Answer this question from my documents alone: ${question}

1. Call search${collection === undefined ? "" : ` with collections ["${collection}"]`}; search again in other words for whatever the passages leave open.
2. Read the page or section around a passage (read_document, read_section) before you rely on it.
3. Answer in the language of the question. After each statement, name its document and page in brackets.
4. Say which part of the question the documents do not answer. Add nothing of your own.`,
  },
  {
    listing: {
      name: "compare_documents",
      title: "Compare two documents",
      description: "Show where two documents agree, differ, or stand alone.",
      arguments: [
        { name: "first", description: "Id or name of the first document.", required: true },
        { name: "second", description: "Id or name of the second document.", required: true },
        { name: "subject", description: "Subject to compare. Default: everything." },
      ],
    },
    text: ({ first = "", second = "", subject }) =>
      `Compare these two of my documents${subject === undefined ? "" : ` as to ${subject}`}: "${first}" and "${second}".

1. Call outline for each, and read the sections that matter with read_section.
2. Show in a table what both say, where they differ, and what only one of them says. Quote figures, dates and limits as they are, each with its page.
3. End with the differences that change what a reader has to do.`,
  },
  {
    listing: {
      name: "summarize_section",
      title: "Summarize a section",
      description: "List the main points of a section, with pages.",
      arguments: [
        { name: "document", description: "Id or name of the document.", required: true },
        { name: "section", description: "Heading of the section. Default: the whole document." },
      ],
    },
    text: ({ document = "", section }) =>
      section === undefined
        ? `Summarize my document "${document}".

1. Call outline, then read every section with read_section, up to the end of each.
2. Give the main points in at most ten sentences, each with its page. Keep figures, dates and conditions.
3. Name what you could not read.`
        : `Summarize the section "${section}" of my document "${document}".

1. Call read_section with both, up to its end; outline lists the sections if there is no such heading.
2. Give the main points in at most ten sentences, each with its page. Keep figures, dates and conditions.`,
  },
];

export const prompts: Prompt[] = offers.map(({ listing }) => listing);

/** The message that a prompt becomes. @throws ProtocolError for an unknown one and for wrong arguments */
export function promptFor(name: string, given: Readonly<Record<string, string>> = {}): GetPromptResult {
  const offer = offers.find(({ listing }) => listing.name === name);
  if (offer === undefined) throw invalid(`there is no prompt "${name}"; prompts/list lists the prompts`);
  const known = offer.listing.arguments ?? [];
  const unknown = Object.keys(given).find((each) => !known.some((argument) => argument.name === each));
  if (unknown !== undefined) throw invalid(`${name} has no argument "${unknown}"`);
  const filled = Object.entries(given)
    .map(([key, value]) => [key, cleanLine(value).trim()] as const)
    .filter(([, value]) => value !== "");
  const long = filled.find(([, value]) => value.length > maxCharacters);
  if (long !== undefined)
    throw invalid(`the argument "${long[0]}" has more than ${maxCharacters} characters`);
  const values = Object.fromEntries(filled);
  const absent = known.find((argument) => argument.required === true && values[argument.name] === undefined);
  if (absent !== undefined) throw invalid(`the argument "${absent.name}" of ${name} is missing`);
  const text = `${offer.text(values)}\n\n${dataNotice}`;
  const { description } = offer.listing;
  return {
    ...(description === undefined ? {} : { description }),
    messages: [{ role: "user", content: { type: "text", text } }],
  };
}

const invalid = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);
