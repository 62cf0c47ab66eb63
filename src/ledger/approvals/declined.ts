import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Thing } from '../calls/verdicts.ts';
import type { Approval } from '../schema/approval.ts';
import type { Keys } from '../schema/keys.ts';
import type { RowId } from '../schema/row-id.ts';

/** Rows at a time: some milliseconds of Redis' time. */
const PAGE = 500;

/** As approvals.lua has it. */
const noWords = (by: string | null | undefined, words: string | null | undefined): string =>
  `by ${by ?? 'a person'}${words ? `: ${words}` : ''}`;

/**
 * What a person said no to, until another says yes. A no belongs to the request, or to the supplier, in whichever portfolio it stands: it
 * is kept with the call that would make it, and claim.lua sends nothing against it.
 */
export function makeDeclined({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const lastNo = makeLuaScript(connection, new URL('../lua/last-no.lua', import.meta.url));

  /** The last no to what was said of calls in doubt, `by NAME: WORDS`. Of an approval that left with its portfolio nobody knows that it was none. */
  async function noToAnswers(callKeys: readonly string[]): Promise<string | undefined> {
    const answers = await Promise.all(callKeys.map((call) => connection.hget(call, 'answers')));
    const ids = [...new Set(answers.flatMap((text) => text?.match(/\S+/g) ?? []))];
    const found = await Promise.all(
      ids.map((id) => connection.hmget(keys.approval(id), 'standing', 'turn', 'answeredBy', 'words', 'no')),
    );
    // As noToAnswer has it (approvals.lua).
    const nos = found.filter(
      ([standing, , , , no]) => standing === 'declined' || standing === null || (standing === 'void' && no !== null),
    );
    const last = nos.sort(([, one], [, other]) => Number(one ?? 0) - Number(other ?? 0)).at(-1);
    return last && noWords(last[2], last[3]);
  }

  /** Whether a person declined an answer to one of these calls in doubt: the next answer to it needs another person's yes. */
  async function isAnswerDeclined(calls: readonly Pick<Thing, 'kind' | 'key'>[]): Promise<boolean> {
    return (await noToAnswers(calls.map(({ kind, key }) => keys.call(kind, key)))) !== undefined;
  }

  return {
    isAnswerDeclined,

    /** The last no, in another approval, to what this one asks for: that approval. */
    async noElsewhere({ portfolio, id, kind }: Approval, supplier = ''): Promise<string | undefined> {
      let last: { id: string; turn: number } | undefined;
      for (let from = 0; ; from += PAGE) {
        const rows = await connection.zrange(keys.approvalRows(portfolio, id), `${from}`, `${from + PAGE - 1}`);
        const told = { own: id, kind, supplier, rows };
        const [no, turn] = (await lastNo({ portfolio: keys.portfolio(portfolio) }, told)) as string[];
        if (no !== undefined && Number(turn) > (last?.turn ?? -1)) last = { id: no, turn: Number(turn) };
        if (rows.length < PAGE) return last?.id;
      }
    },

    /** Who said no to what this row asks for, and in what words, as `by NAME: WORDS`. */
    async noTo({ key }: RowId): Promise<string> {
      const id = (await connection.hget(keys.call('limit', key), 'declined')) ?? '';
      const [by, words] = await connection.hmget(keys.approval(id), 'answeredBy', 'words');
      return noWords(by, words);
    },

    /** Which of these rows ask for what somebody said no to. */
    async declined(rows: readonly RowId[]): Promise<Set<RowId>> {
      const found = await Promise.all(rows.map(({ key }) => connection.hget(keys.call('limit', key), 'declined')));
      return new Set(rows.filter((_row, place) => found[place] !== null));
    },
  };
}
