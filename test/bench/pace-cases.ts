import { parseArgs } from 'node:util';
import { LimitlineError } from '../../src/errors.ts';
import { LIMIT_HEADERS } from '../../src/stand-in/fault-settings.ts';
import { PEERS } from './contenders.ts';
import { markdownTable, numberText } from './figures.ts';
import { LIMITED_PER_S } from './limiters/limiter.ts';
import { LIMITER_CASES } from './limiters/limiter-cases.ts';
import { hasNginx } from './limiters/nginx.ts';
import { CALLS_PER_ROW, type Headers, type PaceCase, type PaceContender, type PaceFigures } from './measure-pace.ts';

const USAGE = 'node test/bench/pace.ts [--rows N] [--limit N] [--headers NAME] [--no-peers] [--only LIMITER] [--words]';

const LIMITS = [20, 100, 500];
const PROCESSES = [1, 4];

/** The contenders in cases with the stand-in's own limiter, in the order of the table's columns. */
export const PACE_CONTENDERS: readonly PaceContender[] = [...PROCESSES, ...PEERS.map(({ name }) => name)];

/** The families of headers with which peers are measured: they understand no other. */
const HEADERS_OF_PEERS: readonly Headers[] = ['none', 'retry-after-seconds'];

/**
 * A case with eight processes and a limit that no header tells, shown in the table of limiters. If one process is refused, the calls of all
 * slow down.
 */
const FLEET = { name: 'eight processes', perS: 100, headers: 'none', contender: 8 } as const;

type PaceCases = {
  /** Cases with the stand-in's own limiter. No setting tells Limitline its limit, so it is learned from the responses. */
  hidden: PaceCase[];
  /** Cases of limiters that others wrote, and of eight processes. */
  limiters: PaceCase[];
  /** Whether the time left is printed each second. */
  everyWord: boolean;
};

/**
 * Reads which cases to run. `--limit` and `--headers` choose hidden cases and leave out limiters. `--only` chooses limiters by how their
 * names begin, and leaves out hidden cases. Without nginx on this machine, its cases are left out.
 *
 * @throws LimitlineError `USAGE` for arguments that are not known, or choose nothing
 */
export function readPaceCases(args: string[]): PaceCases {
  const { rows, limit, headers, peers, only, words } = parse(args);
  const choosesHidden = limit !== undefined || headers !== undefined;
  const limits = LIMITS.filter((one) => limit === undefined || String(one) === limit);
  const families = LIMIT_HEADERS.filter((one) => headers === undefined || one === headers);
  const limiters = limiterCases(Number(rows)).filter(({ name }) => name.startsWith(only ?? ''));
  const nothing = limits.length === 0 || families.length === 0 || limiters.length === 0;
  if (!/^[1-9]\d{0,5}$/.test(rows) || nothing || (choosesHidden && only !== undefined)) throw usage(args);
  const hidden = limits.flatMap((perS) =>
    families.flatMap((family) =>
      contenders(family, peers).map((contender) => ({ perS, headers: family, contender, rows: Number(rows) })),
    ),
  );
  return { hidden: only === undefined ? hidden : [], limiters: choosesHidden ? [] : limiters, everyWord: words };
}

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

export function nameOfCase({ perS, headers, contender, limiter }: PaceCase): string {
  return limiter ? limiter.name : `${perS} calls/s, ${headers}, ${nameOf(contender)}`;
}

/** The text of the table for a figure that cannot be measured. */
const NONE = '–';

function nameOf(contender: PaceContender): string {
  if (typeof contender === 'string') return contender;
  return contender === 1 ? 'Limitline' : `Limitline, ${contender} processes`;
}

export function paceFigureText({ words, ...figures }: PaceFigures): string {
  if (!words) return usedText(figures);
  const { worst, outside, silent } = words;
  return `${usedText(figures)}; time left ${numberText(worst, 2)}, ${percent(outside)} outside, ${percent(silent)} not said`;
}

function contenders(family: Headers, peers: boolean): readonly PaceContender[] {
  return peers && HEADERS_OF_PEERS.includes(family) ? PACE_CONTENDERS : PROCESSES;
}

function limiterCases(rows: number): (PaceCase & { name: string })[] {
  const installed = LIMITER_CASES.filter(({ needsNginx }) => !needsNginx || hasNginx());
  const cases = installed.map((limiter) => ({
    name: limiter.name,
    perS: LIMITED_PER_S,
    headers: 'none' as const,
    contender: 1,
    rows: rows * (limiter.rowsTimes ?? 1),
    limiter,
  }));
  return [...cases, { ...FLEET, rows }];
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
        only: { type: 'string' },
        words: { type: 'boolean', default: false },
      },
    }).values;
  } catch {
    throw usage(args);
  }
}

function usage(args: string[]): LimitlineError {
  return new LimitlineError('USAGE', `${args.join(' ')}: no such option or value. Usage: ${USAGE}`);
}

const usedText = ({ timesIdeal, refused }: PaceFigures): string => `${numberText(timesIdeal, 2)}, ${percent(refused)}`;

const percent = (share: number): string => `${numberText(100 * share, 2)} %`;
