import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { queryOfFilter, type RowFilter } from '../../src/ledger/search/row-filter.ts';
import { serviceSettings } from './contenders.ts';
import { markdownTable, numberText, spreadOf } from './figures.ts';
import { benchRequest, idOf } from './fill-ledger.ts';
import { generatePortfolio, PORTFOLIO_COLUMNS, portfolioLine } from './generate-portfolio.ts';
import { AS_COMMAND, type RunningConsole, startService } from './start-servers.ts';

const COMMAND = fileURLToPath(new URL('../../scripts/limitline.ts', import.meta.url));

/** Whether each round has watchers. In this order both kinds suffer equally if the machine gets slower from round to round. */
const WATCH_ROUNDS = [false, true, true, false, false, true] as const;

/** Runs a portfolio with nobody and with many people watching it, and returns a table of what the watchers cost. */
export async function measureWatchers(
  given: { web: (env: Record<string, string>) => Promise<RunningConsole>; dataDir: string; folder: string },
  { rows, watchers, signal, say }: { rows: number; watchers: number; signal: AbortSignal; say: (text: string) => void },
): Promise<string> {
  await using service = await startService();
  const env = { ...serviceSettings(service.url), LIMITLINE_DATA: given.dataDir, LIMITLINE_PREFIX: 'watched' };
  await using web = await given.web(env);
  const rates = { alone: [] as number[], watched: [] as number[] };
  let cpuShare = 0;
  for (const [round, isWatched] of WATCH_ROUNDS.entries()) {
    say(`round ${round + 1} of ${WATCH_ROUNDS.length}: ${isWatched ? `${watchers} watchers` : 'nobody watches'}`);
    const portfolio = `watched-${round}`;
    const path = join(given.folder, `${portfolio}.csv`);
    // Each round has other buyers, so that it makes as many calls as the others.
    await generatePortfolio({ path, rows, from: round * rows });
    const open = isWatched ? await watch(`${web.url}/portfolios/${portfolio}/events`, web.cookie, watchers) : [];
    const [cpuMs, startedMs] = [web.cpuMs(), performance.now()];
    const report = await run(path, { env, signal });
    if (isWatched) cpuShare = (web.cpuMs() - cpuMs) / (performance.now() - startedMs);
    for (const one of open) one.destroy();
    rates[isWatched ? 'watched' : 'alone'].push(
      (rows * 1_000) / (Date.parse(report.finished) - Date.parse(report.started)),
    );
  }
  const [alone, watched] = [spreadOf(rates.alone).median, spreadOf(rates.watched).median];
  return `${numberText(rows)} rows: ${numberText(alone)} rows/s with nobody, ${numberText(watched)} rows/s with ${numberText(watchers)} watchers (${numberText((100 * (alone - watched)) / alone, 1)} % less); the console used ${numberText(100 * cpuShare, 1)} % of a core.`;
}

/** How often each page is measured; the first rounds, in which code is compiled, are left out. */
const PAGE_ROUNDS = 60;

/** How often pages of plans are measured. The console refuses more than some plans a minute. */
const PLAN_ROUNDS = 7;

const WARM = 5;

/** A page by its name, and its address in each round. */
type Page = [name: string, address: (round: number) => string];

/** How long pages take: from asking to the last byte of the answer, over HTTP on this machine, one after the other. */
export async function measurePages(
  { url, cookie, portfolio, rows }: Pick<RunningConsole, 'url' | 'cookie'> & { portfolio: string; rows: number },
  signal: AbortSignal,
): Promise<string> {
  const lines: string[][] = [];
  for (const [name, address] of pages(portfolio, rows)) {
    const times: number[] = [];
    let bytes = 0;
    const rounds = address(0).startsWith('/plans/') ? PLAN_ROUNDS : PAGE_ROUNDS;
    for (let round = 0; round < rounds + WARM; round += 1) {
      const startedMs = performance.now();
      const answer = await fetch(`${url}${address(round)}`, { signal, headers: { cookie } });
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

const BOUNDARY = 'limitline-bench';

/** Lines in one piece: some 80 kB. */
const PIECE_LINES = 500;

/** Uploads a CSV of so many bytes as a browser does, and returns a sentence about the additional memory that the console took for it. */
export async function measureUpload(web: RunningConsole, bytes: number, signal: AbortSignal): Promise<string> {
  const { cookie, token } = await credentials(web);
  web.forgetPeak();
  const [before, startedMs, cpuBefore] = [web.residentBytes(), performance.now(), web.cpuMs()];
  const asked = request(`${web.url}/new/upload?_csrf=${encodeURIComponent(token)}`, {
    method: 'POST',
    signal,
    headers: {
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      origin: web.url,
      'sec-fetch-site': 'same-origin',
      cookie,
    },
  });
  const answered = once(asked, 'response');
  await pipeline(Readable.from(body(bytes)), asked);
  const [answer] = await answered;
  answer.resume();
  if (answer.statusCode !== 303) throw new Error(`The upload was answered ${answer.statusCode}.`);
  const seconds = (performance.now() - startedMs) / 1_000;
  const grown = web.peakBytes() - before;
  const cpuS = (web.cpuMs() - cpuBefore) / 1_000;
  return `An upload of ${numberText(bytes / 1e6)} MB took ${numberText(seconds, 1)} s, ${numberText(cpuS, 1)} s of processor time, and ${numberText(grown / 1e6)} MB of memory beyond the ${numberText(before / 1e6)} MB that the console had.`;
}

const PAINT_ROUNDS = 15;

/**
 * Loads pages in a browser with an empty cache. Measures the bytes transferred, styles and script included, and the time until something is
 * seen. A new tab also starts a process, which `Cross-Origin-Opener-Policy` makes necessary, so the time is measured with and without it.
 */
export async function measurePaint(
  { url, cookie }: Pick<RunningConsole, 'url' | 'cookie'>,
  paths: readonly string[],
  executablePath: string,
): Promise<string> {
  const browser = await chromium.launch({ executablePath });
  try {
    const lines: string[][] = [];
    for (const path of paths) {
      const times: { first: number[]; later: number[] } = { first: [], later: [] };
      let bytes = 0;
      for (let round = 0; round < PAINT_ROUNDS; round += 1) {
        const context = await browser.newContext();
        const cookies = cookie
          .split('; ')
          .filter((one) => one !== '')
          .map((one) => ({ name: one.slice(0, one.indexOf('=')), value: one.slice(one.indexOf('=') + 1), url }));
        await context.addCookies(cookies);
        const page = await context.newPage();
        const devtools = await context.newCDPSession(page);
        await devtools.send('Network.enable');
        await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
        for (const found of [times.first, times.later]) {
          const sizes: Promise<number>[] = [];
          page.removeAllListeners('requestfinished');
          page.on('requestfinished', (request) => {
            if (!request.url().endsWith('/events'))
              // A request that is cut off when the page closes has no size; the page did not need its answer.
              sizes.push(
                request
                  .sizes()
                  .then(({ responseBodySize }) => responseBodySize)
                  .catch(() => 0),
              );
          });
          await page.goto(`${url}${path}`, { waitUntil: 'load' });
          found.push(
            await page.evaluate<number>(`new Promise((resolve) => new PerformanceObserver((list) => {
            const paint = list.getEntries().find(({ name }) => name === 'first-contentful-paint');
            if (paint) resolve(paint.startTime);
          }).observe({ type: 'paint', buffered: true }))`),
          );
          bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
        }
        await context.close();
      }
      const middle = (found: number[]) =>
        numberText(found.toSorted((one, other) => one - other)[PAINT_ROUNDS >> 1] ?? 0);
      lines.push([
        path,
        middle(times.later),
        numberText(Math.max(...times.later)),
        middle(times.first),
        numberText(bytes / 1_000, 1),
      ]);
    }
    const heads = ['Page', 'first paint, median ms', 'worst ms', 'in a new tab, median ms', 'kB in all'];
    return markdownTable(heads, lines);
  } finally {
    await browser.close();
  }
}

async function run(path: string, { env, signal }: { env: Record<string, string>; signal: AbortSignal }) {
  const args = [...AS_COMMAND, COMMAND, 'run', path, '--yes', '--no-results', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error', ...env },
    signal,
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(stdout) as { started: string; finished: string };
}

/** Opens streams of events and discards what comes, since what browsers do with it is not measured. */
async function watch(address: string, cookie: string, count: number): Promise<ClientRequest[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const asked = request(address, { headers: { accept: 'text/event-stream', cookie }, agent: false }).end();
      const [answer] = await once(asked, 'response');
      answer.on('error', () => {}).resume();
      asked.on('error', () => {});
      return asked;
    }),
  );
}

function pages(portfolio: string, rows: number): Page[] {
  const at = (round: number) => Math.floor((rows * (round + 0.5)) / (PAGE_ROUNDS + WARM));
  const filtered = (name: string, filterOf: (index: number) => RowFilter): Page => [
    `rows by ${name}`,
    (round) => `/portfolios/${portfolio}?${queryOfFilter(filterOf(at(round)))}`,
  ];
  return [
    ['the first page: what needs people, all portfolios', () => '/'],
    [
      'buyers of all portfolios by a word',
      (round) => `/search?text=${encodeURIComponent(benchRequest(at(round)).name.split(' ')[0] ?? '')}`,
    ],
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

/** The cookie and the token that a page gives a browser, without which the console refuses a form. */
async function credentials(web: Pick<RunningConsole, 'url' | 'cookie'>): Promise<{ cookie: string; token: string }> {
  const page = await fetch(`${web.url}/keys`, { headers: { cookie: web.cookie } });
  const given = page.headers.getSetCookie().map((line) => line.split(';')[0]);
  const cookie = [...(web.cookie === '' ? [] : [web.cookie]), ...given].join('; ');
  const token = /name="csrf-token" content="([^"]*)"/.exec(await page.text())?.[1] ?? '';
  return { cookie, token };
}

function* body(bytes: number): Generator<string> {
  yield `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="large.csv"\r\ncontent-type: text/csv\r\n\r\n`;
  yield `${PORTFOLIO_COLUMNS.join(',')}\n`;
  for (let [sent, index] = [0, 0]; sent < bytes; ) {
    const piece = Array.from({ length: PIECE_LINES }, (_none, place) => `${portfolioLine(index + place)}\n`).join('');
    index += PIECE_LINES;
    sent += piece.length;
    yield piece;
  }
  yield `\r\n--${BOUNDARY}--\r\n`;
}
