import { KINDS } from '../../call-kind.ts';
import type { ValueReading } from './reading.ts';

/**
 * Reads an identifier of a buyer or a request. Two buyers must not become one by a meaningless value: a placeholder
 * counts as an empty cell, and a number with digits lost in a spreadsheet is a problem. An invisible character is a problem too: texts that
 * look the same would be two buyers or requests.
 */
export function readIdentifier(text: string): ValueReading {
  const unseen = UNSEEN.exec(text)?.[0];
  if (unseen !== undefined) return { problem: unseenProblem(unseen) };
  if (SCIENTIFIC.test(text)) return { problem: LOST_DIGITS };
  return isPlaceholder(text) ? { value: '', change: SAYS_NOTHING } : { value: text };
}

/**
 * Reads a text of any kind, such as a phone number. Words are kept, because nobody knows what the column means: in another one, `x` is a
 * placeholder.
 */
export function readAnyText(text: string): ValueReading {
  if (SCIENTIFIC.test(text)) return { problem: LOST_DIGITS };
  return SIGNS_ALONE.test(text) || ABBREVIATED.test(text) ? { value: '', change: SAYS_NOTHING } : { value: text };
}

/** Reads what a database writes for a value that it lacks, in a column of any kind; undefined for any other text. */
export function readNull(text: string): ValueReading | undefined {
  return NULL.test(text) ? { value: '', change: SAYS_NOTHING } : undefined;
}

/** MySQL and PostgreSQL write `\N`, programs around databases the others. A name in other letters, such as Null, is none of them. */
const NULL = /^(?:\\N|NULL|null|\((?:NULL|null)\)|\[(?:NULL|null)\]|<(?:NULL|null)>|NaN|nan)$/;

/** Reads the id of a company that exists at the service (docs/service.md, "Company"). */
export function readCompanyId(text: string): ValueReading {
  const isId = text.startsWith(KINDS.company.prefix) && text.length > KINDS.company.prefix.length && !/\s/.test(text);
  return isId ? { value: text } : { problem: COMPANY_ID_PROBLEM };
}

const COMPANY_ID_PROBLEM = `This is not a company id of the service, which begins with ${KINDS.company.prefix}: correct it, or leave the cell empty for a new company.`;

/** Zero-width spaces, soft hyphens, marks of direction and their like, as they come along when text is copied from a page or a mail. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}/u;

function unseenProblem(sign: string): string {
  const code = sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  return `The cell holds the character U+${code}, which cannot be seen: type the cell again.`;
}

/** `1.23457E+11`, also with a comma: how spreadsheets show numbers of twelve and more digits. */
const SCIENTIFIC = /^[-+]?\d(?:[.,]\d+)?E\+\d+$/i;

const LOST_DIGITS =
  'The spreadsheet shortened this number, and its last digits are lost: format the column as text, and type the number again.';

const SAYS_NOTHING = 'It is a placeholder for a missing value: it counts as an empty cell, and is not sent.';

/** Texts that people write if they have no number. Punctuation and case do not count. */
const PLACEHOLDERS_BY_LANGUAGE = {
  english: [
    'na',
    'none',
    'nil',
    'null',
    'unknown',
    'notavailable',
    'notapplicable',
    'notknown',
    'missing',
    'tbd',
    'tba',
    'tbc',
    'todo',
    'x',
    'xx',
    'xxx',
    'pending',
    'empty',
    'blank',
    'nan',
  ],
  german: [
    'keine',
    'keiner',
    'keines',
    'kein',
    'ohne',
    'unbekannt',
    'nichtbekannt',
    'nichtvorhanden',
    'entfällt',
    'entfaellt',
    'leer',
    'fehlt',
    'offen',
    'folgt',
    'keineangabe',
    'keineangaben',
  ],
  french: ['aucun', 'aucune', 'inconnu', 'inconnue', 'néant', 'neant', 'sansobjet', 'nonconnu', 'nondisponible'],
  spanish: ['ninguno', 'ninguna', 'desconocido', 'desconocida', 'noaplica', 'nodisponible', 'sindatos', 'pendiente'],
};
const PLACEHOLDERS = new Set(Object.values(PLACEHOLDERS_BY_LANGUAGE).flat());

/** `k.A.`, `n/v`, `s. o.`: only with punctuation, because two bare letters may be a real number. */
const ABBREVIATED = /^(?:k[./] ?a|n[./] ?[abcdv]|s[./] ?[od])\.?$/i;

/** A dash for a missing value, or the `########` of a column that is too narrow. */
const SIGNS_ALONE = /^[\p{Pd}\s#._?/]+$/u;

/** Digits above zero. A text with one of them is no placeholder. */
const COUNTS = /[1-9]/;

/** Whether a text stands for a missing identifier: a known placeholder, or punctuation and zeros alone, which identify nobody either. */
function isPlaceholder(text: string): boolean {
  // Nearly all such cells are numbers, so this test comes first.
  if (COUNTS.test(text)) return false;
  const letters = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
  return ABBREVIATED.test(text) || letters === '' || /^0+$/.test(letters) || PLACEHOLDERS.has(letters);
}
