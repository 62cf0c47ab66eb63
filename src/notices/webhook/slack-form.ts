import type { Message } from '../way.ts';

/** Facts in one block: Slack allows ten fields, and each fact takes two. */
const FACTS_A_BLOCK = 5;

/**
 * A notice for Slack's incoming webhooks: blocks of plain text, so that a star or underscore in a name is not formatting, and `text` for
 * notifications. The header block cuts the title at 150 characters; `text` has all of it.
 *
 * @see https://docs.slack.dev/reference/block-kit/blocks
 */
export function slackForm({ id, title, facts, account, link }: Message) {
  const blocks: unknown[] = [{ type: 'header', text: plain(title, MOST_HEADER) }];
  const all = [...facts, { term: 'Account', what: account }];
  for (let from = 0; from < all.length; from += FACTS_A_BLOCK) {
    const some = all.slice(from, from + FACTS_A_BLOCK);
    blocks.push({ type: 'section', fields: some.flatMap(({ term, what }) => [plain(term), plain(what)]) });
  }
  if (link !== undefined) {
    blocks.push({ type: 'section', text: { type: 'mrkdwn', text: `<${slackLink(link)}|Open in the console>` } });
  }
  blocks.push({ type: 'context', elements: [plain(`Limitline, notice ${id}`)] });
  return { text: escaped(title), blocks, unfurl_links: false, unfurl_media: false };
}

/** Slack's limits: 150 characters of a header, 2,000 of a field, which no fact reaches. */
const MOST_HEADER = 150;
const MOST_FIELD = 2_000;

/** A text of at most so many escaped characters, without a cut escape. Slack refuses an empty one. */
function plain(text: string, most: number = MOST_FIELD) {
  let short = '';
  for (const character of text.toWellFormed()) {
    const next = short + escaped(character);
    if (next.length > most - 1) return { type: 'plain_text', text: `${short}…`, emoji: false };
    short = next;
  }
  return { type: 'plain_text', text: short || '–', emoji: false };
}

/** Escapes the three characters by which Slack recognizes links, mentions and `<!channel>`. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Escapes a URL for use between `<` and `|`. */
function slackLink(link: string): string {
  return escaped(new URL(link).href.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E'));
}
