import { execFile } from 'node:child_process';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { numberText, spreadOf } from './figures.ts';
import { generatePortfolio } from './generate-portfolio.ts';
import { AS_COMMAND, type RunningConsole } from './start-console.ts';
import { startService } from './start-service.ts';

const COMMAND = fileURLToPath(new URL('../limitline.ts', import.meta.url));

/** Nobody, one address that guesses, and a thousand of them; in turns that a machine which gets slower favours none of. */
const ROUNDS = ['alone', 'one', 'many', 'many', 'one', 'alone', 'alone', 'one', 'many'] as const;

const EVERY_MS = 20;

/** What an attacker keeps open, and how many addresses of 127.0.0.0/8 they come from: Linux alone has all of them. */
const SOCKETS = 64;
const ADDRESSES = 1_000;

/** Runs a portfolio with nobody, and with so many tries to sign in a second, and says what they cost the line. */
export async function measureSignIns(
  given: { web: (env: Record<string, string>) => Promise<RunningConsole>; dataDir: string; folder: string },
  { rows, perS, signal, say }: { rows: number; perS: number; signal: AbortSignal; say: (text: string) => void },
): Promise<string> {
  await using service = await startService();
  const env = {
    LIMITLINE_DATA: given.dataDir,
    LIMITLINE_PREFIX: 'guessed',
    SERVICE_URL: service.url,
    SERVICE_CLIENT_ID: STAND_IN_CREDENTIALS.clientId,
    SERVICE_CLIENT_SECRET: STAND_IN_CREDENTIALS.clientSecret,
  };
  await limitline(['user', 'add', 'anna', '--roles', 'admin', '--json'], { env, signal });
  await using web = await given.web(env);
  const found = Object.fromEntries(
    (['alone', 'one', 'many'] as const).map((kind) => [kind, { rates: [] as number[], core: [] as number[] }]),
  ) as Record<(typeof ROUNDS)[number], { rates: number[]; core: number[] }>;
  const statuses = new Map<string, number>();
  for (const [round, kind] of ROUNDS.entries()) {
    say(`round ${round + 1} of ${ROUNDS.length}: ${kind}`);
    const path = join(given.folder, `guessed-${round}.csv`);
    await generatePortfolio({ path, rows, from: round * rows });
    const [cpuMs, startedMs] = [web.cpuMs(), performance.now()];
    const addresses = { alone: 0, one: 1, many: ADDRESSES }[kind];
    await using attack = guess(web.url, { perS, addresses });
    const report = JSON.parse(await limitline(['run', path, '--yes', '--no-results', '--json'], { env, signal })) as {
      started: string;
      finished: string;
    };
    found[kind].core.push((web.cpuMs() - cpuMs) / (performance.now() - startedMs));
    found[kind].rates.push((rows * 1_000) / (Date.parse(report.finished) - Date.parse(report.started)));
    for (const [status, count] of attack.statuses) {
      const name = `${kind} ${status}`;
      statuses.set(name, (statuses.get(name) ?? 0) + count);
    }
  }
  const alone = spreadOf(found.alone.rates).median;
  const words = (['one', 'many'] as const).map((kind) => {
    const rate = spreadOf(found[kind].rates).median;
    const less = numberText((100 * (alone - rate)) / alone, 1);
    return `${numberText(rate)} rows/s (${less} % less) while ${numberText(perS)} sign-ins a second are tried from ${kind === 'one' ? 'one address' : `${numberText(ADDRESSES)} addresses`}, for which the console used ${numberText(100 * spreadOf(found[kind].core).median)} % of a core`;
  });
  const answers = [...statuses].map(([name, count]) => `${name}: ${numberText(count)}`).join(', ');
  return `${numberText(rows)} rows: ${numberText(alone)} rows/s alone; ${words.join('; ')}. Answers: ${answers}.`;
}

async function limitline(args: string[], { env, signal }: { env: Record<string, string>; signal: AbortSignal }) {
  const { stdout } = await promisify(execFile)(process.execPath, [...AS_COMMAND, COMMAND, ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error', ...env },
    signal,
    maxBuffer: 2 ** 26,
  });
  return stdout;
}

/** Tries names and passwords at a rate, from none or some addresses, with the token of a form, until it is disposed of. */
function guess(url: string, { perS, addresses }: { perS: number; addresses: number }) {
  let form = { token: '', cookie: '' };
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS });
  const statuses = new Map<string, number>();
  const count = (name: string) => statuses.set(name, (statuses.get(name) ?? 0) + 1);
  let [sent, underWay] = [0, 0];
  const one = () => {
    const number = sent;
    const address = number % addresses;
    sent += 1;
    underWay += 1;
    const asked = request(`${url}/sign-in`, {
      method: 'POST',
      agent,
      localAddress: `127.0.${1 + Math.floor(address / 250)}.${1 + (address % 250)}`,
      headers: { cookie: form.cookie, origin: url, 'content-type': 'application/x-www-form-urlencoded' },
    });
    const done = (name: string) => {
      underWay -= 1;
      count(name);
    };
    asked.once('response', (answer) => answer.resume().once('close', () => done(String(answer.statusCode))));
    asked.once('error', () => done('no answer'));
    asked.end(
      new URLSearchParams({
        _csrf: form.token,
        name: `name-${number % 500}`,
        password: `guess ${number}`,
        to: '/',
      }).toString(),
    );
  };
  const ending = new AbortController();
  const running = (async () => {
    if (addresses === 0) return;
    form = await readForm(url);
    const begunMs = performance.now();
    while (!ending.signal.aborted) {
      // As many as are due by now, but no more than an attacker has sockets for.
      while (sent < ((performance.now() - begunMs) * perS) / 1_000 && underWay < 4 * SOCKETS) one();
      await sleep(EVERY_MS);
    }
  })();
  return {
    statuses,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await running;
      agent.destroy();
    },
  };
}

async function readForm(url: string): Promise<{ token: string; cookie: string }> {
  const page = await fetch(`${url}/sign-in`);
  const token = /name="csrf-token" content="([^"]*)"/.exec(await page.text())?.[1] ?? '';
  return { token, cookie: page.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}
