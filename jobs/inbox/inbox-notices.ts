import { isDecided, type TakenFile } from '../../src/ledger/inbox/inbox.ts';
import type { Notice } from '../../src/notices/notice.ts';
import { DAY_MS } from '../../src/time-units.ts';
import type { InboxSource } from './inbox-deps.ts';

/**
 * The subject of the notices about all dropped files of one name. The state stored for it is the last such file, so that each new file is
 * reported.
 */
const subjectOf = ({ folder, name }: Pick<TakenFile, 'folder' | 'name'>) => `inbox ${folder} ${name}`;

/** Sends a notice of a rejected file, of faulty lines or of warnings, once per file. */
export async function tellOf(file: TakenFile, { outbox }: Pick<InboxSource, 'outbox'>): Promise<void> {
  const notice = noticeOf(file);
  const state = notice ? `${file.is} ${file.id}` : 'well';
  await outbox?.report([{ subject: subjectOf(file), state, ...(notice ? { notice } : {}) }]);
}

/**
 * The notice about a taken file; undefined if nothing is wrong with it. The notice contains no cell of the file. The file's name may be
 * anything, and is the portfolio's name.
 */
function noticeOf(file: TakenFile): Notice | undefined {
  const { is, id, name, portfolio, found, atMs } = file;
  const [kind, term] = ['inbox' as const, 'File'];
  if (is === 'rejected') {
    const facts = [
      { term, what: name },
      { term: 'Why', what: `see ${id}.problems.txt in the folder rejected` },
    ];
    return {
      kind,
      title: `A file of the drop folder was not taken in: ${name}.`,
      facts,
      path: '/nightly/automation',
      atMs,
    };
  }
  const bad = found ? found.invalid + found.duplicate : 0;
  const { warnings = 0, gone = 0 } = found ?? {};
  if (is !== 'imported' || !found || bad + warnings + gone === 0) return undefined;
  if (isDecided(file)) {
    const title = `A file of decisions of the drop folder has lines to be looked at: ${name}.`;
    const facts = [
      { term, what: name },
      { term: 'Lines', what: String(found.lines) },
      { term: 'To be looked at', what: String(bad) },
      { term: 'Why', what: `see ${id}.problems.csv in the folder done` },
    ];
    return { kind, title, facts, path: '/nightly/automation', atMs };
  }
  const facts = [
    { term, what: name },
    { term: 'Lines', what: String(found.lines) },
    { term: 'Invalid', what: String(found.invalid) },
    { term: 'Duplicate', what: String(found.duplicate) },
    ...(warnings > 0 ? [{ term: 'Warnings', what: String(warnings) }] : []),
    ...(gone > 0 ? [{ term: 'Faulty lines of the file before, no longer named', what: String(gone) }] : []),
    ...(bad + warnings > 0 ? [{ term: 'Why', what: `see ${id}.problems.csv in the folder done` }] : []),
  ];
  const title =
    bad > 0
      ? `Lines of a file of the drop folder led to no row of portfolio ${portfolio}.`
      : warnings > 0
        ? `A file of the drop folder has warnings: ${name}.`
        : `A file of the drop folder took the place of one with faulty lines: ${name}.`;
  return { kind, title, facts, path: `/portfolios/${encodeURIComponent(portfolio)}`, atMs };
}

const LEFT = 'was left where it is';

/**
 * Sends a notice of a file that is not taken, cannot be imported yet, or was changed since. Once per file and day: a file of
 * the same name on another day is reported again.
 *
 * @param left.what what happened; each change of a taken file counts anew
 * @param left.atMs when the file was written or taken, which is the same on every host
 */
export async function tellOfLeft(
  { folder, name, why, atMs, what = LEFT }: { folder: string; name: string; why: string; atMs: number; what?: string },
  { outbox }: Pick<InboxSource, 'outbox'>,
): Promise<void> {
  const notice: Notice = {
    kind: 'inbox',
    title: `A file of the drop folder ${what}: ${name}.`,
    facts: [{ term: 'Why', what: why }],
    path: '/nightly/automation',
    atMs: Date.now(),
  };
  await outbox?.report([
    {
      subject: subjectOf({ folder, name }),
      state: `left: ${why} (${what === LEFT ? Math.floor(atMs / DAY_MS) : atMs})`,
      notice,
    },
  ]);
}
