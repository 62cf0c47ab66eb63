import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { counted, moneyText } from '../../src/counted.ts';
import { ANY_DOCUMENT, type FolderWords, makeDocumentFolder } from '../../src/documents/folder.ts';
import { changed, type DocumentStore } from '../../src/documents/store.ts';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault } from '../../src/files/disk.ts';
import type { ImportMade } from '../../src/ledger/portfolios/imports.ts';
import type { OwnFile } from '../../src/ledger/portfolios/replacing.ts';
import type { Buyers } from '../../src/ledger/rows/buyers.ts';
import { isPortfolioName, rowIdOf } from '../../src/ledger/schema/schema.ts';
import type { RetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import {
  ACCOUNT_COLUMN,
  accountOfLine,
  FROM_COLUMN,
  mendedLineOf,
  mendedRowOf,
  namesAccount,
  otherAccountWords,
  ROW_COLUMN,
} from '../../src/portfolio/columns/result-columns.ts';
import { makeControlSum } from '../../src/portfolio/control-total.ts';
import type { FileRules } from '../../src/portfolio/file-rules.ts';
import { CLOSED_BOOK, makeBuyerBook } from '../../src/portfolio/identity/buyer-book.ts';
import { makeKeySet } from '../../src/portfolio/identity/digest.ts';
import { makeFileBuyers } from '../../src/portfolio/identity/in-file/buyers.ts';
import { requestOf } from '../../src/portfolio/lines/row.ts';
import { type Opened, openPortfolio, refusedWhole, tableOf } from '../../src/portfolio/open-portfolio.ts';
import { makeProblem, type Problem, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { type ReadOptions, readingFound, readOptionsSchema } from '../../src/portfolio/read-options.ts';
import { readToEnd } from '../../src/table/open-table.ts';
import { makeCurrency } from '../rows/import-names.ts';
import { fileNameOf, makeBuyerStore } from './buyer-store.ts';
import { makeReadAhead } from './read-ahead.ts';
import { mustHaveLines } from './same-buyer-lines.ts';

export type FileToImport = {
  portfolio: string;
  path: string;
  /** The digest of the copy in the data folder, if `keepFile` made it already. */
  kept?: string | undefined;
  reading: ReadOptions;
  /** A control total: if the amounts of the file add up to another sum, nothing of it is imported. */
  total?: string | undefined;
  /** What people did with the file by hand. */
  made?: ImportMade | undefined;
  /** How messages name the documents folder, if people do not know it by its path. */
  documentsWords?: FolderWords | undefined;
};

/**
 * Checks the portfolio's name and the path.
 *
 * @throws LimitlineError `USAGE` for an invalid portfolio name or an empty path
 */
export function checkImport({ portfolio, path }: Pick<FileToImport, 'portfolio' | 'path'>): void {
  if (!isPortfolioName(portfolio)) {
    const message = `"${portfolio}" cannot be the name of a portfolio: use up to 64 letters, digits, spaces, dots, hyphens and underscores, beginning with a letter or digit.`;
    throw new LimitlineError('USAGE', message);
  }
  if (path === '') throw new LimitlineError('USAGE', 'The path of the file is empty: name the file to import.');
}

export type OpenDeps = {
  account: string;
  imports: DocumentStore;
  buyers: Buyers;
  retryUntilAnswered: RetryUntilAnswered;
  fileRules: FileRules;
  stopping: AbortSignal;
};

/** The copy of a file, read up to its first line. */
export type OpenedImport = {
  /** The digest of the file's content. */
  importId: string;
  opened: Opened;
  /** Opens the copy a second time, to read ahead. Buyers found in this pass are not stored. */
  openAhead: () => Promise<Opened>;
  /** The currency that the file names: see {@link makeCurrency}. */
  currency: () => Promise<string | undefined>;
  /**
   * Reads a workbook's whole sheet before any line is imported. Otherwise, a workbook that is broken in the middle would be noticed only
   * after workers have requested its first half. A text file can always be read to its end.
   */
  checkSheet: () => Promise<void>;
};

/**
 * Copies the whole file into the data folder and opens the copy.
 *
 * @throws LimitlineError `FILE` when the file cannot be read; `USAGE` for lines to be read otherwise that it does not have
 */
export async function openImport(
  { portfolio, path, kept, reading, total, made, documentsWords: words }: FileToImport,
  documentsDir: string,
  deps: OpenDeps,
): Promise<OpenedImport> {
  const importId = kept ?? (await keepFile(path, deps.imports));
  const { path: copy } = deps.imports.open(importId);
  const file = { ...reading, path: copy, givenPath: path, signal: deps.stopping };
  const place = { portfolio, importId: fileNameOf(importId) };
  const store = makeBuyerStore(deps);
  const openAhead = () => {
    const buyers = makeBuyerBook(makeFileBuyers({ ...place, store }), place);
    return openPortfolio({ ...file, documents: ANY_DOCUMENT, buyers });
  };
  const plain = { ...file, documents: ANY_DOCUMENT, buyers: CLOSED_BOOK };
  const named = makeCurrency(() => openPortfolio(plain));
  // Lines that a person chose in an upload may have been left out of it afterwards.
  if (kept === undefined) await mustHaveLines(reading.sameBuyer, { path: copy, open: () => openPortfolio(plain) });
  const ahead = makeReadAhead();
  const read = await openPortfolio({
    ...file,
    ...deps.fileRules,
    documents: makeDocumentFolder({ dir: documentsDir, maxSizeMb: deps.fileRules.maxDocumentMb, words }),
    buyers: makeBuyerBook(ahead.buyersOf(store), place),
  });
  const ours = await orClose(read, refuseForeign(read, { ...deps, portfolio, path: copy }, openAhead));
  const opened =
    total === undefined ? ours : await orClose(ours, refuseOtherSum(ours, total, { made, open: openAhead }));
  const checkSheet = async () => {
    if (opened.dialect.sheet === undefined) return;
    await orClose(opened, readToEnd(tableOf(file)));
  };
  const currency = async () => opened.currency() ?? named();
  return {
    importId,
    opened: { ...opened, batches: () => ahead.batches(opened.batches) },
    openAhead,
    currency,
    checkSheet,
  };
}

/** Closes an open file where something fails before its lines are read: whoever reads them closes it. */
export function orClose<T>(opened: Pick<Opened, 'close'>, work: Promise<T>): Promise<T> {
  return work.catch(async (error) => {
    await opened.close();
    throw error;
  });
}

/**
 * Refuses a file that names another account, and an errors file of another portfolio, as a whole, before any line is put. Its lines
 * would be requested in addition to those that they correct. The check reads such a file once more; other files and pipes, which
 * can be read only once, are not checked.
 *
 * @param open opens the same file a second time
 */
export async function refuseForeign(
  opened: Opened,
  { account, portfolio, path }: { account: string; portfolio: string; path: string },
  open: () => Promise<Opened>,
): Promise<Opened> {
  if (opened.problems.length > 0 || !namesAccount(opened.header) || !(await stat(path)).isFile()) return opened;
  const problem = await foreignProblem(await open(), { account, portfolio });
  if (!problem) return opened;
  return refusedWhole(opened, [problem]);
}

/** Refuses a file whose amounts do not add up to the control total. This reads the file once more. */
async function refuseOtherSum(
  opened: Opened,
  total: string,
  { made, open }: Pick<FileToImport, 'made'> & { open: () => Promise<Opened> },
): Promise<Opened> {
  if (opened.problems.length > 0) return opened;
  const sum = makeControlSum(total);
  for await (const batch of (await open()).batches()) sum.add(batch);
  const problem = sum.problem();
  if (!problem) return opened;
  const { leftOut = 0, outSum } = made ?? {};
  const asked = outSum && outSum.amount !== '0' ? `, of ${moneyText(outSum.amount)},` : '';
  const byHand =
    leftOut > 0
      ? ` ${counted(leftOut, 'line')} left out by hand${asked} ${leftOut === 1 ? 'is' : 'are'} not in this sum.`
      : '';
  problem.message += byHand;
  return refusedWhole(opened, [problem, ...sum.unread()]);
}

/**
 * The read options of an import, as the ledger keeps them. The same options give the same text: this text and the copy's digest
 * identify an import.
 */
export function readingTextOf(given: ReadOptions, opened: Pick<Opened, 'dialect' | 'headerLine'>): string {
  // The schema puts the options into one order.
  return JSON.stringify(readingFound(readOptionsSchema.parse(given), opened));
}

/**
 * Makes a function that returns the requests of a file's lines, and the rows that they correct. The first call reads the file;
 * most imports never call it. Takes 17 MB for a million lines.
 */
export function makeRequestsInFile(open: () => Promise<Opened>): () => Promise<OwnFile> {
  let looking: Promise<OwnFile> | undefined;
  return () => {
    looking ??= lookThrough(open);
    return looking;
  };
}

/** Why the file is of another account or portfolio; undefined if it is not. */
async function foreignProblem(
  file: Opened,
  { account, portfolio }: { account: string; portfolio: string },
): Promise<Problem | undefined> {
  const found = new Map<string, Foreign>();
  const [accountOf, mendedRow] = [accountOfLine(file.header), mendedRowOf(file.header)];
  const mendedLine = mendedLineOf(file.header);
  for await (const batch of file.batches()) {
    for (const read of batch) {
      const { line, cells } = read;
      const theirs = accountOf(cells);
      const isWhole = read.kind !== 'invalid' || read.broken === undefined;
      if (isWhole && theirs !== '' && theirs !== account) {
        const message = otherAccountWords({ line: `Line ${line}`, there: 'import the file there' }, theirs, account);
        return makeProblem(WHOLE_FILE, ACCOUNT_COLUMN, theirs, message);
      }
      const row = mendedRow(cells);
      const ofRow = rowIdOf(row)?.portfolio;
      const named = ofRow ?? mendedLine(cells)?.portfolio;
      // A name that no portfolio can have was damaged by another program, and is passed over.
      if (named === undefined || named === portfolio || !isPortfolioName(named) || found.has(named)) continue;
      const [column, cell] = ofRow === undefined ? [FROM_COLUMN, named] : [ROW_COLUMN, row];
      found.set(named, { line, column, cell });
    }
  }
  const [first] = found.values();
  if (!first) return undefined;
  const names = [...found.keys()];
  const whose = names.map((name) => `"${name}"`).join(', ');
  const remedy =
    names.length === 1
      ? `Import it into that one: npx limitline run FILE --portfolio "${names[0]}".`
      : 'Make one file for each of these portfolios, and import it with --portfolio.';
  const message = `This errors file mends lines of portfolio ${whose}, not of "${portfolio}" (the first is in line ${first.line}). ${remedy}`;
  return makeProblem(WHOLE_FILE, first.column, first.cell, message);
}

type Foreign = { line: number; column: string; cell: string };

async function lookThrough(open: () => Promise<Opened>): Promise<OwnFile> {
  const opened = await open();
  const [keys, mended] = [makeKeySet(), makeKeySet()];
  const mendedRow = mendedRowOf(opened.header);
  for await (const batch of opened.batches()) {
    for (const line of batch) {
      const key = requestOf(line);
      if (key !== '') keys.add(key);
      const row = rowIdOf(mendedRow(line.cells));
      if (row) mended.add(row.key);
    }
  }
  return { has: keys.has, mends: mended.has };
}

/**
 * Copies the file into the data folder. Returns its digest, which is the import's id.
 *
 * @throws LimitlineError `FILE` when the file cannot be read, or somebody writes to it meanwhile
 */
export async function keepFile(path: string, imports: DocumentStore): Promise<string> {
  const found = await stat(path).catch((error) => {
    throw fileFault(path, 'read', error);
  });
  if (found.isFIFO() || found.isCharacterDevice()) {
    const message = `${path} is a pipe, and an import reads its file more than once: give the content on standard input, with - for the file and --portfolio NAME.`;
    throw new LimitlineError('FILE', message);
  }
  const document = { name: basename(path), path: resolve(path), sizeBytes: found.size, mediaType: 'text/csv' };
  const id = await imports.put(document);
  const now = await stat(path).catch(() => undefined);
  if (now?.size !== found.size || now.mtimeMs !== found.mtimeMs) throw changed({ path });
  return id;
}
