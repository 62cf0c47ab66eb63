import { expect, test } from 'vitest';
import { answerApproval, carryOutAnswered } from '../../jobs/approvals/answer-approval.ts';
import { readCallsHeld } from '../../src/pace/calls-held.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { BOB } from '../support/approved-portfolio.ts';
import { makeWatcher } from '../support/watcher.ts';
import { openWorkplace } from '../support/workplace.ts';

/** Marks every cell, the name of the requesting user, and every answer of the service. */
const MARK = /geheim|7391/i;
const ROWS = 40;
const HEADER =
  'name,country_code,city,street,website,company_registration_number,requested_limit,contact_first_name,contact_last_name,contact_email,buyer_reference,own';

/** An error body of the service that repeats a row. */
const body = 'Geheim 1 GmbH, Geheimweg 1, geheim@geheim.example: no';
type Rules = NonNullable<FaultChange['rules']>;
const refuse = (on: 'token' | 'company', status: number): Rules => [{ on, fault: 'status', status, body }];
const LOST: Rules = [{ on: 'limit', fault: 'status', status: 502, body }];

function line(n: number): string {
  const contact = `Geheime,Geheimer,geheim${n}@geheim.example`;
  return `Geheim ${n} GmbH,DE,Geheimstadt,Geheimweg ${n},https://geheim${n}.example,HRB geheim ${n},7391.${10 + n},${contact},geheim-b${n},geheim`;
}

// Promise: notices-name-no-person
test('each notice of a run with every fault is sent once, and no notice has data of a row or a person', async () => {
  const place = await openWorkplace({
    faults: { rules: refuse('token', 401) },
    env: { SERVICE_CONCURRENCY: '2', CANARY_REFUSALS: '3', APPROVE_ALWAYS: 'on' },
  });
  const { context, standIn } = place;
  const { approvals, portfolios } = context;
  const servers = [{ used_memory: '99', maxmemory: '100', aof_last_write_status: 'err' }];
  const { nowMs } = await readCallsHeld(context.ledger, context.keys);
  const entry = { task: 'reconcile' as const, pattern: '0 */6 * * *', tz: 'UTC', sinceMs: nowMs };
  const watcher = makeWatcher(context, {
    readServers: async () => servers,
    nightlyRuns: { schedule: async () => [entry] },
  });
  const kinds = async () => (await watcher.told()).map(({ kind }) => kind).filter((kind) => kind !== 'disk');
  const held = async () => watcher.deps.readCalls?.();
  const accepted = async () => (await held())?.accepted ?? 0;

  await watcher.look();
  expect(await kinds()).toEqual(['redis', 'redis']);
  const lines = Array.from({ length: ROWS }, (_, place) => line(place + 1));
  await place.import([HEADER, ...lines], { by: 'geheim-user' });
  await watcher.look();
  expect((await kinds()).slice(2)).toEqual(['awaiting']);
  const [asked] = await approvals.waiting();
  const given = {
    answer: 'approve' as const,
    words: 'geheim',
    person: BOB,
    id: asked?.id ?? '',
    digest: asked?.digest ?? '',
  };
  const answered = await answerApproval(given, context);
  if (answered.is === 'done') await carryOutAnswered(answered.approval, context);

  await place.work();
  await expect.poll(async () => (await held())?.blocked?.by).toBe('credentials');
  await watcher.look();
  await watcher.lookWhile('blocked', 1.1);
  expect((await kinds()).slice(3)).toEqual(['credentials']);
  await standIn.setFaults({ rules: refuse('company', 422) });
  await expect.poll(async () => (await portfolios.read('q4')).paused).toMatch(/geheim/i);
  // The accepted call is written to Redis a moment after the answer.
  await expect.poll(accepted).toBeGreaterThan(0);
  await watcher.look();
  await watcher.lookAfter(1.1);
  expect((await kinds()).slice(4)).toEqual(['paused', 'back']);

  await standIn.setFaults({ rules: LOST });
  await portfolios.resume('q4');
  await expect.poll(async () => (await held())?.tripped).toEqual(['limit']);
  await watcher.lookWhile('tripped', 0);
  await watcher.lookWhile('tripped', 11);
  expect((await kinds()).slice(6)).toEqual(['away']);
  const before = await accepted();
  await standIn.setFaults({ rules: [] });
  // Breakers are reset one after another, and the machine may be busy.
  await place.settled();
  await expect.poll(accepted).toBeGreaterThan(before);
  await watcher.look();
  await watcher.lookAfter(3);
  await watcher.lookAfter(2.5 * 24 * 60);
  expect((await kinds()).slice(7).sort()).toEqual(['back', 'failures', 'report', 'settled']);

  const kept = await context.ledger.hgetall(context.keys.noticeStates);
  expect(Object.keys(kept)).toContain('settled q4');
  const said = [...(await watcher.told()).map((notice) => JSON.stringify(notice)), ...Object.entries(kept).flat()];
  // Times in milliseconds may contain the digits of the mark.
  expect(said.filter((text) => MARK.test(text.replaceAll(/\d{13}/g, '')))).toEqual([]);
  expect(said.join('\n')).toContain('refused by the service at the step company (status 422)');
});
