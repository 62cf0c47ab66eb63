import { basename } from 'node:path';
import { idsOfRow } from '../../src/ledger/events/event-rows.ts';
import type { RowWalks } from '../../src/ledger/nightly/row-walk.ts';
import { WALKED_STATES } from '../../src/ledger/nightly/row-walk.ts';
import type { RowRequest } from '../../src/ledger/schema/row.ts';
import { ROWS } from './archive-files.ts';
import { linesOf, namingFiles } from './named-digests.ts';

type EventsDeps = {
  walkRows: RowWalks;
  /** Drops what any of these stands in; answers how many events that were. */
  events: { forget(ids: readonly string[]): Promise<number> };
  signal: AbortSignal;
};

/**
 * Drops the service's events that name rows of a portfolio by a company's number, as lists of events show it: what its rows know of
 * that goes with them, so this comes first. Those that name what was made for it are dropped with its calls.
 *
 * @returns how many went
 * @throws LimitlineError `FILE` where an archive of it cannot be read
 */
export async function forgetEventsByNumber(
  name: string,
  archives: readonly string[],
  { walkRows, events, signal }: EventsDeps,
): Promise<number> {
  let dropped = 0;
  for (const state of WALKED_STATES) {
    for await (const page of walkRows({ portfolio: name, state, withCalls: false })) {
      signal.throwIfAborted();
      const numbers: string[] = [];
      for (const row of page) numbers.push(...numbersIn(row.field('request')));
      dropped += await events.forget(numbers);
    }
  }
  for (const archive of archives) {
    for await (const path of namingFiles(archive)) {
      if (basename(path) !== ROWS) continue;
      for await (const numbers of numbersOfFile(path)) {
        signal.throwIfAborted();
        dropped += await events.forget(numbers);
      }
    }
  }
  return dropped;
}

/** Row by row, as archive-files.ts writes them: among its texts `request`, and behind that what was asked for. */
async function* numbersOfFile(path: string): AsyncGenerator<string[]> {
  for await (const line of linesOf(path)) {
    const texts = JSON.parse(line) as string[];
    yield numbersIn(texts[texts.indexOf('request') + 1] ?? '');
  }
}

/** The numbers of a request by which an event is said to name its row; none where it cannot be read. */
function numbersIn(request: string): string[] {
  try {
    return [...idsOfRow({ documentIds: [], request: JSON.parse(request) as RowRequest }).keys()];
  } catch {
    return [];
  }
}
