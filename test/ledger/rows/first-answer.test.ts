import { expect, test } from 'vitest';
import { recordWords } from '../../../src/console/pages/row/timeline.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';

test('what a results file put back is not said to be the first answer of the service', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { decisions, stories, ledger, keys } = context;
  const id = 'bl_q41';
  const known = await decisions.find(id);
  if (!known) throw new Error('no limit');
  // The ledger was lost, and a results file of after the decision put the call back.
  const record = JSON.stringify({ status: 'rejected' });
  await ledger.hset(keys.call('limit', known.key), { by: 'a results file', record, at: Date.now() });
  const limit = await decisions.find(id);
  if (!limit) throw new Error('no limit');
  const word = {
    limit: id,
    status: 'rejected',
    total: '',
    available: '',
    at: '2026-02-01T00:00:00.000Z',
    isDated: true,
  };
  await decisions.decide(limit, word, { by: 'anna', file: 'later.csv' });
  const [call] = await stories.calls([{ kind: 'limit', key: known.key }]);
  expect(call?.decided).toMatchObject({ file: 'later.csv' });
  expect(call?.answered).toBeUndefined();
});

test('of a limit whose answer never came, since a person gave its id, no first answer is told', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { decisions, stories, ledger, keys } = context;
  const id = 'bl_q41';
  const known = await decisions.find(id);
  if (!known) throw new Error('no limit');
  // As resolve.lua writes it.
  await ledger.hset(keys.call('limit', known.key), { by: 'a person', record: '{}', at: Date.now() });
  const word = { limit: id, status: 'rejected', total: '', available: '', at: new Date().toISOString(), isDated: true };
  expect(await decisions.decide(known, word, { by: 'anna', file: 'later.csv' })).toBe('taken');
  const [call] = await stories.calls([{ kind: 'limit', key: known.key }]);
  // The row's page says "Answered at first: nothing".
  expect(call?.answered && recordWords(call.answered)).toBeUndefined();
});
