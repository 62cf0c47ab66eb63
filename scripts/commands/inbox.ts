import type { Command } from 'commander';
import { readInbox } from '../../jobs/inbox/watch-inbox.ts';
import { counted } from '../../src/counted.ts';
import { hasFollower, type TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { withContext } from '../opening/on-portfolio.ts';
import { numberUpTo } from '../options/durations.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The default number of taken files shown: enough for a night. */
const LATELY = 20;

/** `limitline inbox`: files in the drop folder, the files taken from it lately, and their results. */
export function register(program: Command, terminal: Terminal): void {
  program
    .command('inbox')
    .option('--last <n>', 'list this many of the files that were taken', numberUpTo(MOST), LATELY)
    .action(({ last }: { last: number }) =>
      withContext(async (context) => {
        const {
          nowMs: _now,
          more,
          isOnSchedule,
          folder = null,
          mapping = null,
          fault = null,
          mappingFault = null,
          ...facts
        } = await readInbox(context, last);
        const words = inboxWords({ ...facts, more, isOnSchedule, folder, mapping, fault, mappingFault });
        const lately = facts.lately.map(({ reading: _reading, folder: _folder, ...file }) => file);
        terminal.print(words, {
          account: context.account,
          folder,
          mapping,
          isOnSchedule,
          fault,
          mappingFault,
          lying: facts.lying,
          more,
          lately,
        });
      }),
    );
}

/** The most files that can be shown: no more are kept. */
const MOST = 10_000;

type Shown = {
  folder: string | null;
  mapping: string | null;
  fault: string | null;
  mappingFault: string | null;
  isOnSchedule: boolean;
  lying: readonly { name: string; why: string }[];
  more: number;
  lately: readonly TakenFile[];
};

function inboxWords({ folder, mapping, fault, mappingFault, isOnSchedule, lying, more, lately }: Shown): string {
  if (folder === null && lately.length === 0) {
    return 'There is no drop folder: set LIMITLINE_INBOX to a folder, and files of buyers in it are imported automatically.';
  }
  const when = isOnSchedule ? 'taken when the schedule says so' : 'taken as soon as they stop changing';
  const read = mapping === null ? '' : `, and read by the mapping ${mapping}`;
  return [
    folder === null
      ? 'No drop folder is set here (LIMITLINE_INBOX).'
      : `Drop folder ${folder}: files are ${when}${read}.`,
    ...(fault === null ? [] : [`The folder cannot be read from this computer: ${fault}`]),
    ...(mappingFault === null ? [] : [`The mapping cannot be used, so no file is taken: ${mappingFault}`]),
    ...(lying.length === 0 ? [] : ['', 'Files that lie there:', ...lying.map(({ name, why }) => `  ${name}: ${why}`)]),
    ...(more > 0 ? [`  … and ${counted(more, 'more file')}`] : []),
    '',
    ...(lately.length === 0
      ? ['No file was taken yet.']
      : ['Files that were taken:', ...lately.map((file) => takenWords(file, hasFollower(file, lately)))]),
  ].join('\n');
}

const WHERE: Readonly<Record<TakenFile['is'], string>> = {
  taken: 'under way: ',
  imported: 'done/',
  again: 'done/',
  rejected: 'rejected/',
};

/** @param isFollowed whether a later file was imported into the same portfolio, which may have mended the lines */
function takenWords({ id, is, words, found, results, errors }: TakenFile, isFollowed: boolean): string {
  const bad = found ? found.invalid + found.duplicate : 0;
  const why = is === 'imported' && bad > 0 ? `\n    problems: done/${id}.problems.csv` : '';
  const left = results ? `\n    results: done/${results}` : '';
  const advice = isFollowed ? 'lines to mend before the next file came' : 'mend these lines, and drop the file again';
  const mend = errors ? `\n    ${advice}: done/${errors}` : '';
  return `  ${WHERE[is]}${id}${words === '' ? '' : `: ${words}`}${why}${left}${mend}`;
}
