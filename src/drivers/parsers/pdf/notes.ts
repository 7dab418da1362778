import { squeeze } from "../blocks.ts";
import { box, type Matrix, multiply } from "../page/geometry.ts";
import type { Piece } from "../page/pieces.ts";
import { type Button, placeButtons } from "./buttons.ts";
import type { PdfObjects } from "./file/objects.ts";
import type { PdfDocument, PdfPage } from "./open.ts";

/**
 * What a page's annotations add: values of fields and free text where they stand, comments as lines of their
 * own.
 */
export interface Notes {
  readonly pieces: readonly Piece[];
  readonly comments: readonly string[];
}

/** Of a page without annotations. */
export const noNotes: Notes = { pieces: [], comments: [] };

/** The part of pdf.js's annotations that is used. */
interface Annotation {
  /** Number of its object, with an R. */
  readonly id?: string;
  readonly subtype?: string;
  readonly rect?: readonly number[];
  readonly fieldType?: string;
  readonly fieldName?: string;
  readonly fieldValue?: unknown;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly buttonValue?: unknown;
  readonly hidden?: boolean;
  readonly contentsObj?: { readonly str: string };
  readonly titleObj?: { readonly str: string };
}

/** Whether a page has annotations other than links; without the file's objects, undefined. */
export function hasNotes(objects: PdfObjects, pageNumber: number): boolean {
  const list = objects.resolve(objects.dictionary({ ref: pageNumber })?.get("/Annots"));
  if (!Array.isArray(list)) return false;
  return list.slice(0, 5000).some((entry) => {
    const kind = objects.resolve(objects.dictionary(entry)?.get("/Subtype"));
    return typeof kind === "string" && kind !== "/Link" && kind !== "/Popup";
  });
}

function fieldText({ fieldValue }: Annotation): string {
  if (Array.isArray(fieldValue)) return fieldValue.filter((value) => typeof value === "string").join(", ");
  return typeof fieldValue === "string" ? fieldValue : "";
}

/** Whether a button is shown as chosen: by the appearance that the file names, else by its field's value. */
function isOn(annotation: Annotation, objects: PdfObjects | undefined): boolean {
  const { id = "", fieldValue, checkBox, buttonValue } = annotation;
  const widget = objects?.dictionary({ ref: Number.parseInt(id, 10) });
  const appearance = objects?.resolve(widget?.get("/AS"));
  if (typeof appearance === "string") return appearance !== "/Off";
  if (typeof fieldValue !== "string" || fieldValue === "" || fieldValue === "Off") return false;
  return checkBox === true || fieldValue === buttonValue;
}

function buttonOf(annotation: Annotation, objects: PdfObjects | undefined, viewport: Matrix): Button {
  const [left = 0, bottom = 0, right = 0, top = 0] = annotation.rect ?? [];
  return {
    ...box(viewport, left, bottom, right - left, top - bottom),
    // Checkboxes of one name are one setting, shown in several places.
    field: annotation.radioButton === true ? (annotation.fieldName ?? "") : "",
    isOn: isOn(annotation, objects),
  };
}

function isShown({ subtype, hidden }: Annotation): boolean {
  return subtype !== "Link" && subtype !== "Popup" && hidden !== true;
}

/** The lines of a field or of free text, each where it stands. */
function placeNote(text: string, rect: readonly number[], viewport: Matrix): Piece[] {
  const [left = 0, bottom = 0, right = 0, top = 0] = rect;
  const lines = text.split(/\r\n|\r|\n/).filter((line) => line.trim() !== "");
  const height = Math.min(14, (top - bottom) / Math.max(1, lines.length) / 1.15);
  return lines.map((line, index) => {
    const [, , , , x, y] = multiply([1, 0, 0, 1, left, top - (index + 1) * height * 1.1], viewport);
    return {
      text: squeeze(line),
      x0: x,
      x1: x + Math.min(right - left, squeeze(line).length * height * 0.5),
      y,
      size: Math.max(4, height * 0.85),
      font: "field",
      mono: false,
      rtl: false,
      role: "",
    };
  });
}

function commentText(text: string, { titleObj }: Annotation): string {
  const author = squeeze(titleObj?.str ?? "");
  return `Comment${author === "" ? "" : ` by ${author}`}: ${squeeze(text)}`;
}

const isButton = ({ subtype, fieldType }: Annotation) => subtype === "Widget" && fieldType === "Btn";

/** Reads a page's fields and comments beside the text of `shown`; damaged ones count as none. */
export async function readNotes(
  page: PdfPage,
  objects: PdfObjects | undefined,
  viewport: Matrix,
  shown: readonly Piece[],
): Promise<Notes> {
  const found = await page.getAnnotations().catch(() => undefined);
  const annotations = ((found ?? []) as readonly Annotation[]).filter(isShown);
  const buttons = annotations
    .filter((each) => isButton(each) && (each.checkBox === true || each.radioButton === true))
    .map((each) => buttonOf(each, objects, viewport));
  const pieces = placeButtons(buttons, shown);
  const comments: string[] = [];
  for (const annotation of annotations.filter((each) => !isButton(each))) {
    const isField = annotation.subtype === "Widget";
    const text = isField ? fieldText(annotation) : (annotation.contentsObj?.str ?? "");
    if (squeeze(text) === "") continue;
    if (isField || annotation.subtype === "FreeText")
      pieces.push(...placeNote(text, annotation.rect ?? [], viewport));
    else comments.push(commentText(text, annotation));
  }
  return { pieces, comments };
}

/** Names of the files a PDF carries. */
export async function attachmentNames(document: PdfDocument): Promise<readonly string[]> {
  const files = await document.getAttachments().catch(() => null);
  if (files === null) return [];
  return (files instanceof Map ? [...files.keys()] : Object.keys(files))
    .map((name) => squeeze(String(name)))
    .filter((name) => name !== "");
}
