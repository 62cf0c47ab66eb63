import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand } from '../support/command.ts';
import { openInbox } from '../support/inbox.ts';
import { ownRedis } from '../support/ledger.ts';
import { buyerLines, makeFolder } from '../support/workplace.ts';

/** A command line with a folder of its own, in the account of the stand-in. */
async function openCommands(env: Record<string, string> = {}) {
  const cwd = await makeFolder();
  const settings = { ...ownRedis(), ...env };
  return { cwd, limitline: (...args: string[]) => callCommand(args, { cwd, env: settings }) };
}

test('mapping keep stores a mapping that reads the given file; mapping list and forget manage it', async () => {
  const { cwd, limitline } = await openCommands();
  await writeFile(join(cwd, 'bank.csv'), 'Kunde;Land;HR;Betrag\nMuster GmbH;DE;HRB 1;1.000,50\n');
  const keep = ['mapping', 'keep', 'Our bank', 'bank.csv'];
  expect((await limitline(...keep)).stderr).toMatch(/There is nothing to keep: .* Give the options, such as --map/);
  expect((await limitline(...keep, '--map', 'Nothing=name')).stderr).toMatch(
    /^limitline: The mapping was not kept, since bank\.csv cannot be read by it\./m,
  );
  expect((await limitline('mapping')).stdout).toMatch(/^No mapping is kept/);
  const kept = await limitline(...keep, '--map', 'Kunde=name', '--map', 'Betrag=requested_limit', '--decimal', 'comma');
  expect(kept.stdout).toMatch(/^Mapping Our bank is kept\. Read as/);
  expect((await limitline('mapping', 'list')).stdout).toMatch(
    /^Our bank: kept \d{4}-\d\d-\d\d by command line \(.+\) with bank\.csv; decimal ,; columns Kunde as name, Betrag as requested_limit\n$/,
  );
  expect((await limitline('mapping', 'forget', 'other')).stderr).toMatch(
    /There is no mapping "other"; known are: Our bank\./,
  );
  expect((await limitline('mapping', 'forget', 'Our bank')).status).toBe(0);
  expect(JSON.parse((await limitline('mapping', '--json')).stdout)).toEqual({ mappings: [] });
  expect((await limitline('mapping', 'keep', '../x', 'bank.csv', '--decimal', 'comma')).stderr).toMatch(
    /cannot be the name/,
  );
});

// Promise: inbox-names-errors-file
test('inbox lists the files in the drop folder and what became of earlier ones', async () => {
  const none = await openCommands();
  expect((await none.limitline('inbox')).stdout).toMatch(/^There is no drop folder: set LIMITLINE_INBOX/);
  const { drop, takeIn, work, settled, inbox, dir, env } = await openInbox();
  await drop('q4.csv', `${buyerLines(2).join('\n')}\nBad GmbH,DE,HRB 9,none\n`);
  await drop('bad.csv', 'Dear all,\n');
  await takeIn();
  await drop('empty.csv', '');
  const limitline = (...args: string[]) => callCommand(args, { cwd: dir, env });
  const { stdout, status } = await limitline('inbox');
  expect(status).toBe(0);
  expect(stdout).toContain(`Drop folder ${inbox}: files are taken as soon as they stop changing`);
  expect(stdout).toMatch(/Files that lie there:\n {2}empty\.csv: it is empty/);
  expect(stdout).toMatch(
    / {2}done\/(\w+-q4): 3 lines imported into portfolio q4: 2 rows, 1 invalid, 0 duplicate\.\n {4}problems: done\/\1\.problems\.csv\n/,
  );
  expect(stdout).toMatch(/ {2}rejected\/\w+-bad: bad\.csv cannot be used as it is\./);
  const told = JSON.parse((await limitline('inbox', '--last', '1', '--json')).stdout);
  expect(told).toMatchObject({ folder: inbox, fault: null, lying: [{ name: 'empty.csv' }] });
  expect(told.lately).toHaveLength(1);
  await work();
  await settled();
  await takeIn();
  expect((await limitline('inbox')).stdout).toMatch(
    / {4}mend these lines, and drop the file again: done\/\w+-q4\.errors\.csv\n/,
  );
  await drop('q4.csv', `${buyerLines(2).join('\n')}\nBad GmbH,DE,HRB 9,9000\n`);
  await takeIn();
  const after = (await limitline('inbox')).stdout;
  expect(after).toMatch(/ {4}lines to mend before the next file came: done\/\w+-q4\.errors\.csv\n/);
  expect(after).not.toContain('mend these lines');
});
