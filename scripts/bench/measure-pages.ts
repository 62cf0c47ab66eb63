import { queryOfFilter, type RowFilter } from '../../src/ledger/search/row-filter.ts';
import { numberText } from './figures.ts';
import { benchRequest, idOf } from './fill-ledger.ts';
import { markdownTable } from './markdown-table.ts';

/** Rounds of each page; the first ones, in which code is compiled, are left out. */
const ROUNDS = 60;
const WARM = 5;

/** A page by its name, and its address in each round. */
type Page = [name: string, address: (round: number) => string];

/** How long pages take: from asking to the last byte of the answer, over HTTP on this machine, one after the other. */
export async function measurePages(
  { url, portfolio, rows }: { url: string; portfolio: string; rows: number },
  signal: AbortSignal,
): Promise<string> {
  const lines: string[][] = [];
  for (const [name, address] of pages(portfolio, rows)) {
    const times: number[] = [];
    let bytes = 0;
    for (let round = 0; round < ROUNDS + WARM; round += 1) {
      const startedMs = performance.now();
      const answer = await fetch(`${url}${address(round)}`, { signal });
      const text = await answer.text();
      if (round >= WARM) times.push(performance.now() - startedMs);
      if (!answer.ok) throw new Error(`${address(round)} answered ${answer.status}`);
      bytes = text.length;
    }
    times.sort((one, other) => one - other);
    const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
    lines.push([name, numberText(at(0.5), 1), numberText(at(0.99), 1), numberText(bytes / 1_000, 1)]);
  }
  return markdownTable(['Page', 'median, ms', '99th, ms', 'kB'], lines);
}

function pages(portfolio: string, rows: number): Page[] {
  const at = (round: number) => Math.floor((rows * (round + 0.5)) / (ROUNDS + WARM));
  const filtered = (name: string, filterOf: (index: number) => RowFilter): Page => [
    `rows by ${name}`,
    (round) => `/portfolios/${portfolio}?${queryOfFilter(filterOf(at(round)))}`,
  ];
  return [
    ['all portfolios', () => '/'],
    ['portfolios by a part of their name', (round) => `/?text=port-${round}`],
    ['a portfolio: rows, causes, sums', () => `/portfolios/${portfolio}`],
    ['the same, as its events ask', () => `/portfolios/${portfolio}/events`],
    ['a plan for all refused rows', () => `/plans/new?portfolio=${portfolio}&action=retry`],
    ['a plan for all rows not sent', () => `/plans/new?portfolio=${portfolio}&action=cancel`],
    filtered('state', () => ({ states: ['refused'] })),
    filtered('two states', () => ({ states: ['done', 'held'] })),
    filtered('status', () => ({ status: 'pending' })),
    filtered('status that nobody has', () => ({ status: 'lost' })),
    filtered('amount from and to', () => ({ min: '100000', max: '200000' })),
    filtered('one amount', (index) => {
      const amount = benchRequest(index).limit.requested_limit;
      return { min: amount, max: amount };
    }),
    filtered('state, status and amount', () => ({ states: ['done'], status: 'declined', min: '900000' })),
    filtered('line', (index) => ({ text: String(index + 2) })),
    filtered('name', (index) => ({ text: benchRequest(index).name.slice(0, 12) })),
    filtered('registration number', (index) => ({
      text: String(benchRequest(index).limit.company_registration_number),
    })),
    filtered('limit id', (index) => ({ text: `bl_${idOf(index)}` })),
    filtered('text that is nowhere', (index) => ({ text: `nobody ${index}` })),
  ];
}
