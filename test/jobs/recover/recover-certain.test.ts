import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { carryOutAllAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { recoverResults } from '../../../jobs/recover/recover-results.ts';
import { makeDocumentFolder } from '../../../src/documents/folder.ts';
import { contentDigest } from '../../../src/ledger/calls/claim-answers.ts';
import { proofOf } from '../../../src/ledger/portfolios/proof.ts';
import { makeKeySet } from '../../../src/portfolio/identity/digest.ts';
import { openPortfolio } from '../../support/approved-portfolio.ts';
import { callCommand } from '../../support/command.ts';
import { openFaultPlace } from '../../support/fault-place.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';
import { startKillableRedis } from '../../support/redis/killable-redis.ts';
import { exportedBytes } from '../../support/workplace.ts';

type Files = Record<string, string[]>;
type Mapping = {
  columns: Record<string, 'name' | 'country_code' | 'requested_limit'>;
  constants: Record<string, string>;
};

const signal = new AbortController().signal;
const HEADER = 'name,country_code,company_registration_number,requested_limit';

async function openPlace(faults: Parameters<typeof openFaultPlace>[0] = {}) {
  const redis = await startKillableRedis();
  const place = await openFaultPlace({ ...faults, env: { REDIS_URL: redis.url } });
  const { dir, context, standIn } = place;
  const inDir = (name: string) => join(dir, name);
  return {
    ...place,
    /** Imports files one after the other, and returns the problems and warnings. */
    async bring(files: Files, mapping?: Mapping) {
      const found = { problems: [] as string[], warnings: [] as string[] };
      for (const [name, lines] of Object.entries(files)) {
        await writeFile(inDir(name), `${lines.join('\n')}\n`);
        const isMapped = mapping && Object.keys(mapping.columns).every((column) => lines[0]?.includes(column));
        const { faults, problems, warnings } = await place.importFile(inDir(name), isMapped ? { mapping } : {});
        expect(faults).toEqual([]);
        found.problems.push(...problems.map(({ message }) => message));
        found.warnings.push(...warnings.filter(({ line }) => line > 0).map(({ message }) => message));
      }
      return found;
    },
    async drain() {
      const workers = await place.work();
      const { states } = await place.settled();
      await workers.stop();
      return states;
    },
    async save(edit?: (text: string) => string, format: 'csv' | 'xlsx' = 'csv') {
      const whole = await exportedBytes(context, { format });
      await writeFile(inDir(`q4.results.${format}`), edit ? edit(whole.toString()) : whole);
    },
    lose: () => redis.admin.flushall(),
    async recover(format = 'csv') {
      const documents = makeDocumentFolder({ dir, maxSizeMb: 1 });
      const path = inDir(`q4.results.${format}`);
      const found = await recoverResults({ path, write: true }, { ...context, signal, documents });
      await context.marks.accept();
      return found;
    },
    made: () => {
      const { company, limit } = standIn.counts().made;
      return { company, limit };
    },
  };
}

type Case = { files: Files; again?: string[]; mapping?: Mapping; edit?: (text: string) => string; leftOut?: number } & {
  /** Whether the rows are processed between the files. */
  inTurn?: boolean;
  xlsx?: boolean;
};

const CASES: Record<string, Case> = {
  'a column added later': {
    files: {
      'q4.csv': ['name,country_code,requested_limit', 'Alt GmbH,DE,2000', 'Neu GmbH,DE,3000'],
      'new.csv': [HEADER, 'Alt GmbH,DE,HRB 9,2000', 'Neu GmbH,DE,HRB 8,3000'],
    },
    again: ['new.csv', 'q4.csv'],
    inTurn: true,
  },
  'two files with one currency each': {
    files: {
      'eur.csv': [`${HEADER},currency`, 'Acme AG,DE,HRB 1,1100,EUR', 'Zink AG,DE,HRB 3,1500,EUR'],
      'usd.csv': [`${HEADER},currency`, 'Tin AG,DE,HRB 2,2500,USD', 'Lead AG,DE,HRB 4,3750,USD'],
    },
    xlsx: true,
  },
  'headers and amounts of two languages': {
    files: {
      'a.csv': ['Firma;Land;HRB;Limit', 'Acme AG;DE;HRB 1;1.100,50', 'Zink AG;DE;HRB 3;1.500'],
      'b.csv': [HEADER, 'Tin AG,DE,HRB 2,"1,100.25"', 'Lead AG,DE,HRB 4,3.75'],
    },
  },
  'a file with a mapping and one without': {
    files: {
      'a.csv': ['Kunde,Landkz,Wunsch', 'Acme AG,DE,1100', 'Zink AG,DE,1500'],
      'b.csv': [HEADER, 'Tin AG,DE,HRB 2,1100.25'],
    },
    mapping: { columns: { Kunde: 'name', Landkz: 'country_code', Wunsch: 'requested_limit' }, constants: {} },
  },
  'leading zeros that Excel dropped': {
    files: { 'q4.csv': [HEADER, 'Zink AG,NL,01234567,1500', 'Zonk AG,NL,07654321,1600'] },
    edit: (whole) => whole.replaceAll(/,0(\d{7}),/g, ',$1,'),
    leftOut: 2,
  },
  'an amount changed in the results': {
    files: { 'q4.csv': [HEADER, 'Acme AG,DE,HRB 1,1100'] },
    edit: (whole) => whole.replace(',1100,', ',1200,'),
    leftOut: 1,
  },
};

// Promises: recover-knows-the-buyer, recover-reads-kept-results
test.each(Object.entries(CASES))('%s: recovered requests are not made again', async (_title, given) => {
  const { files, again = Object.keys(files), mapping, edit, inTurn, xlsx, leftOut = 0 } = given;
  const place = await openPlace();
  for (const [name, lines] of Object.entries(files)) {
    await place.bring({ [name]: lines }, mapping);
    if (inTurn) await place.drain();
  }
  await place.drain();
  const before = place.made();
  await place.save(edit, xlsx ? 'xlsx' : 'csv');
  await place.lose();
  expect((await place.recover(xlsx ? 'xlsx' : 'csv')).leftOut.length).toBe(leftOut);
  for (const name of again) {
    await place.bring({ [name]: files[name] ?? [] }, mapping);
    // What does not wait is not requested.
    expect((await place.report()).states).toMatchObject({ queued: 0, held: 0 });
  }
  const { done, skipped } = (await place.report()).states;
  expect(done + skipped).toBe(before.limit);
});

// Promise: second-limit-warned
test('an amount changed in the results is requested besides the recovered one, with a warning', async () => {
  const place = await openPlace();
  await place.bring({ 'q4.csv': [HEADER, 'Acme AG,DE,HRB 1,1100'] });
  await place.drain();
  await place.save((whole) => whole.replace(',1100,', ',1200,'));
  await place.lose();
  await place.recover();
  expect(await place.bring({ 'next.csv': [HEADER, 'Acme AG,DE,HRB 1,1200'] })).toEqual({
    problems: [],
    warnings: [expect.stringContaining('another request, line 2 of portfolio q4 (1,100, done)')],
  });
  expect((await place.drain()).done).toBe(1);
  expect(place.made()).toEqual({ company: 1, limit: 2 });
});

// Promise: rows-accounted-for
test('rows that were open in an older copy count as made once, where a results file tells of their limits', async () => {
  const place = await openPlace();
  const file = { 'q4.csv': [HEADER, 'Acme AG,DE,HRB 1,1100', 'Zinc AG,DE,HRB 2,900', 'Iron AG,DE,HRB 3,800'] };
  await place.bring(file);
  await place.drain();
  await place.save();
  await place.lose();
  await place.bring(file);
  expect(await place.recover()).toMatchObject({ put: { limit: 3 } });
  await place.bring(file);
  expect((await place.drain()).done).toBe(3);
  const { portfolios } = place.context;
  const checks = proofOf(await portfolios.read('q4'), await portfolios.allImports('q4'));
  expect(checks.filter(({ is }) => is !== 'right')).toEqual([]);
  expect(place.made()).toEqual({ company: 3, limit: 3 });
});

// Promise: recover-overwrites-nothing
test('recover counts replaced rows, and an older file does not overwrite later facts of the ledger', async () => {
  const rules = [{ on: 'limit' as const, match: 'HRB 1"', fault: 'reset' as const, times: 1 }];
  const place = await openPlace({ faults: { rules } });
  await place.bring({ 'q4.csv': [HEADER, 'Acme AG,DE,HRB 1,1100'] });
  expect((await place.drain()).held).toBe(1);
  await place.save();
  await place.standIn.setFaults({ rules: [{ on: 'limit', match: 'HRB 1"', fault: 'status', status: 422 }] });
  await resolveCalls({ portfolio: 'q4', line: 2 }, place.context);
  expect((await place.drain()).refused).toBe(1);
  expect(await place.recover()).toMatchObject({ put: { held: 0 }, known: { company: 1, held: 1 }, replaced: 0 });

  await place.bring({ 'mended.csv': [HEADER, 'Acme AG,DE,HRB 1,900'] });
  await place.save();
  expect(await readFile(join(place.dir, 'q4.results.csv'), 'utf8')).toContain('replaced by line 2 of mended.csv');
  await place.lose();
  expect(await place.recover()).toMatchObject({ replaced: 1, leftOut: [] });
  // The same row in another file is counted once.
  await copyFile(join(place.dir, 'q4.results.csv'), join(place.dir, 'copy.csv'));
  const { stdout } = await place.limitline('recover', 'q4.results.csv', 'copy.csv');
  expect(stdout).toContain('1 row was replaced by a corrected line.');
});

// Promise: recover-counts-noes
test('recover counts declined rows once each, because it restores no approvals', async () => {
  const { context, dir, waiting, say } = await openPortfolio(2);
  const { id, digest } = await waiting();
  await say({ id, digest, answer: 'decline', words: 'not this quarter' });
  await carryOutAllAnswered(context);
  const path = join(dir, 'q4.results.csv');
  await writeFile(path, await exportedBytes(context));
  const counted = makeKeySet();
  const documents = makeDocumentFolder({ dir, maxSizeMb: 1 });
  const recover = () => recoverResults({ path, write: false, counted }, { ...context, signal, documents });
  expect(await recover()).toMatchObject({ rows: 2, declined: 2, waiting: 0, replaced: 0 });
  expect(await recover()).toMatchObject({ rows: 2, declined: 0 });
});

// Promise: recover-counts-noes
test('recover counts rows that were given up, and warns that an import requests them', async () => {
  const place = await openPlace();
  await place.bring({ 'q4.csv': [HEADER, 'Acme AG,DE,HRB 1,1100', 'Zinc AG,DE,HRB 2,900'] });
  await place.limitline('cancel', 'q4');
  await place.save();
  await place.lose();
  expect(await place.recover()).toMatchObject({ givenUp: 2, declined: 0, replaced: 0, waiting: 0 });
  const { stdout } = await place.limitline('recover', 'q4.results.csv');
  expect(stdout).toContain('2 rows were given up. That is not put back: the same lines would be requested.');
});

test('recover restores a session link without a time, because its row may have changed later', async () => {
  const { context, dir, env } = await openFinishedPortfolio(1);
  const { decisions, ledger, keys, calls } = context;
  const id = 'bl_q41';
  const limit = await decisions.find(id);
  const row = limit?.maker;
  if (!limit || !row) throw new Error('no limit');
  const link = 'https://forms.example.com/s/1';
  await calls.sessions.putBack(id, { link, row: `q4/${row.key}` }, { write: true });
  const word = {
    limit: id,
    status: 'approved',
    total: '1',
    available: '1',
    at: new Date().toISOString(),
    isDated: true,
  };
  expect(await decisions.decide(limit, word, { by: 'anna', file: 'later.csv' })).toBe('taken');
  await decisions.follow(row, id, { by: 'anna', file: 'later.csv' });
  const path = join(dir, 'q4.results.csv');
  await callCommand(['report', 'q4', '--format', 'csv', '--out', path], { cwd: dir, env });
  const thing = contentDigest(id);
  await ledger.del(keys.call('session', `${thing}.1`), keys.sessionsAsked);
  const { put } = await recoverResults(
    { path, write: true },
    { ...context, signal: new AbortController().signal, documents: makeDocumentFolder({ dir, maxSizeMb: 1 }) },
  );
  expect(put.session).toBe(1);
  const [session] = await calls.sessions.of(id);
  expect(session).toMatchObject({ sessionLink: link, askedMs: undefined });
});
