import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished } from 'vitest';
import { resolveCalls } from '../../jobs/operators/resolve-calls.ts';
import { startWorkers } from '../../jobs/workers/workers.ts';
import { openContext } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import { openService } from '../../src/open-service.ts';
import { type FaultPlace, openFaultPlace } from '../support/fault-place.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { portOf } from '../support/tls-service.ts';
import { buyerLines } from '../support/workplace.ts';

const test = testsBeside();

/** The header by which a service may recognise a repeated call. */
const HEADER = 'idempotency-key';

/** One received call: path, idempotency key and body. */
type SeenCall = { path: string; key: string | undefined; body: string };

/**
 * Makes a stand-in honour idempotency keys: a known key gets its earlier answer, and nothing is made for it.
 * It loses the answers that `loses` chooses, after they were made.
 */
async function startRememberingProxy(target: string, loses: (call: SeenCall, nth: number) => boolean) {
  const seen: SeenCall[] = [];
  const answers = new Map<string, { status: number; body: Buffer }>();
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await buffer(incoming);
    const key = incoming.headers[HEADER];
    const call = { path: incoming.url ?? '', key: typeof key === 'string' ? key : undefined, body: body.toString() };
    seen.push(call);
    const known = call.key === undefined ? undefined : answers.get(call.key);
    const answer = known ?? (await forward(target, incoming, body));
    if (call.key !== undefined) answers.set(call.key, answer);
    const nth = seen.filter(({ path, body: other }) => path === call.path && other === call.body).length;
    if (loses(call, nth)) incoming.socket.destroy();
    else outgoing.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
  };
  const server = createServer((incoming, outgoing) => void serve(incoming, outgoing));
  return {
    url: `http://127.0.0.1:${await portOf(server)}`,
    /** Calls of one endpoint in the order of their arrival. */
    calls: (endpoint: string) => seen.filter(({ path }) => path.endsWith(endpoint)),
  };
}

function forward(target: string, incoming: IncomingMessage, body: Buffer): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const { host: _host, ...headers } = incoming.headers;
    const sent = request(new URL(incoming.url ?? '/', target), { method: 'POST', headers }, async (answer) => {
      resolve({ status: answer.statusCode ?? 0, body: await buffer(answer) });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const isLimit = ({ path }: SeenCall) => path.endsWith('/buyer-limits');

/** Workers that reach the service through such a proxy. */
async function openPlace(env: Record<string, string>, loses: (call: SeenCall, nth: number) => boolean) {
  const place = await openFaultPlace({ env });
  const proxy = await startRememberingProxy(place.standIn.url(), loses);
  const workers = await startWorkers(place.context, openService(place.context, proxy.url));
  return { place, proxy, stop: () => workers.stop() };
}

/** Runs three rows that share a document. */
async function runToEnd(place: FaultPlace) {
  await mkdir(join(place.dir, 'documents'));
  await writeFile(join(place.dir, 'documents', 'a.pdf'), '%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');
  await place.import(buyerLines(3).map((line, at) => `${line},${at === 0 ? 'supporting_documents' : 'a.pdf'}`));
  return place.settled();
}

// Promise: resend-eight-times
test.each([
  ['ON_UNKNOWN_LIMIT', 'limit'],
  ['ON_UNKNOWN_COMPANY', 'company'],
  ['ON_UNKNOWN_DOCUMENT', 'document'],
] as const)('%s=resend sends a call again when its answer was lost', async (name, on) => {
  const place = await openFaultPlace({
    faults: { rules: [{ on, fault: 'reset', made: false, times: 2 }] },
    env: { ON_UNKNOWN_DOCUMENT: 'hold', [name]: 'resend' },
  });
  await place.work();
  expect((await runToEnd(place)).states).toMatchObject({ done: 3, held: 0 });
  expect(place.standIn.madeTwice()).toEqual([]);
});

// Promise: repetition-keeps-key
test('with an idempotency header, a call with an unknown outcome is repeated with the same key, and is made once', async () => {
  const { place, proxy, stop } = await openPlace(
    { SERVICE_IDEMPOTENCY_HEADER: 'Idempotency-Key' },
    (call, nth) => isLimit(call) && call.body.includes('HRB 2') && nth <= 2,
  );
  expect((await runToEnd(place)).states).toMatchObject({ done: 3, held: 0 });
  const calls = proxy.calls('/buyer-limits');
  expect(calls).toHaveLength(5);
  expect(new Set(calls.map(({ key }) => key)).size).toBe(3);
  for (const { key, body } of calls)
    expect(calls.filter((call) => call.key === key).every((call) => call.body === body)).toBe(true);
  expect(place.standIn.counts().made.limit).toBe(3);
  await stop();
});

// Promise: repeated-soon-with-a-header
test('with an idempotency header, many lost answers hold no row and make nothing twice', async () => {
  let seen = 0;
  const { place, stop } = await openPlace({ SERVICE_IDEMPOTENCY_HEADER: 'Idempotency-Key' }, () => {
    seen += 1;
    return seen % 4 === 0;
  });
  await place.import(buyerLines(40));
  expect((await place.settled()).states).toMatchObject({ done: 40, held: 0 });
  expect(place.standIn.madeTwice()).toEqual([]);
  expect(place.standIn.counts().made).toMatchObject({ company: 40, limit: 40 });
  await stop();
});

// Promise: repetition-needs-the-header
test('a call whose answer was lost before SERVICE_IDEMPOTENCY_HEADER was set is not repeated by that header', async () => {
  const { place, proxy, stop } = await openPlace({ ON_UNKNOWN_LIMIT: 'resend' }, isLimit);
  await place.import(buyerLines(1));
  const { calls, rows } = place.context;
  await expect.poll(() => proxy.calls('/buyer-limits').length).toBe(1);
  const [waiting] = await rows.behind('q4', 'limit', { line: 1, count: 1 });
  const limit = { kind: 'limit', key: waiting?.row.key ?? '' } as const;
  await expect.poll(() => calls.isUnknown(limit)).toBe(true);
  await stop();
  const sent = proxy.calls('/buyer-limits').length;
  const settings = {
    ...place.context.settings,
    SERVICE_IDEMPOTENCY_HEADER: 'X-Key',
    ON_UNKNOWN_LIMIT: 'hold',
  } as const;
  const context = await openContext({ settings, log: makeSilentLog() });
  onTestFinished(() => context.close());
  const workers = await startWorkers(context, openService(context, proxy.url));
  expect((await place.settled()).states).toMatchObject({ held: 1 });
  expect(proxy.calls('/buyer-limits')).toHaveLength(sent);
  await workers.stop();
});

test('a call that a person resends keeps its idempotency key', async () => {
  const { place, proxy, stop } = await openPlace(
    { SERVICE_IDEMPOTENCY_HEADER: 'Idempotency-Key' },
    (call) => isLimit(call) && call.body.includes('HRB 2') && !open,
  );
  let open = false;
  await place.import(buyerLines(3));
  await expect.poll(() => proxy.calls('/buyer-limits').filter(({ body }) => body.includes('HRB 2')).length).toBe(1);
  // The ledger sets the call aside for a person after this many doubts.
  const [waiting] = await place.context.rows.behind('q4', 'limit', { line: 3, count: 1 });
  const key = place.context.keys.call('limit', waiting?.row.key ?? '');
  await place.context.ledger.hset(key, 'doubts', '14');
  expect((await place.settled()).states).toMatchObject({ done: 2, held: 1 });
  open = true;
  await resolveCalls({ portfolio: 'q4', line: 3 }, place.context);
  expect((await place.settled()).states.done).toBe(3);
  const keys = proxy.calls('/buyer-limits').flatMap((call) => (call.body.includes('HRB 2') ? [call.key] : []));
  expect(keys.length).toBeGreaterThanOrEqual(2);
  expect(new Set(keys).size).toBe(1);
  expect(place.standIn.counts().made.limit).toBe(3);
  await stop();
});

// Promise: put-off-thirty-times
test('a request that is throttled 30 times while others succeed is refused, and the run ends', async () => {
  const place = await openFaultPlace({
    faults: { latencyMs: 40, rules: [{ on: 'limit', match: 'HRB 1"', fault: 'status', status: 429 }] },
    env: { SERVICE_CONCURRENCY: '8' },
  });
  await place.import(buyerLines(100));
  const { ledger, keys, rows } = place.context;
  const [first] = await rows.inState('q4', 'queued', { count: 1 });
  const key = keys.row('q4', first?.row.key ?? '');
  await place.work();
  // The first 26 take some seconds each; test/ledger/calls/at-most-once.test.ts counts all of them.
  await expect.poll(() => ledger.hget(key, 'putOffs'), { timeout: 60_000 }).toMatch(/^[1-9]/);
  await ledger.hset(key, 'putOffs', '26');
  expect((await place.settled()).states).toMatchObject({ done: 99, refused: 1 });
  const [row] = await rows.inState('q4', 'refused', { count: 1 });
  const [result] = await rows.read(row ? [row.row] : []);
  expect(result?.problem?.message).toMatch(/put the buyer limit request off 30 times \(status 429\) while others/);
});
