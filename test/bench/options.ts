import { parseArgs } from 'node:util';
import { LimitlineError } from '../../src/errors.ts';

/** The parts of the bench, in the order in which they run; `memory` is `run` with a Redis that keeps nothing on the disk. */
const SECTIONS = ['run', 'memory'] as const;
type Section = (typeof SECTIONS)[number];

type BenchOptions = {
  /** Rows of the portfolio that is run. */
  rows: number;
  rounds: number;
  sections: readonly Section[];
  json: boolean;
};

export const USAGE = `node test/bench/main.ts [--rows N] [--rounds N] [--only ${SECTIONS.join('|')}] [--json]`;

/** @throws LimitlineError `USAGE` for arguments that are not known */
export function readOptions(args: readonly string[]): BenchOptions {
  const { rows, rounds, only, json } = parse(args);
  if (only !== undefined && !isSection(only)) throw fault(`--only ${only} is not a part of the bench`);
  return {
    rows: count('rows', rows, DEFAULT_ROWS),
    rounds: count('rounds', rounds, DEFAULT_ROUNDS),
    sections: only === undefined ? SECTIONS : [only],
    json,
  };
}

/** The default number of rows of a run: several seconds of work for the fastest contender, so that starting up does not decide. */
const DEFAULT_ROWS = 10_000;

/** The default number of rounds of a run: the fewest that have a median which one disturbed round cannot move. */
const DEFAULT_ROUNDS = 3;

function parse(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rows: { type: 'string' },
        rounds: { type: 'string' },
        only: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new LimitlineError('USAGE', `These arguments are not known: ${args.join(' ')}; use: ${USAGE}`, {
      cause: error,
    });
  }
}

function count(name: string, text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault;
  if (!/^[1-9]\d{0,7}$/.test(text)) throw fault(`--${name} ${text} is not a whole number above zero`);
  return Number(text);
}

function isSection(text: string): text is Section {
  return (SECTIONS as readonly string[]).includes(text);
}

const fault = (what: string): LimitlineError => new LimitlineError('USAGE', `${what}; use: ${USAGE}`);
