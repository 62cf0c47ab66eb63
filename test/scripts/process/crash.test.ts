import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sayCrashes, sayFault } from '../../../scripts/process/crash.ts';
import { LimitlineError } from '../../../src/errors.ts';

function makeHearing() {
  const said: string[] = [];
  return { said, terminal: { say: (text: string) => void said.push(text), log: () => undefined } };
}

test('an uncaught error ends the process with its message and stack, and without the data that it carries', () => {
  const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  onTestFinished(() => exit.mockRestore());
  const { said, terminal } = makeHearing();
  const known = new Set(process.listeners('uncaughtException'));
  sayCrashes(terminal);
  const [listener] = process.listeners('uncaughtException').filter((each) => !known.has(each));
  if (!listener) throw new Error('nobody listens');
  process.off('uncaughtException', listener);

  const error = Object.assign(new Error('ERR so it is'), { command: { name: 'set', args: ['k', 'Geheim GmbH'] } });
  listener(error, 'unhandledRejection');
  expect(exit).toHaveBeenCalledWith(1);
  expect(said.join('\n')).toMatch(/^limitline: ERR so it is\n.*crash\.test\.ts/);
  expect(said.join('\n')).not.toContain('Geheim');
});

const replyError = (message: string, facts: object = {}) =>
  Object.assign(new Error(message), { name: 'ReplyError' }, facts);
const full = replyError("OOM command not allowed when used memory > 'maxmemory'.");

test.each<[string, Error]>([
  ['in the error itself', full],
  ['in a script', replyError(`ERR Error running script (call to f_1): @user_script:3: -${full.message}`)],
  [
    'in a transaction',
    replyError('EXECABORT Transaction discarded because of previous errors.', { previousErrors: [full] }),
  ],
])('a full Redis is reported in one line with the remedy: %s', (_where, error) => {
  const { said, terminal } = makeHearing();
  sayFault(error, terminal);
  expect(said).toEqual([
    expect.stringMatching(
      /^limitline: Redis is nearly full, so .* Raise the maxmemory of Redis, or archive .* to continue\.$/,
    ),
  ]);
});

test('a Redis that ends in the middle of its answers is reported in one line with the remedy', async () => {
  // This server answers the first of three commands that were sent together, and then closes the connection.
  const server = createServer((socket) => {
    socket.on('data', (sent) => {
      if (sent.includes('ping')) socket.end('+PONG\r\n');
      else socket.write('+OK\r\n'.repeat(sent.toString().match(/\*\d/g)?.length ?? 0));
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const redis = new Redis(port, '127.0.0.1', { enableReadyCheck: false, retryStrategy: () => null });
  onTestFinished(() => redis.disconnect());
  const answers = await redis.pipeline().ping().ping().ping().exec();
  const { said, terminal } = makeHearing();
  sayFault(answers?.[1]?.[0], terminal);
  expect(said).toEqual([
    expect.stringMatching(/^limitline: Redis was lost on the way \(.* run the same command to continue\.$/),
  ]);
});

test('a Redis that refuses commands for another reason is reported with its own words', () => {
  const { said, terminal } = makeHearing();
  sayFault(replyError('LOADING Redis is loading the dataset in memory'), terminal);
  expect(said).toEqual([
    expect.stringMatching(/^limitline: Redis cannot take commands at the moment \(LOADING .*to continue\.$/),
  ]);
});

test('a missing right of the Redis user is reported in one line, with the right', () => {
  const { said, terminal } = makeHearing();
  sayFault(replyError("NOPERM User default has no permissions to run the 'evalsha' command"), terminal);
  expect(said).toEqual([
    expect.stringMatching(/^limitline: Redis refuses access \(NOPERM .*'evalsha' command\); give its user this right/),
  ]);
});

test.each([
  "ERR The user executing the script can't run this command or subcommand script: 1fd9, on @user_script:18.",
  "ERR ACL failure in script: User limitline has no permissions to run the 'time' command script: 1fd9",
  'ERR EXEC without MULTI',
  "ERR unknown command 'EVALSHA'",
])('a right that the Redis user lacks, or a renamed command, is reported in one line: %s', (words) => {
  const { said, terminal } = makeHearing();
  sayFault(replyError(words), terminal);
  expect(said).toEqual([
    `limitline: Redis refuses access (${words}); give its user the rights that docs/deployment.md names, and rename none of its commands, then run the same command to continue.`,
  ]);
});

test('a known fault is reported in one line', () => {
  const { said, terminal } = makeHearing();
  sayFault(new LimitlineError('USAGE', 'Give a file.'), terminal);
  expect(said).toEqual(['limitline: Give a file.']);
});
