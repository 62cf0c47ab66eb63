import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { numberText } from './figures.ts';
import { PORTFOLIO_COLUMNS, portfolioLine } from './generate-portfolio.ts';
import type { RunningConsole } from './start-console.ts';

const BOUNDARY = 'limitline-bench';

/** Lines in one piece: some 80 kB. */
const PIECE_LINES = 500;

/** Uploads a CSV of so many bytes as a browser does, and says what memory the console took for it beyond what it had. */
export async function measureUpload(web: RunningConsole, bytes: number, signal: AbortSignal): Promise<string> {
  const { cookie, token } = await credentials(web.url);
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

/** What a page of the console gives a browser, so that a form of it is believed. */
async function credentials(url: string): Promise<{ cookie: string; token: string }> {
  const page = await fetch(`${url}/keys`);
  const [cookie = ''] = page.headers.getSetCookie();
  const token = /name="csrf-token" content="([^"]*)"/.exec(await page.text())?.[1] ?? '';
  return { cookie: cookie.split(';')[0] ?? '', token };
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
