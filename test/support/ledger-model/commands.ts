import fc from 'fast-check';
import { expect } from 'vitest';
import type { CallKind } from '../../../src/call-kind.ts';
import type { Step } from '../../../src/ledger/schema/row.ts';
import {
  answer,
  ask,
  beginImport,
  carryOut,
  claimUnapproved,
  endImport,
  free,
  importForApproval,
} from './approval-commands.ts';
import { archiveAndRestore } from './archive-command.ts';
import { type Command, command, expectFound } from './command.ts';
import { put, requestOf } from './put-command.ts';
import { kindOf, type RealLedger } from './real-ledger.ts';
import { type Model, PORTFOLIOS, REQUESTS, thingOf } from './rules.ts';
import {
  ANSWERS,
  type AnswerWord,
  answerFlight,
  carry,
  crash,
  fallSilent,
  overtake,
  takeUp,
  takeUpAndAnswer,
} from './worker-commands.ts';

/** All events of a ledger, each frequent enough for the others to have something to work on. */
export function commandArbitraries(): fc.Arbitrary<Command>[] {
  const portfolio = fc.constantFrom(...PORTFOLIOS);
  const key = fc.constantFrom(...Object.keys(REQUESTS));
  const process = fc.constantFrom('ann', 'bob', 'cid');
  const step = fc.constantFrom<Step>('company', 'documents', 'limit');
  // Refusals are more frequent, because the canary needs several.
  const answer = fc.constantFrom<AnswerWord>('refused', 'refused', ...ANSWERS);
  // A worker mostly comes for the current step of the row; an old job may come for any step.
  const job = fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: step });
  const work = fc.tuple(process, portfolio, key, job).map((args) => takeUp(...args));
  const ends = fc.constantFrom<AnswerWord>('refused', 'unknown, made', 'unknown, not made');
  const ending = fc.tuple(process, portfolio, key, ends).map((args) => takeUpAndAnswer(...args));
  const goingWell = fc
    .tuple(process, portfolio, key, fc.constantFrom('moves' as const, 'goes on' as const))
    .map(([by, name, row, on]) => takeUpAndAnswer(by, name, row, 'made', on));
  const carrying = fc.tuple(process, portfolio, key).map((args) => carry(...args));
  const resolving = fc.tuple(key, step, fc.nat(3), fc.boolean()).map((args) => resolve(...args));
  const then = fc.constantFrom('dies' as const, 'moves' as const, 'goes on' as const, 'goes on' as const);
  const answering = fc.tuple(fc.nat(5), answer, then).map((args) => answerFlight(...args));
  return [
    fc
      .tuple(portfolio, key, fc.integer({ min: 2, max: 9 }), fc.constantFrom('as before', 'corrected'))
      .map((args) => put(...args)),
    // Several times in the list, because the other commands need rows at work.
    work,
    work,
    work,
    answering,
    answering,
    goingWell,
    goingWell,
    carrying,
    carrying,
    carrying,
    ending,
    ending,
    portfolio.map(resume),
    portfolio.map(resume),
    fc.tuple(process, fc.boolean()).map((args) => crash(...args)),
    process.map(fallSilent),
    fc
      .tuple(portfolio, key, fc.constantFrom<'refused' | 'cancelled'>('refused', 'cancelled'))
      .map((args) => retry(...args)),
    resolving,
    resolving,
    fc
      .tuple(portfolio, fc.shuffledSubarray(Object.keys(REQUESTS), { minLength: 2 }), fc.integer({ min: 2, max: 9 }))
      .map((args) => putInPlaceOf(...args)),
    fc.tuple(process, process, portfolio, key).map((args) => overtake(...args)),
    fc.tuple(portfolio, key).map((args) => cancel(...args)),
    portfolio.map(compare),
    // A portfolio is rarely finished by chance; a cancelled one mostly is.
    fc.tuple(portfolio, fc.integer({ min: 1, max: 3 })).map(([name, one]) => {
      const ends = one === 1 ? Object.keys(REQUESTS).map((key) => cancel(name, key)) : [];
      return archiveAndRestore(name, ends);
    }),
    fc.tuple(portfolio, key).map((args) => leaveOut(...args)),
    portfolio.map(pause),
    portfolio.map(resume),
    ...approvalArbitraries({ portfolio, key, process }),
  ];
}

/** The events of approvals. */
function approvalArbitraries({
  portfolio,
  key,
  process,
}: Record<'portfolio' | 'key' | 'process', fc.Arbitrary<string>>): fc.Arbitrary<Command>[] {
  const person = fc.constantFrom('alice', 'bert');
  // The latest approval is answered more often than older ones.
  const which = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(4) });
  const answering = fc
    .tuple(which, fc.constantFrom('granted' as const, 'granted' as const, 'declined' as const), person)
    .map((args) => answer(...args));
  const freeing = fc.tuple(which, fc.integer({ min: 1, max: 3 })).map((args) => free(...args));
  const importing = fc
    .tuple(portfolio, fc.constantFrom('as before', 'corrected'), fc.boolean())
    .map((args) => importForApproval(...args));
  return [
    fc.tuple(portfolio, person).map((args) => beginImport(...args)),
    fc
      .tuple(portfolio, fc.constantFrom('asked' as const, 'asked' as const, 'not asked' as const, 'died' as const))
      .map((args) => endImport(...args)),
    answering,
    answering,
    freeing,
    freeing,
    fc
      .tuple(fc.nat(5), fc.constantFrom('refused' as const, 'cancelled' as const, 'held' as const), person)
      .map((args) => ask(...args)),
    which.map(carryOut),
    importing,
    importing,
    fc.tuple(process, portfolio, key).map((args) => claimUnapproved(...args)),
  ];
}

/** A line that corrects another row: `old` is another row of the same portfolio. */
function putInPlaceOf(name: string, [key, old]: string[], line: number): Command {
  return command(`import ${name}/${key} at line ${line} in place of ${old}`, async (model, real) => {
    if (key === undefined || old === undefined) return;
    const problem = { step: 'limit', message: 'replaced' } as const;
    const request = requestOf(key, 'as before');
    const { approval } = model.portfolio(name);
    const replacing = { key: old, problem, approval };
    const answer = await real.rows.put({ portfolio: name, key }, line, 'i', request, '', replacing);
    expect(answer).toBe(model.putInPlaceOf(name, key, { line, rowName: 'as before', old }));
  });
}

/** A file that replaces the others lacks the row. */
function leaveOut(name: string, key: string): Command {
  return command(`a file that replaces ${name} lacks ${key}`, async (model, real) => {
    const problem = { step: 'limit', message: 'left out' } as const;
    const answer = await real.rows.leaveOut({ portfolio: name, key }, { importId: 'other', begun: '9' }, problem);
    expect(answer).toBe(model.leaveOut(name, key));
  });
}

function retry(name: string, key: string, from: 'refused' | 'cancelled'): Command {
  return command(`retry ${name}/${key} if ${from}`, async (model, real) => {
    expect(await real.rows.requeue({ portfolio: name, key }, from)).toBe(model.requeue(name, key, from));
  });
}

/** A person resolves a doubtful call correctly, or decides the fate of one that is still in flight. */
function resolve(key: string, step: Step, which: number, wasMade: boolean): Command {
  return command(`a person resolves call ${which} in doubt, or else ${thingOf(key, step)}`, async (model, real) => {
    const inDoubt = [...model.calls].filter(([, { state }]) => state === 'unknown');
    const thing = inDoubt[which % inDoubt.length]?.[0] ?? thingOf(key, step);
    const late = real.flights.filter(({ attempt }) => attempt.thing === thing && attempt.fate === 'open');
    let [id] = real.made.get(thing) ?? [];
    if (inDoubt.length > 0) {
      if (id === undefined && late.length > 0 && wasMade) id = real.make(thing);
      for (const { attempt } of late) attempt.fate = id === undefined ? 'not made' : 'made';
    }
    const [kind = '', thingKey = ''] = thing.split(' ');
    const answer = await real.calls.resolve(
      [{ kind: kind as CallKind, key: thingKey }],
      REQUESTS[key]?.buyer ?? '',
      id,
    );
    expect(answer).toBe(model.resolve(thing, id));
    await freeHeldRows(model, real);
  });
}

/** Held rows continue when their call is no longer in doubt. */
async function freeHeldRows(model: Model, real: RealLedger): Promise<void> {
  for (const [name, row] of model.rows) {
    const [portfolio = '', key = ''] = name.split('/');
    if (row.state !== 'held' || model.calls.get(thingOf(key, row.step))?.state === 'unknown') continue;
    expect(await real.rows.requeue({ portfolio, key }, 'held')).toBe(model.requeue(portfolio, key, 'held'));
  }
}

function cancel(name: string, key: string): Command {
  return command(`cancel ${name}, of which ${key} is moved at once`, async (model, real) => {
    const step = model.rowOf(name, key)?.step ?? 'company';
    const [, thingKey = ''] = thingOf(key, step).split(' ');
    await real.portfolios.cancel(name);
    const answer = await real.rows.cancel({ portfolio: name, key }, [{ kind: kindOf(step), key: thingKey }]);
    expect(answer).toBe(model.cancel(name, key));
  });
}

/** The indexes and sums are compared with the rows, which finds and changes nothing. */
function compare(name: string): Command {
  return command(`compare ${name} with its rows`, async (model, real) => {
    expect(await real.portfolios.compare([name])).toEqual([]);
    await expectFound(model, real);
  });
}

function pause(name: string): Command {
  return command(`pause ${name}`, async (model, real) => {
    await real.portfolios.pause(name, 'by request');
    model.portfolio(name).paused = true;
  });
}

function resume(name: string): Command {
  return command(`resume ${name}`, async (model, real) => {
    await real.portfolios.resume(name);
    model.resume(name);
  });
}
