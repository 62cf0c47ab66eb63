import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { recoverResults } from '../../../jobs/recover/recover-results.ts';
import { makeDocumentFolder } from '../../../src/documents/folder.ts';
import { proofOf } from '../../../src/ledger/portfolios/proof.ts';
import { COLUMNS, columnsThat, fieldOf, KNOWN_COLUMNS } from '../../../src/portfolio/columns/known-columns.ts';
import { openFaultPlace } from '../../support/fault-place.ts';
import { startKillableRedis } from '../../support/redis/killable-redis.ts';
import { exportedBytes, exportedText } from '../../support/workplace.ts';

const HEADER =
  'name;country_code;company_registration_number;state;requested_limit;supporting_documents;request_reference';
const line = (n: number, documents = '') => `Buyer ${n};DE;HRB ${n};Bayern;1.${100 + n},50;${documents};R-${n}`;

/** A service that refuses one row and loses the answer of another, and helpers for a portfolio with waiting rows. */
async function openPlace() {
  const redis = await startKillableRedis();
  const rules = [
    { on: 'limit' as const, match: 'HRB 2"', fault: 'status' as const, status: 422, times: 1 },
    { on: 'limit' as const, match: 'HRB 3"', fault: 'reset' as const, made: true, times: 1 },
  ];
  const place = await openFaultPlace({ env: { REDIS_URL: redis.url }, faults: { rules } });
  const { dir, context } = place;
  await mkdir(join(dir, 'documents'));
  for (const name of ['a.pdf', 'b.pdf']) await writeFile(join(dir, 'documents', name), `%PDF-1.4 ${name}`);
  const results = join(dir, 'q4.results.csv');
  return {
    ...place,
    redis,
    results,
    async write(lines: string[], name = 'q4.csv', header = HEADER): Promise<string> {
      await writeFile(join(dir, name), `${[header, ...lines].join('\n')}\n`);
      return join(dir, name);
    },
    export: async (name = 'q4.results.csv'): Promise<void> => writeFile(join(dir, name), await exportedBytes(context)),
    recover: async (...args: string[]) => place.limitline('recover', 'q4.results.csv', 'more.results.csv', ...args),
    /** Recovers in this process, without the check for workers. */
    recoverHere: (path: string = results) =>
      recoverResults(
        { path, write: true },
        {
          ...context,
          signal: new AbortController().signal,
          documents: makeDocumentFolder({ dir: join(dir, 'documents'), maxSizeMb: 1 }),
        },
      ),
    edit: async (change: (text: string) => string) => writeFile(results, change(await readFile(results, 'utf8'))),
    /** Everything that the service made, by kind. */
    made: () => place.standIn.counts().made,
  };
}

// Promises: recover-puts-back, recover-reads-kept-results
test('a lost ledger is recovered from its results files, and nothing is requested again', async () => {
  const place = await openPlace();
  const first = [1, 2, 3, 4].map((n) => line(n, n === 4 ? 'a.pdf|b.pdf' : ''));
  const file = await place.write(first);
  await place.importFile(file);
  const workers = await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 2, refused: 1, held: 1 });
  await workers.stop();
  await place.export();
  // Two more lines are imported, and no worker runs.
  await place.importFile(await place.write([line(5), line(6)], 'more.csv'));
  await place.export('more.results.csv');
  const before = place.made();

  await place.redis.admin.flushall();
  const rehearsal = await place.recover();
  expect(rehearsal).toMatchObject({ status: 0 });
  expect(rehearsal.stdout).toMatch(
    /companies +4 to put back\n +documents +2 to put back\n +limits +2 to put back\n +held, outcome unknown +1 to/,
  );
  expect(rehearsal.stdout).toContain('A rehearsal: nothing was changed');
  expect(rehearsal.stdout).toContain('2 rows were still waiting');
  expect(await place.redis.admin.keys('*:call:*')).toEqual([]);
  expect(await place.recover('--apply')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('limits                         2 put back\n'),
  });

  await place.importFile(file);
  await place.importFile(await place.write([line(5), line(6)], 'more.csv'));
  expect((await place.report()).states).toMatchObject({ done: 2, skipped: 0, queued: 4 });
  // The call in doubt stays held under any policy, because the number of its sends is unknown.
  const worker = place.startWorker({ ON_UNKNOWN_LIMIT: 'resend' });
  const { states, statuses, granted } = await place.judged(6);
  expect([states.done, states.held, statuses, granted]).toEqual([5, 1, { approved: 5 }, '5520.50']);
  expect(place.made()).toMatchObject({ company: 6, document: 2, limit: (before.limit ?? 0) + 3 });
  // Recovered limits count as made.
  const { portfolios } = place.context;
  const checks = proofOf(await portfolios.read('q4'), await portfolios.allImports('q4'));
  expect(checks.filter(({ is }) => is !== 'right')).toEqual([]);

  expect(await place.recover('--apply')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/A worker is at work .*stop them first/),
  });
  worker.child.kill('SIGTERM');
  await worker.ended;
  const again = await place.recoverHere();
  expect(again).toMatchObject({
    put: { company: 0, document: 0, limit: 0, session: 0, held: 0 },
    known: { company: 4, document: 2, limit: 2, held: 1 },
    leftOut: [],
  });
});

test('an upload that is not put back asks for no look-up at the service, and is not named where the ledger knows the limit', async () => {
  const place = await openPlace();
  await place.importFile(await place.write([line(1, 'a.pdf'), line(4, 'b.pdf')]));
  const workers = await place.work();
  await place.settled();
  await workers.stop();
  await place.export();
  await place.export('more.results.csv');
  expect(await place.recover('--documents', join(place.dir, 'none'))).toMatchObject({ status: 0 });

  await place.redis.admin.flushall();
  const recovered = await place.recover('--documents', join(place.dir, 'none'), '--apply');
  expect(recovered.status).toBe(2);
  expect(recovered.stdout.match(/is not in the folder of --documents/g)).toHaveLength(2);
  expect(recovered.stdout).toContain('For lack of an upload no limit is requested again.');
  expect(recovered.stdout).toContain('Import the original files again');
  expect(recovered.stdout).not.toContain('ask the service');
});

test('an upload that is not put back is named where the ledger knows the company alone', async () => {
  const place = await openPlace();
  await place.importFile(await place.write([line(1, 'a.pdf')]));
  const workers = await place.work();
  await place.settled();
  await workers.stop();
  await place.export();
  await place.export('more.results.csv');
  // An older copy of the ledger has what was sent first.
  const calls = await place.redis.admin.keys('*:call:*');
  const later = calls.filter((key) => !key.includes(':call:company:'));
  expect([later.length, calls.length]).toEqual([2, 3]);
  await place.redis.admin.del(...later);
  const recovered = await place.recover('--documents', join(place.dir, 'none'), '--apply');
  expect(recovered.stdout).toContain('document a.pdf is not in the folder of --documents');
});

// Promise: recover-knows-the-buyer
test('a recovered buyer that was first known by fewer identifiers is not requested again', async () => {
  const place = await openPlace();
  const header = 'name;country_code;requested_limit;buyer_reference';
  const workers = await place.work();
  await place.importFile(await place.write(['Alt GmbH;DE;100;'], 'old.csv', header));
  await place.settled();
  const later = await place.write(['Alt GmbH;DE;200;B-1'], 'later.csv', header);
  await place.importFile(later);
  expect((await place.settled()).states.done).toBe(2);
  await workers.stop();
  expect(place.made()).toMatchObject({ company: 1, limit: 2 });
  await place.export();
  // The first import, which gave the buyer its key, is missing from the results.
  await place.edit((text) => text.replace(/^Alt GmbH,DE,100,[^\n]*\n/m, ''));

  await place.redis.admin.flushall();
  expect(await place.recoverHere()).toMatchObject({ rows: 1, put: { company: 1, limit: 1 } });
  await place.importFile(later);
  const again = await place.work();
  expect((await place.settled()).rows).toBe(1);
  await again.stop();
  expect(place.made()).toMatchObject({ company: 1, limit: 2 });
});

// Promise: lacking-reference-is-refused
test('a file that lacks the references of the recovered limits is refused', async () => {
  const place = await openPlace();
  const header = 'name;country_code;requested_limit;request_reference';
  const file = await place.write(['Alt GmbH;DE;100;R-1'], 'q4.csv', header);
  await place.importFile(file);
  const workers = await place.work();
  await place.settled();
  await workers.stop();
  await place.export();

  await place.redis.admin.flushall();
  await place.recoverHere();
  await place.importFile(file);
  const lacking = await place.write(['Alt GmbH;DE;100'], 'q4.csv', header.replace(';request_reference', ''));
  const { faults } = await place.importFile(lacking);
  expect(faults).toMatchObject([{ message: expect.stringContaining('had the column request_reference') }]);
});

// Promises: recover-overwrites-nothing, recover-reads-kept-results
test("recover reports a difference from the ledger and changes nothing, and refuses another account's file", async () => {
  const place = await openPlace();
  await place.importFile(await place.write([line(1), line(4)]));
  const workers = await place.work();
  await place.settled();
  await workers.stop();
  await place.export();
  const [own = ''] = place.standIn.things('limit').map(({ id }) => id);
  await place.edit((text) => text.replace(own, 'bl_other'));
  const found = await place.recoverHere();
  expect(found).toMatchObject({
    known: { company: 2, limit: 1 },
    leftOut: [
      {
        line: expect.any(Number),
        what: `the ledger knows the limit as ${own}, but the file as bl_other; the ledger keeps its own`,
      },
    ],
  });
  const { stdout } = await place.limitline('recover', 'q4.results.csv', '--apply');
  expect(stdout).toMatch(/^ {2}line \d of q4\.results\.csv: the ledger knows the limit as /m);
  expect(stdout).toContain('What the lines above asked for might be requested again');
  await place.edit((text) => text.replaceAll(place.context.account, 'https://another.example'));
  await expect(place.recoverHere()).rejects.toThrow('belongs to account "https://another.example"');
  await place.write([line(1)]);
  await expect(place.recoverHere(join(place.dir, 'q4.csv'))).rejects.toThrow('is not a results file');
});

/** A valid cell for columns in which a plain text is no valid value. */
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

test('every column is sent, is contained in the results, and is recovered from them', async () => {
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

  /** The line's own cells. Columns of the results, which follow them, may have the same names. */
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
