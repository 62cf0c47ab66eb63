import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand, callOnTerminal } from '../../support/command.ts';
import { openContextOf } from '../../support/desk.ts';
import { ownRedis } from '../../support/ledger.ts';
import { buyerLines, makeFolder } from '../../support/workplace.ts';

/** A command line with a portfolio of two rows; `endRows` makes them done. */
async function openCommands() {
  const cwd = await makeFolder();
  const env = {
    ...ownRedis(),
    SERVICE_URL: 'https://service.example',
    SERVICE_CLIENT_ID: 'id',
    SERVICE_CLIENT_SECRET: 'secret',
  };
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(2).join('\n')}\n`);
  const limitline = (...args: string[]) => callCommand(args, { cwd, env });
  await limitline('import', 'q4.csv', '--yes');
  const context = await openContextOf({ cwd, env });
  return {
    limitline,
    onTerminal: (...args: string[]) => callOnTerminal(args, { cwd, env }),
    context,
    async endRows() {
      for (const { row } of await context.rows.inState('q4', 'queued', { count: 10 })) {
        const record = { status: 'approved', total_limit: '1000', available_limit: '1000' };
        const made = { company: `company_${row.key}`, limit: `bl_${row.key}`, documents: [], record };
        await context.rows.advance(row, 'queued', 'done', made);
      }
    },
  };
}

test('on a terminal archive asks first, and names the sum as reports do', async () => {
  const { onTerminal, endRows, context } = await openCommands();
  await endRows();
  const asked = onTerminal('archive', 'q4');
  await expect.poll(asked.shown).toMatch(/q4 has 2 rows, 2,004\.00 requested in total\.[\s\S]*Archive it\? \[y\/N\] $/);
  asked.press('n\n');
  expect(await asked.ended).toMatchObject({ status: 2 });
  expect(await context.archives.count()).toBe(0);
});

test('archive prints the number of rows, the folder and the restore command, and refuses open or unknown portfolios', async () => {
  const { limitline, endRows } = await openCommands();
  expect(await limitline('archive', 'q5')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('There is no portfolio "q5"'),
  });
  expect(await limitline('archive', 'q4')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/2 rows of q4 are still to be worked on: .*npx limitline cancel "q4"/),
  });
  await endRows();
  const { stdout, status } = await limitline('archive', 'q4');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^q4 is archived\.\n {2}2 rows have left Redis\. The files \(\d+ kB\) are in\n/);
  expect(stdout).toContain('npx limitline restore "q4"');
  const [, folder = ''] = /are in\n {2}(.+)\n/.exec(stdout) ?? [];
  expect(await readdir(folder)).toHaveLength(4);
  expect(await limitline('archive', 'q4')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('q4 is archived: npx limitline restore "q4"'),
  });
  const { entries } = JSON.parse((await limitline('audit', 'list', '--json')).stdout);
  // The first two entries are of the import. A refused archive has no entry.
  expect(entries.slice(2)).toMatchObject([
    { what: 'portfolio archived', about: 'q4', is: 'begun' },
    { is: 'done', facts: { rows: 2 } },
  ]);
});

test('archive --json prints the same facts as JSON', async () => {
  const { limitline, endRows, context } = await openCommands();
  await endRows();
  const { stdout } = await limitline('archive', 'q4', '--json');
  const told = JSON.parse(stdout);
  expect(told).toMatchObject({
    account: 'https://service.example',
    portfolio: 'q4',
    archived: true,
    resumed: false,
    rows: 2,
    requested: '2004.00',
    granted: '2000.00',
  });
  expect(existsSync(told.folder)).toBe(true);
  expect(await context.archives.read('q4')).toMatchObject({ is: 'archived', id: told.id, sizeBytes: told.sizeBytes });
});
