import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import { is, type RowResult } from '../../../src/ledger/schema/row.ts';
import { quoted, rowItem } from '../row-facts.ts';
import type { RowCheck, WalkedRow } from '../walk-ledger.ts';
import type { FactsOf } from './portfolio-facts.ts';

/** Rows read together. */
const PAGE = 200;

/**
 * Finds rows of the day's files that nobody has requested and that need a person: they wait for approval, or their portfolio is
 * paused. Left out if another portfolio's row sent the request. Also finds rows of any day that wait for approval of a retry or
 * an answer, because no other check names those.
 */
export function makeWaitingRows({
  factsOf,
  rows,
  sink,
  sinceMs,
}: {
  factsOf: FactsOf;
  rows: Pick<Rows, 'ofBuyers'>;
  sink: FoundSink;
  sinceMs: number;
}): RowCheck {
  let page: WalkedRow[] = [];

  async function flush(): Promise<void> {
    const waiting = page;
    page = [];
    const known = await rows.ofBuyers([...new Set(waiting.map(({ result }) => result.request.buyer))]);
    for (const walked of waiting) {
      const { row, result } = walked;
      const same = known.get(result.request.buyer)?.rows.filter((one) => one.row.key === row.key) ?? [];
      // Left out if the request was made or is under way, or if another row with it was sent or refused. A row that waits for a
      // retry was refused itself, and is reported.
      if (!result.awaits && same.some(({ state, limit }) => limit !== 'free' || wasSent(state))) continue;
      const name = quoted(row.portfolio);
      const isAwaiting = result.state === 'awaiting';
      const says = isAwaiting ? awaitsWords(result.awaits) : 'its portfolio is paused';
      const command = isAwaiting ? `approve ${name} --as USER` : `resume ${name}`;
      await sink.found(rowItem('not requested', walked, says, { sinceMs: result.updatedMs, command }));
    }
  }

  async function look(walked: WalkedRow): Promise<void> {
    const { state, importId, awaits } = walked.result;
    const { importedMs, isPaused } = await factsOf(walked.row.portfolio);
    if (state === 'queued' && !isPaused) return;
    if (!awaits && (importedMs.get(importId) ?? 0) < sinceMs) return;
    page.push(walked);
    if (page.length >= PAGE) await flush();
  }

  return {
    row(walked) {
      const { state } = walked.result;
      return state === 'queued' || state === 'awaiting' ? look(walked) : undefined;
    },
    endPortfolio: flush,
  };
}

function awaitsWords(awaits: RowResult['awaits']): string {
  const what = awaits?.answer ? ' of what was said of its call' : awaits ? ' to be sent again' : '';
  return `it waits for another person's approval${what}`;
}

/** Whether a row in this state was usually sent to the service. */
function wasSent(state: string): boolean {
  return is('isStep', state) || is('isFailed', state) || is('isGranted', state);
}
