import type { CallKind } from '../call-kind.ts';
import type { AnswerCheck } from '../config.ts';
import { fileFault } from '../files/file-fault.ts';
import type { RedisConnection } from '../lua-script.ts';
import type { ForwardProxy } from '../proxy.ts';
import { makeDocumentBody, type OutgoingDocument } from './document-body.ts';
import { type Answer, meaningOf } from './meaning.ts';
import { makeOutlet } from './outlet.ts';
import { SERVICE_PATHS } from './paths.ts';
import type { Post } from './send.ts';
import { makeTokenCache } from './token.ts';
import { makeTokenCall } from './token-call.ts';

/** Options of a call, besides its body. */
export type CallOptions = {
  /** The same for each repetition of a call; sent only if the settings name a header for it. */
  idempotencyKey: string;
  /** Called before each token call that this call needs. */
  onTokenCall: () => void;
};

/** An answer, and the token with which the call was made. */
export type Answered = Answer & { token: string };

export type ServiceClient = ReturnType<typeof makeServiceClient>;

/**
 * The service as its document describes it: three calls that make something. Each is sent once, and the answer is returned by its meaning.
 * The shared token is fetched as needed. After a 401 the caller renews the token and makes the call again later.
 *
 * A call rejects only if nothing was made: `CREDENTIALS` if the service refuses them or a proxy asks for some, `SERVICE` if no token is
 * available for now, `FILE` if a document cannot be read to its end.
 */
export function makeServiceClient(options: {
  url: string;
  clientId: string;
  clientSecret: string;
  tokenField: string;
  tokenLifetimeMs: number;
  connections: number;
  /** The proxy for the calls, if any. */
  proxy: ForwardProxy | undefined;
  timeoutMs: number;
  idempotencyHeader: string | undefined;
  /** See {@link meaningOf}. */
  notMade?: readonly number[];
  answerCheck?: AnswerCheck;
  /** The Redis through which all processes share the token. */
  connection: RedisConnection;
  tokenKey: string;
}) {
  const { origin, pathname } = new URL(options.url);
  const basePath = pathname.replace(/\/+$/, '');
  const outlet = makeOutlet({ origin, connections: options.connections, proxy: options.proxy });
  const token = makeTokenCache({
    connection: options.connection,
    key: options.tokenKey,
    secret: options.clientSecret,
    fetchToken: makeTokenCall({ ...options, outlet, basePath }),
  });

  const headersWith = makeCallHeaders();

  let unanswered = 0;

  const post = async (
    kind: CallKind,
    body: OutgoingBody,
    { idempotencyKey, onTokenCall }: CallOptions,
  ): Promise<Answered> => {
    const { value, version } = await token.get(onTokenCall);
    const headers = headersWith(value);
    const { idempotencyHeader } = options;
    const sending = outlet.send({
      path: basePath + SERVICE_PATHS[kind],
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
      return { ...meaningOf(kind, await sending, { notMade, answerCheck, sent: body.fields }), token: version };
    } finally {
      unanswered -= 1;
    }
  };

  return {
    /** Makes sure that there is a token before a call is claimed. Rejects like a call. */
    authorize: async (onTokenCall: () => void): Promise<void> => {
      await token.get(onTokenCall);
    },
    /** Whether a call can be sent at once, without waiting for a token. */
    isAuthorized: token.isAtHand,
    /**
     * Replaces a token that was answered with 401. It is renewed once, however many calls were refused. Returns the new token's name;
     * rejects like a call.
     */
    renewToken: async (refused: string, onTokenCall: () => void): Promise<string> =>
      (await token.replace(refused, onTokenCall)).version,
    /** Makes a token call even if there is a token. It makes nothing, and shows whether the service is there. Rejects like a call. */
    tryToken: async (onTokenCall: () => void): Promise<void> => {
      await token.fetchAnew(onTokenCall);
    },
    /** The number of calls in flight that may make something. */
    unanswered: (): number => unanswered,
    createCompany: (body: Record<string, unknown>, call: CallOptions) => post('company', jsonBody(body), call),
    requestLimit: (body: Record<string, unknown>, call: CallOptions) => post('limit', jsonBody(body), call),
    uploadDocument: async (document: OutgoingDocument, call: CallOptions) => {
      const { contentLengthBytes, open, fault } = makeDocumentBody(document);
      const answer = await post('document', { headers: { 'content-length': String(contentLengthBytes) }, open }, call);
      // A request with fewer bytes than announced is incomplete (RFC 9112, section 8), and not valid JSON either: nothing was made of it.
      if (answer.is === 'unknown' && fault()) throw fileFault(document.path, 'read', fault());
      return answer;
    },
    /** Closes all connections at once. The outcome of a call in flight is then unknown. */
    close: async (): Promise<void> => {
      await outlet.close();
    },
  };
}

type OutgoingBody = {
  headers?: Record<string, string>;
  open: () => Post['body'];
  /** The fields with which the answer is compared. */
  fields?: Readonly<Record<string, unknown>>;
};

function jsonBody(body: Record<string, unknown>): OutgoingBody {
  const text = JSON.stringify(body);
  return { open: () => text, fields: body };
}

/** The headers of every call with a token. They are made once for each token, since most calls have no others. */
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
