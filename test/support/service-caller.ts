import { Agent, request } from 'undici';
import { onTestFinished, vi } from 'vitest';
import type { CallKind } from '../../src/call-kind.ts';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { makeSilentLog } from '../../src/log.ts';
import { SERVICE_PATHS } from '../../src/service/paths.ts';
import { makeStandIn } from '../../src/stand-in/stand-in.ts';

export type Caller = ReturnType<typeof makeCaller>;

type StandInOptions = Partial<Parameters<typeof makeStandIn>[0]>;

/** A running stand-in and a caller over HTTP; both end with the test. */
export async function openStandIn(options: StandInOptions = {}) {
  const standIn = makeStandIn({ credentials: STAND_IN_CREDENTIALS, log: makeSilentLog(), keepMade: true, ...options });
  await standIn.start();
  onTestFinished(() => standIn.close());
  return { standIn, caller: makeCaller(standIn.url()) };
}

/** Calls as docs/service.md describes; given parts replace those of the call. */
export function makeCaller(url: string) {
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  let bearer: string | undefined;

  const send = async (
    path: string,
    { method = 'POST', ...rest }: { method?: string; headers?: Record<string, string>; body?: string | Buffer } = {},
  ) => {
    const { statusCode, headers, body } = await request(url + path, { dispatcher, method, ...rest });
    const text = await body.text();
    return { status: statusCode, headers, text, json: () => JSON.parse(text) };
  };
  const askToken = (fields: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    send(SERVICE_PATHS.token, {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ ...TOKEN_FORM, ...fields }).toString(),
    });
  const headersOf = async (headers: Record<string, string> = {}) => {
    bearer ??= (await askToken()).json().access_token;
    return {
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: `Bearer ${bearer}`,
      ...headers,
    };
  };

  return {
    send,
    askToken,
    /** Closes all connections at once, also those that wait. */
    close: () => dispatcher.destroy(),
    headersOf,
    post: async (kind: CallKind, body: unknown, headers?: Record<string, string>) =>
      send(SERVICE_PATHS[kind], {
        headers: await headersOf(headers),
        body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
      }),
    /** Creates a company and returns its id. */
    async company(name = 'Bakery Ltd'): Promise<string> {
      return (await this.post('company', { name })).json().id;
    },
    control: (name: string, body?: unknown) =>
      body === undefined
        ? send(`/_stand-in/${name}`, { method: name === 'reset' ? 'POST' : 'GET' })
        : send(`/_stand-in/${name}`, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  };
}

/** Waits until the check passes, with a long limit for slow machines. */
export const until = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 5 });

export const TOKEN_FORM = {
  grant_type: 'client_credentials',
  client_id: STAND_IN_CREDENTIALS.clientId,
  client_secret: STAND_IN_CREDENTIALS.clientSecret,
};

/** A document with this content, as the body of POST documents. */
export function documentBody(content: string | Buffer, { name = 'accounts.pdf', mediaType = 'application/pdf' } = {}) {
  const base64 = Buffer.from(content).toString('base64');
  return { purpose: 'financial_statement', file: `data:${mediaType};name=${name};base64,${base64}` };
}
