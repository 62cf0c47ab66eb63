import { createHash } from 'node:crypto';
import type { CallKind } from '../../call-kind.ts';
import { FORMAT } from '../../ledger-format.ts';
import type { RedisConnection } from '../../lua-script.ts';

/** Why a line of a file leads to no row. */
export const FAULT_KINDS = ['invalid', 'duplicate'] as const;

export type Keys = ReturnType<typeof makeKeys>;

/** Where the ledger of an account is: a connection to Redis, and its keys there. */
export type LedgerPlace = { connection: RedisConnection; keys: Keys };

/** The keys that all accounts of one prefix share. */
export type SharedKeys = ReturnType<typeof makeSharedKeys>;

/**
 * The keys that belong to no account, in one slot of their own. With {@link makeKeys} every Redis key of the project is
 * built in this file and nowhere else.
 */
export function makeSharedKeys(prefix: string) {
  const root = `{${prefix}}`;
  return {
    /** String: the format version of everything under this prefix. */
    format: `${root}:format`,
    /** Set: accounts whose keys still have the names of the previous format. */
    toMove: `${root}:to-move`,
    /** Set: the portfolios of a ledger from before format versions and accounts. */
    unversioned: `${root}:portfolios`,
    /** Sorted set: account, by the time of its first use in ms. */
    accounts: `${root}:accounts`,
    /** Hash: `client <account> <client id>` and `address <account> <address>` → time of the first use in ms. */
    accountUses: `${root}:account-uses`,
    /** String: a digest of the installation's secret, by which a host notices that it was given another one. */
    secretMark: `${root}:secret-mark`,
    /** Hash: a user's roles, password digest and second factor. */
    user: (name: string) => `${root}:user:${name}`,
    /** Sorted set, all scores alike: the names of all users in alphabetical order. */
    users: `${root}:users`,
    /** Hash: one session, by the digest of its id; it expires by itself. */
    session: (digest: string) => `${root}:session:${digest}`,
    /** Sorted set: digests of one person's sessions, by when each began, in ms. */
    sessionsOf: (by: string) => `${root}:sessions:${by}`,
    /** String, expires: a counter of guessed passwords or codes, or a mark of something that may be used once. */
    guesses: (what: string, of: string) => `${root}:guesses:${what}:${of}`,
    /** String, expires: a sign-in at an identity provider that is under way, as JSON. */
    signIn: (digest: string) => `${root}:sign-in:${digest}`,
    /** Hash: `of <digest>` → name of a person known by an identity provider, and `by <name>` → digest. */
    subjects: `${root}:subjects`,
    /** Stream: the audit trail, one entry each; the first part of an entry's id is its number. */
    audit: `${root}:audit`,
    /** Hash: number and link of the last entry, the first number, and a digest of the key that chains the entries. */
    auditHead: `${root}:audit:head`,
  };
}

/**
 * The keys of one account. No two accounts share a key, so nothing passes between them.
 *
 * The ledger, the pace and the token share one hash tag. On a cluster they are in one slot, so a script can change a row, its portfolio's
 * counts and a call atomically. Each queue has its own tag, as BullMQ requires, so that the heavy part spreads over the nodes.
 *
 * Lua scripts build many of these names themselves: search them for a name before you change it.
 */
export function makeKeys(prefix: string, account: string) {
  // A brace would end the hash tag, and a colon could make two accounts' keys alike.
  const tag = `${prefix}:${encodeURIComponent(account)}`;
  const former = `{${tag}}`;
  const root = `${former}:${FORMAT}`;
  return {
    /** What the keys of an account begin with. */
    root,
    /** The beginning of the account's keys before format 5. Older processes read and write such keys, and find nothing (move-former.lua). */
    former,
    /** String: the account's format version; each script checks it (lua-script.ts). */
    format: `${former}:format`,
    /** The key that a process from before format 5 writes first. It holds a text, so that the write fails. */
    formerPortfolios: `${former}:portfolios`,
    /** Hash: counts of the whole account: `made:<kind>`, things made; `notices:<outcome>`, notices. */
    account: `${root}:account`,
    /**
     * Hash: `last` and `link` → number and mark of the last second in which something was sent; `older` → which process found that Redis
     * had been set back; `from` → the last number when an operator accepted Redis as it was (send-marks.ts).
     */
    marks: `${root}:marks`,
    /** String: the first bytes of the last million marks, each at its own offset. */
    allMarks: `${root}:marks:all`,
    /** String, expires: a recent count of the account's rows by state, as JSON. */
    rowTotals: `${root}:row-totals`,
    /** Sorted set: portfolio name, by the time of its first import in ms. */
    portfolios: `${root}:portfolios`,
    /** Hash: the fields and counts of a portfolio, such as `calls:<kind>`. */
    portfolio: (name: string) => `${root}:portfolio:${name}`,
    /** Hash: line number → `<row key or nothing>|<amount or nothing>|<name> <problem>`, for lines of the last import that led to no row. */
    faultyLines: (name: string, kind: 'invalid' | 'duplicate') => `${root}:portfolio:${name}:lines:${kind}`,
    /** Hash: row key → line of the last import that is invalid, and whose request has this row from before. */
    keptRows: (name: string) => `${root}:portfolio:${name}:lines:kept`,
    /** Hash: number and sum of the invalid and duplicate lines that count as no row (left-out.lua). */
    leftOut: (name: string) => `${root}:portfolio:${name}:lines:left-out`,
    /** Sorted set: imports under way, by their last heartbeat in ms of the server's clock. */
    imports: (name: string) => `${root}:portfolio:${name}:imports`,
    /** Hash: digest of a file and how it is read → what is known of its import into the portfolio, as JSON. */
    allImports: (name: string) => `${root}:portfolio:${name}:all-imports`,
    /** Sorted set: a portfolio's rows in one state, by line. */
    rowsInState: (name: string, state: string) => `${root}:portfolio:${name}:state:${state}`,
    /** Set: the rows of a portfolio that are sent before all others. */
    firstRows: (name: string) => `${root}:portfolio:${name}:first`,
    /** Hash: sums of a portfolio's rows; each row counts in one of the two hashes, `a` or `b` (derive.lua). */
    sums: (name: string, side: 'a' | 'b') => `${root}:portfolio:${name}:sums:${side}`,
    /** Hash: id of a failure cause of the portfolio's rows → the cause, as JSON. */
    causes: (name: string) => `${root}:portfolio:${name}:causes`,
    /** Sorted set of texts: `<name in search form>\0<row key>` of each row. */
    names: (name: string) => `${root}:portfolio:${name}:names`,
    /** Sorted set: a portfolio's rows, by when the state or the words of each changed last, in ms. */
    changed: (name: string) => `${root}:portfolio:${name}:changed`,
    /** Sorted set of texts: `<digest of an id or number><row key>`, in one of 4^level buckets (index-entries.lua). */
    ids: (name: string, level: number, bucket: number) => `${root}:portfolio:${name}:ids:${level}:${bucket}`,
    /** Set: `<size> <status>` of each search column (`column` below) that has or had rows. */
    columns: (name: string) => `${root}:portfolio:${name}:columns`,
    /** Set: statuses that have columns of their own. */
    statuses: (name: string) => `${root}:portfolio:${name}:statuses`,
    /** Sorted set, by requested amount: rows within one block of 1,024 lines that have the same status and size of amount (columns.lua). */
    column: (name: string, size: string, column: number, status: string) =>
      `${root}:portfolio:${name}:column:${size}:${column}:${status}`,
    /** Sorted set: a portfolio's rows that failed for one cause, by line. */
    rowsOfCause: (name: string, cause: string) => `${root}:portfolio:${name}:cause:${cause}`,
    /** Hash: one row. */
    row: (name: string, key: string) => `${root}:row:${name}:${key}`,
    /** List: the unusual events of a row, oldest first. */
    story: (name: string, key: string) => `${root}:row:${name}:${key}:story`,
    /** Sorted set: `<portfolio>/<row key>` of all held rows, by since when, in ms. */
    held: `${root}:held`,
    /** Beginning of all row keys; `<portfolio>:<row key>` follows (buyer-rows.lua). */
    rows: `${root}:row:`,
    /** Hash: the call that makes a thing. A company has one for each buyer, a document for each content and name, a limit for each row key. */
    call: (kind: CallKind | 'session', key: string) => `${root}:call:${kind}:${key}`,
    /** Sorted set: `<portfolio>/<row key> <call key>` of hosted sessions that wait to be sent, by when they were asked for, in ms. */
    sessions: `${root}:sessions`,
    /** Hash: digest of a limit's id → how many hosted sessions were asked for it. */
    sessionsAsked: `${root}:sessions:asked`,
    /** Set: `<portfolio>/<row key> <call key>` of hosted sessions that ended without a link; a few may have one since. */
    sessionsFailed: `${root}:sessions:failed`,
    /** Hash: `<kind> <id> <other id>` of a thing made twice → the row whose call made the second. */
    madeTwice: `${root}:made-twice`,
    /** Hash: id → key of the call that made it first; kept for good, in one of 16,384 buckets a kind. */
    madeIds(kind: CallKind, id: string) {
      const digest = createHash('sha1').update(id).digest();
      return `${root}:made:${kind}:${digest.readUInt16BE() % 16_384}`;
    },
    /** Hash: companies whose id the service gave for two buyers. `<id> <first buyer> <second buyer>` → the second buyer's row. */
    sharedCompanies: `${root}:shared-companies`,
    /** List: the `bl_` ids of one buyer's limits, in the order in which they were recorded, mostly the order of granting. */
    buyerLimits: (buyer: string) => `${root}:buyer:${buyer}:limits`,
    /** String: version of the records of buyers, raised with each change. */
    buyersVersion: `${root}:buyers`,
    /**
     * Hash: rest of an identifier's digest → the buyers that have the identifier. 262,144 buckets by the digest's first three characters,
     * so that Redis stores some millions of identifiers in compact form.
     */
    identifiers: (bucket: string) => `${root}:identifiers:${bucket}`,
    /** String: the record of one buyer, as JSON. */
    buyer: (key: string) => `${root}:buyer:${key}`,
    /**
     * Sorted set of texts: the top of the search index of buyers. The entries `<word> <buyer>` are in leaves, each with a key of its own
     * (buyer-words.lua). This set has the first entry of each leaf.
     */
    words: `${root}:words`,
    /** Sorted set of texts: a leaf of that index, named by its first entry; `''` for the lowest. */
    leafOfWords: (entry: string) => `${root}:words:${entry}`,
    /** Hash: `<portfolio>/<row key>` → requested limit, for all rows of one buyer. */
    buyerRows: (buyer: string) => `${root}:buyer:${buyer}:rows`,
    /** Set: buyers that may be the same company, since they share a name or a number. */
    buyersAlike: (buyer: string) => `${root}:buyer:${buyer}:alike`,
    /** Hash: one approval. */
    approval: (id: string) => `${root}:approval:${id}`,
    /** Sorted set: rows of one approval, by line, until its answer is carried out for them. */
    approvalRows: (name: string, id: string) => `${root}:portfolio:${name}:approval:${id}`,
    /** Sorted set: ids of all approvals ever asked for in a portfolio, by when, in ms. */
    approvalsOf: (name: string) => `${root}:portfolio:${name}:approvals`,
    /** Sorted set: `<portfolio>/<id>` of approvals that wait, by when they were asked for, in ms. */
    approvals: `${root}:approvals`,
    /**
     * Sorted set: `<portfolio>/<id>` of approvals whose answer is not carried out yet, by when they were asked for, in ms. It is 0 for an
     * approval that became void because no row waits for it any more.
     */
    approvalsAnswered: `${root}:approvals:answered`,
    /** Sorted set: `<portfolio>/<id>` of the last 100 approvals that people answered, by when, in ms. */
    approvalsLately: `${root}:approvals:lately`,
    /**
     * Hash: `<day>:<k>` → part `k`, in units of 10^(10k - 2), of the sum of the rows that one person imported on that day and that needed
     * no approval.
     */
    passed: (person: string) => `${root}:passed:${person}`,
    /** Hash, expires: a planned action on many rows of a portfolio, and its progress. */
    plan: (id: string) => `${root}:plan:${id}`,
    /** String, expires: answers to held rows that nobody has confirmed yet, as JSON. */
    heldPlan: (id: string) => `${root}:held-plan:${id}`,
    /** Hash: `<task> last`, `well`, `failed`, `now` → the run that ended last, last well, last badly, or goes on; `schedule` → the schedule. */
    nightlyRuns: `${root}:nightly-runs`,
    /** Sorted set: ids of one task's ended runs, by the moment for which each was due, in ms. */
    nightsEnded: (task: string) => `${root}:nights-ended:${task}`,
    /** Sorted set: ids of the nightly reports that are kept, by when they were made, in ms. */
    reports: `${root}:reports`,
    /** Hash: one report: its summary, and its findings as JSON. */
    report: (id: string) => `${root}:report:${id}`,
    /**
     * Hash: id of a nightly retry rule → the rule, as JSON; `<id> last` and `<id> used` → what its last run did
     * (rare-moves.lua, retry-rules.ts); `asks <portfolio>` → the approval that a run is asking for at the moment.
     */
    retryRules: `${root}:retry-rules`,
    /** Hash: id of a file from a drop folder → its outcome, as JSON. */
    inboxFiles: `${root}:inbox`,
    /** Hash: digest of a dropped file and its documents → id of the file that was imported with this content. */
    inboxContents: `${root}:inbox:contents`,
    /** Sorted set: ids of files from drop folders, by when they were taken, in ms. */
    inboxLately: `${root}:inbox:lately`,
    /** Set: ids of files from the drop folder whose results are still to be written, since not all rows of their portfolio have ended. */
    inboxOpen: `${root}:inbox:open`,
    /** String, expires: the process that takes files from a drop folder. */
    inboxTaken: (folder: string) => `${root}:inbox:taken:${folder}`,
    /** Hash: subject of a notice → the last state that was notified. */
    noticeStates: `${root}:notice-states`,
    /** Sorted set: ids of undelivered notices of one channel, by their next attempt, in ms of the server's clock. */
    outbox: (way: string) => `${root}:outbox:${way}`,
    /** Hash, which exists only after a failed delivery on this channel: since when, why, and the earliest next attempt. */
    outboxFault: (way: string) => `${root}:outbox:${way}:fault`,
    /** Hash: one notice, and its delivery on each channel. */
    notice: (id: string) => `${root}:notice:${id}`,
    /** Sorted set: ids of recent notices, by when they arose, in ms. */
    noticesLately: `${root}:notices-lately`,
    /** Sorted set: archived and forgotten portfolios, by when that was, in ms. The hash of each stays, with the field `archive`. */
    archives: `${root}:archives`,
    /** String, expires: the process that archives or restores portfolios. */
    archivesTaken: `${root}:archives:taken`,
    /** Set: digests of files in the data folder that a portfolio being forgotten named; deleted with the portfolio. */
    forgottenFiles: (name: string) => `${root}:portfolio:${name}:forgotten-files`,
    /** Beginning of one portfolio's keys, except its own hash and its rows. */
    ofPortfolio: (name: string) => `${root}:portfolio:${name}:`,
    /** Beginning of the keys of all calls. */
    calls: `${root}:call:`,
    /** Sorted set: restored portfolios, by when restoring began, in ms: from then on their age counts for archiving them again. */
    restored: `${root}:restored`,
    /** Set: portfolios that were restored, or whose archiving was broken off. Decisions that were taken meanwhile may not be in their rows yet. */
    toFollow: `${root}:to-follow`,
    /** Hash: one content that the service posted as an event: raw, with headers and times. */
    event: (id: string) => `${root}:event:${id}`,
    /** Sorted set: ids of kept events, by when each first came, in ms of the server's clock. */
    eventsLately: `${root}:events`,
    /** Sorted set: ids of events that are to be read for decisions, by when, in ms of the server's clock. */
    eventsUnread: `${root}:events:unread`,
    /**
     * Sorted set: `<number> <JSON>` of each row that a later decision of the service has changed, by that number; removed once people are
     * told.
     */
    decidedRows: `${root}:decided`,
    /** Sorted set, expires: `<portfolio>/<row key>` of rows answered within eight days otherwise than by a plain yes, by when, in ms. */
    answeredLately: `${root}:answered-lately`,
    /** Sorted set, expires: rows that were granted less within eight days than before, in the same form. */
    loweredLately: `${root}:lowered-lately`,
    /** Hash: number and bytes of kept events, and the number of rejected ones by reason. */
    eventTotals: `${root}:events:totals`,
    /** Sorted set of texts: digests of the ids in events, each with its event, in one of a fixed number of buckets. */
    eventIds: (bucket: string) => `${root}:events:ids:${bucket}`,
    /** Sorted set: worker process → its last heartbeat, in ms of the server's clock. */
    workers: `${root}:workers`,
    /** Hash: process → ms of the server's clock and its status, as JSON; `<process> wish` → what an operator asked it to do. */
    fleet: `${root}:fleet`,
    /** Sorted set of one member: the highest number of replicas ever seen. */
    replicas: `${root}:replicas`,
    /** Set: calls that this process claimed long ago and others want to claim; the process says whether it still sends them. */
    disputes: (processId: string) => `${root}:disputes:${processId}`,
    /** Hash: the account's pace. */
    pace: `${root}:pace`,
    /** List: a sample every two seconds of the accepted calls and the permitted rate, the latest last. */
    paceSamples: `${root}:pace-samples`,
    /** Hash: for each kind of call whether its circuit breaker is tripped, and which call got a 401 with a new token. */
    breakers: `${root}:doors`,
    /** String: the access token of one login, see {@link loginOf}. */
    token: (login: string) => `${root}:token:${login}`,
    /** BullMQ's `prefix` option for one queue, and its value before format 5. */
    queuePrefix: (queue: string) => `{${tag}:${queue}}:${FORMAT}`,
    formerQueuePrefix: (queue: string) => `{${tag}:${queue}}`,
  };
}

/** A digest of address and client id, 12 characters. A token is kept by login and not by account, which outlives its credentials. */
export function loginOf({ url, clientId }: { url: string; clientId: string }): string {
  return createHash('sha256').update(`${url}\n${clientId}`).digest('base64url').slice(0, 12);
}
