import type { RedisConnection } from '../../lua-script.ts';
import { type Batcher, batcherOf, type Moving } from '../calls/batches.ts';
import type { Thing } from '../calls/claim-answers.ts';
import { VANISHED_AFTER_MS } from '../calls/fleet.ts';
import { causeArgs, type FoundCause } from '../counts/cause.ts';
import { type ApprovalPolicy, asksApproval, NO_APPROVAL } from '../schema/approval.ts';
import type { Keys } from '../schema/keys.ts';
import { MOST_NOT_OURS, NOT_OURS_WORDS, refusedAlikeWords } from '../schema/pause-reasons.ts';
import {
  type AtNight,
  type CancelAnswer,
  type GivenUpFrom,
  nightArg,
  nightTold,
  type PartOfPlan,
  type RowAtStep,
  type RowFields,
  type RowState,
  type Step,
} from '../schema/row.ts';
import type { MoveCall, RowId } from '../schema/schema.ts';
import type { RetryUntilAnswered } from '../schema/until-answered.ts';
import { storyEntryText } from './story.ts';

export type RowOptions = {
  connection: RedisConnection;
  keys: Keys;
  retryUntilAnswered: RetryUntilAnswered;
  /** So many first answers of a step refused alike pause the portfolio; 0 for never. */
  canaryRefusals: number;
  /** What this process' settings ask another person's approval for, whatever the ledger's rule does. */
  ownPolicy?: ApprovalPolicy | undefined;
  /** By which scripts rows are moved; those of this connection where left out. */
  runInBatch?: Batcher;
};

/** How a row goes from state to state. */
export function makeRowMoves({
  connection,
  keys,
  retryUntilAnswered,
  canaryRefusals,
  ownPolicy = NO_APPROVAL,
  runInBatch = batcherOf(connection, keys),
}: RowOptions) {
  const { above, personAbove: person, windowDays: days = 0 } = ownPolicy;
  const ownRule = { asks: asksApproval(ownPolicy) ? 1 : 0, above, person, days };

  const giveUp = async (
    row: RowId,
    calls: readonly Pick<Thing, 'kind' | 'key'>[],
    told: { from?: GivenUpFrom; before?: number; plan?: string; told?: string },
  ): Promise<CancelAnswer> => {
    const known = [['limit', row.key], ...calls.map(({ kind, key }) => [kind, key])];
    const move = { move: 'giveUp', ...told, calls: JSON.stringify(known), vanishedAfterMs: VANISHED_AFTER_MS } as const;
    return (await runInBatch(row, move)) as CancelAnswer;
  };

  return {
    /** Takes a row up at a step. Answers nothing when the ledger knows no such row. */
    async begin(row: RowId, step: Step): Promise<RowAtStep | undefined> {
      return toRowAtStep(
        (await retryUntilAnswered('begin', () => runInBatch(row, { move: 'begin', step }))) as string[],
      );
    },

    /**
     * Moves a row from the state in which the worker saw it to another, with what the step brought.
     * Answers the state that it is in now, which is another when somebody else moved it meanwhile, or gave it other words
     * than those of `revision`.
     */
    async advance(row: RowId, from: RowState, to: RowState, move: Move = {}): Promise<RowState | ''> {
      const call = advanceCall(from, to, move, canaryRefusals);
      return (await retryUntilAnswered('advance', () => runInBatch(row, call))) as RowState | '';
    },

    /**
     * How a row is to go on once its call is answered, in the same step of the ledger ({@link Calls.end}): from the state in which the
     * worker saw it to the next; to "" where it stays, since its step has more calls.
     */
    moving: (from: RowState, to: RowState | '', move: Move): Moving =>
      to === '' ? undefined : advanceCall(from, to, move, canaryRefusals),

    /**
     * Lets a row that ended in this state go again, from the step at which it ended. Answers whether it did. Where approvals are
     * asked for, one that was given up after it had been part of an approval does not: it needs another (approvals.awaitRow). One that
     * was declined needs another in any case, and so does a refused one with which a buyer, or who brought it in, comes above a limit.
     *
     * @param meant whether a person means this very row: then a cancellation of its portfolio does not concern it any more
     * @param by who sends it again, for its story; where nobody does, it goes on since its call is in doubt no longer
     * @param part the plan that it is a part of: then a row that changed since stays as it is
     * @param night the rule by which it goes: then not where its portfolio is paused or was given up, nor twice a night, and no more
     *   nights than it may; that is counted in the same step
     */
    async requeue(
      row: RowId,
      state: 'refused' | 'cancelled' | 'held',
      meant = true,
      { by, part, night }: { by?: string | undefined; part?: PartOfPlan; night?: AtNight | undefined } = {},
    ): Promise<boolean> {
      const retried = by === undefined ? '' : storyEntryText({ is: 'retried', by, from: state, ...nightTold(night) });
      // Of a held row that a person spoke of, the call has told so already.
      const told = meant ? retried : storyEntryText({ is: 'freed' });
      // A rule means no row that was given up.
      const isMeant = meant && night === undefined ? 1 : 0;
      const known = { from: state, plan: part?.plan, before: part?.beforeMs, told, night: nightArg(night), isMeant };
      return (await runInBatch(row, { move: 'requeue', ...known, ...ownRule })) === 1;
    },

    /** Cancels a row of a portfolio that was cancelled, unless one of its step's calls is under way. */
    async cancel(row: RowId, calls: readonly Pick<Thing, 'kind' | 'key'>[] = []): Promise<CancelAnswer> {
      return giveUp(row, calls, {});
    },

    /**
     * Gives up this very row as a part of a plan, from the state in which it was planned, unless one of its step's calls is
     * under way. One that changed since stays as it is: `nothing`.
     */
    async giveUp(
      row: RowId,
      state: GivenUpFrom,
      calls: readonly Pick<Thing, 'kind' | 'key'>[],
      { plan, beforeMs }: PartOfPlan,
      by: string,
    ): Promise<CancelAnswer> {
      return giveUp(row, calls, { from: state, before: beforeMs, plan, told: storyEntryText({ is: 'cancelled', by }) });
    },
  };
}

function toRowAtStep(answer: string[]): RowAtStep | undefined {
  const [state, request, companyId = '', documents, problem, revision = ''] = answer;
  if (!state || !request) return undefined;
  return {
    state: state as RowState,
    revision,
    request: JSON.parse(request),
    companyId,
    documentIds: documents ? documents.split('|') : [],
    problem: problem ? JSON.parse(problem) : undefined,
  };
}

/** What a row is moved on with: what its step brought, the revision of its words that was seen, and the cause of its failure. */
export type Move = RowFields & { revision?: string; cause?: FoundCause };

/** What lua/moves.lua is told of a move. Pure. */
export function advanceCall(
  from: RowState,
  to: RowState,
  { revision = '', ...fields }: Move,
  canaryRefusals: number,
): Extract<MoveCall, { move: 'advance' }> {
  const told = toldOf(to, fields);
  return {
    ...{ move: 'advance', from, to, revision, told },
    ...canaryOf(from, fields, canaryRefusals),
    failed: fields.cause && JSON.stringify(causeArgs(fields.cause)),
    ...(to === 'done' && grantedOf(fields)),
    ...broughtOf(fields),
  };
}

/** What an end tells the row's story: a refusal of the service is told by the call itself (release.lua). */
function toldOf(to: RowState, { problem }: RowFields): string {
  if (!problem || (to !== 'held' && to !== 'refused')) return '';
  const { step, message } = problem;
  if (to === 'held') return storyEntryText({ is: 'held', step, message });
  return problem.status === undefined ? storyEntryText({ is: 'failed', step, message }) : '';
}

/** What the canary goes by, and what a portfolio that pauses itself says of it. */
function canaryOf(step: RowState, { answered, problem }: RowFields, refusals: number) {
  if (!answered) return { refusals };
  if (answered === 'not ours') return { answered: 'others', refusals: MOST_NOT_OURS, why: NOT_OURS_WORDS };
  if (problem?.status === undefined) return { answered: 'ok', refusals };
  return { answered: String(problem.status), refusals, why: refusedAlikeWords(refusals, step, problem) };
}

/** Of what the service granted, what is counted and added up; "?" where that is to be looked up in the record. */
function grantedOf({ record }: RowFields) {
  // As JSON half a character has another spelling.
  const plain = (text: unknown = '') => (typeof text === 'string' && text.isWellFormed() ? text : '?');
  if (record === undefined) return { granted: '?' };
  return { granted: plain(record.total_limit), available: plain(record.available_limit), status: plain(record.status) };
}

/** The fields to write. */
function broughtOf({ company, documents, limit, record, problem }: RowFields) {
  const [wrote, why] = [record && JSON.stringify(record), problem && JSON.stringify(problem)];
  return { company, documents: documents?.join('|'), limit, record: wrote, problem: why };
}
