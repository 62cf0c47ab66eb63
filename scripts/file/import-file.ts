import { importDepsOf } from '../../jobs/import/import-deps.ts';
import {
  type ImportDeps,
  type Imported,
  type ImportPayload,
  importPortfolio,
} from '../../jobs/import/import-portfolio.ts';
import { commandLineActor } from '../../src/actor.ts';
import type { Context } from '../../src/context.ts';
import { auditCommand } from '../audit/audit-command.ts';
import { earlierRowWords } from './earlier-rows.ts';
import { makeProblemList, type ProblemList } from './problems.ts';
import { type Understanding, understanding, understoodWords } from './understanding.ts';

type ImportFileDeps = {
  say: (text: string) => void;
  /** Is told how many lines were read so far. */
  onLines: (lines: number) => void;
  stopping: AbortSignal;
};

/** What an import came to; `read` is how the file was understood, where it was opened at all. */
type ImportedFile = { imported: Imported; list: ProblemList; read: Understanding | undefined };

/** Imports a file, saying how it is read, and each problem as it is found. Whoever was to be asked has said yes: it is audited. */
export async function importFile(
  payload: ImportPayload,
  context: Context,
  { say, onLines, stopping }: ImportFileDeps,
): Promise<ImportedFile> {
  const list = makeProblemList(say);
  let read: Understanding | undefined;
  const deps: ImportDeps = {
    ...importDepsOf(context, stopping),
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
  const imported = await auditCommand(context, () => importPortfolio({ by: commandLineActor(), ...payload }, deps), {
    about: payload.portfolio,
  });
  list.add({ problems: imported.faults });
  list.sayChanges();
  for (const words of earlierRowWords(imported)) say(`limitline: ${words}`);
  return { imported, list, read };
}
