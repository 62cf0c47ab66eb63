import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { accountFolder } from '../../src/files/account-folder.ts';
import { writeDraft } from '../../src/files/draft.ts';
import { entriesIn } from '../../src/files/file-fault.ts';
import type { IsOurs } from '../../src/ledger/nightly/reports.ts';
import { vocabularyOf } from '../../src/portfolio/columns/judge-header.ts';
import { withoutApostrophe } from '../../src/table/formulas.ts';
import { openTable } from '../../src/table/open-table.ts';
import { nextRecord } from '../../src/table/table.ts';
import { plainTableLine } from '../../src/table/table-line.ts';
import { ITEMS, PAGE } from '../nightly/report/make-report.ts';

type ReportsDeps = {
  account: string;
  settings: { LIMITLINE_DATA: string };
  keys: { reports: string };
  forgetInReports: (portfolio: string, isOurs: IsOurs) => Promise<string[]>;
};

/** Columns that a forgotten item keeps in the file of all items. They contain no personal data. */
const STAYS = new Set(['kind', 'check', 'portfolio', 'since', 'rows', 'mended']);

/**
 * Erases a portfolio from nightly reports, in Redis and in files: items lose their text, and pages for printing are removed.
 *
 * @param files names of the portfolio's files: items about lines without a row contain them
 */
export async function forgetReported(name: string, files: readonly string[], deps: ReportsDeps): Promise<void> {
  const { account, settings, keys } = deps;
  const isOurs: IsOurs = ({ portfolio, detail = '' }) =>
    portfolio === name || (portfolio === '' && files.some((file) => detail.includes(file)));
  const all = accountFolder({ dataDir: settings.LIMITLINE_DATA, kind: 'reports', account, of: keys.reports });
  // Files first: only Redis knows which reports mention the portfolio, so after a crash this can be repeated.
  for (const night of (await entriesIn(all)).filter((entry) => entry.isDirectory()))
    await forgetInFolder(join(all, night.name), isOurs);
  await deps.forgetInReports(name, isOurs);
}

async function forgetInFolder(dir: string, isOurs: IsOurs): Promise<void> {
  const names = await readdir(dir);
  if (!names.includes(ITEMS)) return;
  let isNamed = false;
  const write = async (to: NodeJS.WritableStream) => {
    for await (const { line, isChanged } of linesWithout(join(dir, ITEMS), isOurs)) {
      isNamed ||= isChanged;
      if (!to.write(line)) await new Promise<void>((done) => void to.once('drain', done));
    }
    await new Promise<void>((done, fail) => void to.once('error', fail).end(done));
  };
  const written = await writeDraft({ dir, name: ITEMS, mode: 0o600, write });
  try {
    if (!isNamed) return;
    await rm(join(dir, PAGE), { force: true });
    await written.putInPlace(join(dir, ITEMS), true);
  } finally {
    await written.drop();
  }
}

/** The lines of the file of all items, with the portfolio's items erased. */
async function* linesWithout(path: string, isOurs: IsOurs): AsyncGenerator<{ line: string; isChanged: boolean }> {
  const dialect = { encoding: 'utf-8', delimiter: ',', headerLine: 1 } as const;
  const table = await openTable({ path, vocabulary: vocabularyOf(), ...dialect });
  try {
    const columns = table.header?.cells ?? [];
    const [portfolioAt, detailAt] = [columns.indexOf('portfolio'), columns.indexOf('detail')];
    yield { line: `\ufeff${plainTableLine(columns)}`, isChanged: false };
    for (let record = await nextRecord(table); record; record = await nextRecord(table)) {
      const cells = record.cells.map(withoutApostrophe);
      const isNamed = isOurs({ portfolio: cells[portfolioAt] ?? '', detail: cells[detailAt] ?? '' });
      const left = isNamed ? cells.map((cell, at) => (STAYS.has(columns[at] ?? '') ? cell : '')) : cells;
      yield { line: plainTableLine(left), isChanged: left.some((cell, at) => cell !== cells[at]) };
    }
  } finally {
    await table.close();
  }
}
