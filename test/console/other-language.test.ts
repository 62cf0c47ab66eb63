import { beforeAll, expect, test } from 'vitest';
import type { BuyerStory } from '../../src/ledger/story/row-story.ts';

const WORDS: Readonly<Record<string, string>> = {
  Granted: 'Gewährt',
  Submit: 'Einreichen',
  'status meaning set': 'Bedeutung gesetzt',
  'All reports': 'Alle Berichte',
  'Sent again at night': 'Nachts nochmals gesendet',
};

beforeAll(async () => {
  const { speak } = await import('../../src/console/html/html.ts');
  speak((message) => WORDS[message] ?? message);
});

/** A console that is imported after its language is set. */
async function openConsoleThen() {
  const { openDesk } = await import('../support/desk.ts');
  const { openConsole } = await import('../support/desk.ts');
  const { as, byHeader } = await import('../support/desk.ts');
  const desk = await openDesk(1);
  return { ...desk, ...(await openConsole(desk, byHeader)), as };
}

test('in another language a buyer’s page shows the granted sum under the translated word', async () => {
  const { buyerPage } = await import('../../src/console/pages/buyers/buyers-view.ts');
  const record = { status: 'approved', total_limit: '250' };
  const request = { name: 'Acme', buyer: 'b', documents: [], limit: { requested_limit: '1000' } };
  const outcome = { state: 'done', record, request, limitId: 'bl_1' };
  const one = { row: { portfolio: 'q4', key: 'k' }, amount: '1000', currency: 'EUR', outcome, atMs: 1, decisions: [] };
  const about = { key: 'b', names: [{ name: 'Acme' }], reference: '', companyId: '', count: 1, isWhole: true };
  const story = { ...about, requests: [one], summed: [one] };
  const { markup } = buyerPage(story as unknown as BuyerStory, { from: 0, meanings: new Map() });
  expect(/<dt>Gewährt<\/dt>.*?<data class="amount" value="([^"]*)"/s.exec(markup)?.[1]).toBe('250.00');
});

test('in another language links to audit entries and to sections of pages stay valid', async () => {
  const { limitline, get, as } = await openConsoleThen();
  await limitline('statuses', 'frozen', '--means', 'declined');
  const { text } = await get('/statuses', as('ada', 'admin'));
  expect(text).toContain('href="/audit?what=status+meaning+set&amp;about=frozen"');
  const olga = as('olga', 'operator');
  const automation = await get('/nightly/automation', olga);
  expect(automation.text).toContain('<h2 id="sent-again-at-night-title">Nachts nochmals gesendet</h2>');
  expect((await get('/nightly', olga)).text).toContain('<h2 id="all-reports-title">Alle Berichte</h2>');
});
