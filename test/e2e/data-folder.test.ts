import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand } from '../support/command.ts';
import { buyerLines, makeFolder, startStandIn } from '../support/workplace.ts';

// Promise: ledger-wherever-you-stand
test('a file that is run from two folders is requested once, and each command prints its data folder', async () => {
  const [here, there, home] = [await makeFolder(), await makeFolder(), await makeFolder()];
  const standIn = await startStandIn();
  await writeFile(join(here, 'q4.csv'), `${buyerLines(2).join('\n')}\n`);
  const env = {
    XDG_DATA_HOME: home,
    SERVICE_URL: standIn.url(),
    SERVICE_CLIENT_ID: 'limitline-sandbox',
    SERVICE_CLIENT_SECRET: 'limitline-sandbox-secret',
  };
  const said = `limitline: data folder ${join(home, 'limitline')}\n`;
  const first = await callCommand(['run', 'q4.csv'], { cwd: here, env });
  expect(first).toMatchObject({ status: 0, stderr: expect.stringContaining(said) });
  const second = await callCommand(['run', join(here, 'q4.csv')], { cwd: there, env });
  expect(second).toMatchObject({ status: 0, stderr: expect.stringContaining(said) });
  expect(standIn.counts().made).toMatchObject({ company: 2, limit: 2 });
  expect([here, there].map((folder) => existsSync(join(folder, '.limitline')))).toEqual([false, false]);
  expect((await callCommand(['check', join(here, 'q4.csv')], { cwd: there, env })).stderr).toBe(said);

  // With an old data folder beside the user's one, the command refuses to guess the ledger.
  await mkdir(join(there, '.limitline', 'imports'), { recursive: true });
  await writeFile(join(there, '.limitline', 'imports', 'a'), '');
  const both = await callCommand(['run', join(here, 'q4.csv')], { cwd: there, env });
  expect(both).toMatchObject({ status: 1, stdout: '', stderr: expect.stringMatching(/^limitline: [^\n]*\n$/) });
  for (const word of [join(there, '.limitline'), join(home, 'limitline'), 'LIMITLINE_DATA', '1 imported file'])
    expect(both.stderr).toContain(word);
});

// Promise: fault-in-one-line
test('an impossible data folder is reported in one line with status 1', async () => {
  const path = '/proc/x';
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(1).join('\n')}\n`);
  const ended = await callCommand(['run', 'q4.csv'], { cwd, env: { LIMITLINE_DATA: path } });
  expect(ended.status).toBe(1);
  expect(ended.stderr).toMatch(
    new RegExp(`^limitline: Data folder ${path} cannot be written to [^\n]*LIMITLINE_DATA[^\n]*\n$`),
  );
});

// Promise: misspelt-setting-stops
test('a misspelt setting stops the command, and an unknown LIMITLINE_ setting gets a warning', async () => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(1).join('\n')}\n`);
  const wrong = await callCommand(['run', 'q4.csv'], { cwd, env: { SERVICE_RATE_PER_SECOND: '5' } });
  expect(wrong.status).toBe(1);
  expect(wrong.stderr).toMatch(
    /^limitline: [^\n]*SERVICE_RATE_PER_SECOND [^\n]*did you mean SERVICE_RATE_PER_S\?[^\n]*\n$/,
  );
  const env = { LIMITLINE_COLOURS: 'blue', LIMITLINE_SERVICE_HOST: '10.0.0.1', LIMITLINE_PORT: 'tcp://10.0.0.1:80' };
  const said = await callCommand(['check', 'q4.csv'], { cwd, env });
  expect(said.status).toBe(0);
  expect(said.stderr).toMatch(
    /^limitline: LIMITLINE_COLOURS is not a setting of Limitline and has no effect [^\n]*\n$/,
  );
});
