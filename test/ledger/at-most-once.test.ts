import { expect, test } from 'vitest';
import type { Sent } from '../../src/ledger/at-most-once.ts';
import { openLedger } from '../support/ledger.ts';

const company = { kind: 'company', key: 'buyer-1', row: { portfolio: 'q4', key: 'row-1' }, buyer: 'buyer-1' } as const;

test('sends once for everybody who wants the same thing', async () => {
  const { process } = openLedger();
  const { once } = await process('a');
  let sends = 0;
  const send = async (): Promise<Sent> => {
    sends += 1;
    return { meaning: 'made', id: 'company_1', record: {} };
  };
  expect(await once(company, { onUnknown: 'hold', send })).toEqual({
    is: 'made',
    id: 'company_1',
    record: {},
    row: undefined,
  });
  expect(await once(company, { onUnknown: 'hold', send })).toMatchObject({
    is: 'made',
    id: 'company_1',
    row: 'q4/row-1',
  });
  expect(sends).toBe(1);
});

test.each<[Sent, object]>([
  [
    { meaning: 'refused', status: 422, body: 'no' },
    { is: 'refused', status: 422, body: 'no' },
  ],
  [
    { meaning: 'throttled', heard: 'status 429' },
    { is: 'later', heard: 'status 429' },
  ],
  [
    { meaning: 'unreachable', heard: 'ECONNREFUSED' },
    { is: 'later', heard: 'ECONNREFUSED' },
  ],
])('may be sent again after %o', async (answer, ending) => {
  const { process } = openLedger();
  const { once } = await process('a');
  expect(await once(company, { onUnknown: 'hold', send: async () => answer })).toEqual(ending);
  const again = await once(company, {
    onUnknown: 'hold',
    send: async () => ({ meaning: 'made', id: 'company_1', record: {} }),
  });
  expect(again).toMatchObject({ is: 'made' });
});

test('is never sent again after an unknown outcome under "hold"', async () => {
  const { process } = openLedger();
  const { once } = await process('a');
  await once(company, { onUnknown: 'hold', send: async () => ({ meaning: 'unknown', heard: 'reset' }) });
  const send = () => Promise.reject(new Error('this must not be sent'));
  expect(await once(company, { onUnknown: 'hold', send })).toMatchObject({ is: 'unknown', heard: 'reset' });
});

test('gives the claim back when nothing could be sent', async () => {
  const { process } = openLedger();
  const { once } = await process('a');
  await expect(once(company, { onUnknown: 'hold', send: () => Promise.reject(new Error('no token')) })).rejects.toThrow(
    'no token',
  );
  const send = async (): Promise<Sent> => ({ meaning: 'made', id: 'company_1', record: {} });
  expect(await once(company, { onUnknown: 'hold', send })).toMatchObject({ is: 'made' });
});

test('tells a repetition by the name of the first send', async () => {
  const { process } = openLedger();
  const { once } = await process('a');
  const names: string[] = [];
  for (const meaning of ['unknown', 'unknown'] as const) {
    await once(company, {
      onUnknown: 'resend',
      send: async (first) => {
        names.push(first);
        return { meaning, heard: 'reset' };
      },
    });
  }
  expect(names).toEqual([names[0], names[0]]);
});
