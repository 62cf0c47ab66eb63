import { Big } from 'big.js';
import { type CallKind, KINDS } from '../call-kind.ts';

/**
 * A field in which an answer differs from the request. `isOthers`: the answer belongs to another request, because a
 * limit names another company or amount (docs/service.md, "Buyer limit request").
 */
export type Difference = { field: string; sent: string; answered: string; isOthers: boolean };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Compares an answer with the request's body, field by field. A missing or null field is no difference: an id alone
 * suffices. Numbers are compared as decimals, also against text. Lists are skipped, because their form in answers is
 * unknown. Pure.
 *
 * @param textOf the exact digits of a number in the answer, by its field name
 */
export function differencesOf(
  kind: CallKind,
  sent: Fields,
  answered: Fields,
  textOf: (name: string) => string | undefined,
): Difference[] {
  const found: Difference[] = [];
  compare('', sent, answered);
  return found;

  function compare(path: string, of: Fields, its: Fields): void {
    for (const [name, value] of Object.entries(of)) {
      const other = its[name];
      if (other === value || other === undefined || other === null || Array.isArray(value)) continue;
      const field = `${path}${name}`;
      if (isFields(value)) {
        if (isFields(other)) compare(`${field}.`, value, other);
        continue;
      }
      const says = typeof other === 'number' ? (textOf(name) ?? String(other)) : shown(other);
      if (typeof value === 'number' && isSameDecimal(value, says)) continue;
      const isOthers = (KINDS[kind].deciding as readonly string[]).includes(field);
      found.push({ field, sent: shown(value), answered: says, isOthers });
    }
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isSameDecimal(sent: number, answered: string): boolean {
  try {
    return new Big(sent).eq(answered);
  } catch {
    return false;
  }
}

/** Enough of a value to see the difference. */
const KEPT_CHARACTERS = 80;

/** Personal data: only the field is named, because this text appears where contacts are hidden. */
const PERSONAL = /^contact\./;

/** Describes differences, cut to `most` characters: `its requested_limit is 1, where 3000 was sent`. */
export function differenceWords(differences: readonly Difference[], most = Number.POSITIVE_INFINITY): string {
  const words = differences.map(({ field, sent, answered }) =>
    PERSONAL.test(field)
      ? `its ${field} differs from what was sent`
      : `its ${field} is ${cut(answered, KEPT_CHARACTERS)}, where ${cut(sent, KEPT_CHARACTERS)} was sent`,
  );
  return cut(words.join('; '), most);
}

/** Never leaves half of a surrogate pair. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
