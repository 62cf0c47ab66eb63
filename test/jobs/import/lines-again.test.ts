import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type LaterFile, makeLinesAgain } from '../../../jobs/import/lines-again.ts';
import { ANY_DOCUMENT } from '../../../src/documents/folder.ts';
import type { ImportedFile } from '../../../src/ledger/portfolios/imports.ts';
import { openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { makeFolder } from '../../support/workplace.ts';

const HEADER = 'name,country_code,requested_limit';

test('an earlier file is read once for all later files, and once more for each that repeats a line of it', async () => {
  const dir = await makeFolder();
  const opened: string[] = [];
  const file = async (fileName: string, ...lines: string[]): Promise<LaterFile> => {
    await writeFile(join(dir, fileName), `${[HEADER, ...lines].join('\n')}\n`);
    return { id: fileName, fileName, reading: '{}', cameBefore: false };
  };
  const open = ({ id }: ImportedFile) => {
    opened.push(id);
    return openPortfolio({ path: join(dir, id), documents: ANY_DOCUMENT });
  };
  const linesAgain = makeLinesAgain(await file('first.csv', 'Acme,DE,1', 'Beta,DE,much', 'Gamma,DE,x'), open);
  for (const day of ['2', '3', '4']) {
    expect(await linesAgain(await file(`day-${day}.csv`, `Zeta ${day},DE,1`, `Eta ${day},DE,much`))).toEqual([]);
  }
  expect(opened.filter((id) => id === 'first.csv')).toHaveLength(2);
  expect(await linesAgain(await file('mended.csv', 'Gamma,DE,3', 'Theta,DE,5', 'Acme,DE,1'))).toEqual([2, 4]);
  expect(opened.filter((id) => id === 'first.csv')).toHaveLength(3);
});
