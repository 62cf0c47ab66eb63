/**
 * The peer "script in memory": the program that a good engineer writes in an afternoon. It reads the file with
 * csv-parse, works on 64 rows at a time, and sleeps when the service tells it to. It stores nothing, so after a kill it
 * has lost what it made.
 * `node script-in-memory.ts FILE`, with SERVICE_URL, SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET in the environment.
 */
import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'csv-parse';
import { Pool } from 'undici';
import { fetchToken } from './fetch-token.ts';

const ROWS_AT_ONCE = 64;
const ATTEMPTS = 10;

type Row = Record<string, string>;

const { SERVICE_URL = '' } = process.env;
const [file = ''] = process.argv.slice(2);
const pool = new Pool(SERVICE_URL, { connections: ROWS_AT_ONCE });
const token = await fetchToken(pool);
const startedMs = Date.now();
const rows: AsyncIterator<Row> = createReadStream(file)
  .pipe(parse({ columns: true, bom: true }))
  [Symbol.asyncIterator]();
const counts = { done: 0, failed: 0 };
await Promise.all(Array.from({ length: ROWS_AT_ONCE }, work));
await pool.close();
process.stdout.write(`${JSON.stringify({ ...counts, startedMs, finishedMs: Date.now() })}\n`);

async function work(): Promise<void> {
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    try {
      await requestLimit(next.value);
      counts.done += 1;
    } catch (error) {
      counts.failed += 1;
      console.error(`${next.value.name}: ${error}`);
    }
  }
}

async function requestLimit(row: Row): Promise<string> {
  const company = await post('/invoice-financing/v1/companies', {
    name: row.name,
    address: { country_code: row.country_code, city: row.city, street: row.street, state: row.state || null },
    website: row.website,
  });
  return post('/invoice-financing/v1/buyer-limits', {
    company,
    company_registration_number: row.company_registration_number,
    requested_limit: Number(row.requested_limit),
    contact: { first_name: row.contact_first_name, last_name: row.contact_last_name, email: row.contact_email },
  });
}

/** Sends a call, again if that may help, and returns the id of what was made. */
async function post(path: string, body: unknown): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const {
      statusCode,
      headers,
      body: answer,
    } = await pool.request({
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    if (statusCode < 300) return ((await answer.json()) as { id: string }).id;
    const text = await answer.text();
    const passing = statusCode === 429 || statusCode >= 500;
    if (!passing || (statusCode !== 429 && attempt === ATTEMPTS)) throw new Error(`status ${statusCode}: ${text}`);
    await sleep(1_000 * Number(headers['retry-after'] ?? 1));
  }
}
