import type { CallKind } from '../call-kind.ts';
import type { AnswerCheck } from '../config.ts';
import { fileFault } from '../files/disk.ts';
import type { RedisConnection } from '../lua-script.ts';
import type { ForwardProxy } from '../proxy.ts';
import { type Answer, meaningOf } from './answer-meaning.ts';
import { makeDocumentBody, type OutgoingDocument } from './document-body.ts';
import { makeOutlet, type Outlet } from './outlet.ts';
import { SERVICE_PATHS } from './paths.ts';
import type { Made } from './resource.ts';
import type { Post, Reply } from './send.ts';
import { readSessionAnswer, type SessionCall } from './session-file.ts';
import { makeTokenCache } from './token.ts';
import { makeTokenCall, type TokenCallOptions } from './token-call.ts';

/** Options of a call besides its body. */
export type CallOptions = {
  /** The same key for every retry of one call. Sent only if a header for it is configured. */
  idempotencyKey: string;
  /** Called before each token call that this call needs. */
  onTokenCall: () => void;
};

/** An answer, with the version of the token that was used. */
export type Answered = Answer & { token: string };

export type ServiceClient = ReturnType<typeof makeServiceClient>;

/**
 * The service as documented: three calls that make something, each sent once, with the meaning of its answer. The token
 * is fetched and shared automatically. After a 401, the caller renews it and repeats the call with a new permit.
 *
 * A call rejects only if nothing was made: `CREDENTIALS` when the service or a proxy refuses them, `SERVICE` when no
 * token is available for now, `FILE` when a document cannot be read completely.
 */
export function makeServiceClient(
  options: Omit<TokenCallOptions, 'outlet' | 'basePath'> & {
    connections: number;
    /** The forward proxy for all calls, if there is one. */
    proxy: ForwardProxy | undefined;
    idempotencyHeader: string | undefined;
    /** Statuses besides 429 with which this service made nothing, see {@link meaningOf}. */
    notMade?: readonly number[];
    answerCheck?: AnswerCheck;
    /** The Redis in which all processes share the token. */
    connection: RedisConnection;
    tokenKey: string;
  },
) {
  const { origin, pathname } = new URL(options.url);
  const basePath = pathname.replace(/\/+$/, '');
  const openOutlet = () => makeOutlet({ origin, connections: options.connections, proxy: options.proxy });
  const outlet = openOutlet();
  /**
   * The connections for calls for hosted sessions, opened by the first of them. Other calls have connections of their own, so that they
   * never wait for one behind a session.
   */
  let sessionOutlet: Outlet | undefined;
  const token = makeTokenCache({
    connection: options.connection,
    key: options.tokenKey,
    secret: options.clientSecret,
    fetchToken: makeTokenCall({ ...options, outlet, basePath }),
  });

  const headersWith = makeCallHeaders();
  const withoutToken = makeTokenRemoval();

  let unanswered = 0;

  const post = async (
    kind: CallKind | 'session',
    body: OutgoingBody,
    { idempotencyKey, onTokenCall }: CallOptions,
    { path, by = outlet, read }: { path?: string; by?: Outlet; read?: (text: string) => Made } = {},
  ): Promise<Answered> => {
    const { value, version } = await token.get(onTokenCall);
    const headers = headersWith(value);
    const { idempotencyHeader } = options;
    const sending = by.send({
      path: basePath + (path ?? SERVICE_PATHS[kind as CallKind]),
      headers:
        body.headers || idempotencyHeader
          ? { ...headers, ...body.headers, ...(idempotencyHeader ? { [idempotencyHeader]: idempotencyKey } : {}) }
          : headers,
      body: body.open(),
      timeoutMs: options.timeoutMs,
    });
    unanswered += 1;
    try {
      const { notMade, answerCheck } = options;
      const asked = read ? { read } : { notMade, answerCheck, sent: body.fields };
      return { ...meaningOf(kind, withoutToken(await sending, value), asked), token: version };
    } finally {
      unanswered -= 1;
    }
  };

  return {
    /** Ensures that a token is available before anything is claimed. Rejects like a call. */
    authorize: async (onTokenCall: () => void): Promise<void> => {
      await token.get(onTokenCall);
    },
    /** Whether a call would be sent at once, without fetching a token first. */
    isAuthorized: token.isAtHand,
    /** Renews a token after a 401, once for all calls that met it. Returns the new version; rejects like a call. */
    renewToken: async (refused: string, onTokenCall: () => void): Promise<string> =>
      (await token.replace(refused, onTokenCall)).version,
    /** Makes a token call even if a token exists, to test whether the service answers. Rejects like a call. */
    tryToken: async (onTokenCall: () => void): Promise<void> => {
      await token.fetchAnew(onTokenCall);
    },
    /** The number of calls without an answer so far that may make something. */
    unanswered: (): number => unanswered,
    createCompany: (body: Record<string, unknown>, call: CallOptions) => post('company', jsonBody(body), call),
    requestLimit: (body: Record<string, unknown>, call: CallOptions) => post('limit', jsonBody(body), call),
    uploadDocument: async (document: OutgoingDocument, call: CallOptions) => {
      const { contentLengthBytes, open, fault } = makeDocumentBody(document);
      const answer = await post('document', { headers: { 'content-length': String(contentLengthBytes) }, open }, call);
      // A body shorter than announced is no request (RFC 9112, section 8), nor JSON. So nothing was made.
      if (answer.is === 'unknown' && fault()) throw fileFault(document.path, 'read', fault());
      return answer;
    },
    /**
     * Asks for a hosted session. The statuses of SERVICE_NOT_MADE do not apply to it, since that setting is about the calls that the
     * service documents.
     */
    createSession: (session: SessionCall, body: Record<string, unknown>, call: CallOptions) => {
      sessionOutlet ??= openOutlet();
      const read = (text: string) => readSessionAnswer(text, session);
      return post('session', jsonBody(body), call, { path: session.path, by: sessionOutlet, read });
    },
    /** Closes all connections at once. A call in flight gets the meaning `unknown`. */
    close: async (): Promise<void> => {
      await Promise.all([outlet.close(), sessionOutlet?.close()]);
    },
  };
}

/** A shorter token could be a part of an id, so it is left in an answer. */
const LEAST_TOKEN_CHARACTERS = 16;

/**
 * Makes a function that takes a call's token out of its answer: some gateways repeat a request's headers in it, and answers are stored
 * and shown to people. Their pattern is built once for each token.
 */
function makeTokenRemoval(): (reply: Reply, token: string) => Reply {
  let of: string | undefined;
  let pattern = /(?!)/g;
  return (reply, token) => {
    if (reply.is !== 'answer' || token.length < LEAST_TOKEN_CHARACTERS) return reply;
    if (token !== of) {
      of = token;
      pattern = new RegExp([...token].map(written).join(''), 'g');
    }
    const text = reply.text.replace(pattern, '[token]');
    return text === reply.text ? reply : { ...reply, text };
  };
}

/** A pattern of a token's character, which JSON and addresses may write as an escape: `/` as `\/`, `\u002f` or `%2F`. */
function written(character: string): string {
  if (/[A-Za-z\d]/.test(character)) return character;
  const hex = character.charCodeAt(0).toString(16).padStart(2, '0');
  return `(?:\\\\{0,4}\\x${hex}|(?:\\\\{1,4}u00|%)(?:${hex}|${hex.toUpperCase()}))`;
}

type OutgoingBody = {
  headers?: Record<string, string>;
  open: () => Post['body'];
  /** The fields that were sent, which the service's answer must not contradict. */
  fields?: Readonly<Record<string, unknown>>;
};

function jsonBody(body: Record<string, unknown>): OutgoingBody {
  const text = JSON.stringify(body);
  return { open: () => text, fields: body };
}

/** The headers of calls with a token, built once for each token because most calls have no others. */
function makeCallHeaders(): (token: string) => Readonly<Record<string, string>> {
  let of: string | undefined;
  let headers: Readonly<Record<string, string>> = {};
  return (token) => {
    if (token !== of) {
      of = token;
      headers = { 'content-type': 'application/json', accept: 'application/json', authorization: `Bearer ${token}` };
    }
    return headers;
  };
}
