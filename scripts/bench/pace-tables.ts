import { LIMIT_HEADERS } from '../../src/stand-in/fault-settings.ts';
import { numberText } from './figures.ts';
import { markdownTable } from './markdown-table.ts';
import { CALLS_PER_ROW, type PaceCase, type PaceContender, type PaceFigures } from './measure-pace.ts';

/** A case, and what came of each of its portfolios. */
export type MeasuredPace = PaceCase & { figures: PaceFigures[] };

/** A line for each limit and family of headers, and another for the second portfolio where there is one. */
export function paceTable(measured: readonly MeasuredPace[], contenders: readonly PaceContender[]): string {
  const limits = [...new Set(measured.map(({ perS }) => perS))].sort((one, other) => one - other);
  const rows = limits.flatMap((perS) =>
    LIMIT_HEADERS.flatMap((headers) => {
      const line = measured.filter((one) => one.perS === perS && one.headers === headers);
      const portfolios = Math.max(0, ...line.map(({ figures }) => figures.length));
      return Array.from({ length: portfolios }, (_, portfolio) => [
        `${perS} calls/s, ${headers}${portfolio === 0 ? '' : ', next portfolio'}`,
        ...contenders.map((contender) => {
          const figures = line.find((one) => one.contender === contender)?.figures[portfolio];
          return figures ? usedText(figures) : NONE;
        }),
      ]);
    }),
  );
  return markdownTable(['times the ideal, share of calls met with 429', ...contenders.map(nameOf)], rows);
}

/** A line for each limiter that others wrote, in the order in which they ended. */
export function limiterTable(measured: readonly MeasuredPace[]): string {
  const header = ['limiter', 'calls', 'times the ideal', 'refused', 'time left: worst ratio', 'outside', 'not said'];
  const rows = measured.flatMap((one) =>
    one.figures.map(({ timesIdeal, refused, words }) => [
      nameOfCase(one),
      numberText(CALLS_PER_ROW * one.rows),
      numberText(timesIdeal, 2),
      percent(refused),
      ...(words ? [numberText(words.worst, 2), percent(words.outside), percent(words.silent)] : [NONE, NONE, NONE]),
    ]),
  );
  return markdownTable(header, rows);
}

/** What a case is called where it stands alone. */
export function nameOfCase({ perS, headers, contender, limiter }: PaceCase): string {
  return limiter ? limiter.name : `${perS} calls/s, ${headers}, ${nameOf(contender)}`;
}

/** Where there is nothing to measure. */
const NONE = '–';

function nameOf(contender: PaceContender): string {
  if (typeof contender === 'string') return contender;
  return contender === 1 ? 'Limitline' : `Limitline, ${contender} processes`;
}

/** What came of one portfolio, in a line. */
export function paceFigureText({ words, ...figures }: PaceFigures): string {
  if (!words) return usedText(figures);
  const { worst, outside, silent } = words;
  return `${usedText(figures)}; time left ${numberText(worst, 2)}, ${percent(outside)} outside, ${percent(silent)} not said`;
}

function usedText({ timesIdeal, refused }: PaceFigures): string {
  return `${numberText(timesIdeal, 2)}, ${percent(refused)}`;
}

function percent(share: number): string {
  return `${numberText(100 * share, 2)} %`;
}
