/**
 * The bench: Limitline beside two peers on the same work. It starts all that it needs on this machine,
 * prints a table in Markdown (or JSON), and leaves nothing behind.
 */
import { numberText } from './figures.ts';
import { measureRows, rowTable } from './measure-rows.ts';
import { readOptions } from './options.ts';
import { machineLine, runBench } from './run-bench.ts';

await runBench(async (place) => {
  const { rows, rounds, sections, json } = readOptions(process.argv.slice(2));
  const how = { ...place, rounds };
  const run = sections.includes('run') ? await measureRows({ ...how, rows }) : undefined;
  const memory = sections.includes('memory') ? await measureRows({ ...how, rows, isKept: false }) : undefined;
  const ran = run ?? memory;
  const machine = machineLine(ran ? { Redis: ran.redisVersion, fdatasync: `${numberText(ran.syncMs, 2)} ms` } : {});
  const tables = [run && rowTable(run), memory && rowTable(memory)];
  const paragraphs = [...tables.filter((table) => table !== undefined), machine];
  return json ? JSON.stringify({ machine, run, memory }, null, 2) : paragraphs.join('\n\n');
});
