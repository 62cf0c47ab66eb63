import type { ImportDeps, Imported, ImportPayload } from '../../jobs/import/import-portfolio.ts';
import { importDepsOf, importPortfolio } from '../../jobs/import/import-portfolio.ts';
import { lackingWords } from '../../jobs/import/lacking-rows.ts';
import { goneWords } from '../../jobs/import/other-files.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { allBeforeWords, earlierRows, replacedWords, revivedWords } from '../../src/counted.ts';
import { agreesWords } from '../../src/portfolio/control-total.ts';
import { unsentWords } from '../../src/portfolio/supplier.ts';
import { answerCounts, auditCommand } from '../audit/audit-command.ts';
import { lookForChange, makeProblemList, type ProblemList } from './problems.ts';
import { type Understanding, understanding, understoodWords } from './understanding.ts';

type ImportFileDeps = {
  say: (text: string) => void;
  /** Called with the number of lines read so far. */
  onLines: (lines: number) => void;
  stopping: AbortSignal;
};

/** The result of an import; `read` tells how the file was understood, if it could be opened. */
type ImportedFile = { imported: Imported; list: ProblemList; read: Understanding | undefined };

/**
 * Imports a file, and audits the import. Prints how the file is read, and each problem as it is found. A question to the person comes
 * before this function.
 */
export async function importFile(
  payload: ImportPayload,
  context: Context,
  { say, onLines, stopping }: ImportFileDeps,
): Promise<ImportedFile> {
  const list = makeProblemList(say);
  const changes = await lookForChange(payload.path);
  let read: Understanding | undefined;
  const deps: ImportDeps = {
    ...importDepsOf(context, stopping),
    onOpened: (opened) => {
      read = understanding(opened);
      // How the file is read is not printed if a preview of the file has printed it already.
      const isSaid = payload.kept !== undefined && opened.problems.length === 0;
      if (opened.columns.length > 0 && !isSaid) say(understoodWords(opened));
    },
    onBatch: (batch) => {
      list.add(batch);
      onLines(batch.lines);
    },
  };
  const imported = await auditCommand(context, () => importPortfolio({ by: commandLineActor(), ...payload }, deps), {
    about: payload.portfolio,
    facts: (found) => ({ sha256: found.sha256, ...answerCounts(found) }),
  });
  list.add({ problems: imported.faults, warnings: await changes() });
  list.sayAlike();
  if (payload.total !== undefined && imported.faults.length === 0) say(`limitline: ${agreesWords(payload.total)}`);
  for (const words of [
    ...unsentWords(imported.supplierColumnsNotSent),
    ...earlierRowWords(imported, payload.portfolio),
  ])
    say(`limitline: ${words}`);
  return { imported, list, read };
}

/** Sentences about requests made before and about rows of earlier imports; none where nothing happened. */
export function earlierRowWords(imported: Imported, portfolio: string): string[] {
  const { rows, requestedBefore, revived, replaced, givenUp, lacking, lackingSent, isPart } = imported;
  const all = allBeforeWords(rows, requestedBefore);
  const words = all === undefined ? [] : [`${all}.`];
  const were = (count: number) => (count === 1 ? 'was' : 'were');
  if (revived > 0) words.push(revivedWords(revived));
  if (replaced > 0) words.push(replacedWords(replaced, were(replaced)));
  if (givenUp > 0)
    words.push(
      `${earlierRows(givenUp)} that ${givenUp === 1 ? 'is' : 'are'} not in this file ${were(givenUp)} cancelled.`,
    );
  const whose = lacking + lackingSent === 1 ? 'its' : 'their';
  const where = isPart ? '' : ` In results, ${whose} column import names another file.`;
  words.push(...lackingWords(imported, '--replace').map((sentence) => `${sentence}${where}`));
  words.push(...goneWords(imported, portfolio));
  return words;
}
