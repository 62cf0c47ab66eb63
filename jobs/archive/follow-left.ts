import { makeDecisions } from '../../src/ledger/rows/decisions.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { makeArchives } from '../../src/ledger/schema/archives.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import { GRANTED_STATES } from '../../src/ledger/schema/row.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { foundPages } from '../rows/walk-rows.ts';

type FollowDeps = { ledger: RedisConnection; keys: Keys; rows: Rows };

/**
 * Brings rows up to date with decisions about their limits that came while their portfolio was archived or being archived. Needed where a
 * process was killed while it restored a portfolio, or where archiving was given up. May be repeated.
 */
export async function followLeft(deps: FollowDeps): Promise<void> {
  const { ledger, keys } = deps;
  for (const name of await ledger.smembers(keys.toFollow)) {
    // A portfolio in transition is left to the process at work on it. In an archived or forgotten one, rows are updated when it is
    // restored.
    const found = await makeArchives({ connection: ledger, keys }).read(name);
    if (found?.is === 'archiving' || found?.is === 'restoring') continue;
    if (!found) await letFollow(name, deps);
    await ledger.srem(keys.toFollow, name);
  }
}

/** The person and the file that a row's history names for a decision, if the portfolio that brought the decision was forgotten. */
const FORGOTTEN = { by: 'somebody', file: 'what is forgotten' };

/** Gives rows the decisions about their limits that came while they were archived. Each call's record says who brought its decision. */
async function letFollow(name: string, { ledger, keys, rows }: FollowDeps): Promise<void> {
  const decisions = makeDecisions({ connection: ledger, keys });
  for (const state of GRANTED_STATES) {
    for await (const page of foundPages(rows, name, state)) {
      const following = page.map(async ({ row, result }) => {
        const record = await ledger.hget(keys.call('limit', row.key), 'record');
        if (record?.includes('"decided_at"')) await decisions.follow(row, result.limitId, FORGOTTEN);
      });
      await Promise.all(following);
    }
  }
}
