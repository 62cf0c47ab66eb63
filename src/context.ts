import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeAuditTrail } from './audit/audit-trail.ts';
import { trailFolder } from './audit/trail-folder.ts';
import { accountOf, type Settings, STAND_IN_ACCOUNT, STAND_IN_CREDENTIALS } from './config.ts';
import { makeDocumentStore } from './documents/store.ts';
import { makeStoreLooks } from './documents/store-looks.ts';
import { makeLeftFiles } from './files/left-files.ts';
import { makeAccounts } from './ledger/accounts.ts';
import { asksApproval } from './ledger/approvals/approval.ts';
import { makeApprovalRule } from './ledger/approvals/approval-rule.ts';
import { makeApprovals } from './ledger/approvals/approvals.ts';
import { makeAtMostOnce } from './ledger/at-most-once.ts';
import { makeAttempts } from './ledger/attempts.ts';
import { makeBuyers } from './ledger/buyers.ts';
import { makeCalls } from './ledger/calls.ts';
import { loginOf, makeKeys, makeSharedKeys } from './ledger/keys.ts';
import type { Login } from './ledger/login.ts';
import { makeBuyerLists } from './ledger/nightly/buyer-lists.ts';
import { makeConsiderate, redisUsedMs } from './ledger/nightly/considerate.ts';
import { makeRestingLooks } from './ledger/nightly/resting.ts';
import { makeRowWalk } from './ledger/nightly/row-walk.ts';
import { makePersist } from './ledger/persist.ts';
import { makePlans } from './ledger/plans/plans.ts';
import { makePortfolios } from './ledger/portfolios.ts';
import { makeRecovery } from './ledger/recovery.ts';
import { makeRows } from './ledger/rows.ts';
import { makeStories } from './ledger/story/story.ts';
import type { Log } from './log.ts';
import { readShut } from './pace/door-words.ts';
import { makeDoors } from './pace/doors.ts';
import { makePace } from './pace/pace.ts';
import type { PaceState } from './pace/pace-state.ts';
import { makePaceReader } from './pace/read-pace.ts';
import { makePaceSamples } from './pace/samples.ts';
import { makeSlots } from './pace/slots.ts';
import { makePeople } from './people/people.ts';
import { makeSecret } from './people/secret.ts';
import { referenceOf } from './portfolio/identity/identity.ts';
import { chooseProxy } from './proxy.ts';
import { makeQueues } from './queue/queues.ts';
import { openRedis } from './redis/open-redis.ts';
import { makeExpectedReplicas } from './redis/replicas.ts';
import { makeServiceClient } from './service/client.ts';

export type Context = Awaited<ReturnType<typeof openContext>>;

/**
 * Everything that a command needs, wired from the settings: Redis, the ledger, the queues, the data folder, all of one
 * account. What calls the service is made by {@link openService}, since most commands never do.
 *
 * @throws LimitlineError `REDIS` when there is none that will do, `USAGE` when it is open which account is meant
 */
export async function openContext({ settings, log }: { settings: Settings; log: Log }) {
  const redis = await openRedis({
    url: settings.REDIS_URL,
    dataDir: settings.LIMITLINE_DATA,
    log,
  });
  const prefix = settings.LIMITLINE_PREFIX;
  const login = loginFrom(settings);
  const keys = makeKeys(prefix, login.account);
  const ledger = redis.connect('ledger');
  const sharedKeys = makeSharedKeys(prefix);
  const accounts = makeAccounts({ connection: ledger, keys: sharedKeys, prefix });
  try {
    await accounts.checkFormat(redis.where);
    await accounts.check(login);
  } catch (error) {
    await redis.close();
    throw error;
  }
  const ending = new AbortController();
  const persist = makePersist({ log, signal: ending.signal });
  const processId = randomBytes(6).toString('base64url');
  const calls = makeCalls({
    connection: ledger,
    keys,
    persist,
    replicas: {
      // Our own Redis has none.
      expected: makeExpectedReplicas({
        connection: ledger,
        key: keys.replicas,
        log,
        fixed: settings.REDIS_URL === undefined ? 0 : settings.REDIS_REPLICAS,
      }),
      connect: () => redis.connect('claims'),
    },
  });
  const attempts = makeAttempts({ processId, log });
  /** What another person has to approve, as far as it goes by this process. */
  const ownPolicy = { always: settings.APPROVE_ALWAYS === 'on', above: settings.APPROVE_ABOVE };
  const approvalRule = makeApprovalRule({ connection: ledger, keys, own: ownPolicy });
  const secret = makeSecret({
    given: settings.LIMITLINE_SECRET,
    dataDir: settings.LIMITLINE_DATA,
    connection: ledger,
    keys: sharedKeys,
    prefix,
    where: redis.where,
  });
  const audit = makeAuditTrail({
    connection: ledger,
    keys: sharedKeys,
    key: () => secret.key('audit'),
    dir: trailFolder({ dataDir: settings.LIMITLINE_DATA, prefix, redisUrl: settings.REDIS_URL && redis.where }),
    account: login.account,
    log,
  });
  const queues = makeQueues({ connection: redis.connect('queue'), prefixOf: keys.queuePrefix });

  return {
    settings,
    log,
    redis,
    keys,
    ledger,
    /** The account that this process works for, and no other. */
    account: login.account,
    accounts,
    /** What keys of the installation are derived from. */
    secret,
    /** Users, how they sign in, and sessions: of the installation, whichever account it is. */
    people: makePeople({ connection: ledger, keys: sharedKeys, secret, words: wordsOf(login.account) }),
    /** Who did what: whatever changes something is told to it before it is done. */
    audit,
    /** Remembers the account: for commands that bring something into it, or work for it. */
    enterAccount: () => accounts.enter(login),
    /** Names this process in claims and signs of life. */
    processId,
    rows: makeRows({
      connection: ledger,
      keys,
      persist,
      canaryRefusals: settings.CANARY_REFUSALS,
      asksApproval: asksApproval(ownPolicy),
      isSearched: settings.SEARCH_INDEX === 'on',
      referenceOf,
    }),
    buyers: makeBuyers({ connection: ledger, keys }),
    portfolios: makePortfolios({ connection: ledger, keys }),
    stories: makeStories({ connection: ledger, keys }),
    /** What somebody plans to do with many rows. */
    plans: makePlans({ connection: ledger, keys }),
    /** What waits for another person, or has waited. */
    approvals: makeApprovals({ connection: ledger, keys, persist }),
    /** What another person has to approve at this moment: the stricter of this process' settings and the ledger's rule. */
    approvalPolicy: approvalRule.now,
    /** Makes this process' settings the account's rule: for what serves. */
    keepApprovalRule: approvalRule.keep,
    /** Goes over all rows of a portfolio that are in one state, for the nightly check. */
    walkRows: makeRowWalk({ connection: ledger, keys }),
    /** Compares what is kept beside the rows of a portfolio while they are walked. */
    restingLooks: makeRestingLooks({ connection: ledger, keys }),
    buyerLists: makeBuyerLists({ connection: ledger, keys }),
    /** Makes what asks Redis so that others go first. */
    considerate: (signal: AbortSignal) => makeConsiderate({ usedMs: () => redisUsedMs(ledger), signal }),
    /** What all other accounts of this prefix have imported: their files lie in the same data folder. */
    async otherAccounts() {
      const others = (await accounts.known()).filter(({ name }) => name !== login.account);
      return others.map(({ name }) => {
        const of = { connection: ledger, keys: makeKeys(prefix, name) };
        const portfolios = makePortfolios(of);
        return { ...portfolios, portfolios, walkRows: makeRowWalk(of) };
      });
    },
    recovery: makeRecovery({ connection: ledger, keys }),
    /** The fleet's pace, without the doors; see {@link lookAtPace}. */
    readPace: makePaceReader(ledger, keys.pace),
    /** Asks the ledger until it answers, or this context is closed. */
    persist,
    calls,
    attempts,
    atMostOnce: makeAtMostOnce({ calls, attempts }),
    queues,
    /** How the fleet's pace went over the last hour. */
    paceSamples: makePaceSamples({ connection: ledger, paceKey: keys.pace, key: keys.paceSamples }),
    imports: makeDocumentStore({ dir: join(settings.LIMITLINE_DATA, 'imports') }),
    documents: makeDocumentStore({ dir: join(settings.LIMITLINE_DATA, 'documents') }),
    storedFiles: makeStoreLooks({ dir: join(settings.LIMITLINE_DATA, 'imports') }),
    storedDocuments: makeStoreLooks({ dir: join(settings.LIMITLINE_DATA, 'documents') }),
    leftFiles: makeLeftFiles({ dir: join(settings.LIMITLINE_DATA, 'left'), trialAccount: STAND_IN_ACCOUNT }),
    async close(): Promise<void> {
      ending.abort();
      await audit.close();
      await queues.close();
      await redis.close();
    },
  };
}

export type Service = ReturnType<typeof openService>;

/** The service's client and what governs its use by this process: the fleet's pace and the calls in flight. */
export function openService(context: Context, url: string) {
  const { settings, ledger, keys, log } = context;
  const client = makeServiceClient({
    url,
    clientId: settings.SERVICE_CLIENT_ID,
    clientSecret: settings.SERVICE_CLIENT_SECRET,
    tokenField: settings.SERVICE_TOKEN_FIELD,
    tokenLifetimeMs: settings.SERVICE_TOKEN_LIFETIME_S * 1_000,
    connections: settings.SERVICE_CONCURRENCY,
    // The stand-in is a part of this process, and behind no proxy.
    proxy: settings.SERVICE_URL === undefined ? undefined : chooseProxy(url, settings),
    timeoutMs: settings.SERVICE_TIMEOUT_MS,
    idempotencyHeader: settings.SERVICE_IDEMPOTENCY_HEADER,
    notMade: settings.SERVICE_NOT_MADE,
    connection: ledger,
    tokenKey: keys.token(loginOf({ url, clientId: settings.SERVICE_CLIENT_ID })),
  });
  // A repetition that the service itself recognises is safe, so nothing needs to be held.
  const repeatable = settings.SERVICE_IDEMPOTENCY_HEADER !== undefined;
  const pace = makePace({ connection: ledger, key: keys.pace, ceilingPerS: settings.SERVICE_RATE_PER_S, log });
  const doors = makeDoors({ connection: ledger, key: keys.doors, log });
  return {
    client,
    pace,
    doors,
    /** What holds calls back, as this process saw it last: the pace, the doors that are shut, the queues that are paused. */
    paceNow: (): PaceState => ({ ...pace.state(), shut: doors.shut(), paused: context.queues.pausedSeen() }),
    slots: makeSlots(settings.SERVICE_CONCURRENCY),
    onUnknown: {
      company: repeatable ? ('resend' as const) : settings.ON_UNKNOWN_COMPANY,
      document: repeatable ? ('resend' as const) : settings.ON_UNKNOWN_DOCUMENT,
      limit: repeatable ? ('resend' as const) : settings.ON_UNKNOWN_LIMIT,
    },
  };
}

/** Nothing was sent yet. */
const NO_PACE: PaceState = {
  phase: 'start',
  ratePerS: 0,
  flowPerS: 0,
  isLimiting: false,
  atCeiling: false,
  blocked: undefined,
};

/** What holds the fleet's calls back, as it stands in Redis, for commands that call nothing; none where nothing is known. */
export async function lookAtPace({ ledger, keys, queues, readPace }: Context): Promise<PaceState | undefined> {
  const [pace, shut, paused] = await Promise.all([readPace(), readShut(ledger, keys.doors), queues.paused()]);
  if (pace === undefined && paused.length === 0) return undefined;
  return { ...(pace ?? NO_PACE), shut, paused };
}

/** What anybody would put into a password here: the account's name, of an address the host's, and this machine's. */
function wordsOf(account: string): string[] {
  return [account, hostname(), ...(URL.canParse(account) ? [new URL(account).hostname] : [])];
}

function loginFrom(settings: Settings): Login {
  const account = accountOf(settings);
  const clientId = settings.SERVICE_CLIENT_ID;
  return {
    account,
    clientId,
    named: settings.SERVICE_ACCOUNT !== undefined,
    address: accountOf({ SERVICE_URL: settings.SERVICE_URL, SERVICE_ACCOUNT: undefined }),
    anyone: account === STAND_IN_ACCOUNT || clientId === STAND_IN_CREDENTIALS.clientId,
  };
}
