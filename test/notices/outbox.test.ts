import { describe, expect, test } from 'vitest';
import { NOTICE_LIMITS } from '../../src/notices/outbox-store.ts';
import { makeNotice, makeState, openOutbox } from '../support/outbox.ts';

describe('reporting states', () => {
  test('a notice is added when the state of a subject differs from the last reported one, and once', async () => {
    const { outbox } = openOutbox();
    expect(await outbox.report([makeState('settled 1')])).toBe(1);
    expect(await outbox.report([makeState('settled 1')])).toBe(0);
    expect(await outbox.report([{ subject: 'portfolio q4', state: 'open' }])).toBe(0);
    expect(await outbox.report([makeState('settled 1'), makeState('settled 1', {}, 'portfolio q5')])).toBe(2);
    expect(await outbox.lately()).toHaveLength(3);
  });

  test('two states of one subject in one report are both added, and the second is remembered', async () => {
    const { outbox } = openOutbox();
    const away = makeState('away', { kind: 'away' }, 'service');
    const back = makeState('well', { kind: 'back' }, 'service');
    expect(await outbox.report([{ subject: 'service', state: 'well' }])).toBe(0);
    expect(await outbox.report([away, back])).toBe(2);
    expect(await outbox.report([back])).toBe(0);
    expect(await outbox.report([away])).toBe(1);
  });

  test('a state that was derived from an outdated one is neither added nor remembered', async () => {
    const { outbox } = openOutbox();
    expect(await outbox.report([{ ...makeState('away', {}, 'service'), was: '' }])).toBe(1);
    expect(await outbox.report([{ ...makeState('back', {}, 'service'), was: '' }])).toBe(0);
    expect(await outbox.report([{ ...makeState('away again', {}, 'service'), was: 'back' }])).toBe(0);
    expect(await outbox.report([{ ...makeState('back', {}, 'service'), was: 'away' }])).toBe(1);
    expect(await outbox.report([{ ...makeState('back', {}, 'service'), was: 'away' }])).toBe(0);
    expect((await outbox.lately()).length).toBe(2);
  });

  // Promise: each-change-told-once
  test('when several processes report the same state at once, one notice is added', async () => {
    const { open } = openOutbox();
    const states = Array.from({ length: 20 }, (_, place) => makeState('awaiting', {}, `portfolio ${place}`));
    const told = await Promise.all(Array.from({ length: 5 }, () => open().report(states)));
    expect(told.reduce((sum, one) => sum + one, 0)).toBe(20);
    const { outbox } = openOutbox();
    expect(await outbox.lately()).toEqual([]);
    expect((await open().standings()).map(({ waiting }) => waiting)).toEqual([20, 20]);
  });

  test('more states than fit one command are all compared', async () => {
    const { outbox } = openOutbox({ ways: [] });
    const states = Array.from({ length: 1_201 }, (_, place) => makeState('settled', {}, `portfolio ${place}`));
    expect(await outbox.report(states)).toBe(1_201);
    expect(await outbox.report(states)).toBe(0);
  });

  // Promise: only-wanted-kinds-sent
  test('a notice is sent once by each channel that is set, and one of an unwanted kind is only listed', async () => {
    const { outbox, open } = openOutbox({ ways: ['webhook'] });
    await outbox.report([makeState('1')]);
    await open({ about: ['disk'] }).report([makeState('2')]);
    await open({ about: ['disk', 'settled'] }).report([makeState('3')]);
    await open({ ways: [] }).report([makeState('4')]);
    const listed = await outbox.lately();
    expect(listed.map(({ deliveries }) => deliveries.map(({ way, is }) => `${way} ${is}`))).toEqual([
      [],
      ['webhook waiting'],
      [],
      ['webhook waiting'],
    ]);
    expect(await outbox.standings()).toEqual([
      { way: 'webhook', waiting: 2 },
      { way: 'mail', waiting: 0 },
    ]);
  });
});

describe('kept notices', () => {
  test('control characters and direction overrides are removed from a notice, and its size is bounded', async () => {
    const { outbox } = openOutbox();
    const what = `a\u001B[31m\u202Eb\r\nBcc: c ${'\u{1F600}'.repeat(200)}`;
    const facts = Array.from({ length: 30 }, (_, place) => ({ term: `Term ${place}`, what }));
    await outbox.report([makeState('1', { title: `x${'\n'.repeat(9)}y${'z'.repeat(999)}`, facts })]);
    const [{ notice } = { notice: makeNotice() }] = await outbox.lately();
    expect(notice.title).toMatch(/^x yz+…$/);
    expect(notice.title).toHaveLength(300);
    expect(notice.facts).toHaveLength(20);
    expect(notice.facts.at(-1)).toEqual({ term: 'And', what: '11 more' });
    expect(notice.facts[0]?.what).toMatch(/^a \[31m b Bcc: c (\u{1F600})+…$/u);
    expect(notice.facts[0]?.what.length).toBeLessThanOrEqual(200);
  });

  test('the latest notices are listed newest first, waiting ones are kept, and the others expire', async () => {
    const { outbox, open, connection, keys } = openOutbox({ limits: { ...NOTICE_LIMITS, listed: 2 } });
    await open({ ways: [] }).report([makeState('1')]);
    const [first] = await outbox.lately();
    expect(await connection.pttl(keys.notice(first?.id ?? ''))).toBeGreaterThan(NOTICE_LIMITS.keepMs - 60_000);
    for (const state of ['2', '3', '4']) await outbox.report([makeState(state, { title: state })]);
    const listed = await outbox.lately();
    expect(listed.map(({ notice }) => notice.title)).toEqual(['4', '3']);
    expect(await connection.pttl(keys.notice(listed[0]?.id ?? ''))).toBe(-1);
    expect((await outbox.standings())[0]?.waiting).toBe(3);
  });

  test('a notice beyond the limit of waiting ones is undelivered, with the reason', async () => {
    const { outbox } = openOutbox({ ways: ['mail'], limits: { ...NOTICE_LIMITS, waiting: 1 } });
    expect(await outbox.report([makeState('1'), makeState('2')])).toBe(2);
    const [{ deliveries } = { deliveries: [] }] = await outbox.lately();
    expect(deliveries).toMatchObject([
      { way: 'mail', is: 'undelivered', words: expect.stringContaining('too many notices wait already') },
    ]);
    expect(await outbox.counts()).toEqual({ delivered: 0, undelivered: 1 });
  });

  test('all keys of the outbox are in one slot', () => {
    const { keys } = openOutbox();
    const names = [keys.noticeStates, keys.noticesLately, keys.account, keys.notice('a'), keys.outbox('mail')];
    const tags = [...names, keys.outboxFault('mail')].map((name) => /^\{[^}]+\}/.exec(name)?.[0]);
    expect(new Set(tags).size).toBe(1);
    expect(tags[0]).toBeDefined();
  });
});
