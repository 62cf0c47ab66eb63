import { setTimeout as sleep } from 'node:timers/promises';
import type { Calls } from '../../../src/ledger/calls/calls.ts';
import { contentDigest } from '../../../src/ledger/calls/claim-answers.ts';
import type { LostCall, Recovery } from '../../../src/ledger/calls/recovery.ts';
import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Ask, OddCall, OddCalls, StoredRow } from '../../../src/ledger/nightly/row-walk.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import type { Stories } from '../../../src/ledger/rows/story.ts';
import { askedOf, is, isUnfinished, type RowResult, type RowState } from '../../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../../src/ledger/schema/schema.ts';
import { sendAgain } from '../../operators/free-held.ts';
import type { FeedDeps } from '../../rows/feed.ts';
import { callsOf, isInDoubt } from '../../rows/walk-rows.ts';
import { commandFor, quoted, rowFacts, type StoredRowCheck } from '../walk-ledger.ts';

export type RowCheckDeps = FeedDeps & {
  calls: Pick<Calls, 'isUnknown' | 'isForgotten' | 'makersOf'>;
  recovery: Recovery;
  stories: Pick<Stories, 'calls'>;
};

/**
 * How long after a row was found to differ from its call the two are compared again, in ms. A worker releases a held row within two seconds
 * of its answer, so this is well after that.
 */
export const LOOK_AGAIN_MS = 10_000;

/** The most rows that are compared a second time. More would have a common reason, and the next night reports the rest. */
const MOST_AGAIN = 10_000;

/** A row whose end differs from its call. */
type Disagreeing = { row: RowId; state: RowState; updatedMs: number };

/**
 * Compares rows with their calls. If the ledger has forgotten the call of a done row, the call is recorded again from the row, so that
 * nothing is requested twice; a differing or unknown id is only reported. A forgotten call of a held row is in doubt again. A held row
 * whose call is not in doubt goes on. A refused or cancelled row whose limit was made is left for a person.
 */
export function makeCallCheck(
  deps: RowCheckDeps,
  given: { sink: FoundSink; ask: Ask; signal: AbortSignal; lookAgainMs?: number },
): StoredRowCheck {
  const { sink, ask, signal, lookAgainMs = LOOK_AGAIN_MS } = given;
  const again: Disagreeing[] = [];
  let lastMs = 0;

  async function compareDone(walked: StoredRow, kind: 'limit' | 'company', call: OddCall): Promise<void> {
    const { row, result } = walked;
    const made = madeBy(walked, kind);
    // The ledger keeps for good which call made an id. An id without a known maker therefore belongs to no forgotten call.
    const [maker] = await ask(() => deps.calls.makersOf([made]));
    if (call.state !== 'made' && maker?.key !== made.keys[0]) {
      const detail = made.id || 'no id';
      return sink.found({ check: 'calls', says: UNMADE[kind], detail, isMended: false, ...rowFacts(row, result) });
    }
    const recovered = await ask(() => deps.recovery.putBack(made, { write: true }));
    // Another process may have recorded the call just now.
    if (recovered.is === 'known') return;
    const isMended = recovered.is === 'put';
    const says = isMended ? FORGOTTEN[kind] : DIFFERS[kind];
    const detail = isMended ? made.id : `the row has ${made.id || 'none'}, and the call made ${call.id || 'none'}`;
    await sink.found({ check: 'calls', says, detail, isMended, ...rowFacts(row, result) });
  }

  async function lookAgain({ row, state, updatedMs }: Disagreeing): Promise<void> {
    const [result] = await deps.rows.read([row]);
    if (result?.state !== state || result.updatedMs !== updatedMs) return;
    const facts = { sinceMs: updatedMs, ...rowFacts(row, result) };
    if (state === 'held') {
      const [call] = callsOf({ row, result });
      if (result.step !== 'documents' && call && (await deps.calls.isForgotten(call))) {
        if ((await deps.recovery.putBack(doubtOf(row, result), { write: true })).is !== 'put') return;
        await sink.found({ check: 'calls', says: FORGOTTEN_DOUBT, isMended: true, ...facts });
        return;
      }
      if ((await isInDoubt({ row, result }, deps.calls)) || !(await sendAgain(row, 'held', deps, false))) return;
      await sink.found({ check: 'calls', says: ANSWERED, isMended: true, ...facts });
      return;
    }
    const [call] = await deps.stories.calls([{ kind: 'limit', key: row.key }]);
    if (call?.state !== 'made' || call.row !== rowName(row)) return;
    const command = commandFor('retry', row, result, ['--state', state]);
    const says = state === 'refused' ? REFUSED_BUT_MADE : CANCELLED_BUT_MADE;
    await sink.found({ check: 'calls', says, detail: call.id, isMended: false, command, ...facts });
  }

  async function compareEnded(walked: StoredRow, { limit, company }: OddCalls): Promise<void> {
    if (limit) await compareDone(walked, 'limit', limit);
    if (company) await compareDone(walked, 'company', company);
  }

  return {
    row(walked) {
      const { odd, row, field } = walked;
      const state = field('state') as RowState;
      // Returns no promise where none is needed: of a million rows, few have to be awaited.
      if (is('isGranted', state)) return odd && compareEnded(walked, odd);
      if (isUnfinished(state) || again.length >= MOST_AGAIN) return undefined;
      const { step, updatedMs } = walked.result;
      const call = state === 'held' && step === 'company' ? odd?.company : odd?.limit;
      const isForgotten = state === 'held' && !call;
      if (call?.state !== 'made' && !isForgotten && !(state === 'held' && step === 'documents')) return undefined;
      again.push({ row, state, updatedMs });
      lastMs = performance.now();
      return undefined;
    },
    async end() {
      if (again.length === 0) return;
      const waitMs = lastMs + lookAgainMs - performance.now();
      if (waitMs > 0) await sleep(waitMs, undefined, { signal });
      for (const one of again) {
        signal.throwIfAborted();
        await ask(() => lookAgain(one));
      }
    },
  };
}

/** Rebuilds the record of the call that a done or skipped row tells of. Counts and buyers' lists are left to other checks. */
function madeBy({ row, result }: StoredRow, kind: 'limit' | 'company'): LostCall & { is: 'made' } {
  const { request, limitId, companyId, record, documentIds, line, sinceMs, state } = result as RowResult;
  const whole = { is: 'made', buyer: undefined, line, atMs: sinceMs } as const;
  // A skipped row's limit was made for another row.
  const name = state === 'skipped' ? '' : rowName(row);
  if (kind === 'company') {
    const empty = { record: {}, company: '', documents: [], asked: undefined };
    return { ...whole, ...empty, kind, keys: [request.buyer], row: name, id: companyId };
  }
  const asked = contentDigest(askedOf(request));
  return {
    ...whole,
    kind,
    keys: [row.key],
    row: name,
    asked,
    id: limitId,
    record,
    company: companyId,
    documents: documentIds,
  };
}

/** Rebuilds the record of the call in doubt that a held row tells of. */
function doubtOf(row: RowId, { step, request, line, updatedMs }: RowResult): LostCall {
  const { buyer, limit } = request;
  const told = {
    is: 'unknown',
    reason: 'its outcome was forgotten',
    sentMs: updatedMs,
    atMs: updatedMs,
    line,
  } as const;
  const whose = { ...told, buyer, row: rowName(row) };
  if (step === 'company') return { ...whose, kind: 'company', keys: [buyer], asked: undefined };
  const asked = contentDigest(askedOf(request));
  return { ...whose, kind: 'limit', keys: [row.key], asked, amount: limit.requested_limit };
}

const FORGOTTEN_DOUBT =
  'rows are held for calls that the ledger had forgotten; it knows them again, and that their outcomes are unknown';
const FORGOTTEN = {
  limit: 'the ledger had forgotten the calls that made these limits; it knows them again',
  company: 'the ledger had forgotten the calls that made these companies; it knows them again',
} as const;
const UNMADE = {
  limit: 'rows are done with a limit that no recorded call made: ask the service what it is',
  company: 'rows are done with a company that no recorded call made: ask the service what it is',
} as const;
const DIFFERS = {
  limit: 'rows are done with another limit than their call made',
  company: 'rows are done with another company than their call made',
} as const;
const ANSWERED = 'rows were held though it is known what became of their call; they go on';
const REFUSED_BUT_MADE =
  'rows are refused, but their limit was made; sending them again records that limit and requests nothing';
const CANCELLED_BUT_MADE =
  'rows are cancelled, but their limit was made; sending them again records that limit and requests nothing';

export type ClaimDeps = { rows: Pick<Rows, 'read'>; stories: Pick<Stories, 'calls' | 'claims'> };

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
