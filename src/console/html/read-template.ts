/** An attribute with holes (the places of `${…}`) in its value: literal texts, and the numbers of the holes. */
export type AttributePart = { attribute: string; pieces: readonly (string | number)[] };

/** A part of a template: literal markup, a hole in text, a hole in the text of a title or textarea, or an attribute. */
export type TemplatePart = string | { text: number } | { plainText: number } | AttributePart;

/** Marks a hole while a template is parsed. Templates cannot contain it, since HTML forbids the character. */
const HOLE = '\u0000';

/** Elements without an end tag (HTML, section 13.1.2). */
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** Elements whose content is always text: browsers show markup in them as it is. */
const PLAIN_TEXT = new Set(['title', 'textarea']);

/** Attributes whose value is markup, several addresses or a redirect, which escaping does not make safe. */
const WITHOUT_HOLES = new Set(['srcset', 'srcdoc', 'http-equiv']);

/**
 * Parses a template's markup once, and finds its holes. It refuses every hole that could be more than text or an attribute's value: in
 * tags, attribute names, unquoted values, comments, scripts and styles. It refuses what the content policy blocks (`on…`, `style`), and
 * unclosed elements, which would contain all that follows.
 *
 * @param order the value of each hole, by its number
 * @throws TypeError with the text near the fault
 */
export function readTemplate(
  strings: readonly string[],
  order: readonly number[] = [...strings.keys()],
): TemplatePart[] {
  const whole = strings.join(HOLE);
  if (whole.split(HOLE).length !== strings.length) throw refusal('has a NUL character', '');
  const reader = makeReader(whole, order);
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

/** How text within the elements `open` is read: `plain` has no markup, `spaced` keeps its white space. */
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

function makeReader(whole: string, order: readonly number[]) {
  const parts: TemplatePart[] = [];
  let [at, holes] = [0, 0];
  const hole = () => order[holes++] as number;
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
    /** Reads the pattern at the current position. If it matches, the position moves behind the match. Answers whether it matched. */
    take(pattern: RegExp): boolean {
      pattern.lastIndex = at;
      found = pattern.exec(whole);
      if (found) at = pattern.lastIndex;
      return found !== null;
    },
    /** A group of the last match of {@link take}; group 0 is the whole match. */
    taken: (group = 0): string | undefined => found?.[group],
    /**
     * Adds the text that {@link take} matched, with or without holes (`${…}`), to the parts. Where white space has no meaning,
     * the template's indentation is dropped.
     */
    text({ plain, spaced }: { plain: boolean; spaced: boolean }): void {
      for (const [place, piece] of (found?.[0] ?? '').split(HOLE).entries()) {
        if (place > 0) parts.push(plain ? { plainText: hole() } : { text: hole() });
        write(spaced ? piece : piece.replace(/\s*\n\s*/g, '\n'));
      }
    },
    asWritten(what: string): void {
      const text = found?.[0] ?? '';
      if (text.includes(HOLE)) throw refusal(`puts something into ${what}`, text);
      write(text);
    },
    /** Adds an attribute with holes (`${…}`) in its value to the parts. */
    attribute(name: string, value: string): void {
      const pieces = value.split(HOLE).flatMap((piece, place) => (place === 0 ? [piece] : [hole(), piece]));
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
  if (!reader.take(TAG_END)) throw reader.fault(`has something else than attributes with quotation marks in <${name}>`);
  checkElement(name, attributes);
  const selfClosed = reader.taken(1) === '/';
  if (selfClosed && !VOID.has(name)) reader.write(`></${written}>`);
  else reader.write('>');
  if (selfClosed || VOID.has(name)) return;
  // Scripts are files of their own, so a script element must be empty: its end tag follows at once.
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

/** Characters of a template that an error shows. */
const SHOWN = 60;

function refusal(what: string, near: string): TypeError {
  return new TypeError(`A template ${what}, near: ${near.slice(0, SHOWN).replaceAll(HOLE, '⟨hole⟩')}`);
}
