import { join } from 'node:path';
import { dropActor } from '../../src/actor.ts';
import { counted } from '../../src/counted.ts';
import { changed } from '../../src/documents/store.ts';
import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { makeProblem } from '../../src/portfolio/problem.ts';
import { readDecisionsFile } from '../../src/portfolio/results/decisions-file.ts';
import { makeNamedMappings } from '../drafts/kept-mappings.ts';
import { sha256Of } from '../import/keep-file.ts';
import { columnWords, decisionsWords, NO_LINES } from '../operators/decisions-words.ts';
import { makeKeptColumns } from '../operators/kept-columns.ts';
import { takeDecisions } from '../operators/take-decisions.ts';
import { inboxFrom, userNameOf } from './bring-in.ts';
import { changeOf, statOf } from './drop-folder.ts';
import type { RoundDeps } from './inbox-deps.ts';
import { makeProblemsFile } from './problems-file.ts';
import type { Entry } from './taken-folder.ts';

/**
 * Takes in the decisions of a file that was taken, for all portfolios of the account, and writes a list of what was not taken. Decisions that
 * do not say when they were made count as made when the file was taken, so that the file may be taken in again after a kill.
 *
 * @returns the result, not recorded yet; `rejected` where nothing could be taken
 * @throws LimitlineError `FILE` where the file cannot be read; the signal's reason
 */
export async function bringInDecisions(
  entry: Entry & { file: string },
  file: TakenFile,
  deps: RoundDeps,
): Promise<TakenFile> {
  const { settings, inbox, audit, signal } = deps;
  const before = await statOf(entry.file);
  if (!before?.isFile()) return { ...file, is: 'rejected', words: `${file.name} is not a file: drop the file itself.` };
  const sha256 = await sha256Of(entry.file);
  const by = dropActor(await userNameOf(before.uid));
  const seen = { sha256, bytes: before.size, version: changeOf(before) };
  const begun: TakenFile = { ...file, seen, content: `decisions ${file.id}`, by: [by] };
  await inbox.note(begun);
  const { LIMITLINE_INBOX_MAPPING: mapping, LIMITLINE_DATA: dataDir } = settings;
  const reading = mapping === undefined ? {} : (await makeNamedMappings({ dataDir }).need(mapping)).reading;
  const now = new Date(file.atMs);
  const { decimal, dates, hiddenRows } = reading;
  const decisions = await readDecisionsFile(entry.file, {
    decimal,
    dates,
    hiddenRows,
    now,
    account: deps.account,
    keptOf: makeKeptColumns({ dataDir }).find,
  });
  // A program that still has the file open may have changed it while it was read. Then nothing of it is taken, and it is read again.
  if ((await sha256Of(entry.file)) !== sha256) throw changed({ path: file.name });
  if (decisions.decisions.length + decisions.silent + decisions.problems.length === 0)
    return { ...begun, is: 'rejected', words: `${file.name}: ${NO_LINES}` };
  await deps.enterAccount();
  const taken = await audit.around(
    { by, what: 'decisions taken in', from: inboxFrom(), facts: { file: file.name, sha256 } },
    () =>
      takeDecisions({ ...decisions, name: file.name }, deps, {
        by,
        now,
        signal,
        again: file.content !== undefined,
        isUnattended: true,
      }),
    ({ taken, known, rows, left, problems }) => ({ taken, known, rows, left, notTaken: problems.length }),
  );
  const { problems, warnings, silent } = taken;
  const list = await makeProblemsFile(join(entry.dir, 'problems.csv'), before.mode);
  list.like(decisions.dialect);
  const lines = [
    ...problems.map(({ at, message }) => makeProblem(at, null, null, `Not taken: ${message}`)),
    ...warnings.map(({ at, message }) => makeProblem(at, null, null, `Warning: ${message}`)),
  ];
  list.add(lines.sort((one, other) => one.line - other.line));
  await list.end();
  const used = taken.taken + taken.known;
  return {
    ...begun,
    is: used === 0 && problems.length > 0 ? 'rejected' : 'imported',
    words: [
      ...columnWords(decisions),
      ...decisionsWords(taken),
      ...(warnings.length > 0 ? [`${counted(warnings.length, 'warning')}: see the list of problems.`] : []),
    ].join(' '),
    results: '',
    found: {
      lines: used + silent + problems.length,
      rows: taken.rows,
      // Lines with a warning are taken, but they count here, too: a person has to look at them.
      invalid: new Set([...problems, ...warnings].map(({ at }) => at)).size,
      duplicate: 0,
    },
  };
}
