import { execFile, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { cancelRows } from '../../jobs/operators/cancel-rows.ts';
import { resendHeld, retryRows } from '../support/approved-portfolio.ts';
import { COMPILED, callCommand, LIMITLINE, runCommand, startCommand } from '../support/command.ts';
import { ownRedis } from '../support/ledger.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { AUTHORITY_PATH, PRIVATE_IDENTITY, startTlsService } from '../support/tls-service.ts';
import { buyerLines, foundBy, makeFolder, openWorkplace, startStandIn } from '../support/workplace.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/deployment.md'), 'utf8');
/** Every unit that any page names. Each may use the Redis in the data folder, and must end before a copy. */
const NAMED_UNITS = new Set(
  readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .flatMap(
      (name) => readFileSync(join(ROOT, 'docs', name), 'utf8').match(/\blimitline(-\w+)?\.(service|timer)\b/g) ?? [],
    ),
);
const SYSTEMD_ANALYZE = '/usr/bin/systemd-analyze';
const CREDENTIALS = { SERVICE_CLIENT_ID: 'limitline-sandbox', SERVICE_CLIENT_SECRET: 'limitline-sandbox-secret' };

const run = promisify(execFile);

/** The examples of a kind on the page, in their order, with the places of this test. */
function examplesOf(kind: string, places: Record<string, string> = {}): string[] {
  const found = [...PAGE.matchAll(new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );
  expect(found.length).toBeGreaterThan(0);
  return found.map((text) =>
    Object.entries(places).reduce((before, [place, ours]) => before.replaceAll(place, ours), text),
  );
}

/** Runs the command of a crontab's only entry in the environment of its first line. */
async function runAsCron(crontab: string, home: string): Promise<void> {
  const [path = '', job = ''] = crontab.trim().split('\n');
  // Five fields are the time. cron reads an unescaped % as the end of the line.
  const command = job.split(/\s+/).slice(5).join(' ').replaceAll('\\%', '%');
  const env = { HOME: home, SHELL: '/bin/sh', PATH: path.replace('PATH=', '') };
  await run('/bin/sh', ['-c', command], { cwd: '/', env });
}

// Promise: deployment-examples-run
test('the crontab entries run in the small environment of cron', async () => {
  const dir = await makeFolder();
  const standIn = await startStandIn();
  await writeFile(join(dir, 'buyers.csv'), `${buyerLines(3).join('\n')}\n`);
  const settings = { ...CREDENTIALS, SERVICE_URL: standIn.url(), ...ownRedis(), LIMITLINE_DATA: join(dir, 'data') };
  const dotenv = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(dir, '.env'), dotenv.join(''));
  const places = { '/opt/limitline': ROOT, '/srv/limitline': dir, '/srv/inbox': dir };
  const [daily = '', nightly = ''] = examplesOf('crontab', places);
  // Rows that an earlier deadline left.
  const before = buyerLines(8).map((line) => line.replace('Buyer', 'Before').replace('HRB', 'HRA'));
  await writeFile(join(dir, 'before.csv'), `${before.join('\n')}\n`);
  const left = ['import', 'before.csv', '--portfolio', 'daily-before', '--yes'];
  expect(await callCommand(left, { cwd: dir })).toMatchObject({ status: 0 });
  await runAsCron(daily, dir);
  expect(standIn.counts().made).toMatchObject({ company: 11, limit: 11 });
  expect(readFileSync(join(dir, 'cron.log'), 'utf8')).toMatch(/^Portfolio daily-\d{4}-\d\d-\d\d, /m);
  await runAsCron(nightly, dir);
  expect(readFileSync(join(dir, 'nightly.log'), 'utf8')).toMatch(
    /^reconcile: Nothing was found: all that we keep agrees\.$/m,
  );
});

// Promise: deployment-examples-run
test.runIf(existsSync(SYSTEMD_ANALYZE))('systemd-analyze accepts the units for systemd', async () => {
  const dir = await makeFolder();
  const names = [
    'limitline.service',
    'limitline-daily.service',
    'limitline-daily.timer',
    'limitline-nightly.service',
    'limitline-due.service',
    'limitline-due.timer',
  ];
  const units = examplesOf('systemd', { '/opt/limitline': ROOT });
  expect(units).toHaveLength(names.length);
  for (const [place, name] of names.entries()) await writeFile(join(dir, name), units[place] ?? '');
  const verified = await run(SYSTEMD_ANALYZE, ['verify', '--man=no', ...names.map((name) => join(dir, name))]);
  expect(verified.stderr.split('\n').filter((line) => line.includes('limitline'))).toEqual([]);
});

// Promises: private-authority, deployment-examples-run
test('a service with a certificate of a private authority gets calls only after the authority is configured', async () => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(2).join('\n')}\n`);
  const standIn = await startStandIn();
  const port = await startTlsService(Number(new URL(standIn.url()).port), PRIVATE_IDENTITY);
  const redis = ownRedis();
  const env = { ...redis, ...CREDENTIALS, SERVICE_URL: `https://localhost:${port}` };
  const unknown = startCommand(['run', 'q4.csv'], { cwd, env });
  await expect.poll(() => unknown.output().stderr).toContain('signed by nobody known here: see NODE_EXTRA_CA_CERTS');
  unknown.child.kill('SIGTERM');
  await unknown.ended;
  expect(standIn.counts().made.company).toBe(0);

  const [name = ''] = /^NODE_\w+(?==)/m.exec(examplesOf('sh')[0] ?? '') ?? [];
  expect((await runCommand(['run', 'q4.csv'], { cwd, env: { ...env, [name]: AUTHORITY_PATH } })).status).toBe(0);
  expect(standIn.counts().made).toMatchObject({ company: 2, limit: 2 });
});

// Promises: rights-in-redis, deployment-examples-run
test('a Redis user with the rights of the example can run everything, and nothing outside the prefix', async () => {
  const redis = await startKillableRedis();
  const words = (examplesOf('redis', { SECRET: 'secret' })[0] ?? '').trim().split(' ');
  await redis.admin.call(words[0] ?? '', ...words.slice(1));
  const url = redis.url.replace('//', '//limitline:secret@');
  const refusal = { on: 'limit' as const, match: 'HRB 1"', fault: 'status' as const, status: 422, times: 1 };
  const silence = { on: 'limit' as const, match: 'HRB 2"', fault: 'reset' as const, made: true, times: 1 };
  const place = await openWorkplace({
    env: { REDIS_URL: url, LIMITLINE_PREFIX: 'limitline' },
    faults: { rules: [refusal, silence] },
  });
  await place.import(buyerLines(20));
  const workers = await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 18, refused: 1, held: 1 });
  await resendHeld({}, place.context);
  await retryRows({ portfolio: 'q4', state: 'refused' }, place.context);
  await place.settled();
  await cancelRows({ portfolio: 'q4' }, place.context);
  await foundBy(place.context);
  await workers.stop();
  expect(await redis.admin.call('ACL', 'LOG')).toEqual([]);

  const { ledger } = place.context;
  const forbidden = [
    () => ledger.flushall(),
    () => ledger.keys('*'),
    () => ledger.get('another'),
    () => ledger.get('{limitline2}:x'),
  ];
  for (const ask of forbidden) await expect(ask()).rejects.toThrow('NOPERM');
});

/** Replaces systemctl: starts and stops the command of a unit in `units`, and records each request. */
const SYSTEMCTL = `#!/bin/sh
verb=$1; shift
for unit; do
  echo "$verb $unit" >>units/asked
  pid=units/$unit.pid
  if [ $verb = start ] && [ -f units/$unit ]; then
    sh -c "exec $(sed -n 's/^ExecStart=//p' units/$unit)" >units/$unit.log 2>&1 &
    echo $! >$pid
  elif [ $verb = stop ] && [ -f $pid ]; then
    kill $(cat $pid)
    while kill -0 $(cat $pid) 2>/dev/null; do sleep 0.1; done
    rm $pid
  fi
done
`;

/** Replaces tar: fails while Redis runs, because a copy of its folder would be inconsistent. */
const TAR = `#!/bin/sh
if kill -0 "$(cut -d/ -f1 "$LIMITLINE_DATA/redis/server.pid" 2>/dev/null)" 2>/dev/null; then echo Redis runs; exit 1; fi
exec ${spawnSync('/bin/sh', ['-c', 'command -v tar']).stdout.toString().trim()} "$@"
`;

/** A host with all units of the page; the page describes the console and the listener only in words. */
async function openUnits(cwd: string, places: Record<string, string>) {
  await mkdir(join(cwd, 'units'));
  await mkdir(join(cwd, 'bin'));
  const limitline = `#!/bin/sh\nexec ${process.execPath} ${LIMITLINE} "$@"\n`;
  for (const [name, text] of Object.entries({ limitline, systemctl: SYSTEMCTL, tar: TAR }))
    await writeFile(join(cwd, 'bin', name), text, { mode: 0o700 });
  const [work = '', , , nightly = ''] = examplesOf('systemd', places);
  const units = {
    limitline: work,
    'limitline-nightly': nightly,
    'limitline-console': work.replace('limitline work', 'limitline console'),
    'limitline-events': work.replace('limitline work', 'limitline events listen'),
  };
  for (const [name, text] of Object.entries(units)) await writeFile(join(cwd, 'units', `${name}.service`), text);
  return Object.keys(units).map((name) => `${name}.service`);
}

// Promises: data-folder-saved-and-restored, restored-trail-lacks-entries, deployment-examples-run
test('a data folder is saved and restored with the commands of the page, and recover adds what was sent since', async () => {
  const cwd = await makeFolder();
  const standIn = await startStandIn();
  const data = join(cwd, 'data');
  const env = {
    ...CREDENTIALS,
    LIMITLINE_DATA: data,
    SERVICE_URL: standIn.url(),
    CONSOLE_PORT: '0',
    EVENTS_PORT: '0',
    EVENTS_SECRET: 'a-secret-of-the-test-and-of-nobody',
  };
  for (const name of ['old', 'new']) {
    const lines = buyerLines(3).map((line) => line.replace('Buyer', name).replace('HRB', name));
    await writeFile(join(cwd, `${name}.csv`), `${lines.join('\n')}\n`);
  }
  const places = { '/opt/limitline/node_modules/.bin': join(cwd, 'bin'), '/var/lib/limitline': data };
  const units = await openUnits(cwd, places);
  const [backup = '', restore = ''] = examplesOf('sh', places).slice(1);
  const shell = (words: string) =>
    run('/bin/sh', ['-ec', words], {
      cwd,
      env: { HOME: cwd, ...COMPILED, ...env, PATH: `${join(cwd, 'bin')}:${process.env.PATH}` },
    });
  const stopAll = () => shell(`systemctl stop ${units.join(' ')}`);
  onTestFinished(async () => void (await stopAll()));
  const request = (name: string) => callCommand(['run', `${name}.csv`, '--yes'], { cwd, env });
  const pidOf = (unit: string) => Number(readFileSync(join(cwd, 'units', `${unit}.pid`), 'utf8'));
  await shell(`systemctl start ${units.join(' ')}`);
  expect((await request('old')).status).toBe(0);

  // The copy waits for a process that is no unit.
  const other = startCommand(['work'], { cwd, env });
  await expect.poll(() => other.output().stderr).toContain('"msg":"working"');
  const words = join(cwd, 'backup.txt');
  const saved = shell(`exec >"${words}"\n${backup}`);
  await expect.poll(() => readFile(words, 'utf8').catch(() => '')).toContain(`a limitline still runs on ${data}`);
  other.child.kill('SIGTERM');
  await saved;
  const asked = readFileSync(join(cwd, 'units/asked'), 'utf8').split('\n');
  for (const name of NAMED_UNITS) expect(asked).toContain(`stop ${name}`);
  for (const unit of units) process.kill(pidOf(unit), 0);

  expect((await request('new')).status).toBe(0);
  await stopAll();
  // After a crash, another process may have the process id of the earlier Redis.
  await writeFile(join(data, 'redis/server.pid'), `${process.pid}/0/0`);
  await shell(restore);
  const verify = () => callCommand(['audit', 'verify'], { cwd, env });
  // The part of the audit trail since the backup is not in the copy.
  expect(await verify()).toMatchObject({
    status: 2,
    stdout: expect.stringContaining('The end of the trail is missing'),
  });
  // Requests since the backup would be sent again.
  expect(await request('new')).toMatchObject({ status: 1, stderr: expect.stringContaining('Redis is older') });
  // Redis does not know what was done since the backup; `recover` restores it.
  expect(await callCommand(['report', 'new'], { cwd, env })).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/no portfolio "new" in account http.*; known are: old\./),
  });
  await shell(`limitline recover ${data}.before/results/*/*.results.csv --apply`);
  expect((await request('new')).status).toBe(0);
  expect(standIn.counts().made).toMatchObject({ limit: 6 });
  expect(await verify()).toMatchObject({
    status: 2,
    stdout: expect.stringMatching(/The entries \d+ to \d+ are missing/),
  });
});
