import type { Command } from 'commander';
import { readSettings } from '../../src/config.ts';
import { dialectWords } from '../../src/portfolio/dialect.ts';
import { defaultDocumentsDir, makeDocumentFolder } from '../../src/portfolio/documents.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import { makeProblemList } from '../terminal/problems.ts';
import { startProgress } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type ReadingWords, readOptionsOf, withReadingOptions } from './reading-options.ts';

/** `check` and `import` end with this when a line or the file has a problem. */
export const PROBLEMS_STATUS = 2;

/** `limitline check FILE`: reads and validates, calls nothing, and names every problem by line and column. */
export function register(program: Command, terminal: Terminal): void {
  withReadingOptions(program.command('check').argument('<file>', 'the CSV of buyers'))
    .description('read and validate a file; nothing is stored, nothing is sent')
    .option('--documents <dir>', 'folder of the supporting documents (default: "documents" beside the file)')
    .action(async (file: string, options: ReadingWords & { documents?: string }) => {
      const settings = readSettings();
      const counts = { lines: 0, rows: 0, invalid: 0, duplicate: 0 };
      const list = makeProblemList((text) => terminal.answer(text));
      const opened = await openPortfolio({
        ...readOptionsOf(options),
        path: file,
        requiredColumns: settings.REQUIRED_COLUMNS,
        documents: makeDocumentFolder({
          dir: options.documents ?? defaultDocumentsDir(file),
          maxSizeMb: settings.MAX_DOCUMENT_MB,
        }),
      });
      list.add({ problems: opened.problems, warnings: [] });
      const progress = startProgress(() => ({ done: 0, total: undefined, words: `${counts.lines} lines read` }));
      for await (const batch of opened.batches()) {
        counts.lines += batch.length;
        for (const line of batch) {
          counts[line.kind === 'row' ? 'rows' : line.kind] += 1;
          list.add(
            line.kind === 'row' ? { problems: [], warnings: line.warnings } : { problems: line.problems, warnings: [] },
          );
        }
      }
      progress.stop();
      // What concerns the file as a whole is known when the last line was read.
      list.add({ problems: [], warnings: opened.warnings });
      const { problems, warnings, counts: found } = list;
      const words = `${file}: ${counts.lines} lines: ${counts.rows} good, ${counts.invalid} invalid, ${counts.duplicate} duplicate; ${found.problems} problems, ${found.warnings} warnings.`;
      terminal.print(`${words}\nRead as ${dialectWords(opened.dialect)}.`, {
        ...{ file, ...counts },
        ...{ problems, warnings, dialect: opened.dialect },
      });
      process.exitCode = found.problems > 0 ? PROBLEMS_STATUS : 0;
    });
}
