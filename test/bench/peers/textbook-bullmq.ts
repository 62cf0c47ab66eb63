/**
 * The peer "textbook BullMQ": the program that a reader of BullMQ's documentation writes. A row is a flow: a parent job
 * that requests the limit, with a child that creates the company. A 429 limits the rate of the queue, and other faults
 * are retried with exponential backoff. Finished jobs are kept, which is BullMQ's default, because the results of rows
 * are nowhere else.
 * `node textbook-bullmq.ts FILE`, with SERVICE_URL, SERVICE_CLIENT_ID, SERVICE_CLIENT_SECRET and REDIS_SOCKET in the
 * environment.
 */
import { createReadStream } from 'node:fs';
import { FlowProducer, type Job, Queue, RateLimitError, Worker } from 'bullmq';
import { parse } from 'csv-parse';
import { Pool } from 'undici';
import { fetchToken } from './fetch-token.ts';

/** Jobs at a time of each worker: 16 were slower, 100 no faster. */
const CONCURRENCY = 64;
const CHUNK_ROWS = 500;

/** The service does not say what it allows, so this is no limit in practice; without one, `rateLimit` has no effect. */
const LIMITER = { max: 10_000, duration: 1_000 };

const JOB_OPTIONS = { attempts: 10, backoff: { type: 'exponential', delay: 1_000 } };

type Row = Record<string, string>;

const { SERVICE_URL = '', REDIS_SOCKET = '' } = process.env;
const [file = ''] = process.argv.slice(2);
const connection = { path: REDIS_SOCKET, maxRetriesPerRequest: null };
const pool = new Pool(SERVICE_URL, { connections: 2 * CONCURRENCY });
const token = await fetchToken(pool);

const flows = new FlowProducer({ connection });
const companies = new Queue('companies', { connection });
const limits = new Queue('limits', { connection });
const options = { connection, concurrency: CONCURRENCY, limiter: LIMITER };
const companyWorker = new Worker('companies', (job: Job) => post('/companies', job.data, companies), options);
const limitWorker = new Worker(
  'limits',
  async (job: Job) => {
    const [company] = Object.values(await job.getChildrenValues<string>());
    return post('/buyer-limits', { company, ...job.data }, limits);
  },
  options,
);

const counts = { rows: 0, done: 0, failed: 0 };
let allRead = false;
const settled = new Promise<void>((resolve) => {
  const look = () => {
    if (allRead && counts.done + counts.failed === counts.rows) resolve();
  };
  const onFailed = (job: Job | undefined, error: Error) => {
    if (job && job.attemptsMade < JOB_OPTIONS.attempts) return;
    console.error(error.message);
    counts.failed += 1;
    look();
  };
  limitWorker.on('completed', () => {
    counts.done += 1;
    look();
  });
  limitWorker.on('failed', onFailed);
  companyWorker.on('failed', onFailed);
});

const startedMs = Date.now();
await addRows();
await settled;
const finishedMs = Date.now();
await Promise.all([companyWorker.close(), limitWorker.close()]);
await Promise.all([flows.close(), companies.close(), limits.close(), pool.close()]);
process.stdout.write(`${JSON.stringify({ ...counts, startedMs, finishedMs })}\n`);

async function addRows(): Promise<void> {
  let chunk: Row[] = [];
  for await (const row of createReadStream(file).pipe(parse({ columns: true, bom: true }))) {
    chunk.push(row);
    if (chunk.length < CHUNK_ROWS) continue;
    await addChunk(chunk);
    chunk = [];
  }
  await addChunk(chunk);
  allRead = true;
}

async function addChunk(rows: Row[]): Promise<void> {
  counts.rows += rows.length;
  await flows.addBulk(
    rows.map((row) => ({
      name: 'limit',
      queueName: 'limits',
      opts: JOB_OPTIONS,
      data: {
        company_registration_number: row.company_registration_number,
        requested_limit: Number(row.requested_limit),
        contact: { first_name: row.contact_first_name, last_name: row.contact_last_name, email: row.contact_email },
      },
      children: [
        {
          name: 'company',
          queueName: 'companies',
          opts: { ...JOB_OPTIONS, failParentOnFailure: true },
          data: {
            name: row.name,
            address: { country_code: row.country_code, city: row.city, street: row.street, state: row.state || null },
            website: row.website,
          },
        },
      ],
    })),
  );
}

/** Sends a call and returns the id of what was made. */
async function post(path: string, body: unknown, queue: Queue): Promise<string> {
  const {
    statusCode,
    headers,
    body: answer,
  } = await pool.request({
    path: `/invoice-financing/v1${path}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  if (statusCode < 300) return ((await answer.json()) as { id: string }).id;
  const text = await answer.text();
  if (statusCode !== 429) throw new Error(`status ${statusCode}: ${text}`);
  await queue.rateLimit(1_000 * Number(headers['retry-after'] ?? 1));
  throw new RateLimitError();
}
