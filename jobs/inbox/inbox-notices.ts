import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import type { Notice } from '../../src/notices/notice.ts';
import type { InboxSource } from './inbox-deps.ts';

/** What became of the last file of this name is the state of that name: so a file of another night is told of again. */
const subjectOf = ({ folder, name }: Pick<TakenFile, 'folder' | 'name'>) => `inbox ${folder} ${name}`;

/** Tells of a file that was rejected, or of which lines were: once, however often it is told. */
export async function tellOf(file: TakenFile, { outbox }: Pick<InboxSource, 'outbox'>): Promise<void> {
  const notice = noticeOf(file);
  const state = notice ? `${file.is} ${file.id}` : 'well';
  await outbox?.tell([{ subject: subjectOf(file), state, ...(notice ? { notice } : {}) }]);
}

/** No cell of the file is in it: a file may be called anything, and is what the portfolio is named after. */
function noticeOf({ is, id, name, portfolio, found, atMs }: TakenFile): Notice | undefined {
  const [kind, term] = ['inbox' as const, 'File'];
  if (is === 'rejected') {
    const facts = [
      { term, what: name },
      { term: 'Why', what: `see ${id}.problems.txt in the folder rejected` },
    ];
    return { kind, title: `A file of the drop folder was rejected: ${name}.`, facts, path: '/nightly', atMs };
  }
  const bad = found ? found.invalid + found.duplicate : 0;
  if (is !== 'imported' || !found || bad === 0) return undefined;
  const facts = [
    { term, what: name },
    { term: 'Lines', what: String(found.lines) },
    { term: 'Invalid', what: String(found.invalid) },
    { term: 'Duplicate', what: String(found.duplicate) },
    { term: 'Why', what: `see ${id}.problems.csv in the folder done` },
  ];
  const title = `Lines of a file of the drop folder led to no row of portfolio ${portfolio}.`;
  return { kind, title, facts, path: `/portfolios/${encodeURIComponent(portfolio)}`, atMs };
}

const DAY_MS = 86_400_000;

const LEFT = 'was left where it is';

/**
 * Tells of a file that lies in the drop folder and is not taken, could not be brought in yet, or was written to since: once, and of that of another day
 * again, though it has the same name and nobody saw that the first one went.
 *
 * @param left.what what happened to it; each change of a file that was taken is another
 * @param left.atMs when it was written or taken, whatever the time is here: on every host it is the same
 */
export async function tellOfLeft(
  { folder, name, why, atMs, what = LEFT }: { folder: string; name: string; why: string; atMs: number; what?: string },
  { outbox }: Pick<InboxSource, 'outbox'>,
): Promise<void> {
  const notice: Notice = {
    kind: 'inbox',
    title: `A file of the drop folder ${what}: ${name}.`,
    facts: [{ term: 'Why', what: why }],
    path: '/nightly',
    atMs: Date.now(),
  };
  await outbox?.tell([
    {
      subject: subjectOf({ folder, name }),
      state: `left: ${why} (${what === LEFT ? Math.floor(atMs / DAY_MS) : atMs})`,
      notice,
    },
  ]);
}
