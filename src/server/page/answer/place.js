import { t } from "../core/text.js";

/** @import { Source } from "../shapes.d.ts" */

/** The place of a source within its document. @param {Pick<Source, "section" | "cells">} place */
export const withinOf = ({ section, cells }) => {
  // The label of a page says nothing of the section; cells begin with their sheet, which is all of it.
  const isLabelled = cells.every((cell) => cell.startsWith("labelled "));
  return (isLabelled ? [...cells, section] : cells).filter((part) => part !== "").join(", ");
};

/** A source with its document, on one line. @param {Source} source */
export const placeOf = ({ source_file, page_number, ...citation }, between = ", ") =>
  [source_file, page_number === null ? "" : t("page", { page: page_number }), withinOf(citation)]
    .filter((part) => part !== "")
    .join(between);
