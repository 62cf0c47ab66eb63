import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { noConnectionWords } from '../../no-connection.ts';
import type { ForwardProxy } from '../../proxy.ts';
import { userInfoOf } from '../user-info.ts';
import type { Message, SendResult, Way } from '../way.ts';
import { slackForm } from './slack-form.ts';
import { meaningOfAnswer } from './webhook-answer.ts';

export type WebhookForm = keyof typeof FORMS;

const FORMS = { json: jsonForm, slack: slackForm, teams: teamsForm };

/** Receivers answer within seconds; of one that hangs more is not to be expected. */
const TRY_MS = 15_000;
const CONNECT_MS = 5_000;

/**
 * Notices by HTTP POST to an address that is a secret as a whole: no word of ours shows more of it than its host.
 *
 * Each try has a connection of its own, since there is one in a while, and a connection that is cut is certainly over. Nothing of
 * an answer but its head is read, and no redirect is followed.
 */
export function makeWebhook({
  url,
  form,
  proxy,
  tryMs = TRY_MS,
}: {
  url: string;
  form: WebhookForm;
  proxy: ForwardProxy | undefined;
  tryMs?: number;
}): Way {
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
    // An answer that never ends is none that anybody waits for.
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
        // undici hears no abort while it connects.
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

/** Resolves when the process stops, or when the time of a try is over; not after `done`. */
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
    ? { is: 'failed', words: 'cut off when the process stopped', fault: 'ours', passes: true }
    : { is: 'failed', words: `${host} gave no answer within ${tryMs / 1_000} s`, fault: 'way', passes: true };
}

/** No head of an answer came: whether the notice arrived is not known then. */
function notReached(error: Error, host: string, proxy: ForwardProxy | undefined): SendResult {
  // undici says it in a sentence alone.
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

/** RFC 7617, of an address with user and password. */
function basicOf(address: URL): string | undefined {
  const login = userInfoOf(address);
  return login && `Basic ${Buffer.from(`${login.user}:${login.pass}`).toString('base64')}`;
}

/**
 * A notice as programs read it. Documented in docs/nightly.md: names are added, and none is changed.
 *
 * @returns a value for JSON.stringify
 */
export function jsonForm({ id, kind, title, facts, atMs, account, link }: Message) {
  return { id, kind, at: new Date(atMs).toISOString(), account, title, facts, link: link ?? null };
}

/**
 * A notice for a webhook of Teams' Workflows ("When a Teams webhook request is received"): a message with an Adaptive Card. Texts
 * are runs of RichTextBlocks, which know no Markdown, unlike TextBlocks and FactSets: so no name is a link or bold by what stands in it.
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
          // What Teams shows on all of its clients.
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

/** How a run of text looks. */
type Run = { text: string; size?: 'Small' | 'Large'; weight?: 'Bolder'; isSubtle?: boolean };

function text(runs: readonly Run[], spacing: 'Small' | 'Default' = 'Default') {
  return { type: 'RichTextBlock', spacing, inlines: runs.map((run) => ({ type: 'TextRun', ...run })) };
}
