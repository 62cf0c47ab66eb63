/** Styles in one piece: for every page, or for the pages of one place. */
export type Joined = { file: string; place: string | undefined; text: string };

/**
 * Joins files of styles in the order of their names: those of a place (`page-<place>….css`) in one piece each, all others in
 * one for every page, which is the first. Comments and indentation stay at home.
 */
export function joinStyles(files: readonly { name: string; text: string }[]): Joined[] {
  const joined: Joined[] = [{ file: 'console.css', place: undefined, text: '' }];
  for (const { name, text } of files) {
    const place = /(?:^|\/)page-([a-z]+)[^/]*\.css$/.exec(name)?.[1];
    let piece = joined.find((one) => one.place === place);
    if (!piece) {
      piece = { file: `${place}.css`, place, text: '' };
      joined.push(piece);
    }
    piece.text += shorten(text);
  }
  return joined;
}

/** A text in quotation marks, which stays as it is; or a comment, or the space around the end of a line. */
const SPACE = /("[^"\n]*"|'[^'\n]*')|\/\*[\s\S]*?\*\/|\s*\n\s*/g;

function shorten(text: string): string {
  return text.replace(SPACE, (_all, quoted: string | undefined) => quoted ?? '\n').replace(/\n+/g, '\n');
}
