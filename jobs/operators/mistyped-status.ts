import { LimitlineError } from '../../src/errors.ts';
import type { KnownStatus, MeaningStore, SeenMeaning } from '../../src/ledger/counts/meaning-store.ts';
import { lettersApart, normal, smallLetters } from '../../src/likeness.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { APPROVED, faultOfStatus, MEANINGS, readMeanings, type StatusMeaning } from '../../src/status-meaning.ts';

/** The statuses that rows have, and those that have a meaning. */
export async function seenStatuses(
  { statusMeanings }: { statusMeanings: Pick<MeaningStore, 'known'> },
  portfolios: readonly string[],
): Promise<string[]> {
  return [APPROVED, ...(await statusMeanings.known(portfolios)).map(({ status }) => status)];
}

/**
 * Makes a function that spells a status of a file as it was seen before, where it differs from one seen status only in case, in the kind or
 * number of spaces, or in how an umlaut is encoded: a person or a program that wrote `Approved` said nothing else than `approved`.
 */
export function makeSpelling(seen: readonly string[]): (status: string) => string {
  const known = new Set(seen);
  const plain = (status: string) => normal(status).replace(/\s+/g, ' ').toLowerCase();
  const alike = Map.groupBy(known, plain);
  return (status) => {
    const [only, ...others] = known.has(status) ? [] : (alike.get(plain(status)) ?? []);
    return others.length === 0 ? (only ?? status) : status;
  };
}

/**
 * Makes a function that returns a question about a status that may be mistyped, or '' about another one. A status is questioned if it was
 * not seen before, and resembles a seen one, or one that is at least as frequent in the lines `beside` it. Each status is compared once.
 */
export function makeMistypedQuestion(
  seen: readonly string[],
  beside: readonly { status: string }[] = [],
): (status: string) => string {
  const known = new Set(['', ...seen]);
  const asked = new Map<string, string>();
  const lines = Map.groupBy(beside, ({ status }) => status);
  const linesOf = (status: string) => lines.get(status)?.length ?? 0;
  const often = [...lines.keys()].sort((a, b) => linesOf(b) - linesOf(a)).slice(0, COMPARED);
  const nearestTo = (status: string) => {
    const asOften = often.filter((one) => one !== status && linesOf(one) >= linesOf(status));
    return nearestOf(status, seen) ?? nearestOf(status, asOften);
  };
  return (status) => {
    const nearest = known.has(status) || asked.has(status) ? undefined : nearestTo(status);
    const words = `No row had "${visible(status)}" before. Did you mean "${visible(nearest ?? '')}"?`;
    if (!asked.has(status)) asked.set(status, nearest === undefined ? '' : words);
    return asked.get(status) ?? '';
  };
}

/** The most statuses among which mistakes are looked for. A service with more writes something other than a status into the field. */
const LOOKED_AT = 1_000;

/**
 * The statuses. Each one without a meaning gets, as `nearest`, the status that it probably stands for: one with a meaning or with more
 * rows.
 */
export function withNearest(known: readonly KnownStatus[]): (KnownStatus & { nearest?: string })[] {
  if (known.length > LOOKED_AT) return [...known];
  return known.map((one) => {
    const better = known.filter(({ meaning, rows }) => meaning !== undefined || rows > one.rows);
    const seen = [APPROVED, ...better.map(({ status }) => status)];
    const nearest = one.meaning === undefined ? nearestOf(one.status, seen) : undefined;
    return nearest === undefined ? one : { ...one, nearest };
  });
}

/** The advice on a status that was not taken because it may be mistyped: how a person has it taken if it is right. */
export function allTheSameWords(status: string): string {
  return `If it is right, say first what it means, and take it in again: npx limitline statuses ${JSON.stringify(visible(status))} --means ${MEANINGS.join('|')}`;
}

/** The most letters by which a mistyped status may differ from the right one, and at most one in `OF_LETTERS` letters of the right one. */
const TYPING_LETTERS = 2;
const OF_LETTERS = 4;

/** The most statuses with which a status is compared. A service with more writes something other than a status into the field. */
const COMPARED = 100;

/**
 * The known status that a mistyped one probably stands for; undefined if none is close enough. Statuses with different digits are
 * different.
 */
export function nearestOf(status: string, seen: readonly string[]): string | undefined {
  const small = smallLetters(status);
  const digitsOf = (text: string) => text.replace(/\D/g, '');
  return seen
    .slice(0, COMPARED)
    .filter((one) => Math.abs(one.length - status.length) <= TYPING_LETTERS && digitsOf(one) === digitsOf(status))
    .map((one) => ({ one, apart: lettersApart(small, smallLetters(one)) }))
    .sort((a, b) => a.apart - b.apart)
    .find(({ one, apart }) => apart <= Math.min(TYPING_LETTERS, one.length / OF_LETTERS))?.one;
}

type MeaningDeps = { settings: { STATUS_MEANINGS: readonly string[] }; statusMeanings: Pick<MeaningStore, 'set'> };

/**
 * Sets what a status means for the account, in a person's name. Without a `meaning`, the earlier one is removed. Answers false, and changes
 * nothing, if the present meaning is not the one that the person had `seen`.
 *
 * @throws LimitlineError `USAGE` for a status that can have no meaning, and for one whose meaning the setting STATUS_MEANINGS gives
 */
export async function setMeaning(
  status: string,
  meaning: StatusMeaning | undefined,
  by: string,
  { settings, statusMeanings }: MeaningDeps,
  seen?: SeenMeaning,
): Promise<boolean> {
  const fault = faultOfStatus(status);
  if (fault !== undefined) throw new LimitlineError('USAGE', `The status ${fault}, so no meaning can be given to it.`);
  if (readMeanings(settings.STATUS_MEANINGS).meanings.has(status)) {
    const words = `The setting STATUS_MEANINGS says what ${JSON.stringify(status)} means. Change it there: the setting comes first.`;
    throw new LimitlineError('USAGE', words);
  }
  return statusMeanings.set(status, meaning, by, seen);
}
