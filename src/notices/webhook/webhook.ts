import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import type { AnswerHeaders } from '../../answer-headers.ts';
import { noConnectionWords } from '../../no-connection.ts';
import type { ForwardProxy } from '../../proxy.ts';
import type { Message, SendResult, Way } from '../way.ts';
import { userInfoOf } from '../way.ts';

export type WebhookForm = keyof typeof FORMS;

const FORMS = { json: jsonForm, slack: slackForm, teams: teamsForm };

/** The time limits of an attempt: receivers answer within seconds, and one that hangs is given up. */
const TRY_MS = 15_000;
const CONNECT_MS = 5_000;

/**
 * Sends notices by HTTP POST to a URL that is secret as a whole: only its host is ever shown.
 *
 * Each attempt has its own connection, since notices are rare, and a closed connection is certainly over. Only status and headers of the
 * response are read, and redirects are not followed.
 */
export function makeWebhook(given: {
  url: string;
  form: WebhookForm;
  proxy: ForwardProxy | undefined;
  tryMs?: number;
}): Way {
  const { url, form, proxy, tryMs = TRY_MS } = given;
  const address = new URL(url);
  const authorization = basicOf(address);
  [address.username, address.password] = ['', ''];
  const host = address.host;

  async function post(message: Message, dispatcher: Dispatcher, signal: AbortSignal): Promise<SendResult> {
    const { statusCode, headers, body } = await request(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'limitline',
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: JSON.stringify(FORMS[form](message)),
      dispatcher,
      signal,
    });
    // The body of the response is not read: it might never end.
    body.on('error', () => {}).destroy();
    return meaningOfAnswer({ status: statusCode, headers, host, nowMs: Date.now() });
  }

  return {
    name: 'webhook',
    where: host,
    async send(message, { signal }) {
      const dispatcher = openConnection(proxy);
      const over = new AbortController();
      const cut = cutOff(signal, tryMs, over.signal);
      const sending = post(message, dispatcher, AbortSignal.any([signal, over.signal])).catch((error) =>
        notReached(error, host, proxy),
      );
      try {
        // The time limit is awaited beside the request: while undici connects, it does not react to the signal.
        return await Promise.race([sending, cut.then((why) => broken(why, host, tryMs))]);
      } finally {
        over.abort();
        await dispatcher.destroy().catch(() => {});
      }
    },
  };
}

function openConnection(proxy: ForwardProxy | undefined): Dispatcher {
  const connect = { timeout: CONNECT_MS, allowH2: false };
  if (proxy === undefined) return new Agent({ connect });
  const token = proxy.authorization === undefined ? {} : { token: proxy.authorization };
  return new ProxyAgent({ uri: proxy.url.origin, ...token, connect, requestTls: connect, proxyTls: connect });
}

/** Resolves when the process stops (`stopped`) or the time of the attempt is over (`late`); never once `done` is aborted. */
function cutOff(signal: AbortSignal, tryMs: number, done: AbortSignal): Promise<'stopped' | 'late'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('late'), tryMs);
    const stop = () => resolve('stopped');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    done.addEventListener('abort', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
    });
  });
}

function broken(why: 'stopped' | 'late', host: string, tryMs: number): SendResult {
  return why === 'stopped'
    ? { is: 'failed', words: 'the attempt was cut off when the process stopped', fault: 'ours', passes: true }
    : { is: 'failed', words: `${host} gave no answer within ${tryMs / 1_000} s`, fault: 'way', passes: true };
}

/** The outcome of an attempt without a response. The notice may have arrived. */
function notReached(error: Error, host: string, proxy: ForwardProxy | undefined): SendResult {
  // undici reports a refusal by the proxy in the message only.
  if (proxy !== undefined && error.message.includes('(407)')) return proxyRefuses(proxy);
  const by = proxy === undefined ? '' : ` by way of the proxy ${proxy.where}`;
  return {
    is: 'failed',
    words: `${host} gave no answer${by}: ${noConnectionWords(error)}`,
    fault: 'way',
    passes: true,
  };
}

function proxyRefuses({ where, setting }: ForwardProxy): SendResult {
  const words = `the proxy ${where} asks for another user and password (407): see ${setting}`;
  return { is: 'failed', words, fault: 'way', passes: false };
}

/** The value of the authorization header (RFC 7617), if the URL contains user and password. */
function basicOf(address: URL): string | undefined {
  const login = userInfoOf(address);
  return login && `Basic ${Buffer.from(`${login.user}:${login.pass}`).toString('base64')}`;
}

/**
 * A notice as JSON for programs. Its names are documented in docs/nightly.md: further ones may be added, and none is ever changed.
 *
 * @returns a value for JSON.stringify
 */
export function jsonForm({ id, kind, title, facts, atMs, account, link }: Message) {
  return { id, kind, at: new Date(atMs).toISOString(), account, title, facts, link: link ?? null };
}

/**
 * A notice for a Teams Workflow ("When a Teams webhook request is received"): a message with an Adaptive Card. Texts are runs of
 * RichTextBlocks, which have no Markdown, unlike TextBlocks and FactSets: so no name can become a link or bold.
 *
 * @see https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
 */
export function teamsForm({ id, title, facts, account, link }: Message) {
  const body = [
    text([{ text: title, size: 'Large', weight: 'Bolder' }]),
    ...[...facts, { term: 'Account', what: account }].map(({ term, what }) =>
      text([{ text: `${term}: `, weight: 'Bolder' }, { text: what || '–' }], 'Small'),
    ),
    text([{ text: `Limitline, notice ${id}`, size: 'Small', isSubtle: true }]),
  ];
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          // The version that Teams supports on all its clients.
          version: '1.4',
          fallbackText: title,
          body,
          ...(link === undefined
            ? {}
            : { actions: [{ type: 'Action.OpenUrl', title: 'Open in the console', url: new URL(link).href }] }),
          msteams: { width: 'Full' },
        },
      },
    ],
  };
}

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

/** The style of a run of text. */
type Run = { text: string; size?: 'Small' | 'Large'; weight?: 'Bolder'; isSubtle?: boolean };

function text(runs: readonly Run[], spacing: 'Small' | 'Default' = 'Default') {
  return { type: 'RichTextBlock', spacing, inlines: runs.map((run) => ({ type: 'TextRun', ...run })) };
}

/** Most characters of Slack's header block, and of a field of a section. No fact is as long as a field may be. */
const MOST_HEADER = 150;
const MOST_FIELD = 2_000;

/**
 * A plain text of Slack's blocks, escaped, of at most `most` characters; a longer one is cut, but not within an escape. Slack refuses an
 * empty text, so it becomes a dash.
 */
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
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Escapes a URL for use between `<` and `|`. */
function slackLink(link: string): string {
  return escaped(new URL(link).href.replaceAll('|', '%7C').replaceAll('<', '%3C').replaceAll('>', '%3E'));
}

/**
 * The meaning of a webhook's response.
 *
 * | Status | Then |
 * | --- | --- |
 * | 2xx | delivered |
 * | 429, 408, 5xx | the receiver has a problem: every notice is retried soon, or when it asked for |
 * | 400, 413, 415, 422 | it rejects this notice: retried now and then, and the others go on |
 * | 3xx and any other | the URL is wrong: a person has to fix it |
 *
 * @param host the receiver's host, for messages
 */
export function meaningOfAnswer(given: {
  status: number;
  headers: AnswerHeaders;
  host: string;
  nowMs: number;
}): SendResult {
  const { status, headers, host, nowMs } = given;
  if (status >= 200 && status < 300) return { is: 'delivered', words: '' };
  const says = `${host} answered ${status}`;
  const failed = (words: string, fault: 'way' | 'notice', passes: boolean): SendResult => {
    const askedMs = retryAfterMs(headers['retry-after'], nowMs);
    return { is: 'failed', words, fault, passes, ...(askedMs === undefined ? {} : { askedMs }) };
  };
  if (status >= 300 && status < 400) {
    const to = hostOf(headers.location);
    const where = to === undefined ? '' : `, which leads to ${to}`;
    const said = `${says}${where}: redirects are not followed; set NOTIFY_WEBHOOK_URL to the last address`;
    return failed(said, 'way', false);
  }
  if (status === 429) return failed(`${says}: too many messages`, 'way', true);
  if (status === 408 || status >= 500) return failed(says, 'way', true);
  if (NOT_THIS_ONE.has(status)) return failed(`${says}: it does not take this notice`, 'notice', false);
  return failed(`${says}: it may have another address by now, see NOTIFY_WEBHOOK_URL`, 'way', false);
}

/** Statuses by which a receiver rejects the notice's content; other 4xx are about the URL, the method or the rights. */
const NOT_THIS_ONE: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** The wait in ms that a `Retry-After` asks for, given in seconds or as a date (RFC 9110, section 10.2.3). Undefined for anything else. */
function retryAfterMs(value: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000;
  const atMs = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isFinite(atMs) ? Math.max(0, atMs - nowMs) : undefined;
}

/** The host to which a redirect leads. The rest of its URL may be a secret and is left out. */
function hostOf(location: string | string[] | undefined): string | undefined {
  return typeof location === 'string' && URL.canParse(location) ? new URL(location).host.slice(0, 100) : undefined;
}
