/**
 * Letters of other alphabets and small capitals that look like one of these, after NFKC: those of Unicode's
 * confusables.txt (Technical Standard #39) that stand for a single letter of Latin.
 */
const lookalikes: Readonly<Record<string, string>> = {
  a: "ɑαаΑАᎪᗅꓮᴀ",
  b: "ƄЬᏏᑲᖯꞴΒВᏴᗷꓐʙ",
  c: "ᴄⲥсꮯⲤСᏟꓚ",
  d: "ԁᏧᑯꓒᎠᗞᗪꓓᴅ",
  e: "ꬲеҽΕЕⴹᎬꓰᴇ",
  f: "ꬵꞙẝքꞘϜᖴꓝ",
  g: "ɡᶃƍցԌᏀᏳꓖɢ",
  h: "һհᏂΗⲎНᎻᕼꓧʜ",
  i: "ıɪɩιіꙇӏꭵᎥƖΙⲒІӀ",
  j: "ϳјꞲͿЈᎫᒍꓙᴊ",
  k: "ΚⲔКᏦꓗᴋ",
  l: "ǀⵏꓲⳐᏞᒪꓡʟ",
  m: "ΜϺⲘМᎷᗰꓟᴍ",
  n: "ոռΝⲚꓠɴ",
  o: "ᴏᴑꬽοσⲟоჿօΟⲞОՕⵔꓳ",
  p: "ρⲣрΡⲢРᏢᑭꓑᴘ",
  q: "ԛգզⵕ",
  r: "ꭇꭈᴦⲅгꮁƦᎡᏒᖇꓣʀ",
  s: "ꜱƽѕꮪЅՏᏕᏚꓢ",
  t: "ΤⲦТᎢꓔᴛ",
  u: "ꞟᴜꭎꭒʋυսՍᑌꓴ",
  v: "ᴠνѵꮩѴⴸᏙᐯꓦ",
  w: "ɯᴡѡԝաꮃԜᎳᏔꓪ",
  x: "хᕁᕽꞳΧⲬХⵝꓫ",
  y: "ɣᶌʏỿꭚγуүყΥⲨУҮᎩᎽꓬ",
  z: "ᴢꮓΖᏃꓜ",
};

/** Where the alphabets of white letters on circles and squares, and of flags, begin. */
const enclosed = [0x1f150, 0x1f170, 0x1f1e6];

const pairs = Object.entries(lookalikes).flatMap(([latin, letters], place) => [
  ...Array.from(letters, (letter) => [letter, latin] as const),
  ...enclosed.map((first) => [String.fromCodePoint(first + place), latin] as const),
]);
/** A small letter is read as the capital that it is a small form of, unless it looks like another. */
const latinOf = new Map([
  ...pairs.map(([letter, latin]) => [letter.toLowerCase(), latin] as const),
  ...pairs,
]);

/** A text, NFKC, with every letter as the Latin one that it looks like, and without accents. */
export const unconfused = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{ASCII}]/gu, (character) => latinOf.get(character) ?? character);
