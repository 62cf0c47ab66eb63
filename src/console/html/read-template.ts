/** An attribute with something put into its value: what stands there as it is written, and the numbers of what is put in. */
export type AttributePart = { attribute: string; pieces: readonly (string | number)[] };

/** What a template is made of: markup as it is written, a hole in text, one in the text of a title or textarea, an attribute. */
export type TemplatePart = string | { text: number } | { plainText: number } | AttributePart;

/** Stands for a hole while a template is read. No template has it: HTML itself forbids the character. */
const HOLE = '\u0000';

/** Elements that have no end (HTML, section 13.1.2). */
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** Their text is text whatever stands in it, so markup in it would be shown and not read. */
const PLAIN_TEXT = new Set(['title', 'textarea']);

/** In these a browser reads something else than an address or a word, or sends the page elsewhere. */
const WITHOUT_HOLES = new Set(['srcset', 'srcdoc', 'http-equiv']);

/**
 * Reads the markup of a template once, and finds out where its holes are.
 *
 * Refused is whatever could give a hole another meaning than that of text or of an attribute's value, and what the content
 * policy of the console would not let work: holes in tags, names of attributes, values without quotation marks, comments,
 * scripts and styles; `on…` and `style` attributes; elements that are not closed, since what follows would be inside of them.
 *
 * @throws TypeError that shows the place
 */
export function readTemplate(strings: readonly string[]): TemplatePart[] {
  const whole = strings.join(HOLE);
  if (whole.split(HOLE).length !== strings.length) throw refusal('has a NUL character', '');
  const reader = makeReader(whole);
  const open: string[] = [];
  while (!reader.atEnd()) {
    if (reader.take(TEXT)) reader.text(kindOf(open));
    else if (reader.take(COMMENT) || reader.take(DOCTYPE)) reader.asWritten('a comment');
    else if (reader.take(END_TAG)) closeElement(reader, open);
    else if (reader.take(START_TAG)) readStartTag(reader, open);
    else throw reader.fault('has a "<" that begins no tag; write &lt; for the character');
  }
  if (open.length > 0) throw refusal(`does not close <${open.at(-1)}>`, whole);
  return reader.parts();
}

/** What text means among these open elements: whether markup in it is none, and whether its space counts. */
function kindOf(open: readonly string[]): { plain: boolean; spaced: boolean } {
  const plain = PLAIN_TEXT.has(open.at(-1) ?? '');
  return { plain, spaced: plain || open.includes('pre') };
}

const TEXT = /[^<]+/y;
const COMMENT = /<!--[\s\S]*?-->/y;
const DOCTYPE = /<!doctype html>/iy;
const END_TAG = /<\/([a-zA-Z][a-zA-Z0-9-]*)\s*>/y;
const START_TAG = /<([a-zA-Z][a-zA-Z0-9-]*)/y;
const ATTRIBUTE = /\s+([a-zA-Z_][-\w:.]*)(?:="([^"]*)"|='([^']*)'|(?=[\s/>]))/y;
const TAG_END = /\s*(\/?)>/y;

type Reader = ReturnType<typeof makeReader>;

function makeReader(whole: string) {
  const parts: TemplatePart[] = [];
  let [at, holes] = [0, 0];
  let found: RegExpExecArray | null = null;
  const write = (text: string) => {
    const last = parts.at(-1);
    if (typeof last === 'string') parts[parts.length - 1] = last + text;
    else if (text !== '') parts.push(text);
  };
  return {
    parts: () => parts,
    write,
    atEnd: () => at === whole.length,
    /** Goes on over what the pattern means, if it stands here. */
    take(pattern: RegExp): boolean {
      pattern.lastIndex = at;
      found = pattern.exec(whole);
      if (found) at = pattern.lastIndex;
      return found !== null;
    },
    /** The part of what was taken last, by number. */
    taken: (group = 0): string | undefined => found?.[group],
    /** Text, with holes or without. Where space means nothing, how a template is indented weighs nothing. */
    text({ plain, spaced }: { plain: boolean; spaced: boolean }): void {
      for (const [place, piece] of (found?.[0] ?? '').split(HOLE).entries()) {
        if (place > 0) parts.push(plain ? { plainText: holes++ } : { text: holes++ });
        write(spaced ? piece : piece.replace(/\s*\n\s*/g, '\n'));
      }
    },
    asWritten(what: string): void {
      const text = found?.[0] ?? '';
      if (text.includes(HOLE)) throw refusal(`puts something into ${what}`, text);
      write(text);
    },
    /** An attribute with holes in its value. */
    attribute(name: string, value: string): void {
      const pieces = value.split(HOLE).flatMap((piece, place) => (place === 0 ? [piece] : [holes++, piece]));
      parts.push({ attribute: name, pieces: pieces.filter((piece) => piece !== '') });
    },
    fault: (what: string) => refusal(what, whole.slice(at)),
  };
}

function closeElement(reader: Reader, open: string[]): void {
  const name = reader.taken(1)?.toLowerCase() ?? '';
  const last = open.pop();
  if (last !== name) throw refusal(`closes <${name}> where ${last ? `<${last}>` : 'nothing'} is open`, `</${name}>`);
  reader.write(`</${name}>`);
}

function readStartTag(reader: Reader, open: string[]): void {
  const written = reader.taken(1) ?? '';
  const name = written.toLowerCase();
  reader.write(`<${written}`);
  const attributes = new Set<string>();
  while (reader.take(ATTRIBUTE)) attributes.add(readAttribute(reader));
  if (!reader.take(TAG_END)) {
    throw reader.fault(`has something else than attributes with quotation marks in <${name}>`);
  }
  checkElement(name, attributes);
  const selfClosed = reader.taken(1) === '/';
  if (selfClosed && !VOID.has(name)) reader.write(`></${written}>`);
  else reader.write('>');
  if (selfClosed || VOID.has(name)) return;
  // A script of ours stands in a file, so nothing but its end may follow.
  if (name === 'script' && !reader.take(/<\/script>/y)) throw reader.fault('has a script in the page');
  if (name === 'script') reader.write('</script>');
  else open.push(name);
}

function readAttribute(reader: Reader): string {
  const name = reader.taken(1) ?? '';
  const lower = name.toLowerCase();
  const value = reader.taken(2) ?? reader.taken(3);
  if (lower.startsWith('on') || lower === 'style') {
    throw refusal(`has the attribute ${name}, which the content policy forbids`, name);
  }
  if (value?.includes(HOLE)) {
    if (WITHOUT_HOLES.has(lower)) throw refusal(`puts something into ${name}`, name);
    reader.attribute(name, value);
  } else {
    reader.write(value === undefined ? ` ${name}` : ` ${name}="${value.replaceAll('"', '&quot;')}"`);
  }
  return lower;
}

function checkElement(name: string, attributes: ReadonlySet<string>): void {
  if (name === 'style' || name === 'base' || name === 'iframe' || name === 'object' || name === 'embed') {
    throw refusal(`has <${name}>, which the content policy forbids`, name);
  }
  if (name === 'script' && !attributes.has('src')) throw refusal('has a script without src', name);
}

/** So much of a template tells where it is. */
const SHOWN = 60;

function refusal(what: string, near: string): TypeError {
  return new TypeError(`A template ${what}, near: ${near.slice(0, SHOWN).replaceAll(HOLE, '⟨hole⟩')}`);
}
