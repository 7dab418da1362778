import { squeeze } from "../blocks.ts";
import { box, type Matrix, multiply } from "../page/geometry.ts";
import type { Piece } from "../page/pieces.ts";
import { type Button, placeButtons } from "./buttons.ts";
import type { PdfDocument, PdfPage } from "./open.ts";

/**
 * What a page's annotations add: values of fields and free text in their places, comments as separate lines.
 */
export interface PdfNotes {
  readonly pieces: readonly Piece[];
  readonly comments: readonly string[];
}

/** Of a page without annotations. */
export const noAnnotations: PdfNotes = { pieces: [], comments: [] };

/** The part of pdf.js's annotations that is used. */
interface Annotation {
  readonly subtype?: string;
  readonly rect?: readonly number[];
  readonly fieldType?: string;
  readonly fieldName?: string;
  readonly fieldValue?: unknown;
  readonly checkBox?: boolean;
  readonly radioButton?: boolean;
  readonly buttonValue?: unknown;
  readonly hidden?: boolean;
  /** Of the appearances the file has for it, the one that is shown. */
  readonly appearance?: string;
  readonly contentsObj?: { readonly str: string };
  readonly titleObj?: { readonly str: string };
}

function fieldText({ fieldValue }: Annotation): string {
  if (Array.isArray(fieldValue)) return fieldValue.filter((value) => typeof value === "string").join(", ");
  return typeof fieldValue === "string" ? fieldValue : "";
}

/** Whether a button is shown as chosen: by the appearance that the file names, else by its field's value. */
function isOn({ fieldValue, checkBox, buttonValue, appearance }: Annotation): boolean {
  if (appearance !== undefined) return appearance !== "Off";
  if (typeof fieldValue !== "string" || fieldValue === "" || fieldValue === "Off") return false;
  return checkBox === true || fieldValue === buttonValue;
}

function buttonOf(annotation: Annotation, viewport: Matrix): Button {
  const [left = 0, bottom = 0, right = 0, top = 0] = annotation.rect ?? [];
  return {
    ...box(viewport, left, bottom, right - left, top - bottom),
    // Checkboxes of one name are one setting, shown in several places.
    field: annotation.radioButton === true ? (annotation.fieldName ?? "") : "",
    isOn: isOn(annotation),
  };
}

function isShown({ subtype, hidden }: Annotation): boolean {
  return subtype !== "Link" && subtype !== "Popup" && hidden !== true;
}

/** The lines of a field or of free text, each in its place. */
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

/** Reads a page's fields and comments in addition to the text of `shown`; damaged ones count as none. */
export async function readNotes(page: PdfPage, viewport: Matrix, shown: readonly Piece[]): Promise<PdfNotes> {
  const found = await page.getAnnotations().catch(() => undefined);
  const annotations = ((found ?? []) as readonly Annotation[]).filter(isShown);
  const buttons = annotations
    .filter((each) => isButton(each) && (each.checkBox === true || each.radioButton === true))
    .map((each) => buttonOf(each, viewport));
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
