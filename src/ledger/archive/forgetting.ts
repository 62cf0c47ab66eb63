import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/write-anyway.ts';
import type { ArchiveState } from '../schema/archives.ts';
import type { Keys } from '../schema/keys.ts';
import { LEFT_OF_FORGOTTEN, PERSONAL_OF_CALLS } from '../schema/records.ts';
import { scanKeys, scanned } from '../schema/redis-reads.ts';
import { type RowId, rowIdOf } from '../schema/schema.ts';
import { fieldsText, makeArchiveChange } from './archive-steps.ts';

/**
 * Whether a portfolio may be forgotten: it is begun, or was (`go`), or it was to the end; there is none of the name; its archive is
 * on its way elsewhere; rows of it are open or wait for an approval; or so many are held.
 */
export type ForgetAnswer =
  | { is: 'go'; state: ArchiveState }
  | { is: 'forgotten'; state: ArchiveState }
  | { is: 'none' | 'archiving' | 'leaving' | 'restoring' | 'open' }
  | { is: 'held'; rows: number };

/** What is kept of a forgotten portfolio for lists, and that it has no archive any more. */
type Noted = Partial<Pick<ArchiveState, 'states' | 'requested' | 'granted' | 'sizeBytes'>>;

/** A buyer as it is known, as text. */
export type KnownBuyer = { key: string; record: string };

/** A request of a buyer; `request` is what its line asked for, as JSON, and nothing where its row is not in Redis. */
export type BuyerRequest = RowId & { request: string | undefined };

export type Forgetting = ReturnType<typeof makeForgetting>;

/** Keys handed to one script: one or two milliseconds of Redis' time, with what stands behind each; measured. */
const PAGE = 50;

/** Requests of a buyer that are read at a time: of nearly all buyers, all that there are. */
const REQUESTS = 100;

/** Requests of a buyer that a script looks through for one of the portfolio's; who has more is looked at page by page. */
const REQUESTS_LOOKED_AT = 500;

/**
 * Takes what may be said of people out of what Redis has of a portfolio, and leaves what keeps a request from being made twice. All
 * of it may be done again: whoever is killed goes on by doing it from the beginning.
 */
export function makeForgetting({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const forget = makeLuaScript(connection, new URL('../lua/forget.lua', import.meta.url));
  const change = makeArchiveChange({ connection, keys });

  async function* pages(beginning: string, type: 'hash' | 'string' | 'any'): AsyncGenerator<string[]> {
    for await (const found of scanKeys(connection, beginning, type)) {
      for (let from = 0; from < found.length; from += PAGE) yield found.slice(from, from + PAGE);
    }
  }

  return {
    /** From the answer `go` on nothing of the portfolio changes but by this. */
    async begin(name: string, { id, by }: { id: string; by: string }): Promise<ForgetAnswer> {
      const answer = await change(name, 'forget', [id, by]);
      const [is, more] = answer as [ForgetAnswer['is'], string | number | undefined];
      if (is === 'go' || is === 'forgotten') return { is, state: JSON.parse(String(more)) as ArchiveState };
      return is === 'held' ? { is, rows: Number(more) } : { is };
    },

    /** Writes down what lists show of it, before that goes. */
    async note(name: string, noted: Noted): Promise<void> {
      await change(name, 'note', [JSON.stringify(noted), '']);
    },

    /** Notes files of the data folder that the portfolio named, by their digests, until it is forgotten. */
    async noteFiles(name: string, digests: readonly string[]): Promise<void> {
      for (let from = 0; from < digests.length; from += PAGE) {
        await writeAnyway(connection, 'SADD', keys.forgottenFiles(name), ...digests.slice(from, from + PAGE));
      }
    },

    /** Those files, some at a time; one may come twice. */
    files: (name: string): AsyncGenerator<string[]> =>
      scanned((at) => connection.sscan(keys.forgottenFiles(name), at, 'COUNT', PAGE)),

    /** Takes its rows and their stories out, and notes the documents that they named; answers after each page how many rows that were. */
    async *rows(name: string): AsyncGenerator<number> {
      for await (const page of pages(keys.row(name, ''), 'any')) {
        yield Number(await forget({ noted: keys.forgottenFiles(name), places: page }, { part: 'rows' }));
      }
    },

    /** Takes what was heard out of the calls that its rows made; answers the ids of what they made, page by page. */
    async *calls(name: string): AsyncGenerator<string[]> {
      const told = [`${name}/`, ...PERSONAL_OF_CALLS];
      for await (const page of pages(keys.calls, 'hash'))
        yield (await forget({ noted: keys.buyersVersion, places: page }, { part: 'calls', told })) as string[];
    },

    /** The buyers that it brought or asks for, page by page; others may be among them. */
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

    /** All requests of a buyer, of whichever portfolio of the account, some at a time; one may come twice. */
    async *requestsOf(buyer: string): AsyncGenerator<BuyerRequest[]> {
      for await (const found of scanned((at) => connection.hscan(keys.buyerRows(buyer), at, 'COUNT', REQUESTS))) {
        const rows = found.flatMap((name, at) => (at % 2 === 0 ? (rowIdOf(name) ?? []) : []));
        const texts = rows.map(({ portfolio, key }) => connection.hget(keys.row(portfolio, key), 'request'));
        const requests = await Promise.all(texts);
        yield rows.map((row, at) => ({ ...row, request: requests[at] ?? undefined }));
      }
    },

    /** Writes what is left of buyers; false where what is known of one was changed since it was read. */
    async writeBuyers(buyers: readonly (KnownBuyer & { left: string })[]): Promise<boolean> {
      if (buyers.length === 0) return true;
      const places = buyers.map(({ key }) => keys.buyer(key));
      const told = buyers.flatMap(({ record, left }) => [record, left]);
      return (await forget({ noted: keys.buyersVersion, places }, { part: 'buyers', told })) === buyers.length;
    },

    /** Takes out all else that is kept of the portfolio, but for its own hash; then that it is forgotten is written down. */
    async end(name: string): Promise<ArchiveState> {
      for await (const page of pages(keys.ofPortfolio(name), 'any')) await connection.unlink(...page);
      const text = (await change(name, 'note', ['{}', fieldsText(LEFT_OF_FORGOTTEN)])) as string;
      const state = text === '' ? await connection.hget(keys.portfolio(name), 'archive') : text;
      return JSON.parse(state ?? '{}') as ArchiveState;
    },
  };
}
