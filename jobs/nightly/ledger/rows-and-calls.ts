import { setTimeout as sleep } from 'node:timers/promises';
import type { Calls } from '../../../src/ledger/calls/calls.ts';
import { contentDigest } from '../../../src/ledger/calls/claim-answers.ts';
import type { LostCall, Recovery } from '../../../src/ledger/calls/recovery.ts';
import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { Ask, OddCall, OddCalls, StoredRow } from '../../../src/ledger/nightly/row-walk.ts';
import type { Stories } from '../../../src/ledger/rows/story.ts';
import { askedOf, is, isUnfinished, type RowResult, type RowState } from '../../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../../src/ledger/schema/schema.ts';
import { sendAgain } from '../../operators/free-held.ts';
import { callsOf, isInDoubt } from '../../rows/calls-of.ts';
import type { FeedDeps } from '../../rows/feed.ts';
import { commandFor, rowFacts, type StoredRowCheck } from '../walk-ledger.ts';

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
  {
    sink,
    ask,
    signal,
    lookAgainMs = LOOK_AGAIN_MS,
  }: { sink: FoundSink; ask: Ask; signal: AbortSignal; lookAgainMs?: number },
): StoredRowCheck {
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
      if (!isMade(call) && !isForgotten && !(state === 'held' && step === 'documents')) return undefined;
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

function isMade(call: OddCall | undefined): boolean {
  return call?.state === 'made';
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
  'rows are held for calls that the ledger had forgotten; it knows again that nobody knows what became of them';
const FORGOTTEN = {
  limit: 'the ledger had forgotten the calls that made these limits; it knows them again',
  company: 'the ledger had forgotten the calls that made these companies; it knows them again',
} as const;
const UNMADE = {
  limit: 'rows are done with a limit that no call of ours made: ask at the service what it is',
  company: 'rows are done with a company that no call of ours made: ask at the service what it is',
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
