import type { Gathered } from "../../../core/answers/agent.ts";
import type { Hit } from "../../../core/retrieval.ts";
import type { Run } from "../../../core/run.ts";
import { stripFormat } from "../../../language/asking/answer-form.ts";
import { inflectedForms } from "../../../language/asking/inflections.ts";
import { mentionQuerySubject } from "../../../language/asking/kinds/mentions.ts";
import { codesIn } from "../../../language/names.ts";
import { longFormOf } from "../../../language/synonyms.ts";
import { contentWords } from "../../../language/words.ts";
import { requestFilter } from "../../../pipeline/retrieve/request-filter.ts";
import { catchUnavailable } from "../../../pipeline/retrieve/unavailable.ts";
import type { AskHome, UnderstoodQuestion } from "../question.ts";

/** Passages of one collection that are looked at: where there are more, the answer says so. */
const mostPassages = 2000;

/** The words of a subject with their other forms, to search by; which passages have them is judged later. */
const searchWords = (subject: string): string =>
  contentWords(subject)
    .flatMap((word) => [
      word,
      ...codesIn(word.toUpperCase()).map(({ key }) => key),
      ...longFormOf(word.toLowerCase()),
      ...inflectedForms(word.toLowerCase()),
    ])
    .join(" ");

/**
 * For a question which documents mention something: all passages with its words, by the lexical route of each
 * collection; null for another question. A collection that cannot be searched is named by the search before.
 */
export async function findMentions(
  { text, agent, request, sight }: UnderstoodQuestion,
  collections: readonly string[],
  { documents, retrieval }: Pick<AskHome, "documents" | "retrieval">,
  run: Run,
): Promise<Required<Pick<Gathered, "hits" | "mentions">> | null> {
  const subject = mentionQuerySubject(stripFormat(text));
  if (subject === null) return null;
  const drivers = retrieval.drivers(run, agent, "lexical");
  const asked = { ...request, collections, mode: "lexical" as const };
  const targets = await drivers.targets(asked);
  const query = { text: searchWords(subject), limit: mostPassages, filter: requestFilter(asked, []) };
  const found = await Promise.all(
    targets.map(({ spec, store, embedder = drivers.embedder }) =>
      catchUnavailable(async () => {
        const [vector] =
          spec.lexical === "bm25"
            ? []
            : await (await embedder()).embed([subject], { purpose: "query" }, run.signal);
        const sparse = vector?.sparse === undefined ? {} : { sparse: vector.sparse };
        return (await store.search(spec.name, { ...query, ...sparse }, run.signal)).lexical;
      }, run),
    ),
  );
  const lists = found.filter((each): each is readonly Hit[] => Array.isArray(each));
  const names = request.documents;
  const searched = (await documents.asOf(collections, request.versions)).filter(
    ({ id }) => names === undefined || names.includes(id),
  );
  return {
    hits: lists.flat().toSorted((left, right) => right.score - left.score),
    mentions: {
      subject,
      documents: collections.length === 0 ? 0 : searched.length,
      isCut: lists.some((hits) => hits.length >= mostPassages),
      ...(agent !== null && collections.length < (await sight.searched()).length
        ? { narrowedBy: agent.name }
        : {}),
    },
  };
}
