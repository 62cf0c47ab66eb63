import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { boundedNotice } from '../../../src/notices/outbox.ts';
import type { Message } from '../../../src/notices/way.ts';
import { jsonForm, slackForm, teamsForm } from '../../../src/notices/webhook/webhook.ts';
import { makeNotice } from '../../support/outbox.ts';

const LINK = 'https://limits.example/portfolios/q4?state=held&by=a|b';

function message(changes: Parameters<typeof makeNotice>[0] = {}): Message {
  return { ...boundedNotice(makeNotice(changes)), id: 'id-1', account: 'https://api.example', link: LINK };
}

/** The texts under this name anywhere in a value. */
function textsOf(value: unknown, name: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === name && typeof one === 'string' ? [one] : textsOf(one, name),
  );
}

// Promise: names-in-notices-are-text
test('the JSON form contains id, kind, time and the unchanged texts', () => {
  expect(jsonForm(message({ title: 'a <b> & "c"' }))).toEqual({
    id: 'id-1',
    kind: 'settled',
    at: '2025-11-22T09:00:00.000Z',
    account: 'https://api.example',
    title: 'a <b> & "c"',
    facts: [{ term: 'Rows', what: '3 done, 1 refused' }],
    link: LINK,
  });
  expect(jsonForm({ ...message(), link: undefined }).link).toBeNull();
});

describe('Slack', () => {
  // Promise: names-in-notices-are-text
  test('links, mentions and character references in a notice are sent as text', () => {
    const hostile = '<!channel> <https://evil.example|x> &lt; *b* _i_';
    const form = slackForm(message({ title: hostile, facts: [{ term: hostile, what: hostile }] }));
    const safe = '&lt;!channel&gt; &lt;https://evil.example|x&gt; &amp;lt; *b* _i_';
    expect(form.text).toBe(safe);
    const texts = textsOf(form.blocks, 'text');
    expect(texts.filter((text) => text === safe)).toHaveLength(3);
    // Only the console’s own link is in a block that interprets links.
    const marked = form.blocks.filter((block) => JSON.stringify(block).includes('mrkdwn'));
    expect(textsOf(marked, 'text')).toEqual([
      '<https://limits.example/portfolios/q4?state=held&amp;by=a%7Cb|Open in the console>',
    ]);
    expect(texts.every((text) => !text.includes('<') || text.endsWith('|Open in the console>'))).toBe(true);
  });

  test('no text of any notice is empty or longer than Slack accepts', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 400 });
    const facts = fc.array(fc.record({ term: texts, what: texts }), { maxLength: 40 });
    fc.assert(
      fc.property(texts, facts, (title, some) => {
        const { blocks } = slackForm(message({ title, facts: some }));
        const [header, ...others] = textsOf(blocks, 'text');
        expect(header?.length).toBeLessThanOrEqual(150);
        for (const text of [header ?? '', ...others]) {
          expect(text.length).toBeGreaterThan(0);
          expect(text.length).toBeLessThanOrEqual(2_000);
        }
        expect(blocks.length).toBeLessThanOrEqual(50);
        for (const block of blocks as { fields?: unknown[] }[])
          expect((block.fields ?? []).length).toBeLessThanOrEqual(10);
      }),
      { numRuns: 50 },
    );
  });
});

describe('Teams', () => {
  // Promise: names-in-notices-are-text
  test('texts are in blocks without Markdown, and the link is a button', () => {
    const hostile = '[x](https://evil.example) **b** <at>all</at>';
    const { attachments } = teamsForm(message({ title: hostile, facts: [{ term: 'T', what: hostile }] }));
    const [{ content } = { content: undefined }] = attachments;
    expect(content?.body.every(({ type }) => type === 'RichTextBlock')).toBe(true);
    expect(textsOf(content?.body, 'text').filter((text) => text === hostile)).toHaveLength(2);
    expect(content?.actions).toEqual([
      {
        type: 'Action.OpenUrl',
        title: 'Open in the console',
        url: 'https://limits.example/portfolios/q4?state=held&by=a|b',
      },
    ]);
    expect(teamsForm({ ...message(), link: undefined }).attachments[0]?.content).not.toHaveProperty('actions');
  });

  test.each(['€', '\u{1F600}', '"', 'ä', '\\'])(
    'the largest notice, made of %s only, is below the 28 kB that Teams accepts',
    (sign) => {
      const long = sign.repeat(3_000);
      const facts = Array.from({ length: 50 }, () => ({ term: long, what: long }));
      const form = teamsForm(message({ title: long, facts }));
      expect(Buffer.byteLength(JSON.stringify(form))).toBeLessThan(28_000);
    },
  );
});
