import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { callCommand, runCommand, startCommand } from '../support/command.ts';
import { connectRedis, ownRedis } from '../support/ledger.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { buyerLines, makeFolder, startStandIn } from '../support/workplace.ts';

const beside = testsBeside();

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));

/** Settings of commands with a stand-in of this test alone, and the Redis of the tests unless another one is given. */
async function serviceEnv(faults = {}, redis: Record<string, string> = ownRedis()) {
  const standIn = await startStandIn(faults);
  const env = {
    SERVICE_URL: standIn.url(),
    SERVICE_CLIENT_ID: 'limitline-sandbox',
    SERVICE_CLIENT_SECRET: 'limitline-sandbox-secret',
    ...redis,
  };
  return { standIn, env };
}

async function writeLines(dir: string, name: string, lines: string[]): Promise<string> {
  await writeFile(join(dir, name), `${lines.join('\n')}\n`);
  return name;
}

const rowsOf = (csv: string): Record<string, string>[] =>
  parse(csv, { columns: (header: string[]) => uniqueNames(header) });

/** Renames the first of two equal columns: a results file has `state` of the address and of the row. */
function uniqueNames(header: string[]): string[] {
  return header.map((name, place) => (header.indexOf(name, place + 1) === -1 ? name : `own ${name}`));
}

describe('run', () => {
  // Promise: json-also-of-faults
  test('requests limits for the example and reports the outcome of every line', async () => {
    const cwd = await makeFolder();
    const args = ['run', join(EXAMPLES, 'portfolio.csv'), '--json', '--no-results'];
    const ended = await callCommand(args, { cwd });
    expect(ended.status).toBe(2);
    expect(ended.stderr).toContain('STAND-IN');
    const report = JSON.parse(ended.stdout);
    expect(report.lines).toBe(report.rows + report.invalid + report.duplicate);
    expect(report.states.done).toBe(report.rows);
    expect(report.statuses).toEqual({ approved: report.rows });
    expect(report.calls.document).toBeGreaterThan(0);

    const results = await callCommand(['report', 'portfolio', '--format', 'csv'], { cwd });
    const lines = rowsOf(results.stdout);
    expect(lines).toHaveLength(report.lines);
    expect(lines.filter((line) => line.state === 'done').every((line) => line.buyer_limit_id?.startsWith('bl_'))).toBe(
      true,
    );
    expect(lines.filter((line) => line.state === 'invalid')).toHaveLength(report.invalid);
    const errors = await callCommand(['report', 'portfolio', '--format', 'errors-csv'], { cwd });
    expect(rowsOf(errors.stdout)).toHaveLength(report.invalid + report.duplicate);
  });

  test('ends with 0 when all rows are done, and a second run sends nothing', async () => {
    const cwd = await makeFolder();
    const { standIn, env } = await serviceEnv();
    await cp(EXAMPLES, cwd, { recursive: true });
    const args = ['run', 'clean.csv', '--supplier', 'supplier.csv'];
    expect(await callCommand(args, { cwd, env })).toMatchObject({ status: 0 });
    const { made } = standIn.counts();
    expect(await callCommand(args, { cwd, env })).toMatchObject({ status: 0 });
    expect(standIn.counts().made).toEqual(made);
    const report = JSON.parse((await callCommand(['report', 'clean', '--json'], { cwd, env })).stdout);
    expect(report.supplier).toMatch(/^company_/);
  });

  test('continues where an interrupted run stopped, after SIGINT and SIGHUP', async () => {
    const cwd = await makeFolder();
    const { standIn, env } = await serviceEnv({ latencyMs: 20 });
    await writeLines(cwd, 'big.csv', buyerLines(60));
    const settings = { cwd, env: { ...env, SERVICE_CONCURRENCY: '8' } };
    for (const signal of ['SIGINT', 'SIGHUP'] as const) {
      const before = standIn.counts().made.limit;
      const { child, ended } = startCommand(['run', 'big.csv'], settings);
      await expect.poll(() => standIn.counts().made.limit).toBeGreaterThan(before + 5);
      child.kill(signal);
      expect(await ended).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/run the same command to continue\.\n$/),
      });
    }
    const ended = await callCommand(['run', 'big.csv', '--json'], settings);
    expect(ended.status).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ rows: 60, states: { done: 60 } });
    expect(standIn.counts().made).toMatchObject({ company: 60, limit: 60 });
  });

  // Promise: short-tokens-refuse-none
  beside('reports wrong credentials in one line and refuses no row', async () => {
    const cwd = await makeFolder();
    const { env } = await serviceEnv();
    await writeLines(cwd, 'some.csv', buyerLines(3));
    const ended = await callCommand(['run', 'some.csv'], { cwd, env: { ...env, SERVICE_CLIENT_SECRET: 'wrong' } });
    expect(ended.status).toBe(1);
    expect(ended.stderr.trim().split('\n').at(-1)).toMatch(/^limitline: .*SERVICE_CLIENT_SECRET/);
    const again = await callCommand(['run', 'some.csv'], { cwd, env });
    expect(again.status).toBe(0);
  });
});

beside('import, work and report share the Redis of a data folder', async () => {
  const cwd = await makeFolder();
  const { standIn, env } = await serviceEnv({}, {});
  await writeLines(cwd, 'q4.csv', [...buyerLines(50), 'Broken,Nowhere,,1']);
  const worker = startCommand(['work'], { cwd, env });
  const imported = await callCommand(['import', 'q4.csv', '--portfolio', 'Q4 2026', '--json'], { cwd, env });
  expect(imported.status).toBe(2);
  expect(JSON.parse(imported.stdout)).toMatchObject({
    portfolio: 'Q4 2026',
    lines: 51,
    rows: 50,
    invalid: 1,
    problems: [{ line: 52, column: 'country_code' }],
  });
  await expect.poll(() => standIn.counts().made.limit).toBe(50);
  worker.child.kill('SIGTERM');
  expect(await worker.ended).toMatchObject({ status: 0 });
  const table = await callCommand(['report', 'Q4 2026'], { cwd, env });
  expect(table.stdout).toMatch(/approved +50 +51,300.00 +51,300.00/);
});

describe('an errors file', () => {
  // Promise: errors-file-imported-again
  test('can be corrected and imported again, and done rows are not sent again', async () => {
    const cwd = await makeFolder();
    const { standIn, env } = await serviceEnv({
      rules: [{ on: 'limit', match: 'HRB 2', fault: 'status', status: 422, body: 'too high' }],
    });
    await writeLines(cwd, 'q4.csv', [...buyerLines(3), 'Broken AG,Nowhere,HRB 9,100.00']);
    expect((await callCommand(['run', 'q4.csv'], { cwd, env })).status).toBe(2);
    await callCommand(['report', 'q4', '--format', 'errors-csv', '--out', 'errors.csv'], { cwd, env });
    const errors = await readFile(join(cwd, 'errors.csv'), 'utf8');
    expect(rowsOf(errors).map(({ name, problem }) => [name, problem])).toEqual([
      ['Buyer 2 GmbH', 'The service refused the buyer limit request with status 422: too high'],
      ['Broken AG', expect.stringContaining('country_code')],
    ]);
    await standIn.setFaults({ rules: [] });
    await writeFile(join(cwd, 'errors.csv'), errors.replace('Nowhere', 'DE'));
    const ended = await callCommand(['run', 'errors.csv', '--portfolio', 'q4', '--json'], { cwd, env });
    expect(ended.status).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ rows: 4, lines: 4, invalid: 0, states: { done: 4, refused: 0 } });
    expect(standIn.counts().made).toMatchObject({ company: 4, limit: 4 });
  });
});

describe('a file of another dialect', () => {
  const LINES = ['sep=;', 'Firma;Land;Betrag;Notiz', 'Müller;Deutschland;1.234;a', 'Tin;GB;2,5;=b', 'Ort;Congo;3;c'];

  test('is read, checked, mapped, run and reported in its own dialect', async () => {
    const cwd = await makeFolder();
    const { env } = await serviceEnv({}, {});
    await writeFile(join(cwd, 'q4.csv'), Buffer.from(LINES.join('\r\n'), 'latin1'));
    const asked = await callCommand(['check', 'q4.csv', '--save-map', 'map.json'], { cwd, env });
    expect(asked).toMatchObject({ status: 2, stdout: expect.stringContaining('Betrag may be meant') });
    const map = (await readFile(join(cwd, 'map.json'), 'utf8')).replace(
      '"Betrag": null',
      '"Betrag": "requested_limit"',
    );
    await writeFile(join(cwd, 'map.json'), map);
    const before = await callCommand(['check', 'q4.csv', '--map', 'map.json', '--json'], { cwd, env });
    expect(JSON.parse(before.stdout)).toMatchObject({
      rows: 2,
      invalid: 1,
      unmapped: ['Notiz'],
      dialect: { encoding: 'windows-1252', delimiter: ';', sepLine: true },
      changed: [{ column: 'Land', became: 'DE' }, { column: 'Betrag' }, { column: 'Betrag', became: '2.5' }],
      dryRun: { limits: 2, companies: 2, requested: '1236.5', before: null },
    });
    await callCommand(['run', 'q4.csv', '--map', 'map.json'], { cwd, env });
    const after = await callCommand(['check', 'q4.csv', '--map', 'map.json', '--json'], { cwd, env });
    expect(JSON.parse(after.stdout)).toMatchObject({ dryRun: { before: { limits: 2, companies: 2 } } });
    await callCommand(['report', 'q4', '--format', 'csv', '--like-input', '--out', 'out.csv'], { cwd, env });
    const out = (await readFile(join(cwd, 'out.csv'), 'latin1')).split('\r\n');
    expect(out).toEqual([
      'sep=;',
      expect.stringMatching(/^Firma;Land;Betrag;Notiz;row;import;line;state;/),
      expect.stringMatching(/^Müller;Deutschland;1.234;a;q4\/[^;]+;q4.csv #1;3;done;/),
      expect.stringMatching(/^Tin;GB;2,5;'=b;q4\/[^;]+;q4.csv #1;4;done;/),
      expect.stringMatching(/^Ort;Congo;3;c;;q4.csv #1;5;invalid;/),
      '',
    ]);
  });

  test.each([
    ['--encoding', 'utf-9'],
    ['--delimiter', 'x'],
    ['--decimal', 'dot'],
    ['--map', 'none.json'],
  ])('is refused with %s %s, and the fault names the value', async (option, value) => {
    const cwd = await makeFolder();
    await writeFile(join(cwd, 'q4.csv'), LINES.join('\n'));
    const ended = await callCommand(['check', 'q4.csv', option, value], { cwd });
    expect(ended).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining(value) });
  });
});

// Promise: reading-is-said
test('run and import print how they read a file, in words and as JSON, and --map accepts a header', async () => {
  const cwd = await makeFolder();
  const { env } = await serviceEnv();
  await writeFile(join(cwd, 'q4.csv'), 'Liste Q4;;\nKunde;Kreditlimit (EUR);Notiz\nAcme;1;x\n');
  const imported = await callCommand(['import', 'q4.csv', '--map', 'Kunde=name', '--map', 'Notiz='], { cwd, env });
  expect(imported.stderr).toContain('Read as UTF-8, separated by semicolons');
  expect(imported.stderr).toContain('The header is line 2; line 1 above it is not read: "Liste Q4".');
  expect(imported.stderr).toContain('Columns read: Kunde as name, Kreditlimit (EUR) as requested_limit.');
  expect(imported.stderr).toContain('Columns kept, but not sent: Notiz.');
  const ran = await callCommand(['run', 'q4.csv', '--map', 'Kunde=name', '--json'], { cwd, env });
  expect(ran.stderr).toContain('Columns read: Kunde as name');
  expect(JSON.parse(ran.stdout)).toMatchObject({
    states: { done: 1 },
    headerLine: 2,
    above: { from: 1, to: 1, texts: ['Liste Q4'] },
    unmapped: ['Notiz'],
    mapped: [
      { column: 'Kunde', is: 'name', by: 'map' },
      { column: 'Kreditlimit (EUR)', is: 'requested_limit', by: 'alias' },
    ],
  });
});

describe('check', () => {
  // Promises: check-calls-nobody, check-names-every-problem, reading-is-said
  test('sends no call, adds no key to Redis, and reports every problem', async () => {
    const cwd = await makeFolder();
    const redis = ownRedis();
    const { standIn, env } = await serviceEnv({}, redis);
    const ended = await callCommand(['check', join(EXAMPLES, 'portfolio.csv')], { cwd, env });
    expect(ended.status).toBe(2);
    expect(ended.stdout).toMatch(/line \d+, requested_limit[\s\S]*\nRead as UTF-8/);
    expect(Object.values(standIn.counts().requests)).toEqual([{}, {}, {}, {}, {}]);
    // BullMQ queues write their version when they are opened.
    const keys = await connectRedis().keys(`*${redis.LIMITLINE_PREFIX}*`);
    expect(keys.filter((key) => !key.endsWith(':meta'))).toEqual([]);
    expect((await callCommand(['check', join(EXAMPLES, 'clean.csv'), '--json'], { cwd })).status).toBe(0);
  });

  test.each([
    ['nothing at all', '', 'empty'],
    ['a header twice', 'name,requested_limit,name\nA,1,B\n', 'name'],
    ['no needed column', 'company,amount\nA,1\n', 'requested_limit'],
  ])('a file with %s has a problem, and is not imported', async (_name, content, word) => {
    const cwd = await makeFolder();
    await writeFile(join(cwd, 'x.csv'), content);
    const checked = await callCommand(['check', 'x.csv'], { cwd });
    expect(checked.status).toBe(2);
    expect(checked.stdout).toContain(word);
    const { env } = await serviceEnv();
    const ran = await callCommand(['run', 'x.csv'], { cwd, env });
    expect(ran).toMatchObject({ status: 2, stdout: expect.stringContaining('Nothing was imported') });
  });
});

describe('faults of use', () => {
  test.each([
    [['run', 'missing.csv'], 'missing.csv', callCommand],
    [['run'], 'file', callCommand],
    [['nonsense'], 'nonsense', runCommand],
    [['report', 'nobody'], 'nobody', callCommand],
    [['report', 'x', '--format', 'pdf'], 'pdf', callCommand],
    [['import', 'x.csv', '--portfolio', 'a/b'], 'portfolio', callCommand],
  ])('%o ends with 1 and one line that names the faulty part', async (args, named, execute) => {
    const ended = await execute(args, { cwd: await makeFolder() });
    expect(ended.status).toBe(1);
    expect(ended.stderr.split('\n')[0]).toContain(named);
    expect(ended.stdout).toBe('');
  });

  // Promise: setting-faults-all-at-once
  test('all wrong settings are named together before anything starts', async () => {
    const cwd = await makeFolder();
    const env = { SERVICE_CONCURRENCY: 'many', LOG_LEVEL: 'loud' };
    const ended = await callCommand(['run', join(EXAMPLES, 'clean.csv')], { cwd, env });
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/SERVICE_CONCURRENCY.*LOG_LEVEL/) });
  });

  beside('an unreachable Redis is reported with its address', async () => {
    const cwd = await makeFolder();
    const ended = await runCommand(['report', 'x'], { cwd, env: { REDIS_URL: 'redis://127.0.0.1:1' } });
    expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(/^limitline: .*127\.0\.0\.1:1/) });
  });
});
