import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Step } from '../../src/ledger/schema/row.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { callOptions, makeClient } from '../support/client.ts';
import { type FaultPlace, openFaultPlace } from '../support/fault-place.ts';
import type { Moment } from '../support/moments.ts';
import { testsBeside } from '../support/tests-beside.ts';
import { buyerLines } from '../support/workplace.ts';

const test = testsBeside();

const ROWS = 3;

/** The moments at which a worker is killed, the rows that are held then, and what the service has made by then. */
const DEATHS: { at: Moment | 'sent'; step: Step; held: number; made: number }[] = [
  { at: 'claimed', step: 'company', held: 1, made: ROWS - 1 },
  { at: 'sent', step: 'limit', held: 1, made: ROWS },
  { at: 'answered', step: 'documents', held: 1, made: ROWS },
  { at: 'settled', step: 'company', held: 0, made: ROWS },
  { at: 'advanced', step: 'limit', held: 0, made: ROWS },
  { at: 'handed over', step: 'company', held: 0, made: ROWS },
];

const KINDS = { company: 'company', documents: 'document', limit: 'limit' } as const;

// The simulator covers all moments of all steps; real processes cover each moment in one step.
// Promises: holds-through-kills-and-loss, claim-on-disk-first
test('a worker killed at any moment of a step loses no row, and nothing is made twice', async () => {
  // In parallel, because most of the time passes until the killed process counts as vanished.
  expect(await Promise.all(DEATHS.map(dieAt))).toEqual(DEATHS);
});

test('workers killed repeatedly, two at a time, lose no row, and nothing is made twice', async () => {
  const place = await openFaultPlace({ faults: { latencyMs: [20, 180] }, env: { SERVICE_CONCURRENCY: '4' } });
  await place.import(buyerLines(50));
  // This worker is not killed.
  await place.work();
  let kills = 0;
  for (const madeBefore of [15, 50]) {
    const victims = [place.startWorker(), place.startWorker()];
    await expect.poll(place.madeCount).toBeGreaterThanOrEqual(madeBefore);
    for (const victim of victims) victim.child.kill('SIGKILL');
    kills += 2;
  }
  const { states } = await place.judged(50);
  expect(states.done + states.held).toBe(50);
  expect(states.held).toBeLessThanOrEqual(kills * 4);
  await place.resolveHeld();
  expect((await place.judged(50)).states.done).toBe(50);
  expect(place.standIn.counts().made).toMatchObject({ company: 50, limit: 50 });
});

test('a worker killed while it fetches the shared token blocks the others only until its lease expires', async () => {
  const place = await openFaultPlace({ faults: { rules: [{ on: 'token', fault: 'silence', times: 1 }] } });
  await place.import(buyerLines(5));
  const worker = place.startWorker();
  await expect.poll(() => place.standIn.faultHits()).toEqual([1]);
  worker.child.kill('SIGKILL');
  await place.work();
  const killedAt = performance.now();
  expect((await place.judged(5)).states.done).toBe(5);
  // The lease lasts six seconds; the rest is for a busy machine.
  expect(performance.now() - killedAt).toBeLessThan(30_000);
});

/** Kills a worker at its first call of the step, starts another worker, and resolves a held call. */
async function dieAt({ at, step }: (typeof DEATHS)[number]): Promise<(typeof DEATHS)[number]> {
  const kind = KINDS[step];
  const faults: FaultChange = at === 'sent' ? { rules: [{ on: kind, fault: 'silence', made: true, times: 1 }] } : {};
  // One call at a time, so that exactly one is in flight when the worker dies.
  const place = await openFaultPlace({ faults, env: { SERVICE_CONCURRENCY: '1', ON_UNKNOWN_DOCUMENT: 'hold' } });
  await place.import(await linesFor(step, place));
  if (at === 'sent') await dieWhileSent(place);
  else expect(await place.startFaulty({ moment: at, nth: 1, fault: 'kill' }).ended()).toBe('SIGKILL');

  await place.work();
  const { states } = await place.judged(ROWS);
  expect(states.done + states.held).toBe(ROWS);
  const made = place.standIn.counts().made[kind];
  await place.resolveHeld();
  expect((await place.judged(ROWS)).states.done).toBe(ROWS);
  expect(place.standIn.counts().made[kind]).toBe(ROWS);
  return { at, step, held: states.held, made };
}

async function dieWhileSent({ startWorker, standIn }: FaultPlace): Promise<void> {
  const { child, ended } = startWorker();
  await expect.poll(() => standIn.faultHits()).toEqual([1]);
  child.kill('SIGKILL');
  await ended;
}

/** A file whose rows begin at this step: with a known company, and with or without a document. */
async function linesFor(step: Step, { dir, standIn }: FaultPlace): Promise<string[]> {
  if (step === 'company') return buyerLines(ROWS);
  const company = await makeClient(standIn.url()).createCompany({ name: 'Known AG' }, callOptions());
  const id = company.is === 'made' ? company.id : '';
  await mkdir(join(dir, 'documents'));
  const lines = ['name,requested_limit,company_id,supporting_documents'];
  for (let n = 1; n <= ROWS; n += 1) {
    await writeFile(join(dir, 'documents', `${n}.pdf`), `%PDF-1.4\n${n} 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n`);
    lines.push(`Buyer ${n} AG,${n}000,${id},${step === 'documents' ? `${n}.pdf` : ''}`);
  }
  return lines;
}
