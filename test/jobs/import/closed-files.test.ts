import { readdirSync, readlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { openAsImport } from '../../../jobs/preview/open-as-import.ts';
import { outlookDepsOf } from '../../../scripts/look/dry-run.ts';
import { LimitlineError } from '../../../src/errors.ts';
import { fileRulesOf } from '../../../src/portfolio/file-rules.ts';
import { buyerLines, importDepsOf, openWorkplace } from '../../support/workplace.ts';

/** The paths of the files below a folder that this process has open. */
function openBelow(dir: string): string[] {
  const paths = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(join('/proc/self/fd', fd));
    } catch {
      return '';
    }
  });
  return paths.filter((path) => path.startsWith(dir));
}

const stopped = async () => {
  throw new LimitlineError('STOPPED', 'stopped');
};

test('an import or a preview that fails before its first line closes its file', async () => {
  const { context, dir } = await openWorkplace();
  const path = join(dir, 'q4.csv');
  await writeFile(path, buyerLines(3).join('\n'));
  const signal = new AbortController().signal;
  const portfolios = { ...context.portfolios, read: stopped };
  const payload = { portfolio: 'q4', path, reading: {}, replace: false };
  const deps = { ...importDepsOf(context), portfolios, onBatch: () => {}, stopping: signal };
  await expect(importPortfolio(payload, deps)).rejects.toMatchObject({ code: 'STOPPED' });
  expect(openBelow(dir)).toEqual([]);
  const looking = { account: context.account, fileRules: fileRulesOf(context.settings), documents: { dir }, signal };
  const ledger = { ...outlookDepsOf(context), portfolios };
  const looked = openAsImport({ portfolio: 'q4', path, reading: {} }, { ...looking, ledger });
  await expect(looked).rejects.toMatchObject({ code: 'STOPPED' });
  expect(openBelow(dir)).toEqual([]);
});
