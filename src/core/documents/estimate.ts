/** The time an ingest is expected to take, before it starts. */
export interface IngestEstimate {
  /** Files that will be read; unchanged ones are left out. */
  readonly files: number;
  readonly bytes: number;
  readonly durationMs: number;
  /** In order; phases overlap, so that together they can take longer than `durationMs`. */
  readonly phases: readonly { readonly phase: string; readonly durationMs: number }[];
  /**
   * Expected time of a PDF page read by OCR, ms. `durationMs` leaves these pages out, since nobody knows how
   * many there are before the files are read. Absent if no file can have any.
   */
  readonly ocrPageMs?: number;
  /** Whether every rate of the estimate was measured by past ingests on this machine, or some are assumed. */
  readonly rates: "measured" | "assumed";
}

/** What became of an estimate. */
export interface EstimateReport extends IngestEstimate {
  readonly usedMs: number;
  /** (used − expected) ÷ expected. */
  readonly error: number;
  readonly phases: readonly {
    readonly phase: string;
    readonly durationMs: number;
    readonly usedMs: number;
    /** As above; 0 for a phase that was not expected to take time. */
    readonly error: number;
  }[];
}
