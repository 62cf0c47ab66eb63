import { Big } from 'big.js';
import { personOf } from '../../actor.ts';
import { DAY_MS } from '../../time-units.ts';
import { sumIn } from '../counts/sums.ts';
import type { Approval, ApprovalId, ApprovalPolicy, ApprovalStanding, ReasonToAsk } from '../schema/approval.ts';
import { makeGatedScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import type { RowId } from '../schema/schema.ts';
import type { RetryUntilAnswered } from '../schema/until-answered.ts';

/** A sum above its limit, as scripts answer it (above.lua): whether of a portfolio, buyer or person, the name, and the sum; [] for none. */
export type Over = string[];

/** Rows whose buyers are checked with one command: some milliseconds of Redis' time. */
const LOOKED_AT = 128;

/** Decides whether an approval waits for a person. */
export function makeClosing(asked: LedgerPlace & { retryUntilAnswered: RetryUntilAnswered }) {
  const { connection, keys, retryUntilAnswered } = asked;
  const script = (name: string) => makeGatedScript(connection, name);
  const [close, passedAbove] = [script('close-approval'), script('passed-above')];

  /** @param sums the sums by buyer and person of rows that go together with these (passed-above.lua); those of `rows` are added to it */
  async function overOf(
    { portfolio, id }: ApprovalId,
    policy: ApprovalPolicy,
    rows: readonly string[],
    sums: { besides: string[] } = { besides: [] },
  ): Promise<Over> {
    const { above = '', personAbove = '', windowDays = 0 } = policy;
    const places = { portfolio: keys.portfolio(portfolio), begins: keys.row(portfolio, '') };
    for (let from = 0; from < rows.length; from += LOOKED_AT) {
      const rule = { id, above, person: personAbove, days: windowDays };
      const told = { ...rule, others: JSON.stringify(sums.besides), rows: rows.slice(from, from + LOOKED_AT) };
      const answer = (await passedAbove(places, told)) as string[];
      if (answer[0] !== '') return answer;
      sums.besides = answer;
    }
    return [];
  }

  /**
   * Finds a buyer whose sum would be above its limit if the approval were granted. `asOf`: the approval's `moves`, a count of its changes,
   * at the moment of this check.
   */
  async function lookAtBuyers({ portfolio, id }: ApprovalId, policy: ApprovalPolicy): Promise<[asOf: string, Over]> {
    const asOf = (await connection.hget(keys.approval(id), 'moves')) ?? '';
    for (let from = 0; ; from += LOOKED_AT) {
      const rows = await connection.zrange(keys.approvalRows(portfolio, id), `${from}`, `${from + LOOKED_AT - 1}`);
      const over = await overOf({ portfolio, id }, policy, rows);
      if (over.length > 0 || rows.length === 0) return [asOf, over];
    }
  }

  /** The sum of a person's rows that needed no approval, over the last `days` days. The earliest of these days counts whole (passed.lua). */
  async function passedOf(person: string, days: number): Promise<Big> {
    const since = Math.floor(Date.now() / DAY_MS) - days;
    const fields = days > 0 ? Object.entries(await connection.hgetall(keys.passed(person))) : [];
    const within = fields.filter(([field]) => Number.parseInt(field, 10) >= since);
    const sums = within.map(([field, value]) => sumIn({ [`sum:passed:${field.split(':')[1]}`]: value }, 'passed'));
    return sums.reduce((sum, one) => sum.plus(one), new Big(0));
  }

  return {
    /**
     * Closes a complete approval. It waits for a person if the policy says always, or if a sum is above its limit: of the whole portfolio
     * without given-up rows, or of a buyer or an author, together with what passed within the window. Else it is granted automatically. Of
     * several approvals closed at one moment each counts the earlier ones.
     *
     * @param over the sum above its limit, if already known (`overIfAgain`)
     * @param because the reason, where no sum is one and none was noted before
     */
    async close(
      { portfolio, id }: ApprovalId,
      policy: ApprovalPolicy,
      over: Over = [],
      because: ReasonToAsk | '' = '',
    ): Promise<ApprovalStanding> {
      const { always, above = '', personAbove = '', windowDays = 0 } = policy;
      const lists = { waits: keys.approvals, answered: keys.approvalsAnswered, account: keys.account };
      const places = { portfolio: keys.portfolio(portfolio), approval: keys.approval(id), ...lists };
      const rule = { always: always ? 1 : 0, above, person: personAbove, days: windowDays };
      for (let [seen, known] = ['', over]; ; ) {
        const standing = await retryUntilAnswered('close approval', () =>
          close(places, { id, name: portfolio, ...rule, seen, because, known }),
        );
        if (standing !== 'look') return standing as ApprovalStanding;
        [seen, known] = await retryUntilAnswered('look at buyers', () => lookAtBuyers({ portfolio, id }, policy));
      }
    },

    /** The first of these people who, together with `sum`, would be above the limit for one person within the window. */
    async personOver(people: readonly string[], sum: string, policy: ApprovalPolicy): Promise<Approval['over']> {
      const { personAbove: limit, windowDays = 0 } = policy;
      for (const name of limit === undefined ? [] : people) {
        const all = new Big(sum).plus(await passedOf(personOf(name), windowDays));
        if (all.gt(limit ?? 0)) return { of: 'person', name, sum: all.toFixed(), limit: limit ?? '' };
      }
      return undefined;
    },

    /**
     * Makes a function that takes refused rows page by page, and answers a sum of a buyer or an author that would be above its limit if they
     * were sent again. Rows of all pages count together.
     */
    overIfAgain(portfolio: string, policy: ApprovalPolicy): (rows: readonly RowId[]) => Promise<Over> {
      const sums = { besides: [] };
      return (rows) =>
        overOf(
          { portfolio, id: '' },
          policy,
          rows.map(({ key }) => key),
          sums,
        );
    },
  };
}
