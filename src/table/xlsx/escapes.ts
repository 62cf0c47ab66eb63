/** Resolves a workbook's escapes for characters that XML forbids: `_x000D_` (ECMA-376, part 1, 22.9.2.19). */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Escapes text that only looks like an escape, so that it survives reading. */
export function escapedAsText(text: string): string {
  return text.includes('_x') ? text.replace(ESCAPE, '_x005F$&') : text;
}

const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;
