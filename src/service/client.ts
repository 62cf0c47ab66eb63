import { LimitlineError } from '../errors.ts';
import type { RedisConnection } from '../lua-script.ts';
import type { ForwardProxy } from '../proxy.ts';
import { makeDocumentBody, type OutgoingDocument } from './document-body.ts';
import { type Answer, meaningOf } from './meaning.ts';
import { makeOutlet } from './outlet.ts';
import { type ResourceKind, SERVICE_PATHS } from './schemas.ts';
import type { Heard, Post } from './send.ts';
import { makeTokenCache } from './token.ts';
import { makeTokenCall } from './token-call.ts';

/** What a call may carry besides its body. */
export type CallOptions = {
  /** The same for every repetition of the same call; sent only where a header for it is configured. */
  idempotencyKey: string;
  /** Hears of each token call made on the way to this call, before it is made. */
  onTokenCall: () => void;
};

export type ServiceClient = ReturnType<typeof makeServiceClient>;

/**
 * The service as its document shows it: three calls that make something, each answered by its meaning. The token is
 * got, shared and renewed on the way.
 *
 * A call rejects only while nothing has been made: `CREDENTIALS` when the service refuses them (also a new token) or a
 * proxy asks for some, `SERVICE` when no token can be had for now.
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

  const post = async (
    kind: ResourceKind,
    body: OutgoingBody,
    { idempotencyKey, onTokenCall }: CallOptions,
  ): Promise<Answer> => {
    const attempt = (bearer: string): Promise<Heard> =>
      outlet.send({
        path: basePath + SERVICE_PATHS[kind],
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          authorization: `Bearer ${bearer}`,
          ...body.headers,
          ...(options.idempotencyHeader ? { [options.idempotencyHeader]: idempotencyKey } : {}),
        },
        body: body.open(),
        timeoutMs: options.timeoutMs,
      });
    const first = await token.get(onTokenCall);
    const heard = await attempt(first.value);
    if (!isUnauthorized(heard)) return meaningOf(kind, heard);
    const second = await token.replace(first.version, onTokenCall);
    const heardAgain = await attempt(second.value);
    if (!isUnauthorized(heardAgain)) return meaningOf(kind, heardAgain);
    throw new LimitlineError(
      'CREDENTIALS',
      `The service answers 401 to ${SERVICE_PATHS[kind]} with a token that it has just granted; check that SERVICE_CLIENT_ID may use invoice financing and that SERVICE_URL (${options.url}) belongs to it.`,
    );
  };

  return {
    /** Makes sure that a token is at hand, so that nothing is claimed in vain. Rejects as a call would. */
    authorize: async (onTokenCall: () => void): Promise<void> => {
      await token.get(onTokenCall);
    },
    createCompany: (body: Record<string, unknown>, call: CallOptions) => post('company', jsonBody(body), call),
    requestLimit: (body: Record<string, unknown>, call: CallOptions) => post('limit', jsonBody(body), call),
    uploadDocument: (document: OutgoingDocument, call: CallOptions) => {
      const { contentLengthBytes, open } = makeDocumentBody(document);
      return post('document', { headers: { 'content-length': String(contentLengthBytes) }, open }, call);
    },
    /** Ends all connections at once; a call in flight is answered as unknown. */
    close: async (): Promise<void> => {
      await outlet.close();
    },
  };
}

type OutgoingBody = { headers: Record<string, string>; open: () => Post['body'] };

function jsonBody(body: Record<string, unknown>): OutgoingBody {
  const text = JSON.stringify(body);
  return { headers: {}, open: () => text };
}

function isUnauthorized(heard: Heard): boolean {
  return heard.is === 'answer' && heard.status === 401;
}
