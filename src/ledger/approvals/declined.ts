import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../keys.ts';
import type { RowId } from '../row-id.ts';
import type { Thing } from '../verdicts.ts';

/**
 * What a person said no to, until another says yes. A no belongs to the request, or to the supplier, in whichever portfolio it stands: it
 * is kept with the call that would make it, and claim.lua sends nothing against it.
 */
export function makeDeclined({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  /** Whether a person declined an answer to one of these calls in doubt: the next answer to it needs another person's yes. */
  async function isAnswerDeclined(calls: readonly Pick<Thing, 'kind' | 'key'>[]): Promise<boolean> {
    const answers = await Promise.all(calls.map(({ kind, key }) => connection.hget(keys.call(kind, key), 'answers')));
    const ids = new Set(answers.flatMap((text) => text?.match(/\S+/g) ?? []));
    const standings = await Promise.all([...ids].map((id) => connection.hget(keys.approval(id), 'standing')));
    return standings.includes('declined');
  }

  return {
    isAnswerDeclined,

    /** The same of the call for the company of a portfolio's supplier. */
    async isSupplierAnswerDeclined(portfolio: string): Promise<boolean> {
      const { key } = JSON.parse((await connection.hget(keys.portfolio(portfolio), 'supplier')) ?? '{}');
      return key !== undefined && isAnswerDeclined([{ kind: 'company', key }]);
    },

    /** Whether somebody said no to this supplier. */
    isDeclined: async (supplier: string): Promise<boolean> =>
      (await connection.hexists(keys.call('company', supplier), 'declined')) === 1,

    /** Who said no to what this row asks for, and in what words, as `by NAME: WORDS`. */
    async noTo({ key }: RowId): Promise<string> {
      const id = (await connection.hget(keys.call('limit', key), 'declined')) ?? '';
      const [by, words] = await connection.hmget(keys.approval(id), 'answeredBy', 'words');
      return `by ${by ?? 'a person'}${words ? `: ${words}` : ''}`;
    },

    /** Which of these rows ask for what somebody said no to. */
    async declined(rows: readonly RowId[]): Promise<Set<RowId>> {
      const found = await Promise.all(rows.map(({ key }) => connection.hget(keys.call('limit', key), 'declined')));
      return new Set(rows.filter((_row, place) => found[place] !== null));
    },
  };
}
