import { z } from "../schema.ts";
import { placeUnits } from "./document.ts";

/** Headings inside the text of a chunk, as stored and cached. */
export const innerHeadingsSchema = z.array(
  z.object({ start: z.number(), depth: z.number(), text: z.string() }),
);

/** The position of a chunk's rows in a spreadsheet or its lines in a file, as stored and cached. */
export const sheetPartsSchema = z.array(
  z.object({
    sheet: z.string(),
    of: z.enum(placeUnits).exactOptional(),
    columns: z.array(z.tuple([z.string(), z.string()])),
    rows: z.array(z.tuple([z.number(), z.number()])),
  }),
);
