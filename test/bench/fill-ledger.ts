import { hash } from 'node:crypto';
import { causeOf } from '../../src/ledger/counts/cause.ts';
import { makeRows } from '../../src/ledger/rows/rows.ts';
import { makeKeys } from '../../src/ledger/schema/keys.ts';
import type { RowProblem, RowRequest } from '../../src/ledger/schema/row.ts';
import { makeRetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../src/log.ts';
import type { RedisConnection } from '../../src/lua-script.ts';
import { digestOf } from '../../src/portfolio/identity/digest.ts';
import { referenceOf } from '../../src/portfolio/identity/identity.ts';
import { portfolioLine } from './generate-portfolio.ts';

/** The most rows that are written at a time. One connection can send the commands of this many rows without waiting for replies. */
const AT_ONCE = 200;

/** The settings of a bench's ledger, by which its keys are made as those of a command are. Nothing is ever asked of that service. */
export const BENCH_LOGIN = {
  LIMITLINE_PREFIX: 'bench',
  SERVICE_URL: 'https://bench.example',
  SERVICE_CLIENT_ID: 'bench',
  SERVICE_CLIENT_SECRET: 'bench',
} as const;

/** The ledger of a bench, without a service: rows are put and moved by the same scripts as in the product. */
export function openBenchLedger(connection: RedisConnection, { isSearched = true } = {}) {
  const keys = makeKeys(BENCH_LOGIN.LIMITLINE_PREFIX, BENCH_LOGIN.SERVICE_URL);
  const retryUntilAnswered = makeRetryUntilAnswered({ log: makeSilentLog(), signal: new AbortController().signal });
  const rows = makeRows({ connection, keys, retryUntilAnswered, canaryRefusals: 0, isSearched, referenceOf });
  return { keys, rows, connection };
}

export type BenchLedger = ReturnType<typeof openBenchLedger>;

/**
 * Fills a portfolio with rows as a run leaves them: of a hundred two are refused, for 25 causes, one is held, five wait, and the
 * rest are done, nine of ten approved.
 *
 * @param first the first of its buyers: two portfolios of other buyers have no row in common
 * @param withCalls whether records of the rows' calls, and the buyers' lists of limits, are written too
 */
export async function fillPortfolio(
  { rows: ledger, connection, keys }: BenchLedger,
  { portfolio, rows, first = 0, withCalls = false }: Filling,
  signal: AbortSignal,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < rows) {
      signal.throwIfAborted();
      const index = first + next;
      next += 1;
      await fillRow(ledger, portfolio, index, index - first + 2);
      if (withCalls) await fillCalls({ connection, keys }, portfolio, index);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

type Filling = { portfolio: string; rows: number; first?: number; withCalls?: boolean };

/** The state in which a line's row ends: of a hundred five wait, one is held, two are refused, and the rest are done. */
function endOf(index: number): 'queued' | 'held' | 'refused' | 'done' {
  const kind = (index * 7) % 100;
  if (kind < 5) return 'queued';
  return kind === 5 ? 'held' : kind < 8 ? 'refused' : 'done';
}

async function fillRow(ledger: BenchLedger['rows'], portfolio: string, index: number, line: number): Promise<void> {
  const request = benchRequest(index);
  const row = { portfolio, key: digestOf(`limit ${index}`) };
  await ledger.put(row, line, '1', request);
  const end = endOf(index);
  if (end === 'queued') return;
  if (end !== 'done') {
    const step = 'company' as const;
    const problem: RowProblem = {
      step,
      message: 'The service refused the company with status 422',
      status: 422,
      body: JSON.stringify({ code: `rule_${index % 25}`, message: `${request.name} does not pass` }),
    };
    await ledger.begin(row, step);
    await ledger.advance(row, step, end, { problem, cause: causeOf(problem, 'refused', request) });
    return;
  }
  const [company, limit] = [`company_${idOf(index)}`, `bl_${idOf(index)}`];
  const status = index % 10 > 0 ? 'approved' : index % 1_000 === 30 ? 'declined' : 'pending';
  const amount = request.limit.requested_limit;
  const record = { status, total_limit: amount, available_limit: amount };
  await ledger.advance(row, 'queued', 'done', { company, limit, documents: [], record });
}

/**
 * Writes the state that settle.lua and doubt.lua leave for a row's calls, without running these scripts: in a fifth of
 * the time.
 */
async function fillCalls(
  { connection, keys }: Pick<BenchLedger, 'connection' | 'keys'>,
  portfolio: string,
  index: number,
): Promise<void> {
  const end = endOf(index);
  if (end === 'queued' || end === 'refused') return;
  const [key, buyer] = [digestOf(`limit ${index}`), digestOf(`buyer ${index}`)];
  const owner = `bench/${index.toString(36)}`;
  const sent = { owner, row: `${portfolio}/${key}`, first: owner, words: key, asked: key, sends: '1' };
  const atMs = String(Date.now());
  if (end === 'held') {
    const unknown = { ...sent, state: 'unknown', at: atMs, open: '1', doubts: '1', doubtAt: atMs, lostAt: atMs };
    await connection.hset(keys.call('company', buyer), { ...unknown, heard: 'no answer in 30 s' });
    return;
  }
  const made = { ...sent, state: 'made', at: `${atMs}+40` };
  const record = JSON.stringify({ status: 'approved', total_limit: '1', available_limit: '1' });
  await Promise.all([
    connection.hset(keys.call('company', buyer), { ...made, id: `company_${idOf(index)}`, record: '{}' }),
    connection.hset(keys.call('limit', key), { ...made, id: `bl_${idOf(index)}`, record }),
    connection.rpush(keys.buyerLimits(buyer), `bl_${idOf(index)}`),
    connection.hincrby(keys.portfolio(portfolio), 'made:limit', 1),
  ]);
}

/** The request of the line that {@link portfolioLine} writes. */
export function benchRequest(index: number): RowRequest {
  const cells = portfolioLine(index).match(/"[^"]*"|[^,]+|(?<=,)(?=,)/g) ?? [];
  const [name = '', country_code, city, street, state, website, number, amount = '1', first_name, last_name, email] =
    cells.map((cell) => cell.replaceAll('"', ''));
  return {
    name,
    buyer: digestOf(`buyer ${index}`),
    company: { name, address: { country_code, city, street, state: state || null }, website },
    documents: [],
    limit: { company_registration_number: number, requested_limit: amount, contact: { first_name, last_name, email } },
  };
}

/** The ids of everything that was made for this line, without the prefix of their kind. */
export function idOf(index: number): string {
  return hash('sha256', `id ${index}`, 'hex').slice(0, 32);
}
