import { embeddingModel } from "../../../app/engines/models.ts";
import { embedTexts } from "../../../app/engines/text-vectors.ts";
import { RagctlError } from "../../../core/errors.ts";
import { z } from "../../../core/schema.ts";
import { endpoint } from "../../define-route.ts";
import { json } from "../../reply.ts";
import { noModelError } from "./shared.ts";

const text = z.string().min(1).max(100_000);

const embeddingBody = z.looseObject({
  model: z.string().max(200).describe("The embedding model, as in GET /v1/models."),
  input: z
    .union([text, z.array(text).min(1).max(256)], "must be one text or up to 256 texts, not token ids")
    .describe("One text, or up to 256 texts."),
  encoding_format: z.enum(["float", "base64"]).nullish(),
  dimensions: z.int().min(1).nullish().describe("Must equal the model's dimensions, if given."),
  input_type: z
    .enum(["query", "passage"])
    .nullish()
    .describe(
      "Whether the texts are queries or passages, for models that distinguish them. Default: passage.",
    ),
});

const embeddingList = z.object({
  object: z.literal("list"),
  data: z.array(
    z.object({
      object: z.literal("embedding"),
      index: z.int().min(0),
      embedding: z
        .union([z.array(z.number()), z.string()])
        .describe("Vector of length 1; base64 of little-endian 32-bit floats if requested."),
    }),
  ),
  model: z.string(),
  usage: z.object({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) }),
});

/** 32-bit floats, little-endian whatever the machine is. */
function base64Of(vector: Float32Array): string {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4));
  for (const [at, value] of vector.entries()) bytes.setFloat32(at * 4, value, true);
  return Buffer.from(bytes.buffer).toString("base64");
}

/** Vectors by the embedding model of the home. */
export const embeddings = endpoint(
  "POST /v1/embeddings",
  "Embed texts with the embedding model of this home",
  {
    openAi: true,
    body: embeddingBody,
    answers: { 200: { description: "One vector per text, in the same order", schema: embeddingList } },
  },
  async ({ body }, { server, run, visitor }) => {
    using _slot = server.auth.limits.stream(visitor.principal);
    const { home } = server.app.parts;
    const model = await embeddingModel(home);
    if (body.model !== model) throw noModelError(body.model);
    const texts = typeof body.input === "string" ? [body.input] : body.input;
    const { vectors, tokens } = await embedTexts(
      await home.vectors.embedder(),
      texts,
      body.input_type ?? "passage",
      run.signal,
    );
    const dimensions = vectors[0]?.length ?? 0;
    if (body.dimensions != null && body.dimensions !== dimensions)
      throw new RagctlError(
        "REQUEST_INVALID",
        `${model} has ${dimensions} dimensions, not ${body.dimensions}`,
        { hint: "omit dimensions" },
      );
    const data = vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: body.encoding_format === "base64" ? base64Of(vector) : [...vector],
    }));
    return json({ object: "list", data, model, usage: { prompt_tokens: tokens, total_tokens: tokens } });
  },
);
