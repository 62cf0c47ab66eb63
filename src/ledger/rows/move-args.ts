import type { FoundCause } from '../counts/cause.ts';
import { causeArgs } from '../counts/causes.ts';
import { MOST_NOT_OURS, NOT_OURS_WORDS, refusedAlikeWords } from '../schema/pause-reasons.ts';
import type { RowFields, RowState } from '../schema/row.ts';
import type { MoveCall } from '../schema/schema.ts';
import { entryText } from './story.ts';

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
  if (to === 'held') return entryText({ is: 'held', step, message });
  return problem.status === undefined ? entryText({ is: 'failed', step, message }) : '';
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
