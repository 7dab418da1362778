import { z } from "../schema.ts";

/** Headings that the text of a chunk goes on under, as they are stored and cached. */
export const innerHeadingsSchema = z.array(
  z.object({ start: z.number(), depth: z.number(), text: z.string() }),
);

/** Where the rows of a chunk stand in a spreadsheet, as they are stored and cached. */
export const sheetPartsSchema = z.array(
  z.object({
    sheet: z.string(),
    columns: z.array(z.tuple([z.string(), z.string()])),
    rows: z.array(z.tuple([z.number(), z.number()])),
  }),
);
