import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * `post-events.ts URL EVENTS_A_SECOND`: posts events to a listener at that rate until it gets SIGTERM, over a few connections that
 * stay open, at as little cost as can be: it plays the service, whose own work is not what is measured. Then it says on standard output how many it
 * posted, and what the answers were.
 */
const [address = '', rate = '1000'] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(address);

/** As many as a service's dispatcher keeps open. */
const CONNECTIONS = 10;
/** An answer that takes longer is none. */
const LONGEST_ANSWER_MS = 5_000;
/** Between two lots. */
const EVERY_MS = 20;

const answers: Record<string, number> = {};
let posted = 0;
const over = new AbortController();
process.once('SIGTERM', () => over.abort());

const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, opened));
const startedAt = performance.now();
while (!over.signal.aborted) {
  const due = Math.floor(((performance.now() - startedAt) / 1_000) * Number(rate));
  for (; posted < due; posted += 1) sockets[posted % CONNECTIONS]?.write(requestOf(posted));
  await sleep(EVERY_MS, undefined, { signal: over.signal }).catch(() => {});
}
const seconds = (performance.now() - startedAt) / 1_000;
const isAnswered = () => Object.values(answers).reduce((sum, count) => sum + count, 0) >= posted;
for (let waited = 0; !isAnswered() && waited < LONGEST_ANSWER_MS; waited += EVERY_MS) await sleep(EVERY_MS);
await Promise.all(sockets.map(ended));
process.stdout.write(`${JSON.stringify({ posted, seconds, answers })}\n`);

async function opened(): Promise<Socket> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.setEncoding('latin1');
  let rest = '';
  socket.on('data', (piece) => {
    const said = `${rest}${piece}`;
    let behind = 0;
    for (const found of said.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
      const status = found[1] ?? '';
      answers[status] = (answers[status] ?? 0) + 1;
      behind = found.index + found[0].length;
    }
    // The beginning of an answer may have come without its status.
    rest = said.slice(Math.max(behind, said.length - 'HTTP/1.1 20'.length));
  });
  await once(socket, 'connect');
  return socket;
}

async function ended(socket: Socket): Promise<void> {
  socket.end();
  await once(socket, 'close');
}

/** Each is another content, and names the limit of a buyer. */
function requestOf(index: number): string {
  const event = {
    id: `evt_${index.toString(36)}_${process.pid}`,
    type: 'buyer_limit.updated',
    created: new Date().toISOString(),
    data: {
      object: 'buyer_limit',
      id: `bl_${index % 10_000}`,
      company: `company_${index % 10_000}`,
      requested_limit: 50_000,
      total_limit: 40_000,
      status: 'approved',
      contact: { first_name: 'Erika', last_name: 'Muster', email: 'erika@example.com', phone: null },
    },
  };
  const body = JSON.stringify(event);
  const head = `POST ${pathname} HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return head + body;
}
