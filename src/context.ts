import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeAuditTrail } from './audit/audit-trail.ts';
import { accountOf, type Settings, STAND_IN_CREDENTIALS } from './config.ts';
import { makeDocumentStore } from './documents/store.ts';
import { makeStoreLooks } from './documents/store-looks.ts';
import { makeLeftFiles } from './files/left-files.ts';
import { linkFolder } from './files/link-folder.ts';
import { makeApprovalRule } from './ledger/approvals/approval-rule.ts';
import { makeApprovals } from './ledger/approvals/approvals.ts';
import { type Login, makeAccounts } from './ledger/calls/accounts.ts';
import { makeAtMostOnce } from './ledger/calls/at-most-once.ts';
import { makeAttempts } from './ledger/calls/attempts.ts';
import { makeCalls } from './ledger/calls/calls.ts';
import { makeSendMarks, OLDER_WORDS } from './ledger/calls/send-marks.ts';
import { makeFailingPortfolios } from './ledger/counts/glances.ts';
import { makeEvents } from './ledger/events/events.ts';
import { makeInbox } from './ledger/inbox/inbox.ts';
import { makeBuyerLists } from './ledger/nightly/buyer-lists.ts';
import { makeConsiderate, redisUsedMs } from './ledger/nightly/considerate.ts';
import { makeNightlyRuns } from './ledger/nightly/nightly-runs.ts';
import { makeRetryRules } from './ledger/nightly/retry-rules.ts';
import { makeRowWalk } from './ledger/nightly/row-walk.ts';
import { makePlans } from './ledger/plans/plans.ts';
import { makePortfolios } from './ledger/portfolios/portfolios.ts';
import { makeBuyers } from './ledger/rows/buyers.ts';
import { makeRows } from './ledger/rows/rows.ts';
import { makeStories } from './ledger/rows/story.ts';
import { makeArchives } from './ledger/schema/archives.ts';
import { makeKeys, makeSharedKeys } from './ledger/schema/keys.ts';
import { makeRetryUntilAnswered } from './ledger/schema/until-answered.ts';
import type { Log } from './log.ts';
import { waysGiven } from './notices/notice-settings.ts';
import { onDemand } from './on-demand.ts';
import { makePaceReader } from './pace/read-pace.ts';
import { makePaceSamples } from './pace/samples.ts';
import { makeSecret } from './people/secret.ts';
import { referenceOf } from './portfolio/identity/identity.ts';
import { MAINTENANCE, type Maintenance, makeMaintenance } from './queue/maintenance.ts';
import { makeQueues } from './queue/queues.ts';
import { nodesOf } from './redis/nodes.ts';
import { openRedis } from './redis/open-redis.ts';
import { makeExpectedReplicas } from './redis/replicas.ts';
import { readInfo } from './redis/server-info.ts';
import { isNearlyFull, nearlyFullWords, readMemory } from './redis-memory/memory.ts';
import { nextMoment } from './schedule/moments.ts';
import { STAND_IN_ACCOUNT } from './stand-in-account.ts';

export type Context = Awaited<ReturnType<typeof openContext>>;

type ContextDeps = {
  settings: Settings;
  log: Log;
  /** Whether the log says where Redis is older than what was sent: not for who checks that, and ends by it. */
  saysOlder?: boolean;
  /** How passwords are kept, where not as in `people/passwords`. */
  hash?: (password: string) => Promise<string>;
};

/**
 * Everything that a command needs, wired from the settings: Redis, the ledger, the queues, the data folder, all of one
 * account. What calls the service is made by {@link openService}, since most commands never do.
 *
 * @throws LimitlineError `REDIS` when there is none that will do, `USAGE` when it is open which account is meant
 */
export async function openContext({ settings, log, saysOlder = true, hash }: ContextDeps) {
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
    await accounts.checkFormat(redis.where, log);
    await accounts.check(login);
  } catch (error) {
    await redis.close();
    throw error;
  }
  const memory = await readMemory(ledger);
  if (memory && isNearlyFull(memory)) log.warn(nearlyFullWords(memory));
  const ending = new AbortController();
  const retryUntilAnswered = makeRetryUntilAnswered({ log, signal: ending.signal });
  const processId = randomBytes(6).toString('base64url');
  const replicas = {
    // Our own Redis has none.
    expected: makeExpectedReplicas({
      connection: ledger,
      key: keys.replicas,
      log,
      fixed: settings.REDIS_URL === undefined ? 0 : settings.REDIS_REPLICAS,
    }),
    connect: () => redis.connect('claims'),
  };
  const chain = { dataDir: settings.LIMITLINE_DATA, prefix, redisUrl: settings.REDIS_URL && redis.where };
  const marks = makeSendMarks({
    connection: ledger,
    keys,
    dir: linkFolder({ ...chain, chains: 'marks' }),
    account: login.account,
    warnsOnly: login.account === STAND_IN_ACCOUNT,
    retryUntilAnswered,
    replicas,
    log,
  });
  if (saysOlder && (await marks.older().catch(() => undefined))) log.error(OLDER_WORDS);
  const calls = makeCalls({ connection: ledger, keys, retryUntilAnswered, replicas, mark: marks.current });
  const attempts = makeAttempts({ processId, log });
  /** What another person has to approve, as far as it goes by this process. */
  const { APPROVE_ABOVE: above, APPROVE_PERSON_ABOVE: personAbove, INBOX_APPROVERS: names } = settings;
  const ownPolicy = {
    always: settings.APPROVE_ALWAYS === 'on',
    above,
    personAbove,
    // Without a limit of its own a window says nothing.
    windowDays: above === undefined && personAbove === undefined ? 0 : settings.APPROVE_WINDOW_DAYS,
    inboxApprovers: names.length > 0 ? names : undefined,
  };
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
    dir: linkFolder({ ...chain, chains: 'audit' }),
    account: login.account,
    log,
  });
  const queueConnection = redis.connect('queue');
  const queues = makeQueues({ connection: queueConnection, prefixOf: keys.queuePrefix });
  let maintenance: Maintenance | undefined;

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
    people: onDemand(async () => {
      const { makePeople } = await import('./people/people.ts');
      return makePeople({ connection: ledger, keys: sharedKeys, secret, words: wordsOf(login.account), hash });
    }),
    /** Who did what: whatever changes something is told to it before it is done. */
    audit,
    /** Remembers the account: for commands that bring something into it, or work for it. */
    enterAccount: () => accounts.enter(login),
    /** Names this process in claims and signs of life. */
    processId,
    /** The processes of the account that run for long. */
    fleet: onDemand(async () => {
      const { makeFleet } = await import('./ledger/calls/fleet.ts');
      return makeFleet({ connection: ledger, keys, processId, log });
    }),
    rows: makeRows({
      connection: ledger,
      keys,
      retryUntilAnswered,
      canaryRefusals: settings.CANARY_REFUSALS,
      ownPolicy,
      isSearched: settings.SEARCH_INDEX === 'on',
      referenceOf,
    }),
    buyers: makeBuyers({ connection: ledger, keys }),
    portfolios: makePortfolios({ connection: ledger, keys, isSearched: settings.SEARCH_INDEX === 'on' }),
    stories: makeStories({ connection: ledger, keys }),
    /** Portfolios that left Redis for files, or are on their way. */
    archives: makeArchives({ connection: ledger, keys }),
    /** What somebody plans to do with many rows. */
    plans: makePlans({ connection: ledger, keys }),
    /** What waits for another person, or has waited. */
    approvals: makeApprovals({ connection: ledger, keys, retryUntilAnswered, approvalPolicy: approvalRule.now }),
    /** What another person has to approve at this moment: the stricter of this process' settings and the ledger's rule. */
    approvalPolicy: approvalRule.now,
    /** Makes this process' settings the account's rule: for what serves. */
    keepApprovalRule: approvalRule.keep,
    /** Goes over all rows of a portfolio that are in one state, for the nightly check. */
    walkRows: makeRowWalk({ connection: ledger, keys }),
    /** The rules by which refused rows go again at night. */
    retryRules: makeRetryRules({ connection: ledger, keys }),
    /** Finds the latest portfolios with rows that failed, so many at the most. */
    failing: makeFailingPortfolios({ connection: ledger, keys }),
    /** Compares what is kept beside the rows of a portfolio while they are walked. */
    compareIdle: onDemand(async () =>
      (await import('./ledger/nightly/idle-comparison.ts')).makeCompareIdle({ connection: ledger, keys }),
    ),
    buyerLists: makeBuyerLists({ connection: ledger, keys }),
    /** Makes what asks Redis so that others go first. */
    considerate: (signal: AbortSignal) => makeConsiderate({ usedMs: () => redisUsedMs(ledger), signal }),
    /** What all other accounts of this prefix have imported and archived: their files lie in the same data folder. */
    async otherAccounts() {
      const others = (await accounts.known()).filter(({ name }) => name !== login.account);
      return others.map(({ name }) => {
        const of = { connection: ledger, keys: makeKeys(prefix, name) };
        const portfolios = makePortfolios(of);
        return { ...portfolios, account: name, portfolios, archives: makeArchives(of), walkRows: makeRowWalk(of) };
      });
    },
    recovery: onDemand(async () =>
      (await import('./ledger/calls/recovery.ts')).makeRecovery({ connection: ledger, keys }),
    ),
    /** What the nightly checks found. */
    reports: onDemand(async () =>
      (await import('./ledger/nightly/reports.ts')).makeReports({ connection: ledger, keys }),
    ),
    /** What the service told of by events, raw. */
    events: makeEvents({
      connection: ledger,
      keys,
      limits: { mostBytes: settings.EVENTS_KEEP_MB * 1_048_576, keepMs: settings.EVENTS_KEEP_DAYS * 86_400_000 },
    }),
    /** What was taken from drop folders. */
    inbox: makeInbox({ connection: ledger, keys }),
    /** The fleet's pace, without the breakers; see {@link lookAtPace}. */
    readPace: makePaceReader(ledger, keys.pace),
    /** Asks the ledger until it answers, or this context is closed. */
    retryUntilAnswered,
    calls,
    attempts,
    /** Whether Redis is older than what was sent. */
    marks,
    atMostOnce: makeAtMostOnce({ calls, attempts, marks, answerCheck: settings.SERVICE_ANSWER_CHECK }),
    queues,
    /** What runs at night and was asked for. Most commands have nothing to do with it, so it is opened by who asks first. */
    maintenance(): Maintenance {
      maintenance ??= makeMaintenance({
        connection: queueConnection,
        prefix: keys.queuePrefix(MAINTENANCE),
        nextMoment,
      });
      return maintenance;
    },
    /** Which nightly runs there were, and which are under way. */
    nightlyRuns: makeNightlyRuns({ connection: ledger, keys, retryUntilAnswered }),
    /** What people are told of without asking, until it is delivered. */
    outbox: onDemand(async () => {
      const { makeOutbox } = await import('./notices/outbox.ts');
      const ways = waysGiven(settings).map(({ name }) => name);
      return makeOutbox({ connection: ledger, keys, ways, about: settings.NOTIFY_ABOUT });
    }),
    /** What each server of Redis says of itself; of a cluster each primary. */
    readServers: () => Promise.all(nodesOf(ledger).map(readInfo)),
    /** How the fleet's pace went over the last hour. */
    paceSamples: makePaceSamples({ connection: ledger, paceKey: keys.pace, key: keys.paceSamples }),
    imports: makeDocumentStore({ dir: join(settings.LIMITLINE_DATA, 'imports') }),
    documents: makeDocumentStore({ dir: join(settings.LIMITLINE_DATA, 'documents') }),
    storedFiles: makeStoreLooks({ dir: join(settings.LIMITLINE_DATA, 'imports') }),
    storedDocuments: makeStoreLooks({ dir: join(settings.LIMITLINE_DATA, 'documents') }),
    leftFiles: makeLeftFiles({
      dir: join(settings.LIMITLINE_DATA, 'left'),
      trialAccount: STAND_IN_ACCOUNT,
      // Results tell an older Redis what it lacks, and are not replaced by what that knows.
      check: marks.check,
    }),
    async close(): Promise<void> {
      ending.abort();
      await audit.close();
      await queues.close();
      await maintenance?.close();
      await redis.close();
    },
  };
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
