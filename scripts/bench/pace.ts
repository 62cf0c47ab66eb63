/**
 * `npm run bench:pace`: how near to a hidden limit the product comes, how often it runs into it, and what two peers do
 * there. It starts all that it needs on this machine, prints a table in Markdown, and leaves nothing behind.
 */
import { parseArgs } from 'node:util';
import { LimitlineError } from '../../src/errors.ts';
import { LIMIT_HEADERS } from '../../src/stand-in/fault-settings.ts';
import { PEERS } from './contenders.ts';
import { numberText } from './figures.ts';
import { machineLine } from './machine.ts';
import { markdownTable } from './markdown-table.ts';
import { type Headers, measurePace, type PaceCase, type PaceContender, type PaceFigures } from './measure-pace.ts';
import { type BenchPlace, runBench } from './run-bench.ts';

const USAGE = 'node scripts/bench/pace.ts [--rows N] [--limit N] [--headers NAME] [--no-peers]';

const LIMITS = [20, 100, 500];
const PROCESSES = [1, 4];

/** All that the peers understand; the other headers are none to them. */
const HEADERS_OF_PEERS: readonly Headers[] = ['none', 'retry-after-seconds'];

/** Peers sleep most of the time, and below this limit so do we: so many cases at a time do not disturb each other. */
const PEERS_AT_ONCE = 6;
const IDLE_BELOW_PER_S = 100;
const IDLE_AT_ONCE = 3;

type Measured = PaceCase & { figures: PaceFigures[] };

await runBench(async (place) => {
  const cases = readCases(process.argv.slice(2));
  const ofPeers = cases.filter(({ contender }) => typeof contender === 'string');
  const ours = cases.filter(({ contender }) => typeof contender === 'number');
  const slow = ours.filter(({ perS }) => perS < IDLE_BELOW_PER_S);
  const fast = ours.filter(({ perS }) => perS >= IDLE_BELOW_PER_S);
  const measured = [
    ...(await measureAll(ofPeers, PEERS_AT_ONCE, place)),
    ...(await measureAll(slow, IDLE_AT_ONCE, place)),
    ...(await measureAll(fast, 1, place)),
  ];
  return `${paceTable(measured)}\n\n${machineLine({})}`;
});

function readCases(args: string[]): PaceCase[] {
  const { rows, limit, headers, peers } = parse(args);
  const limits = LIMITS.filter((one) => limit === undefined || String(one) === limit);
  const families = LIMIT_HEADERS.filter((one) => headers === undefined || one === headers);
  if (!/^[1-9]\d{0,5}$/.test(rows) || limits.length === 0 || families.length === 0) throw usage(args);
  const contenders = (family: Headers): PaceContender[] => {
    const names = peers && HEADERS_OF_PEERS.includes(family) ? PEERS.map(({ name }) => name) : [];
    return [...PROCESSES, ...names];
  };
  return limits.flatMap((perS) =>
    families.flatMap((family) =>
      contenders(family).map((contender) => ({ perS, headers: family, contender, rows: Number(rows) })),
    ),
  );
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowNegative: true,
      options: {
        rows: { type: 'string', default: '1000' },
        limit: { type: 'string' },
        headers: { type: 'string' },
        peers: { type: 'boolean', default: true },
      },
    }).values;
  } catch {
    throw usage(args);
  }
}

function usage(args: string[]): LimitlineError {
  return new LimitlineError('USAGE', `${args.join(' ')}: no such option or value. Usage: ${USAGE}`);
}

async function measureAll(cases: PaceCase[], atOnce: number, { signal, say }: BenchPlace): Promise<Measured[]> {
  const waiting = [...cases];
  const measured: Measured[] = [];
  const lane = async (): Promise<void> => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      const figures = await measurePace(one, signal);
      measured.push({ ...one, figures });
      say(`${one.perS} calls/s, ${one.headers}, ${nameOf(one.contender)}: ${figures.map(figureText).join(', then ')}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return measured;
}

/** A line for each limit and family of headers, and another for the second portfolio where there is one. */
function paceTable(measured: Measured[]): string {
  const contenders: PaceContender[] = [...PROCESSES, ...PEERS.map(({ name }) => name)];
  const rows = LIMITS.flatMap((perS) =>
    LIMIT_HEADERS.flatMap((headers) => {
      const line = measured.filter((one) => one.perS === perS && one.headers === headers);
      const portfolios = Math.max(0, ...line.map(({ figures }) => figures.length));
      return Array.from({ length: portfolios }, (_, portfolio) => [
        `${perS} calls/s, ${headers}${portfolio === 0 ? '' : ', next portfolio'}`,
        ...contenders.map((contender) => {
          const figures = line.find((one) => one.contender === contender)?.figures[portfolio];
          return figures ? figureText(figures) : '–';
        }),
      ]);
    }),
  );
  return markdownTable(['times the ideal, share of calls met with 429', ...contenders.map(nameOf)], rows);
}

function nameOf(contender: PaceContender): string {
  if (typeof contender === 'string') return contender;
  return contender === 1 ? 'Limitline' : `Limitline, ${contender} processes`;
}

function figureText({ timesIdeal, refused }: PaceFigures): string {
  return `${numberText(timesIdeal, 2)}, ${numberText(100 * refused, 2)} %`;
}
