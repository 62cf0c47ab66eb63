import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LimitlineError, messageOf } from '../errors.ts';
import type { Log } from '../log.ts';
import type { FaultSettings, Faults } from './fault-settings.ts';

/**
 * Opens and closes the port according to the outage setting, and ends an outage when its time is over. Changes run one
 * after the other, so opening and closing never overlap.
 */
export function makeOutage({ faults, listener, log }: { faults: Faults; listener: Listener; log: Log }) {
  let running = false;
  let followed: FaultSettings['outage'] | undefined;
  let timer: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();

  const apply = async () => {
    const { outage } = faults.settings();
    if (!running || outage === followed) return;
    followed = outage;
    clearTimeout(timer);
    if (outage?.how === 'refuse') await listener.shut();
    else await listener.open();
    if (outage?.forMs !== undefined) timer = setTimeout(end, outage.forMs);
  };
  const end = () => {
    faults.set({ outage: null });
    followInBackground();
  };
  const follow = (): Promise<void> => {
    last = last.catch(() => {}).then(apply);
    return last;
  };
  const followInBackground = (): void => {
    follow().catch((error) => log.error({ error: messageOf(error) }, 'the stand-in cannot open its port again'));
  };

  return {
    /** Starts the port. It is opened first even if the settings begin with an outage: with port 0, its number is unknown before. */
    async start(): Promise<void> {
      running = true;
      await listener.open();
      await follow();
    },
    /** Opens or closes the port as the faults say; to be called after each change of them. Rejects if the port cannot be opened. */
    follow,
    /** Opens or closes the port as the faults say. The caller does not wait for it; a failure is logged. */
    followInBackground,
    async stop(): Promise<void> {
      running = false;
      await last.catch(() => {});
      clearTimeout(timer);
      await listener.shut();
    },
  };
}

/**
 * A server's port, which can be closed and opened again. It stays the same after the first opening.
 *
 * @param port 0 takes any free port
 */
export function makeListener({ server, host, port }: { server: Server; host: string; port: number }) {
  let boundPort = port;
  return {
    /** The address, also while the port is closed. With port 0 it is unknown until the first opening. */
    url: () => `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,

    /** @throws LimitlineError `USAGE` when the port is taken or cannot be used */
    async open(): Promise<void> {
      if (server.listening) return;
      server.listen({ host, port: boundPort });
      try {
        await once(server, 'listening');
      } catch (error) {
        throw new LimitlineError(
          'USAGE',
          `The stand-in cannot listen on ${host}:${boundPort}: ${messageOf(error)}; give another port.`,
          { cause: error },
        );
      }
      boundPort = (server.address() as AddressInfo).port;
    },

    /** Refuses new connections and closes the open ones at once, even if they wait for an answer. */
    async shut(): Promise<void> {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Listener = ReturnType<typeof makeListener>;
