import { Big } from 'big.js';
import { makeLuaScript } from '../../lua-script.ts';
import { sumIn } from '../counts/sums.ts';
import type { LedgerPlace } from '../schema/keys.ts';

/** The number of an approval's rows that are read at a time. */
const PAGE = 500;

/** The most attempts to compare an approval, if its rows move meanwhile. */
const LOOKS = 3;

/** Compares the stored row counts and sums of approvals with the rows that wait for them, and corrects those that differ. */
export function makeApprovalComparison({ connection, keys }: LedgerPlace) {
  const mend = makeLuaScript(connection, new URL('../lua/mend-approval.lua', import.meta.url));
  const placesOf = (portfolio: string, id: string) => {
    const lists = { waits: keys.approvals, answered: keys.approvalsAnswered };
    return { approval: keys.approval(id), ...lists, rows: keys.approvalRows(portfolio, id) };
  };

  /** Number and sum of the rows that wait for an approval. Rows that belong to another approval are removed from its list. */
  async function countRows(portfolio: string, id: string): Promise<{ rows: number; sum: Big }> {
    const index = keys.approvalRows(portfolio, id);
    const found = { rows: 0, sum: new Big(0) };
    for (let from = 0, more = true; more; from += PAGE) {
      const page = await connection.zrange(index, String(from), String(from + PAGE - 1));
      const step = connection.pipeline();
      for (const key of page) step.hmget(keys.row(portfolio, key), 'awaits', 'approval');
      const answers = ((await step.exec()) ?? []).map(([, answer]) => answer as [string | null, string | null]);
      const strays = page.filter((_, place) => answers[place]?.[1] !== id);
      for (const [awaits] of answers) {
        const [of, amount = ''] = awaits?.split('|') ?? [];
        if (of !== id) continue;
        found.rows += 1;
        if (DECIMAL.test(amount)) found.sum = found.sum.plus(amount);
      }
      if (strays.length > 0 && Number(await mend(placesOf(portfolio, id), { name: `${portfolio}/${id}`, strays })) < 0)
        break;
      from -= strays.length;
      more = page.length === PAGE;
    }
    return found;
  }

  async function compareOne(portfolio: string, id: string): Promise<number> {
    for (let look = 0; look < LOOKS; look += 1) {
      const fields = await connection.hgetall(keys.approval(id));
      if (fields.standing === undefined) return 0;
      const { rows, sum } = await countRows(portfolio, id);
      const isRight = Number(fields.rows) === rows && sum.eq(sumIn(fields, 'rows'));
      const told = {
        name: `${portfolio}/${id}`,
        moves: fields.moves,
        ...(!isRight && { count: rows, sum: sum.toFixed() }),
      };
      const differed = Number(await mend(placesOf(portfolio, id), told));
      if (differed >= 0) return differed;
    }
    return 0;
  }

  /** Compares all approvals of a portfolio, and answers how many differed from their rows. */
  return async (portfolio: string): Promise<number> => {
    let differed = 0;
    for (const id of await connection.zrange(keys.approvalsOf(portfolio), '0', '-1')) {
      if ((await compareOne(portfolio, id)) > 0) differed += 1;
    }
    return differed;
  };
}

const DECIMAL = /^\d+(\.\d+)?$/;
