import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand, startCommand } from '../support/command.ts';
import { freshPrefix, ownRedis } from '../support/ledger.ts';
import { portOf } from '../support/port-of.ts';
import { buyerLines, makeFolder } from '../support/workplace.ts';

/** A folder with a file of buyers, and the settings of a service at that address. */
async function openDesk(url: string) {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(40).join('\n')}\n`);
  const credentials = { SERVICE_CLIENT_ID: 'id', SERVICE_CLIENT_SECRET: 'secret' };
  return { cwd, env: { ...ownRedis(), SERVICE_URL: url, ...credentials } };
}

/** Beyond the 10 s within which it is to be said, for a machine that has other work. */
const SOON = { timeout: 60_000 };

// Promise: wrong-address-is-said
test('run and work say that nothing listens at the port, promise no time, and calls wait', async () => {
  const { env, ...place } = await openDesk('http://127.0.0.1:1');
  // Fewer at once than rows, so that neither process has all of them.
  const desk = { ...place, env: { ...env, SERVICE_CONCURRENCY: '8' } };
  const words = /SERVICE_URL http:\/\/127\.0\.0\.1:1: nothing listens at that port \(ECONNREFUSED\); check that/;
  const [run, work] = [startCommand(['run', 'q4.csv'], desk), startCommand(['work'], desk)];
  for (const command of [run, work]) await expect.poll(() => command.output().stderr, SOON).toMatch(words);
  // The progress line, which is written every five seconds where there is no terminal.
  await expect.poll(() => run.output().stderr, SOON).toMatch(/0 of 40 rows settled; .*nothing listens/);
  expect(run.output().stderr).not.toMatch(/ left/);
  run.child.kill('SIGTERM');
  expect(await run.ended).toMatchObject({ status: 2, stdout: expect.not.stringMatching(/refused|held/) });
  work.child.kill('SIGTERM');
  expect(await work.ended).toMatchObject({ status: 0 });
});

// Promise: wrong-address-is-said
test('run says that the endpoints answer with a web page, both where that holds a row and where it refuses one', async () => {
  let status = 200;
  const server = createServer((request, answer) => {
    const isToken = request.url === '/v1/auth/token';
    const body = isToken ? '{"access_token":"t"}' : '<!doctype html><html>Welcome</html>';
    request.resume().once('end', () => answer.writeHead(isToken ? 200 : status).end(body));
  });
  const desk = await openDesk(`http://127.0.0.1:${await portOf(server)}`);
  const run = startCommand(['run', 'q4.csv'], desk);
  await expect
    .poll(() => run.output().stderr, SOON)
    .toMatch(/is unknown \(status 200, but its body is a web page: check/);
  run.child.kill('SIGTERM');
  await run.ended;
  status = 404;
  const again = await callCommand(['run', 'q4.csv', '--portfolio', 'other'], {
    ...desk,
    env: { ...desk.env, LIMITLINE_PREFIX: freshPrefix(), CANARY_REFUSALS: '3' },
  });
  expect(again).toMatchObject({ status: 2, stderr: expect.stringMatching(/paused: .*404.*a web page/) });
});
