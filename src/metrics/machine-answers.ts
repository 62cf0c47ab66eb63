import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '../addresses.ts';

/** What the answer to a request of a machine depends on: its path, its headers, and the client's address. */
export type MachineQuestion = {
  path: string;
  /** The address of the client. */
  remoteAddress: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type MachineAnswer = { status: number; type: string; body: string };

/** Whether this process can do its work; if not, why, in a sentence for people. */
export type Readiness = { ready: true } | { ready: false; why: string };

/** Prometheus' text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Answers requests of machines: `/health/live`, `/health/ready` and `/metrics`; undefined for any other path. Health is public, and its
 * answer is one short sentence. Metrics need the token, or a request from this machine by its loopback address and name: a page of another
 * site, in a browser on this machine, would use another name (DNS rebinding).
 */
export function makeMachineAnswers(given: {
  /** The token for reading metrics. If it is undefined, only this machine may read them. */
  token: string | undefined;
  ready: () => Promise<Readiness>;
  metrics: () => Promise<string>;
}) {
  const { token, ready, metrics } = given;
  return async (question: MachineQuestion): Promise<MachineAnswer | undefined> => {
    switch (question.path) {
      case '/health/live':
        // Nothing is checked: a response shows that the event loop runs, and a slow process with calls in flight must not be killed.
        return said(200, { status: 'live' });
      case '/health/ready': {
        const readiness = await ready();
        return readiness.ready
          ? said(200, { status: 'ready' })
          : said(503, { status: 'not ready', why: readiness.why });
      }
      case '/metrics':
        if (isAllowed(question, token)) return { status: 200, type: METRICS_TYPE, body: await metrics() };
        return said(token === undefined ? 403 : 401, {
          error: 'Metrics are read from this machine, or with the token of METRICS_TOKEN: Authorization: Bearer …',
        });
      default:
        return undefined;
    }
  };
}

/** Whether metrics may be read: by the token, if one is given, else by a direct connection from this machine. */
function isAllowed({ remoteAddress, headers }: MachineQuestion, token: string | undefined): boolean {
  const { authorization } = headers;
  if (typeof authorization === 'string') {
    const [, given = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    return token !== undefined && isSame(given, token);
  }
  const isPassedOn = Object.keys(headers).some((name) => name === 'forwarded' || name.startsWith('x-forwarded-'));
  return !isPassedOn && isLoopback(remoteAddress) && isLocalName(headers.host);
}

/** Whether the given text is the token; compared in constant time. */
function isSame(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

function isLocalName(host: string | string[] | undefined): boolean {
  const [, name] = (typeof host === 'string' && /^([^:[\]]+|\[[\da-f:.]+\])(?::\d+)?$/i.exec(host)) || [];
  return isLoopback(name?.replace(/^\[|\]$/g, ''));
}

function said(status: number, body: Record<string, string>): MachineAnswer {
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(body)}\n` };
}
