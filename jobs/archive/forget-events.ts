import { basename } from 'node:path';
import { idsOfRow } from '../../src/ledger/events/event-rows.ts';
import type { RowWalks } from '../../src/ledger/nightly/row-walk.ts';
import { WALKED_STATES } from '../../src/ledger/nightly/row-walk.ts';
import type { RowRequest } from '../../src/ledger/schema/row.ts';
import { ROWS } from './archive-files.ts';
import { linesOf, namingFiles } from './named-digests.ts';

type EventsDeps = {
  walkRows: RowWalks;
  /** Drops events that contain any of these ids; answers how many. */
  events: { forget(ids: readonly string[]): Promise<number> };
  signal: AbortSignal;
};

/**
 * Drops the service's events that name rows of a portfolio by a company's number. Must run before the rows are erased, since
 * the numbers are in the rows. Events that name ids of calls are dropped with the calls.
 *
 * @returns how many events were dropped
 * @throws LimitlineError `FILE` where an archive of the portfolio cannot be read
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

/** Reads rows as archive-files.ts writes them: a list of field names and values, with the request after `request`. */
async function* numbersOfFile(path: string): AsyncGenerator<string[]> {
  for await (const line of linesOf(path)) {
    const texts = JSON.parse(line) as string[];
    yield numbersIn(texts[texts.indexOf('request') + 1] ?? '');
  }
}

/** The numbers of a request by which events may name its row; none if it cannot be parsed. */
function numbersIn(request: string): string[] {
  try {
    return [...idsOfRow({ documentIds: [], request: JSON.parse(request) as RowRequest }).keys()];
  } catch {
    return [];
  }
}
