import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Ask } from '../../../src/ledger/nightly/row-walk.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import type { Stories } from '../../../src/ledger/rows/story.ts';
import type { RowResult } from '../../../src/ledger/schema/row.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { callsOf } from '../../rows/calls-of.ts';
import { commandFor, quoted, rowFacts, type StoredRowCheck } from '../walk-ledger.ts';

export type ClaimDeps = {
  rows: Pick<Rows, 'read'>;
  stories: Pick<Stories, 'calls' | 'claims'>;
};

/** How much older than the longest call a claim must be, because of the wait for a replica and differences between clocks. */
const GRACE_MS = 60_000;

/** A row that may have a claim, and the key of the row that replaced it, or ''. A replaced row is never sent again. */
type Noted = { row: RowId; replacedBy: string };

/** Rows read together. */
const PAGE = 100;

/**
 * The most rows with a possible claim that are noted in one night. More would mean that a whole fleet died. The next night reports the
 * rest.
 */
const MOST_NOTED = 20_000;

/**
 * Reports calls whose claim is older than any call takes and whose process sends no heartbeat. Does nothing about them: a
 * worker that reaches the row finds the claim, and then a person may resolve the call.
 *
 * @param timeoutMs the longest time that one call takes
 */
export function makeOldClaimCheck(
  { rows, stories }: ClaimDeps,
  { sink, ask, timeoutMs, signal }: { sink: FoundSink; ask: Ask; timeoutMs: number; signal: AbortSignal },
): StoredRowCheck {
  const noted: Noted[] = [];

  async function look(page: readonly Noted[]): Promise<void> {
    const results = await ask(() => rows.read(page.map(({ row }) => row)));
    for (const [place, { row, replacedBy }] of page.entries()) {
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
        ...(replacedBy === '' ? { command: nextCommand(row, result) } : {}),
        ...rowFacts(row, result),
      });
    }
  }

  return {
    row({ odd, row, field, result }) {
      if (noted.length >= MOST_NOTED) return;
      const isClaimed = odd?.limit?.state === 'claimed' || odd?.company?.state === 'claimed';
      const hasDocuments = result.step === 'documents' && UNSENT.has(field('state'));
      if (isClaimed || hasDocuments) noted.push({ row, replacedBy: field('replaced').split(' ')[1] ?? '' });
    },
    async end() {
      for (let from = 0; from < noted.length; from += PAGE) {
        signal.throwIfAborted();
        await look(noted.slice(from, from + PAGE));
      }
    },
  };
}

/** The command that lets a person resolve the call. A cancelled or refused row is held when it is sent again. */
function nextCommand(row: RowId, result: RowResult): string {
  const { state } = result;
  if (state === 'held') return commandFor('resolve', row, result);
  // Names the row by key: a row that it replaced may have the same line.
  const isEnded = state === 'cancelled' || state === 'refused';
  return isEnded ? ['retry', quoted(row.portfolio), '--state', state, '--row', row.key].join(' ') : 'work';
}

/** States in which a row at its documents may have a document's call that was claimed and never settled. */
const UNSENT: ReadonlySet<string> = new Set(['documents', 'cancelled', 'refused', 'held']);

const SAYS = 'calls are under way for longer than any call takes, and the process that sent them gives no sign of life';
