import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * For tests: a redis-server that reports version 6.2. The real one runs behind a Unix socket that changes the answer of
 * INFO. It is configured on its standard input, like the Redis in the data folder, and ends with the real one.
 */
const REAL_SOCKET = 'real';

const input = await text(process.stdin);
const socketPath = /^unixsocket (.+)$/m.exec(input)?.[1] ?? '';
const real = spawn('/usr/bin/env', ['redis-server', ...process.argv.slice(2)], {
  env: { ...process.env, PATH: process.env.REAL_PATH },
  stdio: ['pipe', 'ignore', 'ignore'],
});
real.stdin.end(input.replace(`unixsocket ${socketPath}`, `unixsocket ${REAL_SOCKET}`));
real.once('exit', (status) => process.exit(status ?? 1));

createServer((client) => {
  const server = connect(REAL_SOCKET);
  client.pipe(server);
  // The reply must keep its length, which was sent already.
  server.on('data', (reply) =>
    client.write(reply.toString('latin1').replace(/redis_version:\d\.\d/, 'redis_version:6.2'), 'latin1'),
  );
  for (const socket of [client, server]) {
    socket.on('error', () => {});
    socket.on('close', () => [client, server].forEach((other) => void other.destroy()));
  }
}).listen(socketPath);
