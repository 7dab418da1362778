/**
 * Letters of other alphabets and small capitals that look like one of these after NFKC: entries of Unicode's
 * confusables.txt (Technical Standard #39) for a single Latin letter.
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
/** A lower-case letter maps to what its capital looks like, unless it resembles another letter itself. */
const latinOf = new Map([
  ...pairs.map(([letter, latin]) => [letter.toLowerCase(), latin] as const),
  ...pairs,
]);

/** A text in NFKC, with every letter as the Latin one it looks like, without accents. */
export const confusableSkeleton = (text: string): string =>
  text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .replace(/[^\p{ASCII}]/gu, (character) => latinOf.get(character) ?? character);
