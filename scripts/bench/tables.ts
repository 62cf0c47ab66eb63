import { numberText, ratiosOf, spreadOf, spreadText } from './figures.ts';
import { markdownTable } from './markdown-table.ts';
import type { ContenderRounds, RowFigures, RowResults } from './measure-rows.ts';

const MIB = 2 ** 20;

/** Where there is nothing to measure. */
const NONE = '–';

/** A line of the table: what it is called, how it is read from a round, and how many digits behind the point it is worth. */
type Figure = { label: string; of: (round: RowFigures) => number | undefined; digits?: number };

/** The first of them is the one by which the first contender is compared with the others. */
const FIGURES: readonly [Figure, ...Figure[]] = [
  { label: 'rows a second', of: (round) => round.rowsPerS },
  { label: 'whole process, s', of: (round) => round.wallS, digits: 2 },
  { label: 'start to first call, s', of: (round) => round.firstCallS, digits: 2 },
  { label: 'peak memory, MiB', of: (round) => round.peakMemoryBytes / MIB },
  { label: 'CPU of the process, s', of: (round) => round.cpuS, digits: 2 },
  { label: 'CPU of its Redis, s', of: (round) => round.redisCpuS, digits: 2 },
  { label: 'Redis, bytes a row', of: (round) => round.redisBytesPerRow },
  { label: 'calls', of: (round) => round.calls },
  { label: 'made twice', of: (round) => round.madeTwice },
];

/** The runs side by side, as Markdown. */
export function rowTable({ rows, isKept, results }: RowResults): string {
  const redis = isKept ? '' : '; Redis without a file';
  const title = `${numberText(rows)} rows, a company and a limit each${redis}; median (min–max)`;
  const body = FIGURES.map(({ label, of, digits }) => [
    label,
    ...results.map(({ rounds }) => {
      const values = rounds.map(of).filter((value) => value !== undefined);
      return values.length === 0 ? NONE : spreadText(spreadOf(values), digits);
    }),
  ]);
  return markdownTable([title, ...results.map(({ name }) => name)], [...body, ratioRow(results, FIGURES[0])]);
}

/** How many times as much the first contender's figure is, compared round by round. */
function ratioRow([first, ...others]: readonly ContenderRounds[], { label, of }: Figure): string[] {
  const values = (rounds: readonly RowFigures[] = []) => rounds.map((round) => of(round) ?? Number.NaN);
  const ratios = others.map(({ rounds }) => spreadText(spreadOf(ratiosOf(values(first?.rounds), values(rounds))), 2));
  return [`${label}: ${first?.name} ÷ this one`, NONE, ...ratios];
}
