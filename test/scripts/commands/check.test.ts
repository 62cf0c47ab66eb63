import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../../support/desk.ts';
import { makeFolder } from '../../support/workplace.ts';

test('a document counts as named by a line that is invalid, a duplicate, or names it although it cannot be sent', async () => {
  const { cwd, limitline } = await openDesk(1);
  await mkdir(join(cwd, 'documents'));
  for (const name of ['a.pdf', 'b.pdf', 'c.pdf']) await writeFile(join(cwd, 'documents', name), '%PDF-1.4\n');
  await writeFile(join(cwd, 'documents/empty.pdf'), '');
  const lines = ['A,x,a.pdf', 'B,1,', 'B,1,b.pdf', 'C,2,empty.pdf'];
  const file = (header: string) =>
    writeFile(join(cwd, 'm.csv'), [header, ...lines].map((line) => `${line}\n`).join(''));
  await file('name,requested_limit,supporting_documents');
  const { stdout } = await limitline('check', 'm.csv');
  expect(stdout).toContain('Documents that no line names: c.pdf.\n');
  // Of a file of which no line is read, nobody knows what its lines name.
  await file('name,amount in thousands,supporting_documents');
  expect((await limitline('check', 'm.csv')).stdout).not.toContain('Documents');
});

test('a portfolio name that an import refuses is refused by check, too', async () => {
  const { limitline } = await openDesk(1);
  const words = '"q4/2026" cannot be the name of a portfolio';
  for (const command of ['check', 'import']) {
    const { status, stderr } = await limitline(command, 'q4.csv', '--portfolio', 'q4/2026');
    expect([command, status, stderr]).toEqual([command, 1, expect.stringContaining(words)]);
  }
});

test('check warns of a second limit for one buyer in a file although there is no ledger yet', async () => {
  const { cwd, limitline } = await openDesk(1, {}, { REDIS_URL: '', LIMITLINE_DATA: join(await makeFolder(), 'none') });
  await writeFile(join(cwd, 'two.csv'), 'name,requested_limit,buyer_reference\nA,1000,a\nA,2000,a\nB,500,b\n');
  const { stdout } = await limitline('check', 'two.csv');
  expect(stdout).toContain('line 3, requested_limit "2000": The same buyer has another request, line 2 of this file');
  expect(stdout).toContain('1 of these limits is for a buyer that has another limit, open, made or in this file');
});

test('check says as JSON, too, that it is not known what was requested before, if Redis is away', async () => {
  const { limitline } = await openDesk(1);
  const known = await limitline('check', 'q4.csv', '--json');
  expect(JSON.parse(known.stdout)).toMatchObject({ notKnown: null });
  const away = await openDesk(1, {}, { REDIS_URL: 'redis://127.0.0.1:1' });
  const { stdout, status } = await away.limitline('check', 'q4.csv', '--json');
  expect(status).toBe(0);
  const notKnown = expect.stringMatching(
    /^It is not known what was requested before: Redis at redis:\/\/127\.0\.0\.1:1\/0 does not/,
  );
  expect(JSON.parse(stdout)).toMatchObject({ dryRun: { limits: 1, existing: 0 }, notKnown });
});
