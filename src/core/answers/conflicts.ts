/** Where a document has a value. */
export interface ConflictSource {
  readonly documentId: string;
  readonly document: string;
  readonly collection: string;
  readonly chunkId: string;
  /** 1-based; empty where the format has none. */
  readonly pages: readonly number[];
  /** The row of the table. */
  readonly quote: string;
}

/** A value as the table writes it, with the documents that have it. */
export interface ConflictValue {
  readonly text: string;
  readonly sources: readonly ConflictSource[];
}

/** A row and a period that documents about the same thing give different values. */
export interface Conflict {
  readonly row: string;
  /** A year, a day, or months up to a day. */
  readonly period: string;
  readonly values: readonly ConflictValue[];
  /** Figures that the two tables share: the more, the surer that they are the same table. */
  readonly agreeing: number;
}

export interface ConflictReport {
  /** The surest first. */
  readonly conflicts: readonly Conflict[];
  /** Documents that were compared. */
  readonly documents: number;
}
