/**
 * `npm run bench:pace`: how near to a hidden limit the product comes, how often it runs into it, what two peers do there,
 * and how it does behind limiters that others wrote. It starts all that it needs on this machine, prints tables in
 * Markdown, and leaves nothing behind.
 */

import { measurePace, type PaceCase } from './measure-pace.ts';
import type { MeasuredPace } from './pace-cases.ts';
import { limiterTable, nameOfCase, PACE_CONTENDERS, paceFigureText, paceTable, readPaceCases } from './pace-cases.ts';
import { type BenchPlace, machineLine, runBench } from './run-bench.ts';

/**
 * How many cases may run at a time without disturbing each other. Peers sleep most of the time, and so does Limitline at limits below
 * `IDLE_BELOW_PER_S`.
 */
const PEERS_AT_ONCE = 6;
const IDLE_BELOW_PER_S = 100;
const IDLE_AT_ONCE = 3;

await runBench(async (place) => {
  const { hidden, limiters, everyWord } = readPaceCases(process.argv.slice(2));
  const how = { ...place, everyWord };
  const tables = [
    ...(hidden.length > 0 ? [paceTable(await measureAll(hidden, how), PACE_CONTENDERS)] : []),
    ...(limiters.length > 0 ? [limiterTable(await measureAll(limiters, how))] : []),
  ];
  return [...tables, machineLine({})].join('\n\n');
});

type How = BenchPlace & { everyWord: boolean };

async function measureAll(cases: readonly PaceCase[], how: How): Promise<MeasuredPace[]> {
  const ofPeers = cases.filter(({ contender }) => typeof contender === 'string');
  const ours = cases.filter(({ contender }) => typeof contender === 'number');
  return [
    ...(await measureAtOnce(ofPeers, PEERS_AT_ONCE, how)),
    ...(await measureAtOnce(ours.filter(isIdle), IDLE_AT_ONCE, how)),
    ...(await measureAtOnce(
      ours.filter((one) => !isIdle(one)),
      1,
      how,
    )),
  ];
}

function isIdle({ perS }: PaceCase): boolean {
  return perS < IDLE_BELOW_PER_S;
}

async function measureAtOnce(cases: PaceCase[], atOnce: number, { signal, say, everyWord }: How) {
  const waiting = [...cases];
  const measured: MeasuredPace[] = [];
  const lane = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const name = nameOfCase(one);
      const figures = await measurePace(one, signal, everyWord ? (words) => say(`${name}: ${words}`) : undefined);
      measured.push({ ...one, figures });
      say(`${name}: ${figures.map(paceFigureText).join(', then ')}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return measured;
}
