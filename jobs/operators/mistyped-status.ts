import type { MeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { lettersApart, smallLetters } from '../../src/likeness.ts';
import { visible } from '../../src/portfolio/problem.ts';
import { APPROVED } from '../../src/status-meaning.ts';

/** The statuses that rows have, and those that have a meaning. */
export async function seenStatuses(
  { statusMeanings }: { statusMeanings: Pick<MeaningStore, 'known'> },
  portfolios: readonly string[],
): Promise<string[]> {
  return [APPROVED, ...(await statusMeanings.known(portfolios)).map(({ status }) => status)];
}

/** A question about a status that was not seen before, and is spelled much like one that was; nothing about any other. */
export function mistypedWords(status: string, seen: readonly string[]): string[] {
  const nearest = status === '' || seen.includes(status) ? undefined : nearestOf(status, seen);
  if (nearest === undefined) return [];
  return [
    `No row had "${visible(status)}" before. Did you mean "${visible(nearest)}"? A correction needs a later decided_at.`,
  ];
}

/** Letters by which a mistyped status differs from the one that is meant. */
const TYPING_LETTERS = 2;

/** The known status that a mistyped one probably stands for, or undefined if none is close enough. */
export function nearestOf(status: string, seen: readonly string[]): string | undefined {
  const small = smallLetters(status);
  return seen
    .filter((one) => Math.abs(one.length - status.length) <= TYPING_LETTERS)
    .map((one) => ({ one, apart: lettersApart(small, smallLetters(one)) }))
    .sort((a, b) => a.apart - b.apart)
    .find(({ apart }) => apart <= TYPING_LETTERS)?.one;
}
