import { expect, test } from 'vitest';
import { makeDecisionsDesk } from '../../../jobs/operators/upload-decisions.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';

// Promise: upload-taken-once
test('an upload is taken in once, though another console read it before and comes to take it after that', async () => {
  const { context } = await openFinishedPortfolio(1);
  const desk = makeDecisionsDesk(context);
  const content = Buffer.from('buyer_limit_id,status\nbl_q41,declined\n');
  const shown = await desk.look('q4', { fileName: 'later.csv', content, reading: {} }, 'olga');
  const { plans } = context;
  let first: unknown;
  const takeAnswer = async (id: string) => {
    first = await desk.take(id, 'q4', 'olga');
    return plans.takeAnswer(id);
  };
  const other = makeDecisionsDesk({ ...context, plans: { ...plans, takeAnswer } });
  expect(await other.take(shown.id, 'q4', 'pia')).toBeUndefined();
  expect(first).toMatchObject({ taken: 1 });
  expect(await desk.taken(shown.id, 'q4')).toMatchObject({ taken: 1 });
});
