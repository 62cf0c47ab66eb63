import { LimitlineError } from '../../src/errors.ts';
import type { Step } from '../../src/ledger/schema/row.ts';
import { type FoundRow, rowsAtLine } from '../rows/walk-rows.ts';
import { describeRows, explainLine, explainRow, rowAtLine, rowByName } from './explain-rows.ts';
import type { FreeDeps } from './free-held.ts';

/**
 * Finds the held row of this line, at this step if one is given.
 *
 * @throws LimitlineError `NOT_FOUND` where it is not held, naming lines that are; `USAGE` where several rows have the number
 */
export async function heldRowAtLine(
  portfolio: string,
  { line, step }: { line: number; step: Step | undefined },
  deps: FreeDeps,
): Promise<FoundRow> {
  const found = await rowAtLine(portfolio, { state: 'held', line }, deps);
  if (typeof found === 'string') throw new LimitlineError('USAGE', `${found} Name one of these rows with --row ID.`);
  if (found && (step === undefined || found.result.step === step)) return found;
  throw await notHeld(portfolio, line, deps);
}

/** @throws LimitlineError `NOT_FOUND` where there is no such row or it is not held */
export async function heldRowByName(portfolio: string, name: string, deps: FreeDeps): Promise<FoundRow> {
  const found = await rowByName(portfolio, name, deps);
  if (typeof found !== 'string' && found.result.state === 'held') return found;
  throw new LimitlineError('NOT_FOUND', typeof found === 'string' ? found : await explainRow(found, deps));
}

/** Held lines that an error names at most. */
const MOST_NAMED = 10;

async function notHeld(portfolio: string, line: number, deps: FreeDeps): Promise<LimitlineError> {
  const why = await explainLine(portfolio, line, deps);
  const same = await rowsAtLine(deps.rows, portfolio, 'held', line);
  if (same.length > 0) {
    // Held rows of other files have that line number. Only --row can choose one of them.
    const described = await describeRows(portfolio, same, deps);
    return new LimitlineError('NOT_FOUND', `${why} Held is ${described.join('; ')}. Choose it with --row.`);
  }
  return new LimitlineError('NOT_FOUND', `${why} ${await whatIsHeld(portfolio, deps)}`);
}

async function whatIsHeld(portfolio: string, deps: FreeDeps): Promise<string> {
  const { states } = await deps.portfolios.read(portfolio);
  if (states.held === 0) return 'No row of the portfolio is held.';
  const first = await deps.rows.behind(portfolio, 'held', { line: 0, count: MOST_NAMED });
  const lines = first.map(({ line }) => line).join(', ');
  if (states.held === 1) return `The only held row is on line ${lines}.`;
  return `Held rows are on lines ${lines}${states.held > MOST_NAMED ? ' …' : ''}.`;
}
