import { describe, expect, test } from 'vitest';
import { soleCurrency } from '../../../src/ledger/counts/outcome-sums.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';
import { BAD, file, lines, other, TWICE } from '../../support/noted-lines.ts';
import { openWorkplace } from '../../support/workplace.ts';

test('an import deletes the faulty lines of the previous one', async () => {
  const { portfolios } = openLedger();
  for (const next of [file, file, other]) {
    const run = await portfolios.startImport('q4', next);
    expect(await portfolios.read('q4')).toMatchObject({ invalid: 0, duplicate: 0, file: next });
    await run.noteLines(lines([2, BAD]));
    await run.end();
  }
});

test('an import notices that Redis was restored to a state before its heartbeat or its beginning', async () => {
  const { portfolios, connection, keys } = openLedger();
  const run = await portfolios.startImport('q4', file);
  const before = await connection.hgetall(keys.allImports('q4'));
  expect(await run.isWhole()).toBe(true);
  const began = (await portfolios.allImports('q4'))[0]?.lastMs;
  await expect.poll(async () => (await run.isWhole()) && Date.now() > (began ?? 0) + 5).toBe(true);
  await connection.hset(keys.allImports('q4'), before);
  expect(await run.isWhole()).toBe(false);
  // Later heartbeats do not hide the loss.
  expect(await run.isWhole()).toBe(false);
  const next = await portfolios.startImport('q4', file);
  await connection.del(keys.allImports('q4'));
  expect(await next.isWhole()).toBe(false);
});

test('two imports of one file share its faulty lines, and an import of a replaced file stores none', async () => {
  const { portfolios } = openLedger();
  const [first, second] = [await portfolios.startImport('q4', file), await portfolios.startImport('q4', file)];
  await first.noteLines(lines([2, BAD]));
  await second.noteLines(lines([2, BAD]));
  const third = await portfolios.startImport('q4', other);
  await first.noteLines(lines([5, BAD]));
  expect(await portfolios.read('q4')).toMatchObject({ invalid: 0, file: other });
  await third.noteLines(lines([7, TWICE]));
  expect(await portfolios.faultyLines('q4', [2, 5, 7])).toEqual([undefined, undefined, TWICE]);
});

test('a portfolio is finished only after both of its concurrent imports ended', async () => {
  const { portfolios } = openLedger();
  for (const next of [file, other]) {
    const [first, second] = [await portfolios.startImport('q4', file), await portfolios.startImport('q4', next)];
    for (const run of [second, first]) {
      expect(await portfolios.read('q4')).toMatchObject({ importing: true, finishedMs: undefined });
      await run.end();
    }
    expect(await portfolios.read('q4')).toMatchObject({ importing: false, finishedMs: expect.any(Number) });
  }
});

test('an import that reads a file to its end completes an abandoned import of the same file, but of no other', async () => {
  const { portfolios } = openLedger();
  for (const [next, interrupted] of [
    [file, false],
    [other, true],
  ] as const) {
    const [first, second] = [await portfolios.startImport('q4', file), await portfolios.startImport('q4', next)];
    await second.leave();
    await first.end();
    expect(await portfolios.read('q4')).toMatchObject({ importing: false, interrupted });
  }
});

test.each([
  ['long ago', -3_600_000],
  ["in the future, before the server's clock went back", 3_600_000],
])('an import whose last heartbeat was %s does not keep the portfolio open', async (_when, awayMs) => {
  const { portfolios, rows, connection, keys } = openLedger();
  const row = { portfolio: 'q4', key: 'row-1' };
  const run = await portfolios.startImport('q4', file);
  await connection.zadd(keys.imports('q4'), Date.now() + awayMs, 'killed');
  await rows.put(row, 2, file.id, makeRequest());
  await rows.advance(row, 'queued', 'done', {});
  await run.end();
  expect(await portfolios.read('q4')).toMatchObject({ importing: false, finishedMs: expect.any(Number) });
  expect(await connection.zcard(keys.imports('q4'))).toBe(0);
});

// Promise: unfinished-import-stays-open
test('an abandoned import keeps its portfolio open although a later file was imported to its end', async () => {
  const { portfolios } = openLedger();
  const [first, second] = [await portfolios.startImport('q4', file), await portfolios.startImport('q4', other)];
  await first.leave();
  await second.end();
  expect(await portfolios.read('q4')).toMatchObject({ importing: false, interrupted: true, finishedMs: undefined });
  // The portfolio is finished when the file is imported again, or when another import begins after nobody reads it any
  // more.
  await (await portfolios.startImport('q4', file)).end();
  expect(await portfolios.read('q4')).toMatchObject({ interrupted: false, finishedMs: expect.any(Number) });
});

/** A portfolio in which an import of `file` was killed so many ms before an import of `other` began. */
async function openKilled(beforeMs: number) {
  const ledger = openLedger();
  const { portfolios, connection, keys } = ledger;
  const killed = await portfolios.startImport('q4', file);
  const [sign = ''] = await connection.zrange(keys.imports('q4'), '0', '-1');
  await killed.leave();
  const beat = (agoMs: number) =>
    connection.zadd(keys.imports('q4'), Date.now() - agoMs, `${sign.split(':')[0]}:killed`);
  await beat(beforeMs);
  const run = await portfolios.startImport('q4', other);
  /** Some seconds pass since the last heartbeat and since the beginning of the other import. */
  const wait = async () => {
    await beat(beforeMs + 10_000);
    for (const [content, text] of Object.entries(await connection.hgetall(keys.allImports('q4')))) {
      const known = JSON.parse(text);
      await connection.hset(
        keys.allImports('q4'),
        content,
        JSON.stringify({ ...known, lastMs: known.lastMs - 10_000 }),
      );
    }
  };
  return { ...ledger, run, wait };
}

// Promise: killed-import-replaced
test('an import that begins seconds after another was killed replaces that import', async () => {
  const early = await openKilled(3_000);
  await early.run.end();
  expect(await early.portfolios.read('q4')).toMatchObject({ importing: true });
  await early.wait();
  expect(await early.portfolios.read('q4')).toMatchObject({ interrupted: false, finishedMs: expect.any(Number) });

  // It replaces the killed import also if it is still running; then it has to be read to its end.
  for (const interrupted of [false, true]) {
    const { run, wait, portfolios } = await openKilled(3_000);
    await wait();
    expect(await portfolios.read('q4')).toMatchObject({ importing: true, interrupted: false });
    await (interrupted ? run.leave() : run.end());
    expect(await portfolios.read('q4')).toMatchObject({ importing: false, interrupted });
  }
});

// Promise: killed-import-replaced
test('an import that was killed while another one was read is not replaced by that one', async () => {
  const { run, wait, portfolios } = await openKilled(500);
  await run.end();
  await wait();
  expect(await portfolios.read('q4')).toMatchObject({ interrupted: true, finishedMs: undefined });
});

test('a completed import keeps its author and its counts until the file is imported again', async () => {
  const { portfolios } = openLedger();
  const found = { lines: 5, rows: 3, invalid: 1, duplicate: 1 };
  const own = { ...file, by: 'console' };
  await (await portfolios.startImport('q4', own)).end(found);
  await (await portfolios.startImport('q4', other)).end({ ...found, rows: 4, invalid: 0 });
  expect(await portfolios.allImports('q4')).toMatchObject([
    { number: 1, by: 'console', found },
    { number: 2, by: '', found: { rows: 4 } },
  ]);
  const again = await portfolios.startImport('q4', own);
  const [first] = await portfolios.allImports('q4');
  expect(first?.found).toBeUndefined();
  await again.leave();
  expect((await portfolios.allImports('q4'))[0]?.found).toBeUndefined();
  expect((await portfolios.read('q4')).file).toMatchObject({ number: 1, by: 'console' });
});

describe('a portfolio that is cancelled', () => {
  test('no longer waits for an abandoned import, but still for a running one', async () => {
    const { portfolios, connection, keys } = openLedger();
    await (await portfolios.startImport('q4', file)).leave();
    expect(await portfolios.read('q4')).toMatchObject({ interrupted: true });
    const living = await portfolios.startImport('q4', other);
    await portfolios.cancel('q4');
    expect(await portfolios.read('q4')).toMatchObject({ importing: true, finishedMs: undefined });
    await living.leave();
    expect(await portfolios.read('q4')).toMatchObject({ interrupted: true, finishedMs: undefined });
    await portfolios.cancel('q4');
    expect(await portfolios.read('q4')).toMatchObject({ interrupted: false, finishedMs: expect.any(Number) });
    // An import that begins after the cancellation and is abandoned keeps the portfolio open.
    await (await portfolios.startImport('q4', file)).leave();
    expect(await portfolios.read('q4')).toMatchObject({ interrupted: true, finishedMs: undefined });
    expect(await connection.zcard(keys.imports('q4'))).toBe(0);
  });

  // Promise: nothing-sent-after-cancel
  test('does not wait for an import that dies later, and cancels rows that it still adds', async () => {
    const { portfolios, rows, connection, keys } = openLedger();
    const run = await portfolios.startImport('q4', file);
    await portfolios.cancel('q4');
    const [sign = ''] = await connection.zrange(keys.imports('q4'), '0', '-1');
    await connection.zadd(keys.imports('q4'), Date.now() - 3_600_000, sign);
    expect(await portfolios.read('q4')).toMatchObject({ interrupted: false, finishedMs: expect.any(Number) });
    const row = { portfolio: 'q4', key: 'row-1' };
    expect(await rows.put(row, 2, run.number, makeRequest(), run.generation)).toBe('ended');
    await run.end();
    expect(await portfolios.read('q4')).toMatchObject({
      states: { cancelled: 1, queued: 0 },
      finishedMs: expect.any(Number),
    });
  });
});

test('a portfolio with a file without currency from an older version has no currency after a file in EUR', async () => {
  const { context, import: importLines } = await openWorkplace();
  const { ledger, keys, portfolios } = context;
  await importLines(['name,country_code,company_registration_number,requested_limit', 'A,DE,HRB 1,900000']);
  // Older versions stored nothing for a file without a currency.
  await ledger.hdel(keys.portfolio('q4'), 'currencies');
  await importLines(['name,country_code,company_registration_number,requested_limit,currency', 'B,DE,HRB 2,5,EUR']);
  expect(soleCurrency(await portfolios.read('q4'))).toBeUndefined();
});
