import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, copyFile, glob, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { COMPILED, callCommand, LIMITLINE } from '../support/command.ts';
import { freshPrefix, ownRedis } from '../support/ledger.ts';
import { AUTHORITY_PATH } from '../support/tls-service.ts';
import { buyerLines, makeFolder, startStandIn } from '../support/workplace.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TOP = readdirSync(ROOT).filter((name) => name.endsWith('.md'));
const DOCS = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' });
const PAGES = [...TOP, ...DOCS.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];

/** Commands, or examples by their first command, that are not run here, with the test that runs them or the reason. */
const NOT_RUN: Record<string, string> = {
  'npm start': 'test/e2e/start.test.ts',
  'npm start -- buyers.csv': 'test/e2e/start.test.ts',
  'npm test': 'it runs this test',
  'npm test -- test/ledger': 'it runs other tests',
  'npx vitest run test/log.test.ts': 'it runs another test',
  'npx tsc --noEmit': 'npm test checks the types',
  'npx biome check --write .': 'npm test runs Biome, and here it would change files',
  'npm run bench': 'test/bench/main.test.ts',
  'npm run simulate -- --seeds 500': 'test/simulation/simulation.test.ts',
  'npm run build': 'test/scripts/build.test.ts',
  'npm pack': 'test/scripts/build.test.ts',
  'npm install ./limitline-*.tgz': 'test/scripts/build.test.ts',
  'npm install -g ./limitline-*.tgz': 'it would change the machine; a folder of its own has the same package',
  'npx ./limitline-*.tgz run buyers.csv': 'it takes half a minute; a folder of its own has the same package',
  'npm run golden': 'it is run by hand, before and after a change of the inside',
  'npm run pages': 'a test holds that the pages are what it would write',
  'npm run texts': 'a test holds that its catalogue has every text of every page',
  // `up` starts four processes.
  'npx limitline up': 'test/e2e/up.test.ts',
  // This command needs a user who signed in by an identity provider.
  "npx limitline user sessions 'ann@example.com (sso 4f6d2a)' --end": 'test/scripts/commands/user.test.ts',
  // The ids of causes and rules are only known once they exist.
  'npx limitline rule add --cause k3f9 --nights 3': 'test/scripts/commands/rule.test.ts',
  'npx limitline rule remove h7k2m': 'test/scripts/commands/rule.test.ts',
  // Backup and restore need steps between them.
  'data=/var/lib/limitline': 'test/docs/deployment.test.ts',
};

/** Commands that run until they are stopped, and their output once they run. */
const UNTIL_STOPPED: Record<string, RegExp> = {
  'npx limitline console': /The console is at http/,
  'npx limitline events listen': /events are listened for/i,
};

/** Tools that examples use and that this machine lacks. */
const MISSING = ['curl', 'openssl'].filter((tool) => spawnSync('/bin/sh', ['-c', `command -v ${tool}`]).status !== 0);

type Example = { page: string; kind: string; text: string };

const EXAMPLES: Example[] = PAGES.flatMap((page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].map(([, kind = '', inside = '']) => {
    return { page, kind, text: inside };
  });
});

/** The commands of an example, one by one, each with its here-document. */
function commandsIn(text: string): string[] {
  const commands: string[] = [];
  let until: string | undefined;
  for (const line of text.trimEnd().split('\n')) {
    if (until !== undefined) {
      commands.push(`${commands.pop()}\n${line}`);
      if (line === until) until = undefined;
      continue;
    }
    commands.push(line.replace(/\s+# .*$/, ''));
    until = /<<'(\w+)'$/.exec(line)?.[1];
  }
  return commands;
}

const SHELL = EXAMPLES.filter(({ kind }) => kind === 'sh').map((example) => {
  return { ...example, commands: commandsIn(example.text) };
});

/** A folder with everything that the commands of a page name: files of buyers, a service, and places of this test. */
async function openPlace() {
  const cwd = await makeFolder();
  const standIn = await startStandIn();
  const write = async (path: string, lines: readonly string[], mode = 0o600) => {
    await mkdir(join(cwd, path, '..'), { recursive: true });
    await writeFile(join(cwd, path), `${lines.join('\n')}\n`, { mode });
  };
  // For users, the set-up puts the command where npx finds it.
  await write('bin/limitline', ['#!/bin/sh', `exec ${process.execPath} ${LIMITLINE} "$@"`]);
  await write('bin/npx', ['#!/bin/sh', 'exec "$@"']);
  for (const name of ['limitline', 'npx']) await chmod(join(cwd, 'bin', name), 0o700);
  await mkdir(join(cwd, 'etc'));
  await write('etc/secret', ['limitline-sandbox-secret']);
  await write('buyers.csv', buyerLines(2));
  await write('rejected/20261122T013000Z-q4.csv', ['name;Betrag', 'Acme GmbH;1.000,50']);
  const env = {
    PATH: `${join(cwd, 'bin')}:${process.env.PATH}`,
    HOME: cwd,
    ...COMPILED,
    ...ownRedis(),
    LIMITLINE_DATA: join(cwd, 'data'),
    CONSOLE_PORT: '0',
  };
  const places: Record<string, string> = {
    'https://api.example.com': standIn.url(),
    'http://127.0.0.1:4010': standIn.url(),
    'SERVICE_CLIENT_ID=…': 'SERVICE_CLIENT_ID=limitline-sandbox',
    '/run/secrets/limitline': join(cwd, 'etc/secret'),
    '/etc/limitline': join(cwd, 'etc'),
    '/etc/ssl/company-ca.pem': AUTHORITY_PATH,
    'EVENTS_PORT=4400': 'EVENTS_PORT=0',
  };
  // In one pass, because a replacement such as http://127.0.0.1:40105 may contain another placeholder.
  const theirs = new RegExp(Object.keys(places).map(RegExp.escape).join('|'), 'g');
  const placed = (text: string) => text.replace(theirs, (found) => places[found] ?? found);
  return { cwd, env, placed, write };
}

/** A Limitline command without shell syntax. */
const PLAIN = /^(?:npx )?limitline ([\w ./,=-]+)$/;

/** Runs a command unchanged. A command that runs until it is stopped is stopped once it has printed that it runs. */
async function run(command: string, { cwd, env, placed }: Awaited<ReturnType<typeof openPlace>>) {
  const words = UNTIL_STOPPED[command];
  const [, args] = words ? [] : (PLAIN.exec(placed(command).trim()) ?? []);
  if (args !== undefined) {
    const ended = await callCommand(args.split(/ +/), { cwd, env });
    expect(ended.status, `${command}\n${ended.stderr}`).toBe(0);
    return;
  }
  // `exec` makes the command receive the signal in place of the shell.
  const child = spawn('/bin/sh', ['-ec', `${words ? 'exec ' : ''}${placed(command)}`], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const ended = new Promise<number | null>((done) => child.once('close', (status) => done(status)));
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  if (words) {
    await expect.poll(() => said, { timeout: 20_000 }).toMatch(words);
    child.kill('SIGTERM');
  }
  expect(await ended, `${command}\n${said}`).toBe(0);
}

/** Runs a file of two buyers in a ledger that is lost afterwards. */
async function runAndLose(name: string, { cwd, env, write }: Awaited<ReturnType<typeof openPlace>>) {
  const lines = buyerLines(2).map((line) => line.replace('Buyer', name).replace('HRB', name));
  await write(`${name}.csv`, lines);
  const lost = { ...env, LIMITLINE_PREFIX: freshPrefix(), LIMITLINE_DATA: join(cwd, `lost-${name}`) };
  expect(await callCommand(['run', `${name}.csv`, '--yes'], { cwd, env: lost })).toMatchObject({ status: 0 });
  return lost;
}

/** What exists before the commands of a page are run. */
const BEFORE: Record<string, (place: Awaited<ReturnType<typeof openPlace>>) => Promise<void>> = {
  'docs/deployment.md': async (place) => {
    for (const name of ['q4', 'q1']) await runAndLose(name, place);
  },
  'docs/nightly.md': async ({ cwd, env }) => {
    const run = ['run', 'buyers.csv', '--portfolio', 'q4', '--yes'];
    expect(await callCommand(run, { cwd, env })).toMatchObject({ status: 0 });
  },
  'docs/retention.md': async (place) => {
    const { cwd } = place;
    const env = await runAndLose('q4', place);
    expect(await callCommand(['archive', 'q4', '--yes'], { cwd, env })).toMatchObject({ status: 0 });
    const [results = ''] = await Array.fromAsync(glob(join(env.LIMITLINE_DATA, 'archive/*/*/*/results.csv.gz')));
    await mkdir(join(cwd, 'ARCHIVE'));
    await copyFile(results, join(cwd, 'ARCHIVE/results.csv.gz'));
  },
};

test.each([...new Set(SHELL.map(({ page }) => page))])('the commands of %s run with status 0', async (page) => {
  const place = await openPlace();
  await BEFORE[page]?.(place);
  for (const { commands } of SHELL.filter((example) => example.page === page)) {
    if (MISSING.some((tool) => commands.some((command) => command.includes(`${tool} `)))) continue;
    if (commands[0]?.startsWith('data=')) continue;
    for (const command of commands) if (!(command in NOT_RUN)) await run(command, place);
  }
});

test('commands that are not run here are in the docs, and the tests that run them exist', () => {
  const commands = SHELL.flatMap((example) => example.commands);
  for (const [command, why] of Object.entries(NOT_RUN)) {
    expect(commands).toContain(command);
    if (why.startsWith('test/')) expect(existsSync(join(ROOT, why)), why).toBe(true);
    else expect(why).toMatch(/ /);
  }
  for (const command of Object.keys(UNTIL_STOPPED)) expect(commands).toContain(command);
});

test('each code block of the docs has a language, and no command is in a block without one', () => {
  const kinds = new Set(EXAMPLES.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(['', 'caddy', 'crontab', 'dotenv', 'json', 'nginx', 'redis', 'sh', 'systemd']);
  const unnamed = EXAMPLES.filter(({ kind }) => kind === '').map(({ text }) => text);
  expect(unnamed.filter((text) => /^\s*(npx|npm|node|limitline|docker|git|gunzip|redis-cli) /m.test(text))).toEqual([]);
});

test.each(EXAMPLES.filter(({ kind }) => kind === 'dotenv'))(
  'readSettings accepts the settings of $page: $text',
  async ({ text }) => {
    const { cwd, placed, write } = await openPlace();
    for (const name of ['cert.pem', 'key.pem', 'oidc-secret']) await write(`etc/${name}`, ['x'.repeat(40)]);
    await write('.env', [placed(text)]);
    const settings = readSettings({ cwd, env: { LIMITLINE_DATA: join(cwd, 'data') } });
    expect(settings.notices).toEqual([]);
    const names = [...text.matchAll(/^(\w+)=/gm)].map(([, name = '']) => name.replace(/(SECRET)_FILE$/, '$1'));
    for (const name of names) expect(settings, name).toHaveProperty(name);
  },
);
