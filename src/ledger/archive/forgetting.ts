import { makeLuaScript } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';
import type { RetryRule } from '../nightly/retry-rule.ts';
import type { ArchiveState } from '../schema/archives.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { LEFT_OF_FORGOTTEN, PERSONAL_OF_CALLS } from '../schema/records.ts';
import { scanKeys, scanned } from '../schema/redis-reads.ts';
import { type RowId, rowIdOf } from '../schema/schema.ts';
import { fieldsText, makeArchiveChange } from './archive-steps.ts';

/**
 * Whether a portfolio can be forgotten. `go`: forgetting has begun, now or before. `forgotten`: it is complete. `none`: no such portfolio.
 * `archiving`, `leaving`, `restoring`: its archive is being changed. `open`: rows are open or wait for an approval. `held`: rows are held.
 */
export type ForgetAnswer =
  | { is: 'go'; state: ArchiveState }
  | { is: 'forgotten'; state: ArchiveState }
  | { is: 'none' | 'archiving' | 'leaving' | 'restoring' | 'open' }
  | { is: 'held'; rows: number };

/** The figures of a forgotten portfolio that lists of portfolios show; it has no archive from which they could be read. */
type Noted = Partial<Pick<ArchiveState, 'states' | 'requested' | 'granted' | 'sizeBytes'>> & {
  currency?: string | undefined;
};

export type KnownBuyer = { key: string; record: string };

/** A request of a buyer; `request` is what its line asked for, as JSON, undefined if its row is not in Redis. */
type BuyerRequest = RowId & { request: string | undefined };

export type Forgetting = ReturnType<typeof makeForgetting>;

/** Keys for one script: one or two milliseconds of Redis' time with their contents; measured. */
const PAGE = 50;

/** Requests of a buyer read at a time. Nearly every buyer has fewer, so they are read at once. */
const REQUESTS = 100;

/**
 * The most requests of a buyer that a script searches for requests of the portfolio. A buyer with more counts as one who has such a
 * request.
 */
const REQUESTS_LOOKED_AT = 500;

/**
 * Deletes personal data of a portfolio from Redis, and keeps what prevents requesting something twice. Everything may be repeated: after a
 * crash it starts from the beginning.
 */
export function makeForgetting({ connection, keys }: LedgerPlace) {
  const forget = makeLuaScript(connection, new URL('../lua/forget.lua', import.meta.url));
  const change = makeArchiveChange({ connection, keys });

  async function* pages(beginning: string, type: 'hash' | 'string' | 'any'): AsyncGenerator<string[]> {
    for await (const found of scanKeys(connection, beginning, type)) {
      for (let from = 0; from < found.length; from += PAGE) yield found.slice(from, from + PAGE);
    }
  }

  return {
    /** Begins to forget a portfolio. After the answer `go` nothing else changes the portfolio. */
    async begin(name: string, { id, by }: { id: string; by: string }): Promise<ForgetAnswer> {
      const answer = await change(name, 'forget', [id, by]);
      const [is, more] = answer as [ForgetAnswer['is'], string | number | undefined];
      if (is === 'go' || is === 'forgotten') return { is, state: JSON.parse(String(more)) as ArchiveState };
      return is === 'held' ? { is, rows: Number(more) } : { is };
    },

    /** Writes the figures that lists show of a forgotten portfolio, before its data is deleted. */
    async note(name: string, noted: Noted): Promise<void> {
      await change(name, 'note', [JSON.stringify(noted), '']);
    },

    /** Keeps the digests of files in the data folder that the portfolio named, until the portfolio is forgotten. */
    async noteFiles(name: string, digests: readonly string[]): Promise<void> {
      for (let from = 0; from < digests.length; from += PAGE) {
        await writeAnyway(connection, 'SADD', keys.forgottenFiles(name), ...digests.slice(from, from + PAGE));
      }
    },

    /** The digests of files that `noteFiles` and `rows` kept, in pages; one may come twice. */
    files: (name: string): AsyncGenerator<string[]> =>
      scanned((at) => connection.sscan(keys.forgottenFiles(name), at, 'COUNT', PAGE)),

    /** Deletes the portfolio's rows and histories, and keeps their documents' digests for `files`. Yields each page's number of rows. */
    async *rows(name: string): AsyncGenerator<number> {
      for await (const page of pages(keys.row(name, ''), 'any')) {
        yield Number(await forget({ noted: keys.forgottenFiles(name), places: page }, { part: 'rows' }));
      }
    },

    /** Deletes the service's responses from the calls of the portfolio's rows; yields the ids of what these calls made. */
    async *calls(name: string): AsyncGenerator<string[]> {
      const told = [`${name}/`, ...PERSONAL_OF_CALLS];
      for await (const page of pages(keys.calls, 'hash'))
        yield (await forget({ noted: keys.buyersVersion, places: page }, { part: 'calls', told })) as string[];
    },

    /**
     * The buyers that came with the portfolio or of which it has requests, in pages. A buyer with more than {@link REQUESTS_LOOKED_AT} requests
     * comes in any case.
     */
    async *buyersOf(name: string): AsyncGenerator<KnownBuyer[]> {
      const from = keys.buyer('').length;
      for await (const page of pages(keys.buyer(''), 'string')) {
        const asked = { part: 'buyers of', told: [name, REQUESTS_LOOKED_AT] };
        const found = (await forget({ noted: keys.buyersVersion, places: page }, asked)) as (number | string)[];
        const places = found.filter((_one, at) => at % 2 === 0).map(Number);
        yield places.map((place, at) => ({
          key: (page[place - 1] ?? '').slice(from),
          record: String(found[at * 2 + 1]),
        }));
      }
    },

    /** All requests of a buyer in any portfolio of the account, in pages; one may come twice. */
    async *requestsOf(buyer: string): AsyncGenerator<BuyerRequest[]> {
      for await (const found of scanned((at) => connection.hscan(keys.buyerRows(buyer), at, 'COUNT', REQUESTS))) {
        const rows = found.flatMap((name, at) => (at % 2 === 0 ? (rowIdOf(name) ?? []) : []));
        const texts = rows.map(({ portfolio, key }) => connection.hget(keys.row(portfolio, key), 'request'));
        const requests = await Promise.all(texts);
        yield rows.map((row, at) => ({ ...row, request: requests[at] ?? undefined }));
      }
    },

    /** Replaces records of buyers by what is `left` of them. Answers false if a record was changed since it was read. */
    async writeBuyers(buyers: readonly (KnownBuyer & { left: string })[]): Promise<boolean> {
      if (buyers.length === 0) return true;
      const places = buyers.map(({ key }) => keys.buyer(key));
      const told = buyers.flatMap(({ record, left }) => [record, left]);
      return (await forget({ noted: keys.buyersVersion, places }, { part: 'buyers', told })) === buyers.length;
    },

    /** Deletes everything else of the portfolio except its hash, and then notes that it is forgotten. */
    async end(name: string): Promise<ArchiveState> {
      for await (const page of pages(keys.ofPortfolio(name), 'any')) await connection.unlink(...page);
      const text = (await change(name, 'note', ['{}', fieldsText(LEFT_OF_FORGOTTEN)])) as string;
      const state = text === '' ? await connection.hget(keys.portfolio(name), 'archive') : text;
      return JSON.parse(state ?? '{}') as ArchiveState;
    },
  };
}

/**
 * Deletes what is kept of a portfolio outside its own keys: approvals, plans, notices, and rules that retry its refused rows.
 *
 * @param files names of files that were imported into it, which notices mention
 */
export function makeForgetBeside({ connection, keys }: LedgerPlace) {
  /** The ids of hashes in which a field refers to the portfolio. */
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
    // The approvals of an archived portfolio are in its files and not in Redis, yet these lists still name them.
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

  /** Deletes rules of this portfolio, and in other rules the description of a cause that no portfolio has any more. */
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
    const wishes = (await connection.zrange(keys.sessions, '0', '-1')).filter((wish) => wish.startsWith(`${name}/`));
    for (const wish of wishes) {
      const call = keys.call('session', wish.slice(wish.lastIndexOf(' ') + 1));
      // A session under way stays listed until it is answered: workers notice by the list that its sender has vanished.
      if ((await connection.hget(call, 'state')) !== 'claimed') await connection.zrem(keys.sessions, wish);
    }
  };
}
