import type { Verdict } from '../../src/audit/verify.ts';
import { counted, grouped } from '../../src/counted.ts';

/**
 * The verdict on a trail in words.
 *
 * @param what `The audit trail`, or the file that was checked
 * @param given where it was looked at from, and in which file
 * @param remembered the number that this host remembers; nothing where it remembers none, and an end that is cut off would not show
 */
export function verdictWords(
  what: string,
  { entries, first, last, broken }: Verdict,
  remembered: number | undefined,
  { file, from }: { file?: string | undefined; from?: number | undefined } = {},
): string {
  const at = (atMs: number) => new Date(atMs).toISOString();
  if (broken) {
    const when = broken.atMs === undefined ? '' : ` What stands there is of ${at(broken.atMs)}.`;
    return `${what} does not hold. ${broken.words}${when} ${counted(entries, 'entry', 'entries')} ${entries === 1 ? 'was' : 'were'} looked at. To look at what comes behind: npx limitline audit verify ${file === undefined ? '' : `--file "${file}" `}--from ${broken.number + 1}`;
  }
  if ((!last || first === undefined) && from !== undefined)
    return `${what} has no entry from number ${grouped(from)} on: nothing was looked at.`;
  if (!last || first === undefined)
    return `${what} is empty${remembered === undefined ? ', and nothing is remembered of it.' : '.'}`;
  const known =
    remembered === undefined
      ? 'This host remembers none of it: an end that was cut off before now would not show.'
      : `This host remembers number ${grouped(remembered)}.`;
  return `${what} is whole: ${counted(entries, 'entry', 'entries')}, number ${grouped(first)} to ${grouped(last.number)}, the last of ${at(last.atMs)}. ${known}`;
}
