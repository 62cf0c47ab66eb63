import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { as, byHeader, openConsole, openDesk } from '../../support/desk.ts';

test('who watches a portfolio of their own is never sent pieces of another whose name begins with “own”', async () => {
  const desk = await openDesk(2);
  await desk.limitline('import', 'q4.csv', '--portfolio', 'own brands', '--yes');
  await desk.limitline('import', 'q4.csv', '--portfolio', 'brands', '--yes');
  const web = await openConsole(desk, byHeader);
  await web.context.ledger.hset(web.context.keys.portfolio('brands'), 'owner', 'fiona');

  // Bob watches a portfolio that is not his own, and its pieces have been read.
  const headers = { ...as('bob', 'finance'), accept: 'text/event-stream' };
  const watching = httpGet(`${web.url}/portfolios/own%20brands/events`, { headers, agent: false });
  onTestFinished(() => void watching.destroy());
  watching.on('error', () => {});
  const [stream] = (await once(watching, 'response')) as [IncomingMessage];
  const [first] = await once(stream.setEncoding('utf8'), 'data');
  expect(first).toContain('retry:');
  await expect
    .poll(async () => (await web.open('/portfolios/own%20brands/events', { headers: as('bob', 'finance') })).text())
    .toContain('/portfolios/own%20brands');

  const pieces = await web.open('/portfolios/brands/events', { headers: as('fiona', 'finance') });
  const text = await pieces.text();
  expect(text).toContain('/portfolios/brands');
  expect(text).not.toContain('own%20brands');
});
