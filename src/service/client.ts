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

/** What a call may carry besides its body. */
export type CallOptions = {
  /** The same for every repetition of the same call; sent only where a header for it is configured. */
  idempotencyKey: string;
  /** Hears of each token call made on the way to this call, before it is made. */
  onTokenCall: () => void;
};

/** An answer, and which token it was given to. */
export type Answered = Answer & { token: string };

export type ServiceClient = ReturnType<typeof makeServiceClient>;

/**
 * The service as its document shows it: three calls that make something, each sent once and answered by its meaning. The
 * token is got and shared on the way; who is answered 401 renews it, and comes again in a turn of its own.
 *
 * A call rejects only while nothing has been made: `CREDENTIALS` when the service refuses them or a proxy asks for some,
 * `SERVICE` when no token can be had for now, `FILE` when a document cannot be read to its end.
 */
export function makeServiceClient(options: {
  url: string;
  clientId: string;
  clientSecret: string;
  tokenField: string;
  tokenLifetimeMs: number;
  connections: number;
  /** What the calls go through, if anything. */
  proxy: ForwardProxy | undefined;
  timeoutMs: number;
  idempotencyHeader: string | undefined;
  /** See {@link meaningOf}. */
  notMade?: readonly number[];
  answerCheck?: AnswerCheck;
  /** Where the fleet shares its token. */
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
    /** Makes sure that a token is at hand, so that nothing is claimed in vain. Rejects as a call would. */
    authorize: async (onTokenCall: () => void): Promise<void> => {
      await token.get(onTokenCall);
    },
    /** Whether a call leaves at once, and waits for no token first. */
    isAuthorized: token.isAtHand,
    /** Sees to another token than the one that met a 401: renewed once, however many calls met it. Answers its name; rejects as a call would. */
    renewToken: async (refused: string, onTokenCall: () => void): Promise<string> =>
      (await token.replace(refused, onTokenCall)).version,
    /** Makes a token call, even if there is a token. It creates nothing, and shows whether the service answers. Rejects as a call would. */
    tryToken: async (onTokenCall: () => void): Promise<void> => {
      await token.fetchAnew(onTokenCall);
    },
    /** Calls that may make something and have no answer yet. */
    unanswered: (): number => unanswered,
    createCompany: (body: Record<string, unknown>, call: CallOptions) => post('company', jsonBody(body), call),
    requestLimit: (body: Record<string, unknown>, call: CallOptions) => post('limit', jsonBody(body), call),
    uploadDocument: async (document: OutgoingDocument, call: CallOptions) => {
      const { contentLengthBytes, open, fault } = makeDocumentBody(document);
      const answer = await post('document', { headers: { 'content-length': String(contentLengthBytes) }, open }, call);
      // Fewer bytes than were announced are no request (RFC 9112, section 8), and no JSON either: nothing was made of them.
      if (answer.is === 'unknown' && fault()) throw fileFault(document.path, 'read', fault());
      return answer;
    },
    /** Ends all connections at once; a call in flight is answered as unknown. */
    close: async (): Promise<void> => {
      await outlet.close();
    },
  };
}

type OutgoingBody = {
  headers?: Record<string, string>;
  open: () => Post['body'];
  /** What an answer is compared with. */
  fields?: Readonly<Record<string, unknown>>;
};

function jsonBody(body: Record<string, unknown>): OutgoingBody {
  const text = JSON.stringify(body);
  return { open: () => text, fields: body };
}

/** The headers of every call with a token: made once for each token, since most calls have no others. */
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
