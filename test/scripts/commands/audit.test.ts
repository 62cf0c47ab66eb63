import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { EXPORTED } from '../../../src/audit/entry.ts';
import { readSettings } from '../../../src/config.ts';
import { openContext } from '../../../src/context.ts';
import { makeSharedKeys } from '../../../src/ledger/schema/keys.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { openDesk } from '../../support/desk.ts';

/** A desk whose audit trail already has three entries. */
async function openAudited() {
  const desk = await openDesk(1);
  const settings = readSettings({ env: { ...desk.env, LIMITLINE_DATA: join(desk.cwd, 'data') }, cwd: desk.cwd });
  const context = await openContext({ settings, log: makeSilentLog() });
  onTestFinished(() => context.close());
  const { audit } = context;
  await audit.note({ by: 'ann', what: 'session begun', from: '10.0.0.7' });
  await audit.note({ by: 'ben', what: 'rows retried', from: '10.0.0.8', about: 'q4', facts: { rows: 3 } });
  await audit.note({ by: '\u001b[2Jadmin\u202E', what: 'sign-in refused', from: '203.0.113.9' });
  const env = { LIMITLINE_DATA: join(desk.cwd, 'data') };
  Object.assign(desk.env, env);
  return { ...desk, context, keys: makeSharedKeys(settings.LIMITLINE_PREFIX) };
}

test('audit list prints entries with the newest last, filters them, and escapes control characters', async () => {
  const { limitline, json } = await openAudited();
  const { status, stdout } = await limitline('audit', 'list');
  expect(status).toBe(0);
  expect(
    stdout.split('\n').map((line) => line.replace(/\d{4}-\S+ \S+ UTC/, 'TIME').replace(/ {2}account \S+/, '')),
  ).toEqual([
    '     1  TIME  ann  session begun  from 10.0.0.7',
    '     2  TIME  ben  rows retried  "q4"  from 10.0.0.8  {"rows":3}',
    '     3  TIME  \\u001b[2Jadmin\\u202e  sign-in refused  from 203.0.113.9',
    '',
  ]);
  const numbers = async (...options: string[]) =>
    (await json('audit', 'list', ...options)).entries.map(({ number }: { number: number }) => number);
  expect(await numbers('--by', 'BEN')).toEqual([2]);
  expect(await numbers('--what', 'sign-in')).toEqual([3]);
  expect(await numbers('--about', 'q4')).toEqual([2]);
  expect(await numbers('--limit', '2')).toEqual([2, 3]);
  expect(await numbers('--since', '1h')).toEqual([1, 2, 3]);
  expect(await numbers('--since', '2999-01-01')).toEqual([]);
  expect((await limitline('audit', 'list', '--limit', '1')).stdout).toContain('there are older ones: --limit N');
});

test.each(['yesterday', '2026-13-01', '-1h', '0h'])('--since %s is refused with status 1', async (since) => {
  const { status } = await (await openDesk(1)).limitline('audit', 'list', '--since', since);
  expect(status).toBe(1);
});

test('audit verify reports an intact trail, and ends with status 2 and the first broken entry otherwise', async () => {
  const { limitline, json, context, keys } = await openAudited();
  const whole = await limitline('audit', 'verify');
  expect(whole.status).toBe(0);
  expect(whole.stdout).toMatch(
    /^The audit trail is whole: 3 entries, number 1 to 3, the last of \S+\. This host remembers number 3\.$/m,
  );
  await context.ledger.xdel(keys.audit, '2-0');
  const missing = await limitline('audit', 'verify');
  expect(missing).toMatchObject({ status: 2, stdout: expect.stringContaining('does not hold. Entry 2 is missing.') });
  expect(await json('audit', 'verify')).toMatchObject({
    entries: 2,
    broken: { number: 2, is: 'missing' },
    remembered: 3,
  });
  expect((await limitline('audit', 'verify', '--from', '3')).status).toBe(0);
});

test('audit verify names a gap of several entries at once, and the entry behind it to check on from', async () => {
  const { limitline, context, keys } = await openAudited();
  await limitline('pause', '--queue', 'companies');
  await context.ledger.xdel(keys.audit, '2-0', '3-0');
  const { stdout } = await limitline('audit', 'verify');
  expect(stdout).toContain('The entries 2 to 3 are missing. The entry behind that was written at');
  expect(stdout).toContain('limitline audit verify --from 4');
  expect((await limitline('audit', 'verify', '--from', '4')).status).toBe(0);
});

// Promise: export-is-a-witness
test('an exported trail is verified without Redis, and each changed, missing or added line is found', async () => {
  const { limitline, json, cwd } = await openAudited();
  expect((await limitline('audit', 'export', '--out', 'trail.ndjson')).status).toBe(0);
  const path = join(cwd, 'trail.ndjson');
  const text = await readFile(path, 'utf8');
  const entries = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  // The export itself is an entry, too.
  expect(entries.map(({ what }) => what)).toEqual([
    'session begun',
    'rows retried',
    'sign-in refused',
    'audit trail exported',
  ]);
  expect(await json('audit', 'verify', '--file', 'trail.ndjson')).toMatchObject({ entries: 4, broken: null });
  expect((await limitline('audit', 'verify', '--file', 'trail.ndjson')).stdout).toContain(
    'trail.ndjson is whole: 4 entries',
  );
  // The export's own entry is the last line, so a cut end shows, and an empty file, too.
  for (const [lines, number] of [
    [3, 4],
    [0, 1],
  ] as const) {
    await writeFile(path, text.split('\n').slice(0, lines).join('\n'));
    const cut = await json('audit', 'verify', '--file', 'trail.ndjson');
    expect(cut).toMatchObject({ entries: lines, broken: { number, is: 'end' } });
  }
  await writeFile(path, text.replace('"rows":3', '"rows":4'));
  const changed = await limitline('audit', 'verify', '--file', 'trail.ndjson');
  expect(changed).toMatchObject({ status: 2, stdout: expect.stringContaining('Entry 2 was changed') });
  await writeFile(path, text.split('\n').slice(1).join('\n'));
  expect(await json('audit', 'verify', '--file', 'trail.ndjson')).toMatchObject({ broken: { number: 1, is: 'start' } });
  await writeFile(path, `${text}something else\n`);
  expect(await json('audit', 'verify', '--file', 'trail.ndjson')).toMatchObject({
    broken: { number: 5, is: 'changed' },
  });
  expect((await limitline('audit', 'verify', '--file', 'nothing.ndjson')).stderr).toContain('there is no such file');
});

// Promise: export-is-a-witness
test('a file is whole from any entry on, also from one that came while the file was written', async () => {
  const { limitline, json, cwd, context } = await openAudited();
  const { audit } = context;
  const late = { by: 'ann', what: 'session begun', from: '10.0.0.7' };
  await audit.around({ by: 'ann', what: EXPORTED, from: '10.0.0.7' }, async () => {
    await audit.note(late);
    await audit.note(late);
    await limitline('audit', 'export', '--out', 'trail.ndjson');
  });
  const path = join(cwd, 'trail.ndjson');
  // As an export leaves it that began before the last two entries: without that of the export after them.
  await writeFile(path, `${(await readFile(path, 'utf8')).split('\n').slice(0, 6).join('\n')}\n`);
  for (const from of ['1', '4', '5', '6']) {
    const { broken, last } = await json('audit', 'verify', '--file', 'trail.ndjson', '--from', from);
    expect([from, broken, last?.number]).toEqual([from, null, 6]);
  }
});

test('audit verify reports an empty range as not checked, and prints the command that continues behind a break', async () => {
  const { limitline, cwd } = await openAudited();
  const { status, stdout } = await limitline('audit', 'verify', '--from', '900');
  expect([status, stdout.trim()]).toEqual([0, 'The audit trail has no entry from number 900 on: nothing was checked.']);
  const file = join(cwd, 'trail.ndjson');
  await limitline('audit', 'export', '--out', file);
  await writeFile(file, (await readFile(file, 'utf8')).replace('"ben"', '"bob"'));
  const broken = await limitline('audit', 'verify', '--file', file);
  expect([broken.status, broken.stdout]).toEqual([2, expect.stringContaining(`verify --file "${file}" --from 3`)]);
  const behind = await limitline('audit', 'verify', '--file', file, '--from', '3');
  expect([behind.status, behind.stdout]).toEqual([0, expect.stringContaining('2 entries, number 3 to 4')]);
  const nothing = await limitline('audit', 'verify', '--file', file, '--from', '900');
  expect([nothing.status, nothing.stdout]).toEqual([0, expect.stringContaining('nothing was checked')]);
  expect((await limitline('audit', 'list', '--help')).stdout.match(/default: 50/g)).toHaveLength(1);
});

test('audit export prints one entry a line on standard output', async () => {
  const { limitline } = await openAudited();
  const { stdout } = await limitline('audit', 'export');
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).number),
  ).toEqual([1, 2, 3, 4]);
});
