import type { Block } from "../../../../core/documents/document.ts";
import type { Unsaid } from "../../blocks.ts";
import { chartBlocks } from "../chart.ts";
import { boxBlocks, diagramBlocks } from "../drawing.ts";
import { removeHiddenOdfText, resolveTextStyles } from "../odf/unsaid.ts";
import { type LoadXml, relations } from "../xml.ts";
import { createZip, readParts } from "../zip.ts";
import { formulaWarnings } from "./formulas.ts";
import { hiddenInOds, hiddenInXlsx, hiddenWarnings } from "./hidden.ts";
import { struckCells, struckStyles } from "./struck.ts";

/** What the package of a workbook says of a sheet in addition to what the library reads. */
export interface SheetFacts {
  /** Text boxes, charts and diagrams. */
  readonly drawn: readonly Block[];
  /** Addresses of cells that are struck out. */
  readonly struck: ReadonlySet<string>;
  readonly warnings: readonly string[];
}

/** What is read of a workbook's package. */
interface PackageFacts {
  /** The package for the library. */
  readonly bytes: Uint8Array;
  readonly sheets: ReadonlyMap<string, SheetFacts>;
}

/** Parts of an XLSX file that say where its sheets are and what they show. */
const xlsxParts =
  /^xl\/(?:workbook\.xml|styles\.xml|_rels\/|charts\/chart|diagrams\/data|worksheets\/|chartsheets\/_rels\/|drawings\/)/;
/** Parts of an ODS file. */
const odsParts = /^(?:mimetype|content\.xml|styles\.xml|meta\.xml|settings\.xml|META-INF\/manifest\.xml)$/;

/** Blocks of the drawings of a sheet. */
function drawnOn(part: string, parts: ReadonlyMap<string, string>, load: LoadXml): Block[] {
  const text = (name: string) => parts.get(name) ?? "";
  const drawings = [...relations(parts, part, load).values()].filter(({ type }) => type === "drawing");
  return drawings.flatMap(({ target: drawing }) => [
    ...boxBlocks(text(drawing), load),
    ...[...relations(parts, drawing, load).values()].flatMap(({ type, target }) => {
      if (type === "chart") return chartBlocks(text(target), load, []);
      return type === "diagramData" ? diagramBlocks(text(target), load, []) : [];
    }),
  ]);
}

function factsOfXlsx(parts: ReadonlyMap<string, string>, load: LoadXml): ReadonlyMap<string, SheetFacts> {
  const targets = relations(parts, "xl/workbook.xml", load);
  const styles = struckStyles(parts.get("xl/styles.xml") ?? "", load);
  const sheets = load(parts.get("xl/workbook.xml") ?? "")("sheet").toArray();
  return new Map(
    sheets.map(({ attribs }) => {
      const { name = "", "r:id": id = "" } = attribs;
      const part = targets.get(id)?.target ?? "";
      const xml = parts.get(part) ?? "";
      return [
        name,
        {
          drawn: drawnOn(part, parts, load),
          struck: struckCells(xml, styles),
          warnings: [...formulaWarnings(name, xml), ...hiddenWarnings(name, hiddenInXlsx(xml))],
        },
      ];
    }),
  );
}

/** Whether the styles of an ODS file may strike or hide text. */
const mayBeUnsaid = /text-line-through-(?:style|type)="(?!none")|text:display="none"/;

/** What a workbook's package says of its sheets; text of an ODS file that is struck out or hidden is taken out. */
export async function readPackage(
  bytes: Uint8Array,
  name: string,
  load: LoadXml,
  unsaid: Unsaid,
): Promise<PackageFacts> {
  const parts = await readParts(bytes, name, (part) => xlsxParts.test(part) || odsParts.test(part));
  const content = parts.get("content.xml");
  if (content === undefined) return { bytes, sheets: factsOfXlsx(parts, load) };
  const sheets = new Map(
    [...hiddenInOds(content)].map(([sheet, hidden]) => [
      sheet,
      { drawn: [], struck: new Set<string>(), warnings: hiddenWarnings(sheet, hidden) },
    ]),
  );
  const styles = parts.get("styles.xml") ?? "";
  if (!mayBeUnsaid.test(content) && !mayBeUnsaid.test(styles)) return { bytes, sheets };
  const $ = load(content);
  removeHiddenOdfText($, resolveTextStyles([load(styles), $]), unsaid);
  return { bytes: await createZip(new Map([...parts, ["content.xml", $.xml()]])), sheets };
}
