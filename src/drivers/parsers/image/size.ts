export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

function webpSize(view: DataView, form: string): ImageSize {
  if (form === "VP8X")
    return {
      width: 1 + (view.getUint32(24, true) & 0xff_ff_ff),
      height: 1 + (view.getUint32(26, true) >>> 8),
    };
  if (form === "VP8L") {
    const bits = view.getUint32(21, true);
    return { width: 1 + (bits & 0x3f_ff), height: 1 + ((bits >>> 14) & 0x3f_ff) };
  }
  return { width: view.getUint16(26, true) & 0x3f_ff, height: view.getUint16(28, true) & 0x3f_ff };
}

/** Markers of a JPEG's frame header: SOF0 to SOF15 without those of tables. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Walks the segments of a JPEG, each a marker and a length, to the frame header, which holds the size. */
function jpegSize(view: DataView): ImageSize | undefined {
  let at = 2;
  while (at + 9 < view.byteLength) {
    if (view.getUint8(at) !== 0xff) return undefined;
    const marker = view.getUint8(at + 1);
    if (isFrame(marker)) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    // A marker may be filled up with any number of 0xff before it.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/**
 * Width and height that an image file declares, without decoding it; undefined where its kind is not known or
 * its head is cut.
 */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(16, bytes.byteLength)).toString("latin1");
  if (head.startsWith("PNG", 1) && bytes.length >= 24)
    return { width: view.getUint32(16), height: view.getUint32(20) };
  if (head.startsWith("GIF8") && bytes.length >= 10)
    return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (head.startsWith("BM") && bytes.length >= 26)
    return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
  if (head.startsWith("RIFF") && head.startsWith("WEBP", 8) && bytes.length >= 30)
    return webpSize(view, head.slice(12));
  return head.startsWith("\u00ff\u00d8") ? jpegSize(view) : undefined;
}
