import type { FoundCause } from './counts/cause.ts';
import { causeArgs } from './counts/causes.ts';
import { MOST_NOT_OURS, NOT_OURS_WORDS, refusedAlikeWords } from './pause-reasons.ts';
import type { RowFields, RowState } from './row.ts';
import { entryText } from './story/story.ts';

/** What a row is moved on with: what its step brought, the revision of its words that was seen, and the cause of its failure. */
export type Move = RowFields & { revision?: string; cause?: FoundCause };

/** What advance.lua is told where a row does not fail. */
const NO_CAUSE = ['', '', '', ''];

/** And where nothing is granted. */
const NOTHING_GRANTED = ['', '', ''];

/** What advance.lua is told of a move, behind the row's key. Pure. */
export function advanceArgs(
  from: RowState,
  to: RowState,
  { revision = '', ...fields }: Move,
  canaryRefusals: number,
): (string | number)[] {
  return [
    from,
    to,
    revision,
    ...canaryArgs(from, fields, canaryRefusals),
    ...(fields.cause ? causeArgs(fields.cause) : NO_CAUSE),
    toldOf(to, fields),
    ...(to === 'done' ? grantedArgs(fields) : NOTHING_GRANTED),
    ...fieldArgs(fields),
  ];
}

/** What plain-end.lua is told of a move that goes as most do, from the revision on. Pure. */
export function plainMoveArgs(
  from: RowState,
  to: RowState | '',
  { revision = '', ...fields }: Move,
  canaryRefusals: number,
): (string | number)[] {
  const [answer = '', refusals = 0] = canaryArgs(from, fields, canaryRefusals);
  const written = fieldArgs(fields);
  const granted = to === 'done' ? grantedArgs(fields) : NOTHING_GRANTED;
  return [revision, from, to, answer, refusals, ...granted, written.length, ...written];
}

/** What an end tells the row's story: a refusal of the service is told by the call itself (release.lua). */
function toldOf(to: RowState, { problem }: RowFields): string {
  if (!problem || (to !== 'held' && to !== 'refused')) return '';
  const { step, message } = problem;
  if (to === 'held') return entryText({ is: 'held', step, message });
  return problem.status === undefined ? entryText({ is: 'failed', step, message }) : '';
}

/** What the canary goes by, and what a portfolio that pauses itself says of it. */
function canaryArgs(step: RowState, { answered, problem }: RowFields, refusals: number): (string | number)[] {
  if (!answered) return ['', refusals, ''];
  if (answered === 'not ours') return ['others', MOST_NOT_OURS, NOT_OURS_WORDS];
  if (problem?.status === undefined) return ['ok', refusals, ''];
  return [String(problem.status), refusals, refusedAlikeWords(refusals, step, problem)];
}

/** Of what the service granted, what is counted and added up; "?" where that is to be looked up in the record. */
function grantedArgs({ record }: RowFields): string[] {
  if (record === undefined) return ['?', '?', '?'];
  const known = [record.total_limit, record.available_limit, record.status];
  // As JSON half a character has another spelling.
  return known.map((text = '') => (typeof text === 'string' && text.isWellFormed() ? text : '?'));
}

/** The fields to write: name, value, name, value … */
function fieldArgs({ company, documents, limit, record, problem }: RowFields): string[] {
  const args: string[] = [];
  if (company !== undefined) args.push('company', company);
  if (documents !== undefined) args.push('documents', documents.join('|'));
  if (limit !== undefined) args.push('limit', limit);
  if (record !== undefined) args.push('record', JSON.stringify(record));
  if (problem !== undefined) args.push('problem', JSON.stringify(problem));
  return args;
}
