import { makeDecisions } from '../../src/ledger/rows/decisions.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { makeArchives } from '../../src/ledger/schema/archives.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import { GRANTED_STATES } from '../../src/ledger/schema/row.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { foundPages } from '../rows/walk-rows.ts';

type FollowDeps = { ledger: RedisConnection; keys: Keys; rows: Rows };

/** Lets the rows of portfolios follow that do not yet: a process was killed that restored one, or one was not archived after all. May be repeated. */
export async function followLeft(deps: FollowDeps): Promise<void> {
  const { ledger, keys } = deps;
  for (const name of await ledger.smembers(keys.toFollow)) {
    // One that is still on its way is left to that, and one that is archived or forgotten again follows when it is restored.
    const found = await makeArchives({ connection: ledger, keys }).read(name);
    if (found?.is === 'archiving' || found?.is === 'restoring') continue;
    if (!found) await letFollow(name, deps);
    await ledger.srem(keys.toFollow, name);
  }
}

/** For the histories of rows, where the call's portfolio was forgotten, and with it who brought a decision. */
const FORGOTTEN = { by: 'somebody', file: 'what is forgotten' };

/** Lets rows say what the service said of their limits while they were archived. Who brought that, and with what, stands with each call. */
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
