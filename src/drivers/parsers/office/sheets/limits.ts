/** How much of one sheet or one CSV is read; what is beyond is counted and said in a warning. */
export const sheetLimits = { maxRows: 100_000, maxColumns: 1_000, maxCells: 2_000_000 } as const;
