import { ANY_DOCUMENT } from '../../src/documents/any-document.ts';
import { makeDocumentFolder } from '../../src/documents/folder.ts';
import { openPortfolio } from '../../src/portfolio/open-portfolio.ts';
import type { PortfolioDraft } from '../../src/portfolio/portfolio-draft.ts';
import type { Preview } from '../../src/portfolio/preview.ts';
import type { Problem } from '../../src/portfolio/problem.ts';
import { readingFound } from '../../src/portfolio/read-options.ts';
import { documentsOf, fileOf } from './make-preview.ts';

type LineToCheck = { line: number; cells: string[]; numbers?: readonly number[] | undefined };

/**
 * Says what is wrong with a line if its cells were these, by the code that reads the file: but for what other lines make of it, and for
 * documents in a ZIP file, which are looked at when a version is read as a whole.
 *
 * @throws LimitlineError `FILE`
 */
export async function checkLine(
  draft: PortfolioDraft,
  { line, cells, numbers }: LineToCheck,
  { dir, preview, requiredColumns, maxDocumentMb }: CheckDeps,
): Promise<{ problems: Problem[]; warnings: Problem[] }> {
  const { decimal, dates } = preview.conventions;
  const documents = draft.isArchive
    ? ANY_DOCUMENT
    : makeDocumentFolder({ dir: documentsOf(dir, draft), maxSizeMb: maxDocumentMb });
  const opened = await openPortfolio({
    ...readingFound(draft.reading, preview),
    ...(decimal === null ? {} : { decimal }),
    ...(dates === null ? {} : { dates }),
    ...fileOf(dir, draft),
    requiredColumns,
    documents,
  });
  await opened.close();
  const sheet = preview.dialect.sheet === undefined ? {} : { sheet: { numbers: numbers ?? [] } };
  const judged = await opened.judgeAlone({ line, cells, fault: null, ...sheet });
  return judged.kind === 'row'
    ? { problems: [], warnings: judged.warnings }
    : { problems: judged.problems, warnings: [] };
}

type CheckDeps = { dir: string; preview: Preview; requiredColumns: readonly string[]; maxDocumentMb: number };
