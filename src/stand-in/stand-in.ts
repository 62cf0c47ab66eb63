import type { Log } from '../log.ts';
import { makeApp } from './app.ts';
import { makeControl } from './control.ts';
import type { FaultChange } from './fault-settings.ts';
import { makeFaults } from './faults.ts';
import { makeGate } from './gate.ts';
import { makeIds } from './ids.ts';
import { makeListener } from './listener.ts';
import { makeOutage } from './outage.ts';
import { makeRecord } from './record.ts';
import { makeRequestTimes } from './request-times.ts';
import { makeResourceEndpoints } from './resource-endpoints.ts';
import { makeServe } from './serve.ts';
import { type Credentials, makeTokenEndpoint } from './token-endpoint.ts';
import { makeTokens } from './tokens.ts';

export type StandIn = ReturnType<typeof makeStandIn>;

export type StandInOptions = {
  /** By default this machine alone. */
  host?: string;
  /** By default, or as 0, any that is free. */
  port?: number;
  /** The only ones it takes; the secret also keys the ids. */
  credentials: Credentials;
  faults?: FaultChange;
  /** Keeps everything made with its body, for tests; otherwise memory stays the same for any number of requests. */
  keepMade?: boolean;
  log: Log;
};

/**
 * Plays the service of docs/service.md over HTTP on this machine, for trying the product, for tests and benches. It
 * is strict about all that the document shows, says so where it had to choose something itself, misbehaves on demand
 * (`fault-settings.ts`), and knows what it really made.
 *
 * Two stand-ins with the same secret know each other's ids, also over a restart; tokens are each one's own.
 *
 * @throws LimitlineError `USAGE` for faults that can not be meant
 */
export function makeStandIn(options: StandInOptions) {
  const { host = '127.0.0.1', port = 0, credentials, keepMade = false, log } = options;
  const faults = makeFaults(options.faults ?? {});
  const record = makeRecord({ keepMade });
  const times = makeRequestTimes();
  const tokens = makeTokens();
  const control = makeControl({ faults, record, times, followOutage: () => outage.followUnheard(), log });
  const app = makeApp({
    gate: makeGate({ faults, tokens }),
    endpoints: makeResourceEndpoints({ ids: makeIds({ secret: credentials.clientSecret }), record }),
    tokenEndpoint: makeTokenEndpoint({ credentials, tokens, settings: () => faults.settings().tokens }),
    serve: makeServe({ faults, record }),
    times,
    control,
    log,
  });
  const listener = makeListener({ server: app.server, host, port });
  const outage = makeOutage({ faults, listener, log });

  return {
    /** The base address (docs/service.md, "Calls"); known once started, and the same for ever after. */
    url: listener.url,

    /** Listens. Rejects with `USAGE` when the port is taken. A stand-in can be started once. */
    async start(): Promise<void> {
      await app.ready();
      await outage.start();
      log.info({ url: listener.url() }, 'the stand-in of the service listens');
    },

    /** Ends every connection at once, also those that wait for an answer, and listens no more. */
    async close(): Promise<void> {
      await outage.stop();
      await app.close();
    },

    /**
     * Replaces the members named, and leaves the others as they are. Resolves when the port is open or closed as they
     * want it. Rejects with `USAGE` for what can not be meant; nothing is changed then.
     */
    async setFaults(change: FaultChange): Promise<void> {
      control.setFaults(change);
      await outage.follow();
    },
    /** The faults in force. */
    faults: faults.settings,
    /** How often each rule has hit, in the order of the rules. */
    faultHits: faults.hits,

    counts: control.counts,
    madeTwice: record.twice,
    made: record.times,
    things: record.things,
    maxPerSecond: times.maxPerSecond,
    maxInFlight: times.maxInFlight,

    /** All counts at zero, the faults as they were given. */
    async reset(): Promise<void> {
      control.reset();
      await outage.follow();
    },
  };
}
