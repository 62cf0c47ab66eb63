import { randomBytes } from 'node:crypto';
import { isLimitlineError, LimitlineError, messageOf } from '../errors.ts';
import { fileFault } from '../files/disk.ts';
import type { LastLink, LastLinkMemory } from '../files/last-link.ts';
import type { Log } from '../log.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { HOUR_MS } from '../time-units.ts';
import type { AuditEntry, Chain, EntryDraft } from './entry.ts';
import { boundedDraft, entryText, inParts, NOBODY, OTHER_KEY, SET_BACK, THE_TRAIL } from './entry.ts';

/** The Redis keys of the trail's entries and of its head; `makeSharedKeys` of the ledger names them. */
export type AuditKeys = { audit: string; auditHead: string };

type AppendDeps = {
  connection: RedisConnection;
  keys: AuditKeys;
  /** Answers the chain, which links the entries by a key. It is called only when there is an entry to write. */
  chain: () => Promise<Chain>;
  last: LastLinkMemory;
  account: string;
  log: Log;
  onWritten: (entry: WrittenEntry) => void;
};

/** What a log says of a written entry: all but its facts, which may be long. */
export type WrittenEntry = LastLink & Pick<AuditEntry, 'by' | 'what' | 'from' | 'about' | 'is' | 'of'>;

/** Most entries that one call of the script writes to Redis at once, some hundred kilobytes. */
const MOST_AT_ONCE = 64;

/**
 * Most attempts to write an entry. An attempt fails if another process wrote one meanwhile, so even among a hundred processes all get
 * through.
 */
const MOST_TRIES = 200;

/**
 * How far the last entry's time may be ahead of the clock. Up to this, a new entry takes the last entry's time, so times do not decrease
 * when a clock is set back. A time further ahead comes from a wrong clock or another writer, and is ignored.
 */
const MOST_AHEAD_MS = HOUR_MS;

/**
 * The trail's last entry as Redis keeps it: number, link, time and key digest (`mark`). `top` is the highest number that the trail ever
 * had, `nowMs` the time by Redis' clock.
 */
type Head = LastLink & { atMs: number; mark: string; top: number; nowMs: number };

type Waiting = { draft: EntryDraft; written: PromiseWithResolvers<number> };

/**
 * Appends entries to the trail, which all processes share. An entry's link is made from the head that was read; if the head has changed when
 * the entry is written, the entry is made anew. Entries that wait in one process are written together.
 */
export function makeAppender(deps: AppendDeps) {
  const waiting: Waiting[] = [];
  let isWriting = false;

  const writeAll = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_AT_ONCE);
      try {
        const numbers = await appendBatch(
          batch.map(({ draft }) => draft),
          deps,
        );
        batch.forEach(({ written }, place) => void written.resolve(numbers[place] ?? 0));
      } catch (error) {
        for (const { written } of batch) written.reject(faultOf(error));
      }
    }
    isWriting = false;
  };

  return {
    /**
     * Appends an entry, and answers its number once it is written. A draft that is split into several entries (`inParts`) is answered with
     * the number of the first.
     *
     * @throws LimitlineError `REDIS` if it could not be written
     */
    async append(draft: EntryDraft): Promise<number> {
      const parts = inParts(draft).map((part) => ({
        draft: boundedDraft(part),
        written: Promise.withResolvers<number>(),
      }));
      waiting.push(...parts);
      if (!isWriting) void writeAll();
      const [first = 0] = await Promise.all(parts.map(({ written }) => written.promise));
      return first;
    },
  };
}

async function appendBatch(drafts: readonly EntryDraft[], deps: AppendDeps): Promise<number[]> {
  const { connection, keys, log } = deps;
  const chain = await deps.chain();
  const script = makeLuaScript(connection, new URL('./lua/append-audit.lua', import.meta.url));
  const names = [keys.audit, keys.auditHead];
  // The remembered entry is read before the trail's head. In the other order, an entry that another process of this host writes in between
  // would be newer than the head, and the trail would seem to be set back.
  const remembered = await deps.last.read().catch((error) => {
    // An unreadable memory is a fault: without the remembered entry, a trail that was set back would go unnoticed.
    throw fileFault(deps.last.dir, 'read', error);
  });
  let [, head] = toHead(await script(names, ['', '', '', '', '']));
  const isOther = await isOtherHistory(head, remembered, deps);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const made = makeEntries(drafts, head, { remembered, isOther, chain, account: deps.account });
    const last = made.entries.at(-1);
    if (!last) return [];
    const [isDone, found] = toHead(
      await script(names, [
        head.number,
        head.link,
        chain.mark,
        randomBytes(6).toString('base64url'),
        made.atMs,
        ...made.entries.flatMap(({ number, text, link }) => [number, text, link]),
      ]),
    );
    if (isDone) {
      if (made.isSetBack) log.error({ remembered: remembered?.number, found: head.number }, SET_BACK_WORDS);
      if (made.isOtherKey) log.error({ number: last.number }, OTHER_KEY_WORDS);
      await remember(last, deps);
      for (const { number, link, draft } of made.entries) {
        const { facts: _facts, ...said } = draft;
        deps.onWritten({ number, ...said, link });
      }
      return made.entries.slice(-drafts.length).map(({ number }) => number);
    }
    head = found;
  }
  throw new Error(`at each of ${MOST_TRIES} tries another process wrote an entry first`);
}

/**
 * Whether the trail was set back: it ends before the entry that this host remembers, or has another one in its place. The check comes
 * before each write, since the written entry then replaces the remembered one.
 */
async function isOtherHistory(
  head: Head,
  remembered: LastLink | undefined,
  { connection, keys }: Pick<AppendDeps, 'connection' | 'keys'>,
): Promise<boolean> {
  if (remembered === undefined || head.number < remembered.number) return remembered !== undefined;
  if (head.number === remembered.number) return head.link !== remembered.link;
  const place = `${remembered.number}-0`;
  // A missing entry does not show that the trail was set back: old entries may have been deleted, and `verify` reports any other gap.
  const [, fields] = (await connection.xrange(keys.audit, place, place))[0] ?? [];
  return fields !== undefined && !(fields[2] === 'l' && fields[3] === remembered.link);
}

const OTHER_KEY_WORDS =
  'the newest entry of the audit trail was made with another key than this host has, and new entries are made with the key of this host; give all hosts of one installation the same LIMITLINE_SECRET';
const SET_BACK_WORDS =
  'the audit trail is not as this host remembers it: entries are missing, or others stand in their place; npx limitline audit verify says where';

/**
 * Makes the entries that follow the trail's head, from drafts. Numbers are never reused: after a trail was set back the next number is
 * above all known ones, and the first new entry says that the trail was set back.
 */
function makeEntries(
  drafts: readonly EntryDraft[],
  head: Head,
  given: { remembered: LastLink | undefined; isOther: boolean; chain: Chain; account: string },
) {
  const { remembered, isOther, chain, account } = given;
  const isSetBack = isOther || head.top > head.number;
  const facts = { remembered: remembered?.number, found: head.number, highest: head.top };
  const first: EntryDraft[] = isSetBack ? [{ by: NOBODY, what: SET_BACK, from: THE_TRAIL, facts }] : [];
  // Another key means that hosts have no common secret, or that it was lost. Rejecting that would stop all work, so an entry notes it.
  const isOtherKey = head.number > 0 && head.mark !== chain.mark;
  if (isOtherKey)
    first.push({ by: NOBODY, what: OTHER_KEY, from: THE_TRAIL, facts: { key: chain.mark, before: head.mark } });
  const atMs = head.atMs > head.nowMs + MOST_AHEAD_MS ? head.nowMs : Math.max(head.atMs, head.nowMs);
  let number = Math.max(head.number, head.top, remembered?.number ?? 0);
  if (!Number.isSafeInteger(number + drafts.length + 1)) throw new Error('the numbers for its entries are used up');
  let prev = head.number === 0 ? chain.genesis : head.link;
  const entries = [...first, ...drafts].map((draft) => {
    number += 1;
    const text = entryText(draft, { number, atMs, account, prev });
    prev = chain.link(text);
    return { number, text, link: prev, draft };
  });
  return { entries, atMs, isSetBack, isOtherKey };
}

/**
 * Remembers the last link in the data folder. A failure is only logged: the entry is written, but if somebody cuts off the end of the
 * trail, that may go unnoticed.
 */
async function remember(last: LastLink, { last: memory, log }: AppendDeps): Promise<void> {
  await memory.remember(last).catch((error) => {
    log.error(
      { reason: messageOf(error) },
      'the data folder cannot keep the link of the last audit entry: if the newest entries were removed, audit verify might not notice',
    );
  });
}

function toHead(answer: unknown): [isDone: boolean, head: Head] {
  const [done, number, link, atMs, mark, top, nowMs] = answer as [
    number,
    string,
    string,
    string,
    string,
    string,
    number,
  ];
  return [
    done === 1,
    { number: Number(number), link, atMs: Number(atMs), mark, top: Number(top), nowMs: Number(nowMs) },
  ];
}

function faultOf(error: unknown): LimitlineError {
  if (isLimitlineError(error)) return error;
  const message = `The audit trail could not be written (${messageOf(error)}), so nothing was done. Try again when Redis answers.`;
  return new LimitlineError('REDIS', message, { cause: error });
}
