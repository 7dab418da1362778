const everywhere = (pattern: string): RegExp => new RegExp(pattern, "giu");

/** Replaces patterns in a text, in order. */
export function replacer(
  replacements: readonly (readonly [pattern: string, replacement: string])[],
): (text: string) => string {
  const compiled = replacements.map(([pattern, by]) => [everywhere(pattern), by] as const);
  return (text) => compiled.reduce((changed, [pattern, by]) => changed.replace(pattern, by), text);
}
