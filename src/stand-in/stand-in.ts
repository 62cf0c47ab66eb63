import type { Log } from '../log.ts';
import { tokenFormSchema } from '../service/schemas.ts';
import { makeApp, makeControl, makeListener, makeOutage } from './app.ts';
import { type FaultChange, makeFaults, type TokenSettings } from './fault-settings.ts';
import { makeRequestGate, makeTokens, type Tokens } from './gate.ts';
import { makeRecord, makeRequestTimes } from './record.ts';
import { type Checked, makeIds, makeResourceEndpoints } from './resource-endpoints.ts';
import { makeServe } from './serve.ts';

export type StandIn = ReturnType<typeof makeStandIn>;

type StandInOptions = {
  /** The host to listen on; by default for this machine only. */
  host?: string;
  /** The port; by default, or with 0, any free one. */
  port?: number;
  /** The only valid credentials; the secret also keys the ids. */
  credentials: Credentials;
  faults?: FaultChange;
  /** Keeps every made object with its body, for tests. Otherwise memory is constant. */
  keepMade?: boolean;
  log: Log;
};

/**
 * Plays the service of docs/service.md over HTTP on this machine, for trials, tests and benches. It enforces everything that the document
 * says, notes its own choices in comments, misbehaves on demand (`fault-settings.ts`), and records what it really made.
 *
 * Stand-ins with the same secret accept each other's ids, also after a restart. Tokens are valid at one stand-in only.
 *
 * @throws LimitlineError `USAGE` for unsupported faults
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
    /** The base address (docs/service.md, "Calls"). Known after the start, and constant from then on. */
    url: listener.url,

    /** Opens the port. Rejects with `USAGE` when it is taken. A stand-in can be started once. */
    async start(): Promise<void> {
      await app.ready();
      await outage.start();
      log.info({ url: listener.url() }, 'the stand-in of the service listens');
    },

    /** Closes the port and all connections at once, even those that wait for an answer. */
    async close(): Promise<void> {
      await outage.stop();
      await app.close();
    },

    /**
     * Replaces the named members of the faults; others stay. Resolves when the port follows the new faults. Rejects
     * with `USAGE` for unsupported faults, without changing anything.
     */
    async setFaults(change: FaultChange): Promise<void> {
      control.setFaults(change);
      await outage.follow();
    },
    faults: faults.settings,
    /** How often each rule has applied, in the order of the rules. */
    faultHits: faults.hits,

    counts: control.counts,
    madeTwice: record.twice,
    made: record.times,
    things: record.things,
    sessions: record.sessions,
    maxPerSecond: times.maxPerSecond,
    maxInFlight: times.maxInFlight,

    /** Resets all counts, and the faults to those given at the start. */
    async reset(): Promise<void> {
      control.reset();
      await outage.follow();
    },
  };
}

/** Client ID and Client Secret (docs/service.md, "Token"). */
type Credentials = { clientId: string; clientSecret: string };

/**
 * POST token: checks the form and the credentials, and issues a token. The service documents neither answer nor errors;
 * both follow RFC 6749 (sections 5.1 and 5.2).
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
