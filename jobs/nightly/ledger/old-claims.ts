import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Ask } from '../../../src/ledger/nightly/row-walk.ts';
import type { RowId } from '../../../src/ledger/row-id.ts';
import type { Rows } from '../../../src/ledger/rows.ts';
import type { Stories } from '../../../src/ledger/story/story.ts';
import { callsOf } from '../../rows/calls-of.ts';
import type { StoredRowCheck } from '../walk-ledger.ts';
import { commandFor } from './command-for.ts';
import { rowFacts } from './named-rows.ts';

export type ClaimDeps = {
  rows: Pick<Rows, 'read'>;
  stories: Pick<Stories, 'calls' | 'claims'>;
};

/** Beside the longest call: what a claim waits for a replica, and what clocks of processes differ by. */
const GRACE_MS = 60_000;

/** Rows looked at together. */
const PAGE = 100;

/** More than so many rows with a claim each would be a fleet that died as a whole; the next night has the others. */
const MOST_NOTED = 20_000;

/**
 * Names calls that are claimed for longer than any call takes, by processes that give no sign of life. Nothing is done to them: a
 * worker that comes by the row finds the claim, and then a person may say what became of the call.
 *
 * @param timeoutMs the longest that one call takes
 */
export function makeOldClaimCheck(
  { rows, stories }: ClaimDeps,
  { sink, ask, timeoutMs, signal }: { sink: FoundSink; ask: Ask; timeoutMs: number; signal: AbortSignal },
): StoredRowCheck {
  const noted: RowId[] = [];

  async function look(page: readonly RowId[]): Promise<void> {
    const results = await ask(() => rows.read(page));
    for (const [place, row] of page.entries()) {
      const result = results[place];
      if (!result || result.state === 'done') continue;
      const found = { row, result };
      const calls = await ask(() => stories.claims([...callsOf(found), { kind: 'limit' as const, key: row.key }]));
      const old = calls.find(({ agoMs, isAlive }) => !isAlive && agoMs > timeoutMs + GRACE_MS);
      if (!old) continue;
      const sent = new Date(old.atMs).toISOString();
      await sink.found({
        check: 'old claims',
        says: SAYS,
        detail: `${old.kind}, sent ${sent} by process ${old.processId}`,
        sinceMs: old.atMs,
        isMended: false,
        command: result.state === 'held' ? commandFor('resolve', row, result) : 'work',
        ...rowFacts(row, result),
      });
    }
  }

  return {
    row({ odd, row, field, result }) {
      if (noted.length >= MOST_NOTED) return;
      const isClaimed = odd?.limit?.state === 'claimed' || odd?.company?.state === 'claimed';
      const hasDocuments = result.step === 'documents' && UNSENT.has(field('state'));
      if (isClaimed || hasDocuments) noted.push(row);
    },
    async end() {
      for (let from = 0; from < noted.length; from += PAGE) {
        signal.throwIfAborted();
        await look(noted.slice(from, from + PAGE));
      }
    },
  };
}

/** Where a row may have left a document's call behind. */
const UNSENT: ReadonlySet<string> = new Set(['documents', 'cancelled', 'refused', 'held']);

const SAYS = 'calls are under way for longer than any call takes, and the process that sent them gives no sign of life';
