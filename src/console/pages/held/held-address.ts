import { UNTIL_RESUMED } from '../../../ledger/schema/pause-reasons.ts';

/** The held desk of a portfolio, or of the account. */
export function heldAddress(portfolio: string | undefined): string {
  return portfolio === undefined ? '/held' : `/portfolios/${encodeURIComponent(portfolio)}/held`;
}

/** What came of a plan about one row, by the word in the address of the page behind it. */
export const HELD_DID: ReadonlyMap<string, string> = new Map([
  ['made', 'Taken as made: the row goes on.'],
  ['resent', 'It is sent again, as soon as it is its turn.'],
  ['nothing', 'Nothing was changed: what became of the call is known by now.'],
]);

/** What was done, as the address of the page behind it has it, and whether its portfolio is paused. */
export function didWord(did: string, isPaused: boolean | undefined): string {
  return `?did=${did}${isPaused ? PAUSED : ''}`;
}

/** The notice for what an address says was done (`didWord`), where `words` has one for it. */
export function didWords(did: string | undefined, words: (did: string) => string | undefined): string | undefined {
  const isPaused = did?.endsWith(PAUSED) === true;
  const said = words((isPaused ? did?.slice(0, -PAUSED.length) : did) ?? '');
  return said !== undefined && isPaused ? `${said} ${UNTIL_RESUMED}` : said;
}

const PAUSED = '-paused';
