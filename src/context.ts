import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { makeAuditTrail } from './audit/audit-trail.ts';
import { accountOf, idempotencyOf, type Settings, STAND_IN_CREDENTIALS } from './config.ts';
import { makeDocumentStore, makeStoreLooks } from './documents/store.ts';
import { linkFolder } from './files/account-folder.ts';
import { makeLeftFiles } from './files/left-files.ts';
import { makeApprovalRule } from './ledger/approvals/approval-rule.ts';
import { makeApprovals } from './ledger/approvals/approvals.ts';
import { type Login, makeAccounts } from './ledger/calls/accounts.ts';
import { makeAtMostOnce } from './ledger/calls/at-most-once.ts';
import { makeAttempts } from './ledger/calls/attempts.ts';
import { makeCalls } from './ledger/calls/calls.ts';
import { makeSendMarks, OLDER_WORDS } from './ledger/calls/send-marks.ts';
import { makeFailingPortfolios } from './ledger/counts/glances.ts';
import { makeMeaningStore } from './ledger/counts/meaning-store.ts';
import { makeEvents } from './ledger/events/events.ts';
import { makeInbox } from './ledger/inbox/inbox.ts';
import { makeBuyerLists } from './ledger/nightly/buyer-lists.ts';
import { makeConsiderate, redisUsedMs } from './ledger/nightly/considerate.ts';
import { makeNightlyRuns } from './ledger/nightly/nightly-runs.ts';
import { makeRetryRules } from './ledger/nightly/retry-rules.ts';
import { makeRowWalk } from './ledger/nightly/row-walk.ts';
import { makePlans } from './ledger/plans/plan.ts';
import { makePortfolios } from './ledger/portfolios/portfolios.ts';
import { makeBuyers } from './ledger/rows/buyers.ts';
import { makeDecisions } from './ledger/rows/decisions.ts';
import { makeRows } from './ledger/rows/rows.ts';
import { makeStories } from './ledger/rows/story.ts';
import { policyOf } from './ledger/schema/approval.ts';
import { makeArchives } from './ledger/schema/archives.ts';
import { makeKeys, makeSharedKeys } from './ledger/schema/keys.ts';
import { makeRetryUntilAnswered } from './ledger/schema/until-answered.ts';
import { makeSearchWords } from './ledger/search/index-words.ts';
import type { Log } from './log.ts';
import { waysGiven } from './notices/notice-settings.ts';
import { onDemand } from './once-at-a-time.ts';
import { makePaceReader } from './pace/read-pace.ts';
import { makePaceSamples } from './pace/samples.ts';
import { makeSecret } from './people/secret.ts';
import { referenceOf, WORD_LETTERS } from './portfolio/identity/identity.ts';
import { withoutLegalForm } from './portfolio/identity/loose-name.ts';
import { MAINTENANCE, type Maintenance, makeMaintenance } from './queue/maintenance.ts';
import { makeQueues } from './queue/queues.ts';
import { openRedis } from './redis/open-redis.ts';
import { makeExpectedReplicas } from './redis/replicas.ts';
import { nodesOf, readInfo } from './redis/server-info.ts';
import { isNearlyFull, nearlyFullWords, readMemory } from './redis-memory/memory.ts';
import { nextMoment } from './schedule/moments.ts';
import { STAND_IN_ACCOUNT } from './stand-in-account.ts';
import { readMeanings } from './status-meaning.ts';
import { DAY_MS } from './time-units.ts';

export type Context = Awaited<ReturnType<typeof openContext>>;

type ContextDeps = {
  settings: Settings;
  log: Log;
  /** Whether to log that Redis is older than what was sent; false for a command that checks this itself. */
  saysOlder?: boolean;
  /** Whether a given Redis that loads its data is waited for, or until when. True by default; without it, such a Redis counts as away. */
  awaitsData?: boolean | AbortSignal;
  /** Replaces the hash function of `people/passwords`. */
  hash?: (password: string) => Promise<string>;
};

/**
 * Everything that commands need for one account, wired from the settings: Redis, the ledger, the queues, the data folder. Calls to the
 * service need {@link openService}, since most commands make none.
 *
 * @throws LimitlineError `REDIS` without a usable Redis, `USAGE` if it is unclear which account is meant
 */
export async function openContext({ settings, log, saysOlder = true, awaitsData, hash }: ContextDeps) {
  const redis = await openRedis({ url: settings.REDIS_URL, dataDir: settings.LIMITLINE_DATA, log, awaitsData });
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
    // A Redis of our own has no replicas.
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
  const calls = makeCalls({
    connection: ledger,
    keys,
    retryUntilAnswered,
    replicas,
    mark: marks.current,
    idempotency: idempotencyOf(settings),
  });
  const attempts = makeAttempts({ processId, log });
  const ownPolicy = policyOf(settings);
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
    mark: marks.follow,
  });
  const statusMeanings = makeMeaningStore({
    connection: ledger,
    keys,
    given: readMeanings(settings.STATUS_MEANINGS).meanings,
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
    /** The only account that this process works for. */
    account: login.account,
    accounts,
    /** Derives the cryptographic keys of the installation. */
    secret,
    /** Users, sign-in and sessions; they belong to the installation, and not to an account. */
    people: onDemand(async () => {
      const { makePeople } = await import('./people/people.ts');
      return makePeople({ connection: ledger, keys: sharedKeys, secret, words: wordsOf(login.account), hash });
    }),
    /** The audit trail. Every change is written there before it is made. */
    audit,
    /** Adds the account to the installation's list of accounts, if it is new. */
    enterAccount: () => accounts.enter(login),
    /** Identifies this process in claims and heartbeats. */
    processId,
    /** The long-running processes of the account. */
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
      wordsOf: makeSearchWords(withoutLegalForm, WORD_LETTERS),
      meanings: statusMeanings.read,
    }),
    buyers: makeBuyers({ connection: ledger, keys }),
    portfolios: makePortfolios({ connection: ledger, keys, isSearched: settings.SEARCH_INDEX === 'on' }),
    /** The meanings of the service's statuses, as people stated them. */
    statusMeanings,
    decisions: makeDecisions({ connection: ledger, keys }),
    stories: makeStories({ connection: ledger, keys }),
    archives: makeArchives({ connection: ledger, keys }),
    plans: makePlans({ connection: ledger, keys }),
    approvals: makeApprovals({ connection: ledger, keys, retryUntilAnswered, approvalPolicy: approvalRule.now }),
    /** The present approval policy: the stricter of this process' settings and the ledger's rule. */
    approvalPolicy: approvalRule.now,
    /** The account's approval rule: processes that serve keep it in the ledger. */
    approvalRule,
    /** Walks a portfolio's rows in one state, for the nightly check. */
    walkRows: makeRowWalk({ connection: ledger, keys }),
    /** Rules that send refused rows again at night. */
    retryRules: makeRetryRules({ connection: ledger, keys }),
    failing: makeFailingPortfolios({ connection: ledger, keys }),
    /** Compares sums and indexes of a portfolio with its rows during a walk. */
    compareIdle: onDemand(async () =>
      (await import('./ledger/nightly/idle-comparison.ts')).makeCompareIdle({ connection: ledger, keys }),
    ),
    buyerLists: makeBuyerLists({ connection: ledger, keys }),
    /** Limits the load on Redis, so that busy workers go first. */
    considerate: (signal: AbortSignal) => makeConsiderate({ usedMs: () => redisUsedMs(ledger), signal }),
    /** Portfolios and archives of all other accounts with this prefix, which share the data folder. */
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
    reports: onDemand(async () =>
      (await import('./ledger/nightly/reports.ts')).makeReports({ connection: ledger, keys }),
    ),
    events: makeEvents({
      connection: ledger,
      keys,
      limits: { mostBytes: settings.EVENTS_KEEP_MB * 1_048_576, keepMs: settings.EVENTS_KEEP_DAYS * DAY_MS },
    }),
    inbox: makeInbox({ connection: ledger, keys }),
    /** The fleet's pace, without the breakers; see {@link lookAtPace}. */
    readPace: makePaceReader(ledger, keys.pace),
    /** Repeats a ledger command until Redis answers, or this context is closed. */
    retryUntilAnswered,
    calls,
    attempts,
    /** Finds out whether Redis is older than what was sent. */
    marks,
    atMostOnce: makeAtMostOnce({ calls, attempts, marks, answerCheck: settings.SERVICE_ANSWER_CHECK }),
    queues,
    /** Scheduled and requested maintenance; opened on first use, since most commands have none. */
    maintenance(): Maintenance {
      const prefix = keys.queuePrefix(MAINTENANCE);
      maintenance ??= makeMaintenance({ connection: queueConnection, prefix, nextMoment });
      return maintenance;
    },
    nightlyRuns: makeNightlyRuns({ connection: ledger, keys, retryUntilAnswered }),
    /** Notices to people, until they are delivered. */
    outbox: onDemand(async () => {
      const { makeOutbox } = await import('./notices/outbox.ts');
      const ways = waysGiven(settings).map(({ name }) => name);
      return makeOutbox({ connection: ledger, keys, ways, about: settings.NOTIFY_ABOUT });
    }),
    /** Each Redis server's own information; on a cluster each primary's. */
    readServers: () => Promise.all(nodesOf(ledger).map(readInfo)),
    /** The fleet's pace over the last hour. */
    paceSamples: makePaceSamples(ledger, { paceKey: keys.pace, key: keys.paceSamples, madeKey: keys.account }),
    imports: makeDocumentStore({ dir: join(settings.LIMITLINE_DATA, 'imports'), followsLinks: true }),
    documents: makeDocumentStore({ dir: join(settings.LIMITLINE_DATA, 'documents') }),
    storedFiles: makeStoreLooks({ dir: join(settings.LIMITLINE_DATA, 'imports') }),
    storedDocuments: makeStoreLooks({ dir: join(settings.LIMITLINE_DATA, 'documents') }),
    leftFiles: makeLeftFiles({
      dir: join(settings.LIMITLINE_DATA, 'left'),
      trialAccount: STAND_IN_ACCOUNT,
      // If Redis is older, results files show what it lacks, so they must not be overwritten.
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

/** Words that are obvious in a password here: the account's name, its host, and this machine's name. */
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
