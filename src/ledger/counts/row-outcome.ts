import { countedStatus, type Meanings, statusMeaningOf } from '../../status-meaning.ts';
import type { RowResult, RowState } from '../schema/row.ts';
import { amountText, shareOf } from './amounts.ts';

/** The outcomes of a request, in the order of reports, with the words for people. Each row has exactly one outcome. */
export const ROW_OUTCOMES = {
  approved: 'approved',
  partly_approved: 'partly approved',
  under_review: 'under review',
  declined: 'declined',
  answered: 'answered, outcome not known',
  rejected: 'rejected by the service',
  needs_answer: 'needs an answer',
  awaiting_approval: 'waiting for approval',
  sending: 'sending',
  waiting: 'waiting',
  requested_before: 'requested before',
  not_sent: 'not sent',
} as const satisfies Record<string, string>;

export type RowOutcome = keyof typeof ROW_OUTCOMES;

/** Every outcome, in the order of reports. */
export const OUTCOMES = Object.keys(ROW_OUTCOMES) as RowOutcome[];

/** The outcomes of rows that the service has answered. */
export const ANSWER_OUTCOMES = ['approved', 'partly_approved', 'under_review', 'declined', 'answered'] as const;

export type AnswerOutcome = (typeof ANSWER_OUTCOMES)[number];

/** How much of the request was granted: all of it, a part above zero, nothing, or an amount that is missing or unreadable. */
export type Share = 'all' | 'part' | 'nothing' | 'unknown';

/** The shares by the digit that a row's tally has for them (lua/amounts.lua). */
export const SHARES: Readonly<Record<string, Share>> = { '4': 'all', '5': 'part', '6': 'nothing', '7': 'unknown' };

const OF_STATE: Readonly<Record<Exclude<RowState, 'done'>, RowOutcome>> = {
  queued: 'waiting',
  company: 'sending',
  documents: 'sending',
  limit: 'sending',
  refused: 'rejected',
  held: 'needs_answer',
  skipped: 'requested_before',
  cancelled: 'not_sent',
  awaiting: 'awaiting_approval',
};

const OF_APPROVED: Readonly<Record<Share, AnswerOutcome>> = {
  all: 'approved',
  part: 'partly_approved',
  nothing: 'declined',
  unknown: 'answered',
};

export function outcomeOfState(state: Exclude<RowState, 'done'>): RowOutcome {
  return OF_STATE[state];
}

/** A row's state in the words of outcomes; `answered` for a row that the service answered, whatever it said. */
export function stateWords(state: RowState): string {
  return state === 'done' ? 'answered' : ROW_OUTCOMES[outcomeOfState(state)];
}

export function canHave(outcomes: readonly RowOutcome[], state: RowState): boolean {
  return state === 'done'
    ? ANSWER_OUTCOMES.some((one) => outcomes.includes(one))
    : outcomes.includes(outcomeOfState(state));
}

/** The outcome of a done row, by the status and the share that the service answered. */
export function outcomeOfAnswer(
  { status, share }: { status: string; share: Share },
  meanings: Meanings,
): AnswerOutcome {
  const meaning = statusMeaningOf(status, meanings);
  if (meaning === undefined) return 'answered';
  if (meaning === 'approved') return OF_APPROVED[share];
  return meaning === 'review' ? 'under_review' : 'declined';
}

export function outcomeOfRow({ state, record, request }: RowOutcomeFacts, meanings: Meanings): RowOutcome {
  if (state !== 'done') return outcomeOfState(state);
  const share = SHARES[shareOf(amountText(record.total_limit), request.limit.requested_limit)];
  return outcomeOfAnswer({ status: countedStatus(record.status ?? ''), share: share ?? 'unknown' }, meanings);
}

/** Whether the service declined a made limit. `row` may be any of the rows that share the limit, in any state. */
export function isDeclinedLimit(row: RowOutcomeFacts, meanings: Meanings): boolean {
  return outcomeOfRow({ ...row, state: 'done' }, meanings) === 'declined';
}

/**
 * The outcome of a row by its tally (lua/derive.lua). `none`: another row replaces it. Undefined: the tally is missing or of an older
 * version, so that only the row itself can tell.
 */
export function outcomeOfTally(tally: string, meanings: Meanings): RowOutcome | 'none' | undefined {
  const [, bucket = '', digit = '', status = ''] = TALLY.exec(tally) ?? [];
  if (bucket === 'replaced') return 'none';
  if (bucket !== 'done') return OF_STATE[bucket as keyof typeof OF_STATE];
  const share = SHARES[digit];
  return share && outcomeOfAnswer({ status, share }, meanings);
}

const TALLY = /^[ab]\|(\w+)\|[^|]*(?:\|[^|]*\|[^|]*\|(\d?)\|[^|]*\|(.*))?$/s;

type RowOutcomeFacts = Pick<RowResult, 'state' | 'record'> & { request: { limit: { requested_limit: string } } };
