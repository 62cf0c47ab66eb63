import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LimitlineError } from '../../../src/errors.ts';
import { SERVICE_PATHS } from '../../../src/service/paths.ts';
import { endChild, makeTemporaryFolder } from '../start-servers.ts';
import { LIMITED_PER_S, REFUSALS, type RunningLimiter, type StartLimiter } from './limiter.ts';

export const hasNginx = (): boolean => spawnSync('nginx', ['-v']).status === 0;

/**
 * Starts nginx with `limit_req` in the foreground. It reads and writes only files of its own.
 *
 * @param limit the directives of nginx's `location`: `limit_req` and `limit_req_status`
 */
export function nginxLimit(limit: string): StartLimiter {
  return async (upstream): Promise<RunningLimiter> => {
    await using starting = new AsyncDisposableStack();
    const { path } = starting.use(await makeTemporaryFolder());
    const port = await freePort();
    await writeFile(join(path, 'nginx.conf'), configOf({ path, port, upstream, limit }));
    const child = spawn('nginx', ['-p', path, '-e', join(path, 'error.log'), '-c', join(path, 'nginx.conf')], {
      stdio: 'ignore',
    });
    starting.defer(() => endChild(child));
    const url = `http://127.0.0.1:${port}`;
    await untilAnswers(url, child);
    const running = starting.move();
    return {
      url,
      async refused() {
        const statuses = (await readFile(join(path, 'access.log'), 'latin1')).split('\n');
        return statuses.filter((status) => REFUSALS.includes(Number(status))).length;
      },
      [Symbol.asyncDispose]: () => running.disposeAsync(),
    };
  };
}

type Config = { path: string; port: number; upstream: string; limit: string };

/** A configuration as people write it: a limit by address, 10 MB of addresses. All that nginx writes is in its own folder. */
function configOf({ path, port, upstream, limit }: Config): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${path}/${of};`);
  return `
daemon off;
worker_processes 1;
pid ${path}/nginx.pid;
events { worker_connections 1024; }
http {
  log_format status '$status';
  access_log ${path}/access.log status;
  ${temporary.join('\n  ')}
  limit_req_zone $binary_remote_addr zone=api:10m rate=${LIMITED_PER_S}r/s;
  upstream service { server ${new URL(upstream).host}; keepalive 64; }
  server {
    listen 127.0.0.1:${port};
    location = ${SERVICE_PATHS.token} { ${PASS_ON} }
    location / {
      ${limit}
      ${PASS_ON}
    }
  }
}
`;
}

/** How calls are passed on: by connections that stay open, as between a proxy and a service. */
const PASS_ON = 'proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection "";';

/** A free port. nginx takes no port 0, so the system is asked for one, which is free again when nginx starts. */
async function freePort(): Promise<number> {
  const server = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Waits until nginx answers. @throws LimitlineError `SERVICE` when it ended instead */
async function untilAnswers(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new LimitlineError('SERVICE', `nginx ended with status ${child.exitCode}.`);
    const answer = await fetch(url).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer) return;
    await sleep(LOOK_EVERY_MS);
  }
}

/** How often nginx is asked whether it answers, in ms: short compared with the time that it takes to start. */
const LOOK_EVERY_MS = 20;
