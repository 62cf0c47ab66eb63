import { join } from 'node:path';
import { openPortfolio, type PortfolioFile } from '../../src/portfolio/open-portfolio.ts';
import { all } from './read-portfolio.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Reads all of a workbook as a portfolio. @param write puts the workbook at a path. */
export async function readWorkbook(write: (path: string) => Promise<unknown>, given: Partial<PortfolioFile> = {}) {
  const { dir } = await makeTemporaryFolder();
  const path = join(dir, 'a.xlsx');
  await write(path);
  const opened = await openPortfolio({ path, ...given });
  return { ...opened, lines: await all(opened.batches()) };
}
