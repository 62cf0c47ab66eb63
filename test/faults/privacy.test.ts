import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { makeStandIn } from '../../src/stand-in/stand-in.ts';
import { type Command, startCommand } from '../support/command.ts';
import { startForwardProxy } from '../support/forward-proxy.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { makeFolder } from '../support/workplace.ts';

/** Marks every cell, name, secret and password, and every answer of the service. */
const MARK = /geheim|7391937/i;
const USER = 'anna:geheim';
const ROWS = 80;
/** Many commands one after another, and waits that are caused by faults of the service. */
const TIMEOUT_MS = 300_000;

type Rule = NonNullable<FaultChange['rules']>[number];
const company = (n: number) => ({ on: 'company' as const, match: `"name":"Geheim ${n} GmbH"`, times: 1 });
const limit = (n: number) => ({ on: 'limit' as const, match: `"HRB geheim ${n}"`, times: 1 });
const body = 'Geheim 1 GmbH, geheim@geheim.example: no';

/** Every kind of fault, with successful rows between, so that calls continue. */
const RULES: Rule[] = [
  { on: 'token', fault: 'status', status: 500, body, times: 1 },
  { on: 'token', fault: 'status', status: 401, body, times: 1 },
  { ...company(1), fault: 'status', status: 500, body },
  { ...company(4), fault: 'not-http' },
  { ...company(7), fault: 'status', status: 422, body },
  { ...company(10), fault: 'status', status: 429, body, headers: { 'retry-after': '0' } },
  { ...company(13), fault: 'status', status: 401, body },
  { ...company(16), fault: 'status', status: 302, body, headers: { location: 'http://anna:geheim@127.0.0.1/' } },
  { ...limit(3), fault: 'reset', made: true },
  { ...limit(6), fault: 'broken', body: 'half-json' },
  { ...limit(9), fault: 'answer', drop: ['id'] },
  { ...limit(12), fault: 'status', status: 503, body },
  { ...limit(15), fault: 'status', status: 408, body },
  { on: 'document', fault: 'status', status: 422, body, times: 1 },
];

// Promise: log-names-nobody
test(
  'the log has no cell, document name, body or secret, whatever fails',
  async () => {
    const place = await openPlace();
    await place.run('import', 'q4.csv', '--portfolio', 'q4', '--documents', 'docs', '--supplier', 'supplier.csv');

    // A key of the wrong type makes a script fail with the words of a row as its arguments.
    const heldRows = (await place.redis.admin.keys('*:q4:state:queued'))[0]?.replace(/queued$/, 'held') ?? '';
    await place.redis.admin.set(heldRows, 'of another kind');
    const work = place.start('work');
    const says = (words: string) => expect.poll(() => work.output().stderr).toContain(words);
    await says('WRONGTYPE');
    await place.redis.admin.del(heldRows);
    await expect.poll(place.missingFaults).toEqual([]);
    // Redis is full, then forbids scripts, then is gone.
    await place.redis.admin.config('SET', 'maxmemory', '1');
    await says('OOM');
    await place.redis.admin.config('SET', 'maxmemory', '0');
    await place.redis.admin.call('ACL', 'SETUSER', 'default', '-evalsha');
    await says('NOPERM');
    await place.redis.admin.call('ACL', 'SETUSER', 'default', '+evalsha');
    await place.redis.kill();
    await says('the connection to Redis is lost');
    await place.redis.restart();
    await says('Redis is back');
    work.child.kill('SIGTERM');
    expect((await work.ended).status).toBe(0);

    // In any order. The problems of the faulty file are the answer of the command and may name cells.
    await Promise.all([
      place.run('run', 'faulty.csv', '--portfolio', 'q5'),
      place.run('check', 'faulty.csv'),
      place.run('retry', 'q4'),
      place.run('resolve', 'q4', '--all', '--resend', '--yes'),
      place.run('report', 'q4'),
    ]);
    await Promise.all([place.run('pause', 'q4'), place.run('cancel', 'q4'), place.run('reconcile')]);
    // An import that ends with a fault of Redis.
    await place.redis.admin.set(heldRows.replace(/q4:state:held$/, 'q6:state:queued'), 'of another kind');
    expect(await place.run('import', 'q4.csv', '--portfolio', 'q6', '--documents', 'docs')).toBe(1);

    expect(place.said().filter((line) => MARK.test(line))).toEqual([]);
  },
  TIMEOUT_MS,
);

/** A marked file, marked passwords, a service that repeats what it was sent, and a Redis that can be broken. */
async function openPlace() {
  const cwd = await makeFolder();
  await writeFiles(cwd);
  const credentials = { clientId: 'client-1', clientSecret: 'geheim-secret' };
  const standIn = makeStandIn({ credentials, faults: { rules: RULES }, keepMade: true, log: makeSilentLog() });
  await standIn.start();
  onTestFinished(() => standIn.close());
  const port = Number(new URL(standIn.url()).port);
  const proxy = await startForwardProxy({ targetPort: port, user: USER });
  const redis = await startKillableRedis();
  const env = {
    LOG_LEVEL: 'trace',
    REDIS_URL: redis.url.replace('//', '//default:geheim@'),
    SERVICE_URL: standIn.url().replace('//', `//${USER}@`),
    SERVICE_CLIENT_ID: credentials.clientId,
    SERVICE_CLIENT_SECRET: credentials.clientSecret,
    SERVICE_CONCURRENCY: '2',
    HTTP_PROXY: proxy.url.replace('//', `//${USER}@`),
  };
  const commands: Command[] = [];
  const start = (...args: string[]): Command => {
    const command = startCommand(args, { cwd, env });
    commands.push(command);
    return command;
  };
  return {
    redis,
    start,
    /** Runs a command to its end and returns its status. */
    run: async (...args: string[]) => (await start(...args).ended).status,
    /** Rules that no call has met yet. */
    missingFaults: () => RULES.filter((_rule, place) => !standIn.faultHits()[place]),
    /** Everything on standard error except the problems of a file. */
    said: () =>
      commands
        .flatMap((command) => command.output().stderr.split('\n'))
        .filter((line) => !/^(line \d+|\w+: \d+ cells? changed)/.test(line)),
  };
}

const HEADER = Object.keys(cellsOf(1, '', '')).join(',');

function line(n: number, file: string, email = `geheim${n}@geheim.example`): string {
  return Object.values(cellsOf(n, file, email)).join(',');
}

/** The cells of a line, all marked and without commas. */
function cellsOf(n: number, file: string, email: string) {
  return {
    name: `Geheim ${n} GmbH`,
    country_code: 'DE',
    city: 'Geheimstadt',
    street: `Geheimweg ${n}`,
    state: 'Geheimland',
    website: `https://geheim${n}.example`,
    company_registration_number: `HRB geheim ${n}`,
    business_information_source: 'geheim',
    business_information_id: `geheim${n}`,
    requested_limit: `7391937.${10 + n}`,
    contact_first_name: 'Geheime',
    contact_last_name: 'Geheimer',
    contact_email: email,
    supporting_documents: file,
    buyer_reference: `geheim-b${n}`,
    request_reference: `geheim-r${n}`,
    own: 'ganz geheim',
  };
}

async function writeFiles(cwd: string): Promise<void> {
  const numbers = Array.from({ length: ROWS }, (_, index) => index + 1);
  const rows = numbers.map((n) => line(n, n % 10 === 0 ? `geheim-${n}.pdf` : ''));
  await writeFile(join(cwd, 'q4.csv'), `${[HEADER, ...rows].join('\n')}\n`);
  const faulty = [line(101, ''), line(102, '', 'geheim(at)geheim.example'), line(103, 'geheim-fehlt.pdf')];
  await writeFile(join(cwd, 'faulty.csv'), `${[HEADER, ...faulty].join('\n')}\n`);
  await writeFile(join(cwd, 'supplier.csv'), 'name,country_code,city\nGeheim Lieferant,DE,Geheimstadt\n');
  await mkdir(join(cwd, 'docs'));
  for (const n of numbers.filter((number) => number % 10 === 0)) {
    await writeFile(join(cwd, 'docs', `geheim-${n}.pdf`), `%PDF-1.4 geheim ${n}`);
  }
}
