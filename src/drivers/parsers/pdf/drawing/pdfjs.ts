// The parts of the half of pdf.js that reads files which the drawing of a page is read by.

/** A dictionary of the file; `get` follows references and decrypts. */
export interface Dict {
  get(name: string): unknown;
  getArray(name: string): unknown;
  has(name: string): boolean;
  /** Number of the object, for one that the file refers to. */
  readonly objId?: string | null;
}

/** A stream of the file, unpacked while it is read. */
export interface FileStream {
  readonly dict?: Dict;
  /** The stream it is unpacked or decrypted from. */
  readonly stream?: FileStream;
  readonly str?: FileStream;
  /** Length in bytes of a stream that is read directly from the file. */
  readonly length?: number;
  getBytes(length?: number): Uint8Array;
  getString(): string;
  reset(): void;
}

/** A colour space; `getRgb` gives three values up to 255. */
export interface ColorSpace {
  readonly name: string;
  readonly numComps: number;
  getRgb(color: readonly number[], start: number): ArrayLike<number>;
}

/** The state of the text evaluator, which `q` copies; `drawn` is ours, what pdf.js does not keep for text. */
export interface TextState {
  readonly ctm: ArrayLike<number>;
  readonly textMatrix: ArrayLike<number>;
  readonly textLineMatrix: ArrayLike<number>;
  readonly leading: number;
  readonly textRise: number;
  drawn?: unknown;
}

/** Whether a value of the file is a dictionary. */
export const isDict = (value: unknown): value is Dict =>
  typeof value === "object" && value !== null && "getArray" in value;

/** Whether a value of the file is a stream. */
export const isStream = (value: unknown): value is FileStream =>
  typeof value === "object" && value !== null && "getBytes" in value;

/** The name in a value of the file; "" for any other value. */
export const nameOf = (value: unknown): string =>
  typeof value === "object" && value !== null && "name" in value && typeof value.name === "string"
    ? value.name
    : "";
