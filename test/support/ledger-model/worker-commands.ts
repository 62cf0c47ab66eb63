import { expect } from 'vitest';
import type { Sent, Settled } from '../../../src/call-kind.ts';
import type { UnknownPolicy } from '../../../src/config.ts';
import type { AfterSettle, Claim, Ended } from '../../../src/ledger/calls/at-most-once.ts';
import { causeOf } from '../../../src/ledger/counts/cause.ts';
import type { Move } from '../../../src/ledger/rows/row-moves.ts';
import { isStep, type RowProblem, type RowState, STEPS, type Step } from '../../../src/ledger/schema/row.ts';
import { callThrough } from '../call-through.ts';
import { makeRequest } from '../ledger.ts';
import { type Command, command } from './command.ts';
import { type Attempt, type Flight, kindOf, type RealLedger } from './real-ledger.ts';
import { type Model, REQUESTS, stepBehind, thingOf } from './rules.ts';

export const ANSWERS = ['made', 'refused', 'throttled', 'unreachable', 'unknown, made', 'unknown, not made'] as const;
export type AnswerWord = (typeof ANSWERS)[number];

/** A worker runs the job of a row up to its call, or to its end if there is nothing to send. */
export function takeUp(process: string, name: string, key: string, stale: Step | undefined): Command {
  return command(
    `${process} takes up ${name}/${key}${stale ? ` by a stale job for ${stale}` : ''}`,
    async (model, real) => {
      const step = stale ?? model.rowOf(name, key)?.step ?? 'company';
      model.alive.add(process);
      await real.appear(process);
      const found = await real.rows.begin({ portfolio: name, key }, step);
      expect(found?.state).toBe(model.begin(name, key, step));
      if (!found || found.state !== step) return;
      if (step === 'limit') expect(found.companyId || found.request.companyId).toMatch(/^company_/);
      const revision = Number(found.revision);
      const attempt: Attempt = {
        process,
        portfolio: name,
        key,
        step,
        revision,
        thing: thingOf(key, step),
        fate: 'open',
      };
      const { sent, flight } = send(attempt, real);
      const answer = await Promise.race([sent, flight.ended]);
      const expected = model.claim(attempt);
      expect(wordOf(answer)).toBe(expected === 'cancelled' || expected === 'changed' ? 'moved' : expected);
      if (expected === 'cancelled') await cancelRow(attempt, model, real);
      else if (expected === 'awaiting') await putBack(attempt, model, real);
      else if (answer.is === 'go') real.flights.push(flight);
      else await advance(attempt, answer, model, real);
    },
  );
}

/** The answer of the ledger to a claim in the words of the model. */
function wordOf(answer: Settled | { is: 'go' }): string {
  if (answer.is !== 'later') return answer.is;
  if (answer.again === 'resumed') return 'paused';
  if (answer.again === 'approved') return 'awaiting';
  return answer.reason === 'another process is sending it' ? 'busy' : 'later';
}

/** A whole step, which mostly succeeds. This leads rows far along. */
export function takeUpAndAnswer(
  process: string,
  name: string,
  key: string,
  word: AnswerWord = 'made',
  then: 'moves' | 'goes on' = 'moves',
): Command {
  return command(`${process} does the next step of ${name}/${key}: ${word}, ${then}`, async (model, real) => {
    const before = real.flights.length;
    await takeUp(process, name, key, undefined).run(model, real);
    if (real.flights.length > before) await answerFlight(before, word, then).run(model, real);
  });
}

/** A worker carries a row from step to step as far as possible. */
export function carry(process: string, name: string, key: string): Command {
  return command(`${process} carries ${name}/${key}`, async (model, real) => {
    const before = real.flights.length;
    for (const _ of STEPS) {
      await takeUp(process, name, key, undefined).run(model, real);
      while (real.flights.length > before)
        await answerFlight(real.flights.length - 1, 'made', 'goes on').run(model, real);
    }
  });
}

/** A worker is blocked during a call; another one finds the row, and the first may still get its answer. */
export function overtake(slow: string, quick: string, name: string, key: string): Command {
  return command(`${slow} is overtaken by ${quick} at ${name}/${key}`, async (model, real) => {
    await takeUp(slow, name, key, undefined).run(model, real);
    await fallSilent(slow).run(model, real);
    await takeUp(quick, name, key, undefined).run(model, real);
  });
}

function send(attempt: Attempt, real: RealLedger) {
  const { promise: sent, resolve: leave } = Promise.withResolvers<{ is: 'go' }>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<Sent>();
  const { portfolio, key, step, thing, process, revision } = attempt;
  const [, thingKey = ''] = thing.split(' ');
  const buyer = REQUESTS[key]?.buyer ?? '';
  const ended = callThrough(
    real.atMostOnce(process),
    { kind: kindOf(step), key: thingKey, row: { portfolio, key }, buyer, revision: String(revision) },
    {
      onUnknown: policyAt(step),
      send: () => {
        leave({ is: 'go' });
        return answered;
      },
      after: (sent) => (flight.goesOn ? afterSettleOf(attempt, sent, real) : undefined),
    },
  );
  const flight: Flight = { attempt, answer, ended, goesOn: false };
  return { sent, flight };
}

const policyAt = (step: Step): UnknownPolicy => (step === 'documents' ? 'resend' : 'hold');

/** The row moves on in the same script of the ledger, and its next call is claimed there if that is allowed. */
function afterSettleOf(attempt: Attempt, sent: Sent, real: RealLedger): AfterSettle | undefined {
  const end = sent.is === 'made' ? endOf(attempt, { ...sent, row: undefined }) : undefined;
  if (!end) return undefined;
  const { portfolio, key, step } = attempt;
  const moving = real.rows.moving(step, end.to, { ...end.fields, revision: String(attempt.revision) });
  const next = isStep(end.to) ? thingAt(attempt, end.to) : undefined;
  return {
    moving,
    next: next && { ...next, row: { portfolio, key } },
    onUnknown: isStep(end.to) ? policyAt(end.to) : 'hold',
  };
}

function thingAt({ portfolio, key, revision }: Attempt, step: Step) {
  const [, thingKey = ''] = thingOf(key, step).split(' ');
  const buyer = REQUESTS[key]?.buyer ?? '';
  return { kind: kindOf(step), key: thingKey, row: { portfolio, key }, buyer, revision: String(revision) };
}

/** The row has moved on with its next call, as the rules allow. */
function expectMoved(
  attempt: Attempt,
  ended: Ended & { moved: { claim: Claim | undefined } },
  model: Model,
  real: RealLedger,
): void {
  const end = endOf(attempt, ended);
  if (!end) throw new Error('a call was made, and led to nothing');
  expect(
    model.advance(attempt, end.to, { ...(end.fields.company ? { company: end.fields.company } : {}), answer: 'ok' }),
  ).toBe(end.to);
  const { claim } = ended.moved;
  if (!claim || !isStep(end.to)) return;
  const next: Attempt = { ...attempt, step: end.to, thing: thingOf(attempt.key, end.to), fate: 'open' };
  expect(model.claim(next)).toBe('go');
  const { promise: answered, resolve: answer } = Promise.withResolvers<Sent>();
  const flight: Flight = { attempt: next, answer, goesOn: false, ended: Promise.resolve({ is: 'moved' }) };
  flight.ended = answered.then((sent) =>
    claim.settle(sent, flight.goesOn ? afterSettleOf(next, sent, real) : undefined),
  );
  real.flights.push(flight);
}

/**
 * An answer arrives, perhaps late. The worker may die after it has written down the answer and before the row has
 * moved.
 */
export function answerFlight(which: number, word: AnswerWord, then: 'dies' | 'moves' | 'goes on'): Command {
  return command(`answer ${which}: ${word}, and the worker ${then}`, async (model, real) => {
    const flight = real.flights[which % real.flights.length];
    if (!flight) return;
    real.flights.splice(real.flights.indexOf(flight), 1);
    const { attempt } = flight;
    const said = withFate(word, attempt.fate);
    const id = idFor(said, attempt, real);
    flight.goesOn = then === 'goes on';
    flight.answer(toSent(said, id));
    const ending = await flight.ended;
    if (said === 'made') expect(ending).toMatchObject({ is: 'made', id: model.settle(attempt, id) });
    else if (said.startsWith('unknown')) model.doubt(attempt);
    else model.release(attempt, said as 'refused');
    if ('moved' in ending) expectMoved(attempt, ending, model, real);
    else if (then !== 'dies') await advance(attempt, ending, model, real);
  });
}

/** A person's finding about a call is what happened; its answer may still be lost. */
function withFate(word: AnswerWord, fate: Attempt['fate']): AnswerWord {
  if (fate === 'open') return word;
  if (fate === 'made') return word === 'made' ? word : 'unknown, made';
  return word === 'made' || word === 'unknown, made' ? 'refused' : word;
}

function idFor(said: AnswerWord, { thing, fate }: Attempt, real: RealLedger): string {
  if (said !== 'made' && said !== 'unknown, made') return '';
  return fate === 'made' ? (real.made.get(thing)?.[0] ?? '') : real.make(thing);
}

function toSent(said: AnswerWord, id: string): Sent {
  if (said === 'made') return { is: 'made', id, record: GRANTED };
  if (said === 'refused') return { is: 'refused', status: 422, body: 'no' };
  if (said === 'throttled') return { is: said, status: 429, reason: said };
  if (said === 'unreachable') return { is: said, reason: said };
  return { is: 'unknown', reason: 'reset' };
}

/** Below some requested amounts, and above others. */
const GRANTED = { status: 'approved', total_limit: '999.999', available_limit: '0.01' };

/** Moves the row on like the jobs do, in the ledger and in the model. */
async function advance(attempt: Attempt, ending: Settled, model: Model, real: RealLedger): Promise<void> {
  const end = endOf(attempt, ending);
  if (!end) return;
  const { portfolio, key, step } = attempt;
  const { to, fields } = end;
  const answer = !fields.answered ? '' : to === 'refused' ? '422' : 'ok';
  const revision = String(attempt.revision);
  const state = await real.rows.advance({ portfolio, key }, step, to, { ...fields, revision });
  expect(state).toBe(model.advance(attempt, to, { ...(fields.company ? { company: fields.company } : {}), answer }));
}

/** A row whose portfolio was cancelled before its call was claimed is cancelled, too. */
async function cancelRow({ portfolio, key }: Attempt, model: Model, real: RealLedger): Promise<void> {
  expect(await real.rows.cancel({ portfolio, key })).toBe(model.cancelRow(portfolio, key));
}

/** A row whose approval is not granted waits again, or moves on if the approval was granted meanwhile. */
async function putBack({ portfolio, key, step, revision }: Attempt, model: Model, real: RealLedger): Promise<void> {
  const state = await real.rows.advance({ portfolio, key }, step, 'awaiting', { revision: String(revision) });
  expect(state).toBe(model.putBack(portfolio, key, step));
}

function endOf({ portfolio, key, step }: Attempt, ending: Settled): { to: RowState; fields: Move } | undefined {
  if (ending.is === 'refused') {
    const problem: RowProblem = { step, message: 'no', status: ending.status, body: `${key} says no` };
    return { to: 'refused', fields: { problem, cause: causeOf(problem, 'refused', makeRequest()), answered: true } };
  }
  if (ending.is === 'unknown') {
    const problem: RowProblem = { step, message: ending.reason };
    return { to: 'held', fields: { problem, cause: causeOf(problem, 'unknown', makeRequest()) } };
  }
  if (ending.is !== 'made') return undefined;
  const { id, record, row } = ending;
  const answered = row === undefined;
  if (step === 'company') return { to: stepBehind(key, step), fields: { company: id, answered } };
  if (step === 'documents') return { to: 'limit', fields: { documents: [id], answered } };
  const ours = answered || row === `${portfolio}/${key}`;
  // The status of a limit that another row's call brought is not counted here, to keep the model simple.
  return { to: ours ? 'done' : 'skipped', fields: { limit: id, record: answered ? record : {}, answered } };
}

/** SIGKILL: calls in flight are made or not, and nobody gets the answers. */
export function crash(process: string, made: boolean): Command {
  return command(`${process} is killed; what it sent was ${made ? '' : 'not '}made`, async (model, real) => {
    model.alive.delete(process);
    await real.vanish(process);
    for (const flight of real.flights.filter(({ attempt }) => attempt.process === process)) {
      real.flights.splice(real.flights.indexOf(flight), 1);
      if (made && flight.attempt.fate === 'open') real.make(flight.attempt.thing);
    }
  });
}

/** A blocked event loop: other processes count it as vanished, and its answers arrive all the same. */
export function fallSilent(process: string): Command {
  return command(`${process} falls silent`, async (model, real) => {
    model.alive.delete(process);
    await real.vanish(process);
  });
}
