import { access, constants } from 'node:fs/promises';
import type { Command } from 'commander';
import {
  checkImport,
  type ImportDeps,
  type Imported,
  type ImportPayload,
  importPortfolio,
} from '../../jobs/import/import-portfolio.ts';
import type { Context } from '../../src/context.ts';
import { fileFault } from '../../src/files/file-fault.ts';
import { untilStopped } from '../../src/ledger/persist.ts';
import { documentsBeside, fileOrInput, needPortfolio } from '../standard-input.ts';
import { makeProblemList, type ProblemList } from '../terminal/problems.ts';
import { type Understanding, understanding, understoodWords } from '../terminal/understanding.ts';
import { earlierWords } from './earlier-words.ts';
import type { AskOptions } from './look.ts';
import { portfolioNameOf } from './portfolio-name.ts';
import { type ReadingWords, readOptionsOf, withReadingOptions } from './reading-options.ts';

/** What `run` and `import` are told of a file. */
export type ImportOptions = ReadingWords & {
  portfolio?: string;
  documents?: string;
  supplier?: string;
} & ReplaceOption &
  AskOptions;

type ReplaceOption = { replace?: boolean };

/** Adds what `run` and `import` have in common. */
export function withImportOptions(command: Command): Command {
  return withReadingOptions(command.argument('<file>', 'the CSV of buyers, or - for standard input'))
    .option('--portfolio <name>', "the portfolio's name (default: the file's name without its ending)")
    .option(
      '--documents <dir>',
      'folder or ZIP file of the supporting documents (default: "documents" beside the file)',
    )
    .option('--supplier <file>', 'a CSV with one line: the supplier that asks, created before the buyers')
    .option('--replace', 'give up rows of earlier imports that this file lacks and that were not sent')
    .option('--yes', 'request it without asking first; without a terminal nobody is asked');
}

/** The import that these options mean. A file that is not there is said before anything is started for it. */
export async function importPayload(
  file: string,
  options: ImportOptions,
  say: (text: string) => void,
): Promise<ImportPayload> {
  needPortfolio(file, options.portfolio);
  const wish = {
    portfolio: options.portfolio ?? portfolioNameOf(file),
    path: file,
    documentsDir: options.documents ?? documentsBeside(file),
    supplierPath: options.supplier,
    replace: options.replace ?? false,
    reading: await readOptionsOf(options),
  };
  // Before standard input is read, which may take its time.
  checkImport(wish);
  const path = await fileOrInput(file, say);
  await access(path, constants.R_OK).catch((error) => {
    throw fileFault(path, 'read', error);
  });
  return { ...wish, path };
}

/** Imports, saying how the file is read, and each problem as it is found. `onLines` hears how many lines were read so far. */
export async function importFile(
  payload: ImportPayload,
  context: Context,
  { say, onLines, stopping }: { say: (text: string) => void; onLines: (lines: number) => void; stopping: AbortSignal },
): Promise<{ imported: Imported; list: ProblemList; read: Understanding | undefined }> {
  const { settings, rows, portfolios, queues, buyers, imports, documents } = context;
  const list = makeProblemList(say);
  let read: Understanding | undefined;
  const deps: ImportDeps = {
    ...{ rows, portfolios, queues, buyers, imports, documents, stopping },
    persist: untilStopped(context.persist, stopping),
    requiredColumns: settings.REQUIRED_COLUMNS,
    maxDocumentMb: settings.MAX_DOCUMENT_MB,
    onOpened: (opened) => {
      read = understanding(opened);
      // Who looked at it before the yes has read this.
      const isSaid = payload.kept !== undefined && opened.problems.length === 0;
      if (opened.columns.length > 0 && !isSaid) say(understoodWords(opened));
    },
    onBatch: (batch) => {
      list.add(batch);
      onLines(batch.lines);
    },
  };
  const imported = await importPortfolio(payload, deps);
  list.add({ problems: imported.faults });
  list.sayChanges();
  for (const words of earlierWords(imported)) say(`limitline: ${words}`);
  return { imported, list, read };
}
