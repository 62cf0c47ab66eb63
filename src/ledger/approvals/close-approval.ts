import type { RedisConnection } from '../../lua-script.ts';
import { makeGatedScript } from '../archive/gated-script.ts';
import type { Keys } from '../keys.ts';
import type { Persist } from '../persist.ts';
import type { RowId } from '../row-id.ts';
import type { ApprovalPolicy, ApprovalStanding } from './approval.ts';
import type { ApprovalId } from './approval-id.ts';

/** Which sum is above its limit, as the ledger tells it (above.lua): of what, whose, and the sum; [] where none is. */
export type Over = string[];

/** Rows whose buyers are looked at with one command: the script ends by itself when it has looked at much. */
const LOOKED_AT = 500;

/** Decides whether an approval waits for a person. */
export function makeClosing({
  connection,
  keys,
  persist,
}: {
  connection: RedisConnection;
  keys: Keys;
  persist: Persist;
}) {
  const script = (name: string) => makeGatedScript(connection, name);
  const [close, passedAbove] = [script('close-approval'), script('passed-above')];

  async function overOf(portfolio: string, id: string, policy: ApprovalPolicy, rows: readonly string[]): Promise<Over> {
    const { above = '', personAbove = '', windowDays = 0 } = policy;
    const places = [keys.portfolio(portfolio), keys.row(portfolio, '')];
    for (let from = 0; from < rows.length; ) {
      const answer = await passedAbove(places, [id, above, personAbove, windowDays, ...rows.slice(from)]);
      const [looked, ...over] = answer as [number, ...Over];
      if (over.length > 0) return over;
      from += looked;
    }
    return [];
  }

  return {
    /**
     * All of it is there. It waits for a person, where settings ask for that: always, or since a sum is above its limit: what the whole
     * portfolio asks for, without what was given up, or what passed of a buyer or an author within the window, with this. Else it is
     * granted by itself; where anything else passed since its buyers were looked at, they are looked at again.
     *
     * @param over which sum it is that makes it wait, where somebody knows (`overIfAgain`)
     */
    async close({ portfolio, id }: ApprovalId, policy: ApprovalPolicy, over: Over = []): Promise<ApprovalStanding> {
      const { always, above = '', personAbove = '', windowDays = 0 } = policy;
      const lists = [keys.approvals, keys.approvalsAnswered, keys.account];
      for (let [seen, found] = ['', over]; ; ) {
        const args = [id, portfolio, always ? 1 : 0, above, personAbove, windowDays, seen, ...found];
        const places = [keys.portfolio(portfolio), keys.approval(id), ...lists];
        const standing = await persist('close approval', () => close(places, args));
        if (standing !== 'look') return standing as ApprovalStanding;
        const passes = await connection.hget(keys.account, 'passes');
        seen = `${passes ?? 0} ${await connection.hget(keys.approval(id), 'moves')}`;
        for (let from = 0, rows = 1; found.length === 0 && rows > 0; from += rows) {
          const page = await connection.zrange(keys.approvalRows(portfolio, id), `${from}`, `${from + LOOKED_AT - 1}`);
          rows = page.length;
          found = await overOf(portfolio, id, policy, page);
        }
      }
    },

    /** Which sum of a buyer, or of who brought them in, would be above its limit if these refused rows went again. */
    async overIfAgain(portfolio: string, rows: readonly RowId[], policy: ApprovalPolicy): Promise<Over> {
      return overOf(
        portfolio,
        '',
        policy,
        rows.map(({ key }) => key),
      );
    },
  };
}
