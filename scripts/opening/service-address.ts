import { type Settings, STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import { chooseProxy } from '../../src/proxy.ts';
import { STAND_IN_ACCOUNT } from '../../src/stand-in-account.ts';

/** The service's address; `close` ends a stand-in. */
type ServiceAddress = {
  url: string;
  standIn: boolean;
  /** The proxy to it, for people, if there is one. */
  proxy: string | undefined;
  close: () => Promise<void>;
};

/**
 * The service of the settings. Without one, starts the stand-in in this process and says so clearly, because its limits are not
 * real.
 *
 * @throws LimitlineError `SETTINGS` where an account or credentials are set without a service
 */
export async function findService(settings: Settings, log: Log, say: (text: string) => void): Promise<ServiceAddress> {
  const { SERVICE_URL: url, SERVICE_ACCOUNT: account } = settings;
  if (url !== undefined) {
    return { url, standIn: false, proxy: chooseProxy(url, settings)?.where, close: async () => {} };
  }
  if (account !== undefined && account !== STAND_IN_ACCOUNT) {
    throw new LimitlineError(
      'SETTINGS',
      `SERVICE_ACCOUNT is "${account}", but SERVICE_URL is not set, and the stand-in has an account of its own; set SERVICE_URL, or leave SERVICE_ACCOUNT out.`,
    );
  }
  if (settings.SERVICE_CLIENT_ID !== STAND_IN_CREDENTIALS.clientId) {
    throw new LimitlineError(
      'SETTINGS',
      'SERVICE_CLIENT_ID is set, but SERVICE_URL is not, so only the stand-in could be called; set SERVICE_URL, or leave the credentials out to use the stand-in.',
    );
  }
  // Loaded late, because most commands have a service.
  const { makeStandIn } = await import('../../src/stand-in/stand-in.ts');
  const standIn = makeStandIn({
    host: '127.0.0.1',
    port: 0,
    credentials: { clientId: settings.SERVICE_CLIENT_ID, clientSecret: settings.SERVICE_CLIENT_SECRET },
    log,
  });
  await standIn.start();
  say('limitline: SERVICE_URL is not set: using the STAND-IN on this machine. Nothing is really requested of anybody.');
  return { url: standIn.url(), standIn: true, proxy: undefined, close: () => standIn.close() };
}
