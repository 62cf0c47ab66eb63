import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { COLUMNS, columnsThat, fieldOf, KNOWN_COLUMNS } from '../../../src/portfolio/columns/known-columns.ts';
import { openFaultPlace } from '../../support/fault-place.ts';
import { startKillableRedis } from '../../support/redis/killable-redis.ts';
import { exportedText } from '../../support/workplace.ts';

/** What a cell holds where a text alone is no value of its column. */
const VALUES: Record<string, string> = {
  country_code: 'DE',
  website: 'https://www.a.example',
  requested_limit: '1200',
  contact_email: 'anna@a.example',
  supporting_documents: '',
  statements_dated: '2025-12-31',
  company_id: '',
  currency: 'EUR',
  same_buyer: 'yes',
};
const CELLS = KNOWN_COLUMNS.map((column) => VALUES[column] ?? `A ${column}`);
const SENT = columnsThat((facts) => facts.in !== undefined);

test('every column is sent, comes back in the results with the file or without, and a lost ledger from them', async () => {
  const redis = await startKillableRedis();
  const place = await openFaultPlace({ env: { REDIS_URL: redis.url } });
  const file = join(place.dir, 'q4.csv');
  await writeFile(file, `${KNOWN_COLUMNS.join(',')}\n${CELLS.join(',')}\n`);
  expect(await place.importFile(file)).toMatchObject({ problems: [], rows: 1 });
  const workers = await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 1 });
  await workers.stop();

  const [company, limit] = (['company', 'limit'] as const).map((kind) => place.standIn.things(kind)[0]?.body);
  for (const column of SENT) {
    const value = VALUES[column] ?? `A ${column}`;
    const path = `${COLUMNS[column].in}.${fieldOf(column)}`;
    expect({ company, limit }).toHaveProperty(path, column === 'requested_limit' ? Number(value) : value);
  }

  /** The line's own cells: columns of the results, which stand behind them, may have the same names. */
  const read = async (columns: readonly string[]) => {
    const [header = [], cells = []]: string[][] = parse(await exportedText(place.context));
    return columns.map((column) => cells[header.indexOf(column)]);
  };
  expect(await read(KNOWN_COLUMNS)).toEqual(CELLS);
  await writeFile(join(place.dir, 'q4.results.csv'), await exportedText(place.context));
  const [{ id = '' } = {}] = await place.context.portfolios.allImports('q4');
  await rm(place.context.imports.open(id).path);
  expect(await read(SENT)).toEqual(SENT.map((column) => CELLS[KNOWN_COLUMNS.indexOf(column)]));

  await redis.admin.flushall();
  const recovered = await place.limitline('recover', 'q4.results.csv', '--apply');
  expect(recovered).toMatchObject({ status: 0, stdout: expect.stringMatching(/limits +1 put back/) });
  await place.importFile(file);
  expect((await place.report()).states).toMatchObject({ done: 1 });
  expect(place.standIn.counts().made).toMatchObject({ company: 1, limit: 1 });
});
