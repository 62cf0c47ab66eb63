import { limitlineScript, serviceSettings } from './contenders.ts';
import { ratiosOf, spreadOf, spreadText } from './figures.ts';
import { markdownTable } from './markdown-table.ts';
import type { BenchPlace } from './run-bench.ts';
import { runContender } from './run-contender.ts';
import type { RunningRedis } from './start-redis.ts';
import type { RunningService } from './start-service.ts';

/** A line at work, and what is done beside it. */
export type Beside = {
  redis: RunningRedis;
  service: RunningService;
  /** The portfolio that is sent again and again, and how many rows it has. */
  file: string;
  lineRows: number;
  rounds: number;
  cwd: string;
  /** What is beside it, for people: "the nightly check". */
  what: string;
  /** Begins that, and answers what ends it. */
  begin: (signal: AbortSignal) => Promise<() => Promise<void>>;
};

/** Rows a second of a line at work, by turns without and with something beside it on the same Redis. */
export async function measureBeside(beside: Beside, { signal, say }: BenchPlace): Promise<string> {
  const [without, within]: [number[], number[]] = [[], []];
  await lineAtWork(beside, 'warm-up', signal);
  for (let round = 1; round <= beside.rounds; round += 1) {
    say(`round ${round} of ${beside.rounds}: a line at work, without and with ${beside.what}`);
    without.push(await lineAtWork(beside, `without-${round}`, signal));
    const end = await beside.begin(signal);
    within.push(await lineAtWork(beside, `with-${round}`, signal));
    await end();
  }
  const share = ratiosOf(within, without).map((ratio) => 100 * (1 - ratio));
  return markdownTable(
    ['A line at work, rows a second', 'median (from–to)'],
    [
      [`without ${beside.what}`, spreadText(spreadOf(without))],
      ['with it', spreadText(spreadOf(within))],
      ['less, percent', spreadText(spreadOf(share), 1)],
    ],
  );
}

async function lineAtWork({ redis, service, file, lineRows, cwd }: Beside, name: string, signal: AbortSignal) {
  await service.reset();
  const env = { ...serviceSettings(service.url), LIMITLINE_DATA: redis.dataDir, LIMITLINE_PREFIX: `line-${name}` };
  const args = ['run', file, '--json', '--no-results'];
  const ran = await runContender({ script: limitlineScript(), args, env }, { cwd, signal });
  const { started, finished } = ran.answer as { started: string; finished: string };
  return (lineRows * 1_000) / (Date.parse(finished) - Date.parse(started));
}
