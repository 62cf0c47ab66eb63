import { createHash, timingSafeEqual } from 'node:crypto';
import { isLoopback } from '../addresses.ts';

/** A question of a machine, as little of it as is needed. */
export type MachineQuestion = {
  path: string;
  /** The address at the other end of the connection. */
  remoteAddress: string | undefined;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

export type MachineAnswer = { status: number; type: string; body: string };

/** Whether this process can do its work, and if not, why, in a sentence for people. */
export type Readiness = { ready: true } | { ready: false; why: string };

/** Prometheus' text format. */
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Answers what machines ask: `/health/live`, `/health/ready` and `/metrics`; nothing for any other path. Health says no more
 * than a sentence and is for whoever asks. Figures are for this machine, by its loopback address and name, or for who
 * brings the token: a page of somebody else's, opened in a browser here, comes by another name (DNS rebinding).
 */
export function makeMachineAnswers({
  token,
  ready,
  metrics,
}: {
  /** Undefined where none was set: then only this machine may read the figures. */
  token: string | undefined;
  ready: () => Promise<Readiness>;
  metrics: () => Promise<string>;
}) {
  return async (question: MachineQuestion): Promise<MachineAnswer | undefined> => {
    switch (question.path) {
      case '/health/live':
        // Whoever answers has an event loop that turns. A slow one is no reason to kill a process with calls in flight.
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

/** Whether figures may be given: the token, if one is brought, else a connection of this machine that nobody passed on. */
function isAllowed({ remoteAddress, headers }: MachineQuestion, token: string | undefined): boolean {
  const { authorization } = headers;
  if (typeof authorization === 'string') {
    const [, given = ''] = /^Bearer +(\S+)$/i.exec(authorization) ?? [];
    return token !== undefined && isSame(given, token);
  }
  const isPassedOn = Object.keys(headers).some((name) => name === 'forwarded' || name.startsWith('x-forwarded-'));
  return !isPassedOn && isLoopback(remoteAddress) && isLocalName(headers.host);
}

/** In the same time, whatever is given. */
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
