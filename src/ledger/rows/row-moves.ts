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
  nightFields,
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
  /** This many first responses of a step, all refused alike, pause the portfolio; 0 for never. */
  canaryRefusals: number;
  /** The approval policy of this process' own settings, which applies in addition to the account's rule. */
  ownPolicy?: ApprovalPolicy | undefined;
  /** The scripts that move rows; by default those of this connection. */
  runInBatch?: Batcher;
};

/** The transitions of rows between states. */
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
    /** Begins a step of a row. Answers undefined if the ledger has no such row. */
    async begin(row: RowId, step: Step): Promise<RowAtStep | undefined> {
      return toRowAtStep(
        (await retryUntilAnswered('begin', () => runInBatch(row, { move: 'begin', step }))) as string[],
      );
    },

    /**
     * Moves a row from the state in which the worker saw it to another, with the results of the step.
     * Answers the row's state now, which is not `to` if the row was moved in the meantime, or has another request than that of `revision`.
     */
    async advance(row: RowId, from: RowState, to: RowState, move: Move = {}): Promise<RowState | ''> {
      const call = advanceCall(from, to, move, canaryRefusals);
      return (await retryUntilAnswered('advance', () => runInBatch(row, call))) as RowState | '';
    },

    /**
     * The move of a row for the script that also writes its call's outcome (Calls.settle): from the state in which the worker saw it to the
     * next; undefined if `to` is "", since the row's step has more calls.
     */
    moving: (from: RowState, to: RowState | '', move: Move): Moving =>
      to === '' ? undefined : advanceCall(from, to, move, canaryRefusals),

    /**
     * Sends an ended row again, from the step at which it ended. Answers whether it did. If approvals are asked for, a cancelled row that
     * had an approval needs another one instead (approvals.awaitRow). So does a declined request in any case, and a refused row by which a
     * sum of its buyer, or of the person who imported it, would be above a limit.
     *
     * @param meant whether a person chose this very row: then an earlier cancellation of its portfolio no longer concerns it
     * @param by who sends it again, for its history; undefined if it goes on because its call is no longer in doubt
     * @param part the plan to which it belongs: then a row that changed since stays as it is
     * @param night the rule that sends it: not in a paused or cancelled portfolio, once a night, and for no more nights than allowed
     */
    async requeue(
      row: RowId,
      state: 'refused' | 'cancelled' | 'held',
      meant = true,
      { by, part, night }: { by?: string | undefined; part?: PartOfPlan; night?: AtNight | undefined } = {},
    ): Promise<boolean> {
      const retried = by === undefined ? '' : storyEntryText({ is: 'retried', by, from: state, ...nightFields(night) });
      // A person's answer to a held row is already in the row's history.
      const told = meant ? retried : storyEntryText({ is: 'freed' });
      // Only a person's choice overrides a cancellation: a rule never sends a cancelled row.
      const isMeant = meant && night === undefined ? 1 : 0;
      const known = { from: state, plan: part?.plan, before: part?.beforeMs, told, night: nightArg(night), isMeant };
      return (await runInBatch(row, { move: 'requeue', ...known, ...ownRule })) === 1;
    },

    /** Cancels a row of a cancelled portfolio, unless one of the calls of the row's step is under way. */
    async cancel(row: RowId, calls: readonly Pick<Thing, 'kind' | 'key'>[] = []): Promise<CancelAnswer> {
      return giveUp(row, calls, {});
    },

    /**
     * Gives up a row as part of a plan, from the state that the plan saw, unless one of its step's calls is under way. A row that changed
     * since stays: `nothing`.
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

/** The data that move a row on: the results of its step, the revision of the request that was read, and the cause of a failure. */
export type Move = RowFields & { revision?: string; cause?: FoundCause };

/** The arguments of lua/moves.lua for a move. Pure. */
function advanceCall(
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

/** The history entry of a row that ends as held or refused; if the service refused it, release.lua has written the entry. */
function toldOf(to: RowState, { problem }: RowFields): string {
  if (!problem || (to !== 'held' && to !== 'refused')) return '';
  const { step, message } = problem;
  if (to === 'held') return storyEntryText({ is: 'held', step, message });
  return problem.status === undefined ? storyEntryText({ is: 'failed', step, message }) : '';
}

/** The arguments of a move that may pause its portfolio: the kind of answer, how many of that kind pause it, and the pause reason. */
function canaryOf(step: RowState, { answered, problem }: RowFields, refusals: number) {
  if (!answered) return { refusals };
  if (answered === 'not ours') return { answered: 'others', refusals: MOST_NOT_OURS, why: NOT_OURS_WORDS };
  if (problem?.status === undefined) return { answered: 'ok', refusals };
  return { answered: String(problem.status), refusals, why: refusedAlikeWords(refusals, step, problem) };
}

/**
 * The amounts and status of the service's response, for the portfolio's counts and sums; "?" if the script has to read them from the
 * record.
 */
function grantedOf({ record }: RowFields) {
  // JSON spells half a surrogate pair in another way, so such texts are read from the record.
  const plain = (text: unknown = '') => (typeof text === 'string' && text.isWellFormed() ? text : '?');
  if (record === undefined) return { granted: '?' };
  return { granted: plain(record.total_limit), available: plain(record.available_limit), status: plain(record.status) };
}

/** The results of a step, as the fields that the step writes into its row. */
function broughtOf({ company, documents, limit, record, problem }: RowFields) {
  const [wrote, why] = [record && JSON.stringify(record), problem && JSON.stringify(problem)];
  return { company, documents: documents?.join('|'), limit, record: wrote, problem: why };
}
