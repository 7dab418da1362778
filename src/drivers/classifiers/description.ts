import { readFile } from "node:fs/promises";
import { RagctlError } from "../../core/errors.ts";
import { z } from "../../core/schema.ts";

/** The members of a model's config.json that a classifier of text pairs needs. */
export interface ClassifierDescription {
  /** Names of the outputs, by their position. */
  readonly labels: readonly string[];
  /** Longest input, special tokens included. */
  readonly maxTokens: number;
}

/** The part of a config.json that is read here; the library reads the rest. */
const configSchema = z.looseObject({
  architectures: z.array(z.string()).min(1),
  model_type: z.string(),
  max_position_embeddings: z.int().positive(),
  pad_token_id: z.int().nonnegative().default(0),
  id2label: z.record(z.string().regex(/^\d{1,4}$/), z.string()).default({ 0: "LABEL_0", 1: "LABEL_1" }),
});

/**
 * Families whose positions begin after the padding token's, so that texts cannot use that many places of the
 * table.
 */
const paddedPositions = /roberta|camembert|^xlm/;

const fetchAgain =
  "download it again with `ragctl models pull`, or copy the whole folder from the model's page";

/**
 * Reads config.json of a sequence classifier.
 * @throws MODEL_MISSING, MODEL_UNREADABLE naming the architecture where it is none
 */
export async function readDescription(path: string): Promise<ClassifierDescription> {
  let content: string;
  try {
    content = await readFile(path, "utf8");
  } catch (cause) {
    throw new RagctlError("MODEL_MISSING", `cannot read ${path}`, { hint: fetchAgain, cause });
  }
  let config: z.infer<typeof configSchema>;
  try {
    config = configSchema.parse(JSON.parse(content));
  } catch (cause) {
    throw new RagctlError("MODEL_UNREADABLE", `${path} is not a model's config.json`, {
      hint: fetchAgain,
      cause,
    });
  }
  const [architecture = ""] = config.architectures;
  if (!architecture.endsWith("ForSequenceClassification")) {
    throw new RagctlError(
      "MODEL_UNREADABLE",
      `${path} describes a ${architecture}, which cannot classify pairs`,
      {
        hint: "use a model whose architecture ends with ForSequenceClassification",
      },
    );
  }
  const unused = paddedPositions.test(config.model_type) ? config.pad_token_id + 1 : 0;
  return {
    labels: Array.from({ length: Object.keys(config.id2label).length }, (_, at) => config.id2label[at] ?? ""),
    maxTokens: config.max_position_embeddings - unused,
  };
}
