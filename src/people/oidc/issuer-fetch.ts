import { type Dispatcher, fetch as fetchThrough, ProxyAgent } from 'undici';
import { chooseProxy, type ProxySettings } from '../../proxy.ts';

/** Most bytes of a response: more than any provider's keys or tokens have. */
const LONGEST_BYTES = 1_024 * 1_024;

type Asked = { method: string; headers: Record<string, string>; body?: unknown; signal?: AbortSignal | undefined };

/**
 * A `fetch` for an identity provider, through the proxy that the settings name for its URL. It follows no redirect, so that no other host is
 * asked, and rejects responses of more than {@link LONGEST_BYTES}.
 */
export function makeIssuerFetch(settings: ProxySettings) {
  const agents = new Map<string, Dispatcher>();
  return async (url: string, asked: Asked): Promise<Response> => {
    const given = { ...asked, redirect: 'manual' } as const;
    const proxy = chooseProxy(url, settings);
    if (!proxy) return bounded(await fetch(url, given as RequestInit));
    const agent = agents.get(proxy.url.href) ?? new ProxyAgent({ uri: proxy.url.href, ...tokenOf(proxy) });
    agents.set(proxy.url.href, agent);
    const answer = await fetchThrough(url, { ...given, dispatcher: agent } as Parameters<typeof fetchThrough>[1]);
    return bounded(answer as unknown as Response);
  };
}

function tokenOf({ authorization }: { authorization: string | undefined }): { token?: string } {
  return authorization === undefined ? {} : { token: authorization };
}

async function bounded(answer: Response): Promise<Response> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.byteLength;
    if (bytes > LONGEST_BYTES) throw new Error(`The answer has more than ${LONGEST_BYTES} bytes`);
    pieces.push(piece);
  }
  const { status, headers } = answer;
  const body = pieces.length === 0 ? null : Buffer.concat(pieces);
  return new Response(body, { status, headers: new Headers([...headers]) });
}
