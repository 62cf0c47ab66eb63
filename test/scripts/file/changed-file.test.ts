import { appendFileSync } from 'node:fs';
import { appendFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { beforeEach, expect, test } from 'vitest';
import { beginCommand } from '../../../scripts/audit/audit-command.ts';
import { importFile } from '../../../scripts/file/import-file.ts';
import { startCommand } from '../../support/command.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

// No import in this file is audited.
beforeEach(() => beginCommand(new Command('check')));

const CHANGED = /file: The file was changed while it was read, so lines may be missing/;

// Promise: changed-file-said
test('an import warns that its file was changed while it was read', async () => {
  const { context, dir } = await openWorkplace();
  const path = join(dir, 'q4.csv');
  await writeFile(path, `${buyerLines(3).join('\n')}\n`);
  const stopping = new AbortController().signal;
  const bring = async (onLines: () => void) => {
    const said: string[] = [];
    const deps = { say: (text: string) => void said.push(text), onLines, stopping };
    const { list } = await importFile({ portfolio: 'q4', path, reading: {}, replace: false }, context, deps);
    return { said: said.join('\n'), warnings: list.warnings.filter(({ column }) => column === null) };
  };
  const late = await bring(() => appendFileSync(path, 'Late GmbH,DE,HRB 77,5000\n'));
  expect(late.said).toMatch(CHANGED);
  expect(late.warnings).toMatchObject([{ message: expect.stringMatching(/^The file was changed/) }]);
  expect(await bring(() => {})).toEqual({ said: expect.not.stringMatching(CHANGED), warnings: [] });
  expect(await context.portfolios.read('q4')).toMatchObject({ states: { queued: 4 } });
});

// Promise: growing-file-refused
test.each([
  ['grows', (path: string) => appendFile(path, 'Late GmbH,DE,HRB 77,5000\n')],
  [
    'gets another content of the same size',
    async (path: string) => {
      const { size, mtimeMs } = await stat(path);
      await writeFile(path, 'x'.repeat(size));
      await utimes(path, 1, mtimeMs / 1_000 + 1);
    },
  ],
])('a file that %s while it is copied is not imported', async (_name, change) => {
  const place = await openWorkplace();
  const path = join(place.dir, 'q4.csv');
  await writeFile(path, `${buyerLines(3).join('\n')}\n`);
  const { imports } = place.context;
  const put: typeof imports.put = async (one) => {
    const id = await imports.put(one);
    await change(one.path);
    return id;
  };
  const context = { ...place.context, imports: { ...imports, put } };
  const deps = { say: () => {}, onLines: () => {}, stopping: new AbortController().signal };
  await expect(importFile({ portfolio: 'q4', path, reading: {}, replace: false }, context, deps)).rejects.toMatchObject(
    { code: 'FILE', message: expect.stringContaining('changed while it was read') },
  );
  expect(await place.context.portfolios.names()).toEqual([]);
});

// Promise: changed-file-said
test('check reports that its file was changed while it was read', async () => {
  const { dir: cwd } = await openWorkplace();
  await writeFile(
    join(cwd, 'q4.csv'),
    [
      'name,requested_limit',
      'A,much',
      ...Array.from({ length: 50_000 }, (_none, n) => `Buyer ${n} GmbH,${n + 1}`),
    ].join('\n'),
  );
  const { output, ended } = startCommand(['check', 'q4.csv'], { cwd });
  await expect.poll(() => output().stdout, { timeout: 20_000, interval: 5 }).toContain('line 2, requested_limit');
  await appendFile(join(cwd, 'q4.csv'), '\nLate GmbH,5000\n');
  expect(await ended).toMatchObject({ status: 2, stdout: expect.stringMatching(CHANGED) });
});
