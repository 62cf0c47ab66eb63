import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeDecisions } from '../../../jobs/operators/take-decisions.ts';
import { recoverResults } from '../../../jobs/recover/recover-results.ts';
import { fileOf, openFinishedPortfolio, statusesOf } from '../../support/finished-portfolio.ts';
import { toLimit } from '../../support/ledger.ts';
import { buyerLines, exportedBytes, openWorkplace } from '../../support/workplace.ts';

/** So many finished rows whose limits were all answered with the id `bl_same`. */
async function openShared(count: number) {
  const place = await openWorkplace({
    faults: { rules: [{ on: 'limit', fault: 'answer', set: { id: 'bl_same' } }] },
    env: { SERVICE_ANSWER_CHECK: 'warn' },
  });
  await place.import(buyerLines(count));
  const workers = await place.work();
  await place.settled();
  await workers.stop();
  const { context, dir } = place;
  return { context, dir, all: (await context.rows.inState('q4', 'done', { count })).map(({ row }) => row) };
}

// Promise: decisions-not-taken-named
test('a decision by an id that several requests share is refused with their rows, and accepted by row', async () => {
  const { context, all } = await openShared(3);
  const alone = fileOf([['bl_same', 'declined', 1]]);
  for (const only of [{}, { only: 'q4' }, { only: 'other' }]) {
    for (const dryRun of [true, false]) {
      const { taken, problems } = await takeDecisions(alone, context, { by: 'olga', ...only, dryRun });
      expect({ taken, lines: problems.map(({ at }) => at) }).toEqual({ taken: 0, lines: [2] });
      expect(problems[0]?.message).toMatch(/answered several requests with the id bl_same.*: fill in the column row/);
      for (const row of all) expect(problems[0]?.message).toContain(`q4/${row.key}`);
    }
  }
  const words = ['declined', 'in_progress', 'approved'];
  const lines = all.flatMap(
    ({ key }, place) =>
      fileOf([[place === 1 ? '' : 'bl_same', words[place] ?? '', 1]], { at: place + 2, row: `q4/${key}` }).decisions,
  );
  const file = { ...fileOf([]), decisions: lines };
  const dry = await takeDecisions(file, context, { by: 'olga', only: 'q4', dryRun: true });
  expect({ taken: dry.taken, rows: dry.would?.rows.length, problems: dry.problems }).toEqual({
    taken: 3,
    rows: 3,
    problems: [],
  });
  await takeDecisions(file, context, { by: 'olga', only: 'q4' });
  expect((await context.rows.read(all)).map((row) => row?.record.status)).toEqual(words);
});

// Promise: decisions-not-taken-named
test('a shared id stays ambiguous after its calls were recovered from a results file', async () => {
  const { context, dir, all } = await openShared(2);
  const path = join(dir, 'q4.results.csv');
  await writeFile(path, await exportedBytes(context));
  const { ledger, keys, decisions, rows } = context;
  const maker = (await decisions.find('bl_same'))?.maker;
  const other = all.find(({ key }) => key !== maker?.key);
  if (!maker || !other) throw new Error('no two rows');

  // A row whose own call is lost does not decide the other request.
  await ledger.del(keys.call('limit', other.key));
  const named = await takeDecisions(fileOf([['', 'declined', 1]], { row: `q4/${other.key}` }), context);
  expect({ taken: named.taken, problems: named.problems.length }).toEqual({ taken: 0, problems: 1 });
  expect((await rows.read([maker]))[0]?.record.status).toBe('approved');

  const root = keys.account.replace(/:account$/, '');
  for (const lost of ['call', 'made']) await ledger.del(...(await ledger.keys(`${root}:${lost}:*`)));
  const documents = { find: async () => 'none' };
  await recoverResults({ path, write: true }, { ...context, signal: new AbortController().signal, documents });
  const { taken, problems } = await takeDecisions(fileOf([['bl_same', 'declined', 1]]), context);
  expect({ taken, lines: problems.map(({ at }) => at) }).toEqual({ taken: 0, lines: [2] });
  for (const { key } of [maker, other]) expect(problems[0]?.message).toContain(`q4/${key}`);
});

// Promise: decisions-not-taken-named
test('an older decision on one of two rows with a shared id is a problem, even if the file decides the other row', async () => {
  const { context, all } = await openShared(2);
  const [one, two] = all.map(({ key }) => `q4/${key}`);
  const line = (row = '', status: string, minute: number, at: number) =>
    fileOf([['bl_same', status, minute]], { at, row }).decisions;
  await takeDecisions({ ...fileOf([]), decisions: line(one, 'declined', 5, 2) }, context, { by: 'olga' });
  const decisions = [...line(one, 'approved', 3, 2), ...line(two, 'declined', 6, 3)];
  const { taken, known, problems } = await takeDecisions({ ...fileOf([]), decisions }, context, { by: 'olga' });
  expect({ taken, known, lines: problems.map(({ at }) => at) }).toEqual({ taken: 1, known: 0, lines: [2] });
});

test('a row skipped during an import of decisions gets the decision, even if its buyer has over 100 requests', async () => {
  const { context, import: bring } = await openFinishedPortfolio(1);
  const { ledger, keys, decisions, rows, calls, portfolios } = context;
  const limit = await decisions.find('bl_q41');
  if (!limit) throw new Error('no limit');
  const others = Object.fromEntries(Array.from({ length: 101 }, (_one, n) => [`q4/${n}`, '1']));
  await ledger.hset(keys.buyerRows(limit.buyer), others);
  let isThere = false;
  const names = async () => {
    const before = await portfolios.names();
    if (isThere) return before;
    isThere = true;
    // A worker finds that the limit was made before, and skips the row.
    await bring(buyerLines(1), { portfolio: 'again', by: 'alice' });
    const row = { portfolio: 'again', key: limit.key };
    await toLimit(rows, row);
    const call = { kind: 'limit', key: row.key, row, revision: '0' } as const;
    expect(await calls.claim(call, { owner: 'w/9', onUnknown: 'hold' })).toMatchObject({ id: 'bl_q41' });
    await rows.advance(row, 'limit', 'skipped', { limit: 'bl_q41', record: limit.record });
    return before;
  };
  const deps = { ...context, portfolios: { ...portfolios, names } };
  const taken = await takeDecisions(fileOf([['bl_q41', 'declined', 1]]), deps, { by: 'olga' });
  expect(taken).toMatchObject({ taken: 1, left: 0 });
  expect(await statusesOf('bl_q41', context)).toEqual({ call: 'declined', rows: ['declined', 'declined'] });
});
