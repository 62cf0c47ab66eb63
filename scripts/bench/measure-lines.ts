import { LimitlineError } from '../../src/errors.ts';
import { LINE_CONTENDERS } from './contenders.ts';
import { generatePortfolio } from './generate-portfolio.ts';
import type { MeasureOptions } from './measure-rows.ts';
import { runContender } from './run-contender.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** What reading the file once took. Lines a second are counted over the whole life of the process. */
export type LineFigures = { linesPerS: number; peakMemoryBytes: number; cpuS: number };

type LineResult = { name: string; rounds: LineFigures[] };

export type LineResults = { lines: number; results: LineResult[] };

/**
 * Lets `limitline check` and csv-parse alone read the same file in turn, once a round.
 *
 * @param rows lines of the file
 * @throws LimitlineError when one of them counts other lines than there are
 */
export async function measureLines({ rows: lines, rounds, signal, say }: MeasureOptions): Promise<LineResults> {
  await using folder = await makeTemporaryFolder();
  const file = `${folder.path}/lines.csv`;
  say(`writing ${lines} lines`);
  await generatePortfolio({ path: file, rows: lines });
  const results = LINE_CONTENDERS.map(({ name }): LineResult => ({ name, rounds: [] }));
  for (let round = 1; round <= rounds; round += 1) {
    for (const [place, { name, command }] of LINE_CONTENDERS.entries()) {
      say(`round ${round} of ${rounds}: ${name}, ${lines} lines`);
      const ran = await runContender(command(file), { cwd: folder.path, signal });
      const counted = (ran.answer as { lines: number }).lines;
      if (counted !== lines) {
        throw new LimitlineError('USAGE', `${name} counts ${counted} lines in a file that has ${lines}.`);
      }
      const { peakMemoryBytes, wallMs, cpuMs } = ran;
      results[place]?.rounds.push({ linesPerS: (lines * 1_000) / wallMs, peakMemoryBytes, cpuS: cpuMs / 1_000 });
    }
  }
  return { lines, results };
}
