import type { Log } from '../log.ts';
import { tokenFormSchema } from '../service/schemas.ts';
import type { Checked } from './answers.ts';
import { makeApp } from './app.ts';
import { makeControl } from './control.ts';
import type { FaultChange, TokenSettings } from './fault-settings.ts';
import { makeFaults } from './faults.ts';
import { makeRequestGate } from './gate.ts';
import { makeIds } from './ids.ts';
import { makeListener } from './listener.ts';
import { makeOutage } from './outage.ts';
import { makeRecord } from './record.ts';
import { makeRequestTimes } from './request-times.ts';
import { makeResourceEndpoints } from './resource-endpoints.ts';
import { makeServe } from './serve.ts';
import { makeTokens, type Tokens } from './tokens.ts';

export type StandIn = ReturnType<typeof makeStandIn>;

type StandInOptions = {
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
 * @throws LimitlineError `USAGE` for faults that it cannot play
 */
export function makeStandIn(options: StandInOptions) {
  const { host = '127.0.0.1', port = 0, credentials, keepMade = false, log } = options;
  const faults = makeFaults(options.faults ?? {});
  const record = makeRecord({ keepMade });
  const times = makeRequestTimes();
  const tokens = makeTokens();
  const control = makeControl({ faults, record, times, followOutage: () => outage.followInBackground(), log });
  const app = makeApp({
    gate: makeRequestGate({ faults, tokens }),
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
     * want it. Rejects with `USAGE` for faults that it cannot play; nothing is changed then.
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

/** Client ID and Client Secret (docs/service.md, "Token"). */
type Credentials = { clientId: string; clientSecret: string };

/**
 * POST token: checks the form and the credentials, and grants. Neither its answer nor its errors are shown by the
 * service; they are RFC 6749's (sections 5.1 and 5.2) here.
 */
function makeTokenEndpoint(options: {
  credentials: Credentials;
  tokens: Tokens;
  settings: () => TokenSettings;
}): (form: unknown) => Checked {
  const { clientId, clientSecret } = options.credentials;
  return (form) => {
    const parsed = tokenFormSchema.safeParse(form);
    if (!parsed.success) {
      const fields = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
      return refuse(400, 'invalid_request', fields);
    }
    const { client_id, client_secret } = parsed.data;
    if (client_id !== clientId || client_secret !== clientSecret) {
      return refuse(401, 'invalid_client', 'client_id and client_secret are not known here');
    }
    return { make: () => ({ status: 200, body: options.tokens.issue(options.settings()) }) };
  };
}

function refuse(status: number, error: string, description: string): Checked {
  return { refusal: { status, body: { error, error_description: description } } };
}
