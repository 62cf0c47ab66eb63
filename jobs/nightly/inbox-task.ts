import { counted } from '../../src/counted.ts';
import type { TakenFile } from '../../src/ledger/inbox/taken-file.ts';
import type { InboxSource } from '../inbox/inbox-deps.ts';
import { type TakenIn, takeInOnce } from '../inbox/take-in.ts';
import type { NightlyTask, NightResult } from './task.ts';

/** Takes in what lies in the drop folder: what the schedule names `inbox`. */
export function inboxTask(source: InboxSource): NightlyTask {
  return {
    name: 'inbox',
    words: 'takes in what lies in the drop folder',
    async run({ signal }): Promise<NightResult> {
      if (source.settings.LIMITLINE_INBOX === undefined) {
        return { is: 'well', words: 'There is no drop folder (LIMITLINE_INBOX is not set).' };
      }
      return inboxResult(await takeInOnce(source, { signal }));
    },
  };
}

/** What a pass came to, for people: files that were rejected, lines that led to no row, and files that wait for somebody are findings. */
export function inboxResult({ files, lying, results, isElsewhere }: TakenIn): NightResult {
  if (isElsewhere) return { is: 'well', words: 'Another process is taking in what lies in the drop folder.' };
  const of = (is: TakenFile['is']) => files.filter((file) => file.is === is);
  const [imported, again, rejected] = [of('imported'), of('again'), of('rejected')];
  const bad = imported.reduce((sum, { found }) => sum + (found ? found.invalid + found.duplicate : 0), 0);
  const stuck = lying.filter(({ leftMs }) => leftMs === undefined);
  const parts = [
    imported.length > 0 && `${counted(imported.length, 'file')} imported`,
    bad > 0 && `${counted(bad, 'line')} led to no row`,
    again.length > 0 && `${counted(again.length, 'file')} imported before`,
    rejected.length > 0 && `${counted(rejected.length, 'file')} rejected`,
    stuck.length > 0 && `${counted(stuck.length, 'file')} could not be taken in yet`,
    lying.length > stuck.length && `${counted(lying.length - stuck.length, 'file')} still being written`,
    results.length > 0 && `results of ${counted(results.length, 'portfolio')} left`,
  ].filter((part) => part !== false);
  const isBad = bad > 0 || rejected.length > 0 || stuck.length > 0;
  const words = parts.length === 0 ? 'Nothing lay in the drop folder.' : `Drop folder: ${parts.join(', ')}.`;
  return { is: isBad ? 'findings' : 'well', words };
}
