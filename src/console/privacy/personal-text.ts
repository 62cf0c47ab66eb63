import { normal } from '../../likeness.ts';
import { columnsThat, fieldOf } from '../../portfolio/columns/known-columns.ts';

/** What stands where personal data was taken out. */
export const MASK = '•••';

/**
 * Names of fields that hold what belongs to a person: contacts with all that stands in them, and the street, which is a home for
 * those who trade in their own name. As the service writes them, as columns of a file are called, and as answers may call them.
 */
const PERSONAL_FIELD =
  /^(?:contacts?(?:[_.-].*)?|.*e[_-]?mail.*|.*(?:tele)?phone.*|.*mobile.*|fax|(?:first|last|given|family|middle|full|birth|maiden)[_-]?name|sur[_-]?name|salutation|(?:date[_-]?of[_-]?)?birth(?:[_-]?(?:date|day|place))?|street(?:[_-].*)?)$/i;

/** Whether what stands under this name is a person's. Pure. */
export function isPersonalField(name: string): boolean {
  return PERSONAL_FIELD.test(name) || MASKED.has(name);
}

/** The columns that are a person's, as files and as bodies name them. */
const MASKED = new Set(columnsThat(({ shown }) => shown === 'masked').flatMap((column) => [column, fieldOf(column)]));

/** A member of an object in a text of JSON, whose end may be cut off; `\"` within strings, numbers as they are. */
const JSON_MEMBER = /("([^"\\\s]{1,60})"\s*:\s*)("(?:[^"\\]|\\.)*(?:"|\\?$)|-?\d[\d.eE+-]*)/g;

/** RFC 5321 in short: an `@`, or what people write for it, and a name with a dot; `Design@Work GmbH` is none. */
const EMAIL = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}(?:@|%40|\(at\)|\[at\])[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/giu;

/** A telephone number as it is written internationally (ITU-T E.123); any other run of digits may be an id. */
const PHONE = /(?<![\p{L}\p{N}+])\+\d[\d\s()./-]{5,24}\d(?![\p{L}\p{N}])/gu;

/** The personal values that stand in a text of JSON, such as a body that was sent. Nothing of any other text. Pure. */
export function personalValuesIn(text: string): string[] {
  if (!text.includes('":')) return [];
  return [...text.matchAll(JSON_MEMBER)]
    .filter(([, , name = '']) => isPersonalField(name))
    .map(([, , , value = '']) => unquoted(value))
    .filter((value) => value !== '');
}

/** What a string of JSON means; of one that is cut off what is there. */
function unquoted(value: string): string {
  const inner = value.replace(/^"|(?<!\\)"$/g, '');
  try {
    return String(JSON.parse(`"${inner}"`));
  } catch {
    return inner;
  }
}

/**
 * Makes the function that takes out of a text what is personal: members of JSON by their names, e-mail addresses, telephone
 * numbers, and the given values, as whole words in any case, also as JSON and addresses escape them. Pure.
 *
 * @param values what is known to be personal, such as the contact of a row whose answers are shown
 */
export function makeTextMask(values: Iterable<string>): (text: string) => string {
  const known = knownForms(values);
  return (text) => {
    const byName = text.replace(JSON_MEMBER, (all: string, head: string, name: string) =>
      isPersonalField(name) ? `${head}"${MASK}"` : all,
    );
    const byForm = byName.replace(EMAIL, MASK).replace(PHONE, MASK);
    return withoutKnown(byForm, known);
  };
}

/** A single sign is a part of everything. */
const LEAST_CHARACTERS = 2;

/** In which forms the values may stand in a text, by the first word of each in small letters. */
function knownForms(values: Iterable<string>): Map<string, Set<string>> {
  const byWord = new Map<string, Set<string>>();
  for (const value of values) {
    const text = normal(value).replace(/\s+/g, ' ').trim();
    if ([...text].length < LEAST_CHARACTERS || text === MASK) continue;
    for (const form of formsOf(text)) {
      const [word] = form.toLowerCase().match(WORDS) ?? [];
      if (word === undefined) continue;
      const others = byWord.get(word) ?? new Set();
      byWord.set(word, others.add(form));
    }
  }
  return byWord;
}

const WORDS = /[\p{L}\p{N}]+/gu;

/** A pattern of all values of a page would cost many times what it takes to look whose first words are there at all. */
function withoutKnown(text: string, byWord: ReadonlyMap<string, ReadonlySet<string>>): string {
  if (byWord.size === 0) return text;
  const words = new Set(text.toLowerCase().match(WORDS) ?? []);
  const there = [...words].flatMap((word) => [...(byWord.get(word) ?? [])]);
  if (there.length === 0) return text;
  // The longest first: one may be the beginning of another.
  const either = there.sort((a, b) => b.length - a.length).map((form) => form.split(' ').map(escaped).join('\\s+'));
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])(?:${either.join('|')})(?![\\p{L}\\p{N}])`, 'giu'), MASK);
}

/** `Straße` in capitals is `STRASSE`, which is no other case of it to a pattern. */
function formsOf(text: string): string[] {
  const plain = [text, text.toUpperCase()];
  return plain.flatMap((one) => [one, one.normalize('NFD'), asciiJson(one), encodeURIComponent(one.toWellFormed())]);
}

/** As programs write JSON that keep to ASCII: `M\u00fcller`. */
function asciiJson(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
}
