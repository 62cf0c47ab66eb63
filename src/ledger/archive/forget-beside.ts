import type { RedisConnection } from '../../lua-script.ts';
import type { RetryRule } from '../nightly/retry-rule.ts';
import type { Keys } from '../schema/keys.ts';
import { scanKeys } from '../schema/redis-reads.ts';

/**
 * Takes out what is kept of a portfolio beside its own keys: approvals, plans, notices, and the rules by which its refused rows would go
 * again.
 *
 * @param files what files are called that were imported into it: notices name such
 */
export function makeForgetBeside({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  /** The ids of hashes that a field names as the portfolio's. */
  async function* idsOf(keyOf: (id: string) => string, field: string, isOurs: (text: string) => boolean) {
    const from = keyOf('').length;
    for await (const found of scanKeys(connection, keyOf(''))) {
      const texts = await Promise.all(found.map((key) => connection.hget(key, field)));
      yield found.filter((_key, at) => isOurs(texts[at] ?? '')).map((key) => key.slice(from));
    }
  }

  async function approvals(name: string): Promise<void> {
    const lists = [keys.approvals, keys.approvalsAnswered, keys.approvalsLately];
    for await (const ids of idsOf(keys.approval, 'portfolio', (text) => text === name)) {
      for (const id of ids) {
        for (const list of lists) await connection.zrem(list, `${name}/${id}`);
        await connection.unlink(keys.approval(id));
      }
    }
    // Those of an archived one are in its files, and in lists of late.
    for (const list of lists) {
      const listed = (await connection.zrange(list, '0', '-1')).filter((one) => one.startsWith(`${name}/`));
      if (listed.length > 0) await connection.zrem(list, ...listed);
    }
  }

  async function plans(name: string): Promise<void> {
    const isOurs = (text: string) => text !== '' && (JSON.parse(text) as { portfolio: string }).portfolio === name;
    for await (const ids of idsOf(keys.plan, 'plan', isOurs)) {
      for (const id of ids) await connection.unlink(keys.plan(id));
    }
  }

  async function notices(name: string, files: ReadonlySet<string>): Promise<void> {
    const path = `/portfolios/${encodeURIComponent(name)}`;
    const isOurs = (text: string) => {
      if (text === '') return false;
      const notice = JSON.parse(text) as { path: string; facts: { what: string }[] };
      return (
        notice.path === path || notice.path.startsWith(`${path}/`) || notice.facts.some(({ what }) => files.has(what))
      );
    };
    for await (const ids of idsOf(keys.notice, 'notice', isOurs)) {
      for (const id of ids) await connection.multi().zrem(keys.noticesLately, id).unlink(keys.notice(id)).exec();
    }
  }

  /** Rules of the portfolio alone go; of others goes what was known of a cause that no portfolio has any more. */
  async function rules(name: string): Promise<void> {
    const names = await connection.zrange(keys.portfolios, '0', '-1');
    const fields = await connection.hgetall(keys.retryRules);
    for (const [id, text] of Object.entries(fields).filter(([field]) => !field.includes(' '))) {
      const { known, ...rule } = JSON.parse(text) as RetryRule;
      if (rule.portfolio === name) {
        await connection.hdel(keys.retryRules, id, `${id} last`, `${id} used`);
      } else if (known !== undefined && rule.cause !== undefined) {
        const { cause } = rule;
        const found = await Promise.all(names.map((each) => connection.hexists(keys.causes(each), cause)));
        if (!found.includes(1)) await connection.hset(keys.retryRules, id, JSON.stringify(rule));
      }
    }
    await connection.hdel(keys.retryRules, `asks ${name}`);
  }

  return async function forgetBeside(name: string, files: ReadonlySet<string>): Promise<void> {
    await approvals(name);
    await plans(name);
    await notices(name, files);
    await rules(name);
  };
}
