/**
 * Text whose addresses show neither user names nor passwords: `http://root:secret@host` becomes
 * `http://***@host`. Everything up to the last `@` of a word goes, because a password may hold `@`, `:` and
 * `/` and then the rules of addresses end it too early. A word whose host has neither `@` nor `:` stays, so
 * that `https://host/@name` can still be read.
 */
export function redactCredentials(text: string): string {
  return text.replace(/\S+/g, (word) => {
    const start = word.indexOf("://") + "://".length;
    const end = word.lastIndexOf("@");
    if (start < "://".length || end < start) return word;
    const host = word.slice(start).split(/[/?#]/, 1)[0] ?? "";
    return /[@:]/.test(host) ? `${word.slice(0, start)}***${word.slice(end)}` : word;
  });
}

/** Whether a registry's place is the address of a PostgreSQL server rather than a file. */
export function isPostgresAddress(place: string): boolean {
  return /^postgres(?:ql)?:\/\//i.test(place);
}

/** `sqlite:path`, `sqlite://path` or `sqlite:///absolute` → path; undefined for anything else. */
export function sqlitePath(place: string): string | undefined {
  return /^sqlite:(?:\/\/)?(.+)$/.exec(place)?.[1];
}
