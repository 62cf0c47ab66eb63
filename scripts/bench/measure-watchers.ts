import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { numberText, spreadOf } from './figures.ts';
import { generatePortfolio } from './generate-portfolio.ts';
import { AS_COMMAND, type RunningConsole } from './start-console.ts';
import { startService } from './start-service.ts';

const COMMAND = fileURLToPath(new URL('../limitline.ts', import.meta.url));

/** Without and with watchers, in turns that a machine which gets slower favours neither of. */
const ROUNDS = [false, true, true, false, false, true] as const;

/** Runs a portfolio with nobody and with many people watching it, and says what the watchers cost. */
export async function measureWatchers(
  given: { web: (env: Record<string, string>) => Promise<RunningConsole>; dataDir: string; folder: string },
  { rows, watchers, signal, say }: { rows: number; watchers: number; signal: AbortSignal; say: (text: string) => void },
): Promise<string> {
  await using service = await startService();
  const env = {
    LIMITLINE_DATA: given.dataDir,
    LIMITLINE_PREFIX: 'watched',
    SERVICE_URL: service.url,
    SERVICE_CLIENT_ID: STAND_IN_CREDENTIALS.clientId,
    SERVICE_CLIENT_SECRET: STAND_IN_CREDENTIALS.clientSecret,
  };
  await using web = await given.web(env);
  const rates = { alone: [] as number[], watched: [] as number[] };
  let cpuShare = 0;
  for (const [round, isWatched] of ROUNDS.entries()) {
    say(`round ${round + 1} of ${ROUNDS.length}: ${isWatched ? `${watchers} watchers` : 'nobody watches'}`);
    const portfolio = `watched-${round}`;
    const path = join(given.folder, `${portfolio}.csv`);
    // Other buyers each time, so that each round makes as many calls.
    await generatePortfolio({ path, rows, from: round * rows });
    const open = isWatched ? await watch(`${web.url}/portfolios/${portfolio}/events`, watchers) : [];
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

async function run(path: string, { env, signal }: { env: Record<string, string>; signal: AbortSignal }) {
  const args = [...AS_COMMAND, COMMAND, 'run', path, '--yes', '--no-results', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error', ...env },
    signal,
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(stdout) as { started: string; finished: string };
}

/** Open streams of events, of which nothing is read but off the line: what browsers do with them is theirs. */
async function watch(address: string, count: number): Promise<ClientRequest[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const asked = request(address, { headers: { accept: 'text/event-stream' }, agent: false }).end();
      const [answer] = await once(asked, 'response');
      answer.on('error', () => {}).resume();
      asked.on('error', () => {});
      return asked;
    }),
  );
}
