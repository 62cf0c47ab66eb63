import { createHash } from 'node:crypto';
import type { CallKind } from '../../call-kind.ts';
import { FORMAT } from '../../lua-script.ts';

/** What a line may be that leads to no row. */
export const FAULT_KINDS = ['invalid', 'duplicate'] as const;

export type Keys = ReturnType<typeof makeKeys>;

/** What all accounts of one prefix share: which there are, and how what is in Redis is written. */
export type SharedKeys = ReturnType<typeof makeSharedKeys>;

/**
 * The keys that belong to no account, in one slot of their own. With {@link makeKeys} every Redis key of the project is
 * built in this file and nowhere else.
 */
export function makeSharedKeys(prefix: string) {
  const root = `{${prefix}}`;
  return {
    /** String: the version of all that stands under this prefix. */
    format: `${root}:format`,
    /** Set: accounts whose keys still bear the names of the format before. */
    toMove: `${root}:to-move`,
    /** What was written before there was a version and accounts has its portfolios here. */
    unversioned: `${root}:portfolios`,
    /** Sorted set: account, by the time of its first use in ms. */
    accounts: `${root}:accounts`,
    /** Hash: `client <account> <client id>` and `address <account> <address>`, by the time of the first use in ms. */
    accountUses: `${root}:account-uses`,
    /** String: a digest of the installation's secret, by which a host that has another one is told so. */
    secretMark: `${root}:secret-mark`,
    /** Hash: what is known of a user: roles, the password's digest, the second factor. */
    user: (name: string) => `${root}:user:${name}`,
    /** Sorted set of one score: the names of all users, in the order of the alphabet. */
    users: `${root}:users`,
    /** Hash: one session, by the digest of its id; it expires by itself. */
    session: (digest: string) => `${root}:session:${digest}`,
    /** Sorted set: the digests of one person's sessions, by when they began in ms. */
    sessionsOf: (by: string) => `${root}:sessions:${by}`,
    /** String, which expires: what is counted against guesses, and what may be used once. */
    guesses: (what: string, of: string) => `${root}:guesses:${what}:${of}`,
    /** String, which expires: a sign-in at an identity provider that is under way, as JSON. */
    signIn: (digest: string) => `${root}:sign-in:${digest}`,
    /** Hash: `of <digest>` → name of a person of an identity provider, and `by <name>` → digest. */
    subjects: `${root}:subjects`,
    /** Stream: the audit trail, an entry each; the first part of an entry's id is its number. */
    audit: `${root}:audit`,
    /** Hash: number and link of the last entry, where the trail begins, and the mark of the key that it is chained with. */
    auditHead: `${root}:audit:head`,
  };
}

/**
 * The keys of one account; no two accounts have a key in common, so nothing passes between them.
 *
 * The ledger, the pace and the token share one hash tag, so that on a cluster they live in one slot and a script may
 * change a row, its portfolio's counts and a call in one step. Each queue has a tag of its own (BullMQ's rule), so
 * that the heavy part spreads.
 */
export function makeKeys(prefix: string, account: string) {
  // Braces would end the hash tag, and a colon would make one account's keys look like another's.
  const tag = `${prefix}:${encodeURIComponent(account)}`;
  const former = `{${tag}}`;
  const root = `${former}:${FORMAT}`;
  return {
    /** What the keys of an account begin with. */
    root,
    /** What they began with before format 5: processes of such a version look there, and find nothing (move-former.lua). */
    former,
    /** String: the version of what stands in the account; each script looks at it (lua-script.ts). */
    format: `${former}:format`,
    /** What processes of such a version would write first: a text, so that they fail. */
    formerPortfolios: `${former}:portfolios`,
    /** Hash: what is counted of the account as a whole: `made:<kind>`, things made; `notices:<what became of them>`. */
    account: `${root}:account`,
    /**
     * Hash: `last` and `link` → number and mark of the last second in which something was sent, `older` → who saw that Redis was set back,
     * `from` → the last number that was there when somebody took that as it was (send-marks.ts).
     */
    marks: `${root}:marks`,
    /** String: how each of the last million marks begins, at its place (has-mark.lua, which builds this name). */
    allMarks: `${root}:marks:all`,
    /** String, which expires: the account's rows by state as somebody counted them lately, as JSON. */
    rowTotals: `${root}:row-totals`,
    /** Sorted set: portfolio name, by the time of its first import in ms. */
    portfolios: `${root}:portfolios`,
    /** Hash: what is known of a portfolio; `calls:<kind>` and other counts are fields of it. Lua builds this name too (resolve.lua). */
    portfolio: (name: string) => `${root}:portfolio:${name}`,
    /** Hash: line number → `<row key or nothing> <problem>`, of the last import's lines of this kind, which led to no row. */
    faultyLines: (name: string, kind: 'invalid' | 'duplicate') => `${root}:portfolio:${name}:lines:${kind}`,
    /** Hash: row key → invalid line of the last import whose request has this row already. Lua builds this name too (put.lua). */
    keptRows: (name: string) => `${root}:portfolio:${name}:lines:kept`,
    /** Sorted set: imports under way, by their last sign of life in ms of the server's clock (move.lua knows it too). */
    imports: (name: string) => `${root}:portfolio:${name}:imports`,
    /** Hash: file and how it is read, as one digest → what is known of this import of a portfolio, as JSON. */
    allImports: (name: string) => `${root}:portfolio:${name}:all-imports`,
    /** Sorted set: the rows of a portfolio that are in one state, by line. Lua builds this name too (move.lua). */
    rowsInState: (name: string, state: string) => `${root}:portfolio:${name}:state:${state}`,
    /** Set: the rows of a portfolio that go before all others, while it sends some first. Lua builds this name too (moves.lua). */
    firstRows: (name: string) => `${root}:portfolio:${name}:first`,
    /** Hash: what the rows of a portfolio add up to, on one of two sides. Lua builds this name too (derive.lua). */
    sums: (name: string, side: 'a' | 'b') => `${root}:portfolio:${name}:sums:${side}`,
    /** Hash: id of a cause for which rows of a portfolio failed → what is known of it, as JSON. Lua builds this name too (note-cause.lua). */
    causes: (name: string) => `${root}:portfolio:${name}:causes`,
    /** Sorted set of texts: `<name as it is searched for>\0<row key>` of each row. Lua builds this name too (index-entries.lua). */
    names: (name: string) => `${root}:portfolio:${name}:names`,
    /** Sorted set of texts: digest and row key of ids and numbers of rows. Lua builds this name too (index-entries.lua). */
    ids: (name: string, level: number, bucket: number) => `${root}:portfolio:${name}:ids:${level}:${bucket}`,
    /** Set: `<size> <status>` of the columns that there are. Lua builds this name too (columns.lua). */
    columns: (name: string) => `${root}:portfolio:${name}:columns`,
    /** Set: the statuses that have columns of their own. Lua builds this name too (columns.lua). */
    statuses: (name: string) => `${root}:portfolio:${name}:statuses`,
    /** Sorted set: the rows of 1,024 lines with one status and size of amount, by amount. Lua builds this name too (columns.lua). */
    column: (name: string, size: string, column: number, status: string) =>
      `${root}:portfolio:${name}:column:${size}:${column}:${status}`,
    /** Sorted set: the rows of a portfolio that failed for one cause, by line. Lua builds this name too (derive.lua). */
    rowsOfCause: (name: string, cause: string) => `${root}:portfolio:${name}:cause:${cause}`,
    /** Hash: what became of one row. */
    row: (name: string, key: string) => `${root}:row:${name}:${key}`,
    /** List: what happened to a row out of the ordinary, oldest first. Lua builds this name too (tell.lua). */
    story: (name: string, key: string) => `${root}:row:${name}:${key}:story`,
    /** Sorted set: `<portfolio>/<row key>` of all held rows, by when they were, in ms. Lua builds this name too (derive.lua). */
    held: `${root}:held`,
    /** What the keys of all rows begin with: `<portfolio>:<row key>` comes behind it (buyer-rows.lua). */
    rows: `${root}:row:`,
    /** Hash: the one call that makes this thing. */
    call: (kind: CallKind, key: string) => `${root}:call:${kind}:${key}`,
    /** Hash: `<kind> <id> <other id>` of things made twice, by the row whose call made the second. */
    madeTwice: `${root}:made-twice`,
    /** Hash: id → key of the call that made it first, in one of 16,384 buckets a kind: ids are known for good. Lua builds this name too (made-ids.lua). */
    madeIds(kind: CallKind, id: string) {
      const digest = createHash('sha1').update(id).digest();
      return `${root}:made:${kind}:${digest.readUInt16BE() % 16_384}`;
    },
    /** Hash: `<id> <buyer> <other buyer>` of companies that two buyers share, by the row that brought the second. Lua builds this name too (settle.lua). */
    sharedCompanies: `${root}:shared-companies`,
    /** List: the `bl_` ids of one buyer, in the order in which they were granted. */
    buyerLimits: (buyer: string) => `${root}:buyer:${buyer}:limits`,
    /** String: how often what is known of buyers was changed. */
    buyersVersion: `${root}:buyers`,
    /**
     * Hash: the rest of an identifier's digest → the buyers that it points to. In 262,144 buckets by the digest's first three
     * characters, so that Redis keeps those of some millions without pointers. Lua builds this name too (read-buyers.lua).
     */
    identifiers: (bucket: string) => `${root}:identifiers:${bucket}`,
    /** String: what is known of a buyer, as JSON. Lua builds this name too (read-buyers.lua). */
    buyer: (key: string) => `${root}:buyer:${key}`,
    /** Hash: `<portfolio>/<row key>` → requested limit, of all rows of one buyer. Lua builds this name too (put.lua). */
    buyerRows: (buyer: string) => `${root}:buyer:${buyer}:rows`,
    /** Set: the buyers that may be this one, since they share a name or a number with it. Lua builds this name too (write-buyers.lua). */
    buyersAlike: (buyer: string) => `${root}:buyer:${buyer}:alike`,
    /** Hash: what another person is asked to approve. Lua builds this name too (approvals.lua). */
    approval: (id: string) => `${root}:approval:${id}`,
    /** Sorted set: the rows of a portfolio that belong to one approval, by line, until it is carried out. Lua builds this name too (change.lua). */
    approvalRows: (name: string, id: string) => `${root}:portfolio:${name}:approval:${id}`,
    /** Sorted set: ids of all approvals that were ever asked for of a portfolio, by when that was, in ms. */
    approvalsOf: (name: string) => `${root}:portfolio:${name}:approvals`,
    /** Sorted set: `<portfolio>/<id>` of the approvals that wait, by when they were asked for, in ms. Lua builds this name too (change.lua). */
    approvals: `${root}:approvals`,
    /** Sorted set: the same of those that were answered, until what that means is carried out. Lua builds this name too (change.lua). */
    approvalsAnswered: `${root}:approvals:answered`,
    /** Sorted set: `<portfolio>/<id>` of the 100 approvals that people answered last, by when they did, in ms. */
    approvalsLately: `${root}:approvals:lately`,
    /** Hash: `<day>:<k>` → what passed of a person without another's yes, as sums are kept. Lua builds this name too (people-passed.lua). */
    passed: (person: string) => `${root}:passed:${person}`,
    /** Hash: what somebody plans to do with many rows of a portfolio, and how far that is. It goes away by itself. */
    plan: (id: string) => `${root}:plan:${id}`,
    /** String: what somebody says of held rows and has not confirmed yet, as JSON. It goes away by itself. */
    heldPlan: (id: string) => `${root}:held-plan:${id}`,
    /** Hash: `<task> last`, `<task> well` and `<task> now` → what is known of a run, as JSON; `schedule` → what holds, since when. */
    nightlyRuns: `${root}:nightly-runs`,
    /** Sorted set: ids of the nights of one task that have ended, by the moment that each was for, in ms. */
    nightsEnded: (task: string) => `${root}:nights-ended:${task}`,
    /** Sorted set: ids of the reports of nights that are kept, by when they were made, in ms. */
    reports: `${root}:reports`,
    /** Hash: one report: its summary, and its findings as JSON. */
    report: (id: string) => `${root}:report:${id}`,
    /**
     * Hash: id of a rule by which refused rows go again at night → the rule, as JSON; `<id> last` and `<id> used` → what it did last
     * (rare-moves.lua); `asks <portfolio>` → the approval that a run is just asking for.
     */
    retryRules: `${root}:retry-rules`,
    /** Hash: id of a file that was taken from a drop folder → what became of it, as JSON. */
    inboxFiles: `${root}:inbox`,
    /** Hash: digest of a file of a drop folder and its documents → id of the file by which it was imported. */
    inboxContents: `${root}:inbox:contents`,
    /** Sorted set: ids of the files that were taken from drop folders, by when, in ms. */
    inboxLately: `${root}:inbox:lately`,
    /** Set: ids of those whose portfolio has not settled since, so that their results are still to be written. */
    inboxOpen: `${root}:inbox:open`,
    /** String, which expires: the process that takes in what a drop folder holds. */
    inboxTaken: (folder: string) => `${root}:inbox:taken:${folder}`,
    /** Hash: what a notice is about → the state that was told of last. */
    noticeStates: `${root}:notice-states`,
    /** Sorted set: ids of notices that are not delivered on this way, by when they are tried next, in ms of the server's clock. */
    outbox: (way: string) => `${root}:outbox:${way}`,
    /** Hash, where the last try on this way failed: since when, why, and when the next may be. */
    outboxFault: (way: string) => `${root}:outbox:${way}:fault`,
    /** Hash: one notice, and what became of it on each way. Lua builds this name too (take-notice.lua). */
    notice: (id: string) => `${root}:notice:${id}`,
    /** Sorted set: ids of the notices of late, by when they arose, in ms. */
    noticesLately: `${root}:notices-lately`,
    /** Sorted set: portfolios whose rows left Redis, archived or forgotten, by when they did, in ms. Each one's hash stays, with the field `archive`. */
    archives: `${root}:archives`,
    /** String, which expires: the process that takes portfolios out of Redis or puts them back. */
    archivesTaken: `${root}:archives:taken`,
    /** String, which expires: the process that writes results files into the data folder. */
    resultsTaken: `${root}:results:taken`,
    /** Set: digests of the files in the data folder that a portfolio named which is being forgotten; it goes with the portfolio. */
    forgottenFiles: (name: string) => `${root}:portfolio:${name}:forgotten-files`,
    /** What the keys of one portfolio begin with, but for its own hash and its rows. */
    ofPortfolio: (name: string) => `${root}:portfolio:${name}:`,
    /** What the keys of calls begin with, of whichever kind. */
    calls: `${root}:call:`,
    /** Sorted set: portfolios that were put back, by when that began last, in ms: from then on they are kept as long as others. Lua builds this name too (rare-moves.lua). */
    restored: `${root}:restored`,
    /** Hash: one content that came from the service's events: raw, with headers and times. */
    event: (id: string) => `${root}:event:${id}`,
    /** Sorted set: ids of the events that are kept, by when each came first, in ms of the server's clock. */
    eventsLately: `${root}:events`,
    /** Hash: how many events are kept, their bytes, and how many were not taken, by why. */
    eventTotals: `${root}:events:totals`,
    /** Sorted set of texts: digests of the ids that stand in events, and in which, in one of a fixed number of buckets. */
    eventIds: (bucket: string) => `${root}:events:ids:${bucket}`,
    /** Sorted set: worker process → when it last gave a sign of life, in ms of the server's clock. */
    workers: `${root}:workers`,
    /** Hash: process → ms of the server's clock and what it says of itself, as JSON; `<process> wish` → what an operator has told it to do. */
    fleet: `${root}:fleet`,
    /** Sorted set of one member: the most replicas that Redis was ever seen to have. */
    replicas: `${root}:replicas`,
    /** Set: calls that others found claimed by this process for too long; it says whether it holds them. */
    disputes: (processId: string) => `${root}:disputes:${processId}`,
    /** Hash: the account's pace. */
    pace: `${root}:pace`,
    /** List: what was accepted and how fast calls might go, a sample every two seconds, the latest last. */
    paceSamples: `${root}:pace-samples`,
    /** Hash: which kinds of call are tripped since nobody knows what became of the last ones, and what 401s were blamed on. */
    breakers: `${root}:doors`,
    /** String: one for each login, see {@link loginOf}. */
    token: (login: string) => `${root}:token:${login}`,
    /** BullMQ's `prefix` option for one queue, and what it was before format 5. */
    queuePrefix: (queue: string) => `{${tag}:${queue}}:${FORMAT}`,
    formerQueuePrefix: (queue: string) => `{${tag}:${queue}}`,
  };
}

/**
 * Names an address and a client id without showing them: what a token belongs to, since an account outlives its
 * credentials. 12 characters.
 */
export function loginOf({ url, clientId }: { url: string; clientId: string }): string {
  return createHash('sha256').update(`${url}\n${clientId}`).digest('base64url').slice(0, 12);
}
