import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Redis } from 'ioredis';
import type { ArchiveDeps } from '../../jobs/archive/archive-deps.ts';
import { archiveFolder, REST, ROWS } from '../../jobs/archive/archive-files.ts';
import { archivePortfolio } from '../../jobs/archive/archive-portfolio.ts';
import { makeDocumentStore } from '../../src/documents/store.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';
import { connectRedis, makeRequest, openLedger } from './ledger.ts';
import { makeFolder } from './workplace.ts';

export const NEVER = new AbortController().signal;

export const ACCOUNT = 'https://test.example';

/** A ledger of this test and a data folder, with portfolios that may be archived, and no service. */
export async function openArchiving({ dir }: { dir?: string } = {}) {
  const ledger = openLedger();
  const { connection, keys, portfolios, rows, statusMeanings } = ledger;
  const dataDir = dir ?? (await makeFolder());
  const deps: ArchiveDeps = {
    account: ACCOUNT,
    ledger: connection,
    keys,
    processId: 'p1',
    portfolios,
    rows,
    statusMeanings,
    imports: makeDocumentStore({ dir: join(dataDir, 'imports') }),
    settings: { LIMITLINE_DATA: dataDir },
  };
  return {
    ...ledger,
    dataDir,
    deps,
    /** The same for another process, which `die` disconnects from Redis. */
    otherProcess() {
      const own = connectRedis();
      return { deps: { ...deps, ledger: own, processId: 'p2' }, die: () => own.disconnect() };
    },
    /**
     * A finished portfolio of so many done rows, each with its own request and buyer. Their names begin with `first`.
     */
    async fill(name: string, count: number, first = name): Promise<void> {
      const run = await portfolios.startImport(name, { id: 'gone', fileName: `${name}.csv`, reading: '{}' });
      for (let n = 1; n <= count; n += 1) {
        const row = { portfolio: name, key: `${first}-${n}` };
        await rows.put(
          row,
          n + 1,
          run.number,
          makeRequest({ name: `Büyer "${n}" GmbH`, buyer: `${first}-buyer-${n}` }),
        );
        const record = { status: 'approved', total_limit: '1000', available_limit: '1000' };
        await rows.advance(row, 'queued', 'done', {
          company: `company_${n}`,
          limit: `bl_${first}${n}`,
          documents: [],
          record,
        });
      }
      await run.end();
    },
    /** The keys and contents of this account in Redis, or those with this text in the key. */
    dump: (text = '') => dumpRedis(connection, keys.account.slice(0, -'account'.length), text),
    archive: (name: string) => archivePortfolio(deps, name, { by: 'me', signal: NEVER }),
    archiveState: async (name: string) =>
      JSON.parse((await connection.hget(keys.portfolio(name), 'archive')) ?? 'null'),
    folderOf: (name: string, id: string) => archiveFolder({ dataDir, account: ACCOUNT, portfolio: name, id }),
    /** The folders with archives of a portfolio, finished and unfinished. */
    foldersOf: (name: string) =>
      readdir(dirname(archiveFolder({ dataDir, account: ACCOUNT, portfolio: name, id: 'any' }))).catch(() => []),
  };
}

/**
 * Restores the files of an archive into Redis in the plainest way. Tests compare the product's own way with the result.
 */
export async function putBackPlainly(
  folder: string,
  name: string,
  { connection, keys }: { connection: Redis; keys: Keys },
) {
  const portfolio = keys.portfolio(name);
  for (const [key = '', count, ...cells] of await linesIn(folder, ROWS)) {
    const fields = cells.slice(0, Number(count));
    if (fields.length > 0) await connection.hset(keys.row(name, key), ...fields);
    const story = cells.slice(Number(count));
    if (story.length > 0) await connection.rpush(keys.story(name, key), ...story);
  }
  for (const [own = '', type, , ...texts] of await linesIn(folder, REST)) {
    const key = own.startsWith('approval:') ? keys.approval(own.slice(9)) : portfolio + own.slice(9);
    const cells = own.startsWith('portfolio:ids:') ? texts.map((text) => Buffer.from(text, 'latin1')) : texts;
    if (type === 'hash') await connection.hset(key, ...cells);
    if (type === 'set') await connection.sadd(key, ...cells);
    if (type === 'list') await connection.rpush(key, ...cells);
    for (let at = 0; type === 'zset' && at < cells.length; at += 2) {
      await connection.zadd(key, String(cells[at + 1]), cells[at] ?? '');
    }
  }
  await connection.hdel(portfolio, 'archive');
  await connection.zrem(keys.archives, name);
  await connection.zadd(keys.portfolios, (await connection.hget(portfolio, 'started')) ?? '', name);
}

async function linesIn(folder: string, file: string): Promise<string[][]> {
  const text = gunzipSync(await readFile(join(folder, file))).toString();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** The content of keys, in a fixed order, with bytes as latin1 characters, so that two dumps can be compared. */
export type Dump = Map<string, string>;

/** The keys with this prefix, and with this text in the rest of the key, byte for byte. */
export async function dumpRedis(connection: Redis, beginning: string, text = ''): Promise<Dump> {
  const dump: Dump = new Map();
  for await (const found of connection.scanStream({ match: `${beginning}*${text}*`, count: 1_000 })) {
    for (const key of found as string[]) dump.set(key, await contentOf(connection, key));
  }
  return new Map([...dump].sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function contentOf(connection: Redis, key: string): Promise<string> {
  const type = await connection.type(key);
  const texts = (found: readonly Buffer[]) => found.map((each) => each.toString('latin1'));
  if (type === 'string') return texts([(await connection.getBuffer(key)) ?? Buffer.of()]).join();
  if (type === 'list') return JSON.stringify(texts(await connection.lrangeBuffer(key, '0', '-1')));
  if (type === 'set') return JSON.stringify(texts(await connection.smembersBuffer(key)).sort());
  if (type === 'zset') return JSON.stringify(texts(await connection.zrangeBuffer(key, '0', '-1', 'WITHSCORES')));
  if (type === 'hash') {
    const fields = await connection.hgetallBuffer(key);
    return JSON.stringify(
      Object.entries(fields)
        .map(([field, value]) => [field, value.toString('latin1')])
        .sort(),
    );
  }
  return type;
}

/** The keys whose content differs, with both contents; undefined for a key that only one dump has. */
export function differences(one: Dump, other: Dump): Record<string, [string | undefined, string | undefined]> {
  const found: Record<string, [string | undefined, string | undefined]> = {};
  for (const key of new Set([...one.keys(), ...other.keys()])) {
    if (one.get(key) !== other.get(key)) found[key] = [one.get(key), other.get(key)];
  }
  return found;
}
