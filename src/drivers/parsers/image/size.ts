/** Width and height that an image file declares, without decoding it; undefined where its kind is not known or its head is cut. */
export function imageSize(
  bytes: Uint8Array,
): { readonly width: number; readonly height: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tag = (at: number, text: string) =>
    at + text.length <= bytes.length &&
    [...text].every((sign, index) => bytes[at + index] === sign.charCodeAt(0));
  if (tag(1, "PNG") && bytes.length >= 24) return { width: view.getUint32(16), height: view.getUint32(20) };
  if (tag(0, "GIF8") && bytes.length >= 10)
    return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  if (tag(0, "BM") && bytes.length >= 26)
    return { width: Math.abs(view.getInt32(18, true)), height: Math.abs(view.getInt32(22, true)) };
  if (tag(0, "RIFF") && tag(8, "WEBP") && bytes.length >= 30) {
    if (tag(12, "VP8X"))
      return {
        width: 1 + (view.getUint32(24, true) & 0xff_ff_ff),
        height: 1 + (view.getUint32(26, true) >>> 8),
      };
    if (tag(12, "VP8L")) {
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3f_ff), height: 1 + ((bits >>> 14) & 0x3f_ff) };
    }
    return { width: view.getUint16(26, true) & 0x3f_ff, height: view.getUint16(28, true) & 0x3f_ff };
  }
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined;
  // JPEG: segments of a marker and a length; the frame header (SOF0 to SOF15, without tables) holds the size.
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}
