import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { buyerLines, importDepsOf, openWorkplace } from '../../support/workplace.ts';

// Promise: set-back-import-is-told
test.each([
  ['its content before the import', () => []],
  ['its content after an earlier import of the file', (before: string[]) => before],
])(
  'an import during which Redis is set back to %s fails, and a second one adds the missing rows',
  async (_when, left) => {
    const { context, dir } = await openWorkplace();
    const { ledger, keys } = context;
    const path = join(dir, 'q4.csv');
    await writeFile(path, `${buyerLines(600).join('\n')}\n`);
    const rowKeys = () => ledger.keys(`${keys.rows}*`);
    const before = async () => Object.entries(await ledger.hgetall(keys.allImports('q4'))).flat();
    let [beginning, isBack] = [[] as string[], false];
    const payload = { portfolio: 'q4', path, reading: {}, replace: false };
    const deps = {
      ...importDepsOf(context),
      stopping: new AbortController().signal,
      onOpened: () => {},
      onBatch: () => {},
      retryUntilAnswered: async <T>(what: string, run: () => Promise<T>): Promise<T> => {
        const answer = await context.retryUntilAnswered(what, run);
        if (what === 'start import') beginning = await before();
        if (what !== 'feed' || isBack) return answer;
        isBack = true;
        // This is how an earlier import of the file left it.
        const [content = '', text = '{}'] = beginning;
        beginning = [content, JSON.stringify({ ...JSON.parse(text), lastMs: JSON.parse(text).lastMs - 1_000 })];
        await ledger.unlink(keys.allImports('q4'), keys.rowsInState('q4', 'queued'), ...(await rowKeys()));
        const kept = left(beginning);
        if (kept.length > 0) await ledger.hset(keys.allImports('q4'), ...kept);
        return answer;
      },
    };
    await expect(importPortfolio(payload, deps)).rejects.toMatchObject({
      code: 'OLDER',
      message: expect.stringContaining('while q4.csv was imported'),
    });
    expect(await rowKeys()).not.toHaveLength(600);
    expect(await importPortfolio(payload, deps)).toMatchObject({ rows: 600 });
    expect(await rowKeys()).toHaveLength(600);
  },
);
