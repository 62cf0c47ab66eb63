import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import type { Thing } from './calls.ts';
import type { Keys } from './keys.ts';
import type { Persist } from './persist.ts';
import { VANISHED_AFTER_MS } from './presence.ts';
import type { CancelAnswer, RowAtStep, RowFields, RowState, Step } from './row.ts';
import { type RowId, rowName } from './row-id.ts';

export type RowOptions = {
  connection: RedisConnection;
  keys: Keys;
  persist: Persist;
  /** So many first answers of a step refused alike pause the portfolio; 0 for never. */
  canaryRefusals: number;
};

/** How a row goes from state to state. */
export function makeRowMoves({ connection, keys, persist, canaryRefusals }: RowOptions) {
  const script = (name: string) => makeLuaScript(connection, new URL(`./lua/${name}.lua`, import.meta.url));
  const [begin, advance] = [script('begin'), script('advance')];
  const [requeue, cancel] = [script('requeue'), script('cancel-row')];
  const keysOf = (row: RowId) => [keys.portfolio(row.portfolio), keys.row(row.portfolio, row.key)];
  const withLimit = (row: RowId) => [...keysOf(row), keys.call('limit', row.key)];

  return {
    /** Takes a row up at a step. Answers nothing when the ledger knows no such row. */
    async begin(row: RowId, step: Step): Promise<RowAtStep | undefined> {
      return toRowAtStep((await persist('begin', () => begin(withLimit(row), [row.key, step]))) as string[]);
    },

    /**
     * Moves a row from the state in which the worker saw it to another, with what the step brought.
     * Answers the state that it is in now, which is another when somebody else moved it meanwhile, or gave it other words
     * than those of `revision`.
     */
    async advance(
      row: RowId,
      from: RowState,
      to: RowState,
      { revision = '', ...fields }: RowFields & { revision?: string } = {},
    ): Promise<RowState | ''> {
      const status = to === 'done' ? (fields.record?.status ?? '') : '';
      const canary = canaryArgs(from, fields, canaryRefusals);
      const args = [row.key, from, to, revision, status, ...canary, ...fieldArgs(fields)];
      return (await persist('advance', () => advance(withLimit(row), args))) as RowState | '';
    },

    /**
     * Lets a row that ended in this state go again, from the step at which it ended. Answers whether it did.
     *
     * @param meant whether a person means this very row: then a cancellation of its portfolio does not concern it any more
     */
    async requeue(row: RowId, state: 'refused' | 'cancelled' | 'held', meant = true): Promise<boolean> {
      return (await requeue(keysOf(row), [row.key, state, meant ? 1 : 0])) === 1;
    },

    /** Cancels a row of a portfolio that was cancelled, unless one of its step's calls is under way. */
    async cancel(row: RowId, calls: readonly Pick<Thing, 'kind' | 'key'>[] = []): Promise<CancelAnswer> {
      const callKeys = [keys.call('limit', row.key), ...calls.map(({ kind, key }) => keys.call(kind, key))];
      const args = [row.key, rowName(row), VANISHED_AFTER_MS];
      return (await cancel([...keysOf(row), keys.workers, ...callKeys], args)) as CancelAnswer;
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

/** What the canary goes by, and what a portfolio that pauses itself says of it; of the service's own words, 200 characters. */
function canaryArgs(step: RowState, { answered, problem }: RowFields, refusals: number): (string | number)[] {
  if (!answered) return ['', refusals, ''];
  if (problem?.status === undefined) return ['ok', refusals, ''];
  const body = problem.body ? `: ${problem.body.slice(0, 200)}` : '';
  // What the message adds to the status is what a person can do about it.
  const [, advice = ''] = problem.message.split(`status ${problem.status}`);
  const why = `the first ${refusals} answers at the step ${step} were all refused with status ${problem.status}${advice}${body}`;
  return [String(problem.status), refusals, why];
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
