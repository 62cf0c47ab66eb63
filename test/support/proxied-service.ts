import { readFileSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { onTestFinished } from 'vitest';
import { chooseProxy } from '../../src/proxy.ts';
import { makeOutlet } from '../../src/service/outlet.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { makeClient } from './client.ts';
import { type StartedProxy, startForwardProxy } from './forward-proxy.ts';
import { CERTIFICATE_PATH, startTlsService, TLS_HOST } from './tls-service.ts';
import { startStandIn } from './workplace.ts';

/** Makes this process trust the certificate of the tests, until the returned function is called. */
export function trustCertificate(): () => void {
  const before = getCACertificates();
  setDefaultCACertificates([...before, readFileSync(CERTIFICATE_PATH, 'utf8')]);
  return () => setDefaultCACertificates(before);
}

export const company = { name: 'Muster GmbH', address: { country_code: 'DE', state: null } };

/** Longer than any answer takes on a busy machine. */
export const PATIENT_MS = 20_000;

/** A stand-in, with or without TLS, that is reached through a proxy only; all clients share a token. */
export async function openProxied({ tls, faults = {}, user }: { tls: boolean; faults?: FaultChange; user?: string }) {
  const standIn = await startStandIn(faults);
  const standInPort = Number(new URL(standIn.url()).port);
  const targetPort = tls ? await startTlsService(standInPort) : standInPort;
  const proxy = await startForwardProxy({ targetPort, ...(user === undefined ? {} : { user }) });
  const url = `${tls ? 'https' : 'http'}://${TLS_HOST}`;
  const tokenKey = `token-${Math.random()}`;
  const client = ({ address = proxy.url, timeoutMs = PATIENT_MS } = {}) => {
    const chosen = chooseProxy(url, { HTTPS_PROXY: address, HTTP_PROXY: address });
    return makeClient(url, { proxy: chosen, tokenKey, timeoutMs });
  };
  return { standIn, proxy, url, client, authorize: () => client().authorize(() => {}) };
}
/** The outlet of calls, through the proxy if one is given. */
export function openOutlet(origin: string, proxy: StartedProxy | undefined, tunnelTimeoutMs = 5_000) {
  const settings = proxy && { HTTPS_PROXY: proxy.url, HTTP_PROXY: proxy.url };
  const outlet = makeOutlet({
    origin,
    connections: 1,
    proxy: settings && chooseProxy(origin, settings),
    tunnelTimeoutMs,
  });
  onTestFinished(() => outlet.close());
  return outlet;
}

export function somePost() {
  return { path: '/', headers: {}, body: '{}', timeoutMs: 5_000 };
}
