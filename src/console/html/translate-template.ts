/** Looks up an English text of the pages and answers it in their language. Without a catalogue the pages are English. */
export type Catalogue = (message: string) => string;

/** Elements that stand within a sentence; all others end it. */
const INLINE = new Set('a abbr b bdi code data em i kbd span strong time'.split(' '));

/** Attributes that people read or hear, and those from which scripts take texts (`data-text-…`). */
const READABLE = /( (?:title|aria-label|placeholder|alt|label|data-head|data-text(?:-[a-z]+)?)=")([^"]*)"/g;

const TOKENS = /<(?:"[^"]*"|'[^']*'|[^'">])*>|[^<]+/g;
const TAG = /^<(\/?)([a-z][a-z0-9-]*)/i;

/** The mark of a value (`${…}`) in a template: its number, between characters that HTML forbids. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: no template contains this character
const HOLE = /\u0000(\d+)\u0000/g;

/**
 * A template in another language: its texts and readable attributes are looked up, and the rest stays.
 *
 * A message is the text between two tags that end a sentence, with its white space as one space. Holes are `{0}`, `{1}`, and elements
 * within the sentence `<0>…</0>`, so that a language can have them in an order of its own: `Held in <0>{0}</0> since {1}`. Text without
 * letters is no message, nor is that of `code` and `kbd` by itself.
 *
 * @returns the pieces of the template, and the value that belongs into each hole
 */
export function translateTemplate(strings: readonly string[], lookUp: Catalogue): [strings: string[], order: number[]] {
  const whole = strings.reduce((before, after, place) => `${before}\u0000${place - 1}\u0000${after}`);
  let [markup, run]: [string, string[]] = ['', []];
  for (const token of whole.match(TOKENS) ?? []) {
    const isText = !token.startsWith('<');
    if (isText || INLINE.has(nameOf(token))) run.push(isText ? token : withAttributes(token, lookUp));
    else {
      markup += translateRun(run, lookUp) + withAttributes(token, lookUp);
      run = [];
    }
  }
  const parts = (markup + translateRun(run, lookUp)).split(HOLE);
  return [parts.filter((_, at) => at % 2 === 0), parts.filter((_, at) => at % 2 === 1).map(Number)];
}

/** A page's script in another language: the texts that it marks with the tag `t`, whose holes keep their code. */
export function translateScript(source: string, lookUp: Catalogue): string {
  return source.replace(/\bt`([^`]*)`/g, (_, text: string) => {
    const holes: string[] = [];
    const message = text.replace(/\$\{[^}]*\}/g, (hole) => `{${holes.push(hole) - 1}}`);
    const words = lookUp(message).replace(/[`\\]|\$(?=\{)/g, '\\$&');
    return `t\`${words.replace(/\{(\d+)\}/g, (place, number) => holes[number] ?? place)}\``;
  });
}

const nameOf = (tag: string) => TAG.exec(tag)?.[2]?.toLowerCase() ?? '';

function withAttributes(tag: string, lookUp: Catalogue): string {
  return tag.replace(READABLE, (whole, before: string, value: string) =>
    hasWords(value) ? `${before}${translateMessage([value], lookUp)}"` : whole,
  );
}

const hasWords = (text: string): boolean => /\p{L}/u.test(text.replace(/&#?\w+;/g, ''));

/** Translates text and elements. Words outside of the elements make all of it one message; without such words each element has its own. */
function translateRun(tokens: readonly string[], lookUp: Catalogue): string {
  let depth = 0;
  const depths = tokens.map((token) => (!token.startsWith('<') ? depth : token.startsWith('</') ? --depth : depth++));
  if (depth !== 0 || depths.some((one) => one < 0)) {
    return tokens.map((token) => (token.startsWith('<') ? token : translateRun([token], lookUp))).join('');
  }
  const isSentence = tokens.some((token, at) => depths[at] === 0 && !token.startsWith('<') && hasWords(token));
  if (isSentence) return translateMessage(tokens, lookUp);
  let [markup, inner]: [string, string[]] = ['', []];
  for (const [at, token] of tokens.entries()) {
    if (depths[at] !== 0) inner.push(token);
    else {
      if (inner.length > 0)
        markup += token === '</code>' || token === '</kbd>' ? inner.join('') : translateRun(inner, lookUp);
      markup += token;
      inner = [];
    }
  }
  return markup;
}

function translateMessage(tokens: readonly string[], lookUp: Catalogue): string {
  const [holes, tags, open]: [string[], string[], number[]] = [[], [], []];
  const message = tokens
    .map((token) => {
      if (token.startsWith('</')) return `</${open.pop()}>`;
      if (!token.startsWith('<')) return token.replace(HOLE, (hole) => `{${holes.push(hole) - 1}}`);
      open.push(tags.push(token) - 1);
      return `<${open.at(-1)}>`;
    })
    .join('');
  const words = lookUp(message.trim().replace(/\s+/g, ' '));
  const markup = words.replace(/\{(\d+)\}|<(\d+)>|<\/(\d+)>/g, (place, hole, opened, closed) => {
    if (hole !== undefined) return holes[hole] ?? place;
    return opened !== undefined ? (tags[opened] ?? place) : `</${nameOf(tags[closed] ?? '')}>`;
  });
  return `${/^\s*/.exec(message)?.[0]}${markup}${/\s*$/.exec(message)?.[0]}`;
}
