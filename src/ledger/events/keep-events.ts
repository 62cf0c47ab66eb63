import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LimitlineError } from '../../errors.ts';
import { ledgerScript } from '../schema/gated-script.ts';
import type { Keys, LedgerPlace } from '../schema/keys.ts';
import { idDigest } from '../search/index-words.ts';
import { idsIn } from './event-ids.ts';
import type { KeepAnswer, NewEvent } from './kept-event.ts';

/** Most bytes kept, and for how long: EVENTS_KEEP_MB and EVENTS_KEEP_DAYS, in bytes and ms. */
export type EventLimits = { mostBytes: number; keepMs: number };

/** Most events, ids and bytes that one run of the script writes, so that it takes Redis only some milliseconds. Each id is an index entry. */
const MOST_AT_ONCE = { events: 64, ids: 512, bytes: 1_048_576 };

/**
 * Time to wait for further events of the same script. Each script is a write to the disk, for which busy workers wait too; the sender of
 * an event does not mind the delay.
 */
const GATHER_MS = 50;

/** Most events that wait while Redis does not answer: more than ever come at once, and a bearable amount of memory. */
const MOST_WAITING = { events: 5_000, bytes: 32 * 1_048_576 };

/** Bytes in Redis of an event besides its content, and of each index entry; measured, see docs/events.md, "What is kept". */
const EVENT_BYTES = 750;
const ID_BYTES = 60;

/** Length of an event's id, 132 bits of the SHA-256: nobody can find another content with the same id. */
const NAME_CHARACTERS = 22;

type Answered = (answer: KeepAnswer) => void;

type Waiting = { id: string; event: NewEvent; resolve: Answered; reject: (error: unknown) => void };

/** Events of one content that came at the same time. */
type Together = Waiting & { others: Waiting[]; headers: string; ids: string[]; more: number };

export function eventKeys(keys: Keys) {
  return { lately: keys.eventsLately, totals: keys.eventTotals, events: keys.event(''), index: keys.eventIds('') };
}

/**
 * Keeps an event, raw, once for each content. Events that come within {@link GATHER_MS}, or while a script is under way, share a script,
 * so a thousand in a second need some twenty scripts. Resolves once the event is in Redis: `kept`; `known` if the same content was kept
 * before, which is counted; or `full` if it does not fit beside events that have not expired.
 *
 * @throws LimitlineError `REDIS` if Redis is away for so long that too many events wait; and whatever Redis throws
 */
export function makeKeepEvents({ connection, keys, limits }: KeepDeps): (event: NewEvent) => Promise<KeepAnswer> {
  const script = ledgerScript(connection, 'events#keep-events');
  const waiting: Waiting[] = [];
  let waitingBytes = 0;
  let isRunning = false;

  async function keepTogether(together: readonly Together[]): Promise<void> {
    const by = randomBytes(6).toString('base64url');
    const told = { by, most: limits.mostBytes, keepMs: limits.keepMs, told: together.flatMap(argsOf) };
    try {
      const answers = (await script({ ...eventKeys(keys), unread: keys.eventsUnread }, told)) as number[];
      for (const [place, one] of together.entries()) {
        const answer = ANSWERS[answers[place] ?? 0] ?? 'full';
        one.resolve(answer);
        for (const other of one.others) other.resolve(answer === 'kept' ? 'known' : answer);
      }
    } catch (error) {
      // All waiting events are rejected together, since each would otherwise wait for a time limit of its own.
      const behind = waiting.splice(0);
      waitingBytes = 0;
      const failed = together.flatMap((one) => [one, ...one.others]);
      for (const { reject } of [...failed, ...behind]) reject(error);
    }
  }

  async function keepAll(): Promise<void> {
    while (waiting.length > 0) {
      if (waiting.length < MOST_AT_ONCE.events) await sleep(GATHER_MS);
      const together = takeTogether(waiting);
      const taken = together.flatMap((one) => [one, ...one.others]);
      waitingBytes -= taken.reduce((sum, { event }) => sum + event.body.length, 0);
      await keepTogether(together);
    }
    isRunning = false;
  }

  return (event) =>
    new Promise((resolve, reject) => {
      const { body } = event;
      if (waiting.length >= MOST_WAITING.events || waitingBytes + body.length > MOST_WAITING.bytes) {
        reject(new LimitlineError('REDIS', 'Events come faster than Redis takes them: the event was not kept.'));
        return;
      }
      const id = createHash('sha256').update(body).digest('base64url').slice(0, NAME_CHARACTERS);
      waiting.push({ id, event, resolve, reject });
      waitingBytes += body.length;
      if (isRunning) return;
      isRunning = true;
      void keepAll();
    });
}

type KeepDeps = LedgerPlace & { limits: EventLimits };

/** The script's answers by number. */
const ANSWERS: readonly KeepAnswer[] = ['full', 'kept', 'known'];

/** Takes the first events that fit one script: at least one, of any size. */
function takeTogether(waiting: Waiting[]): Together[] {
  const taken = new Map<string, Together>();
  let [ids, bytes, place] = [0, 0, 0];
  for (const one of waiting) {
    const same = taken.get(one.id);
    if (same) {
      same.others.push(one);
      place += 1;
      continue;
    }
    const next = { ...one, others: [], headers: JSON.stringify(one.event.headers), ...idsIn(one.event.body) };
    ids += next.ids.length;
    bytes += one.event.body.length;
    const isMuch = ids > MOST_AT_ONCE.ids || bytes > MOST_AT_ONCE.bytes || taken.size >= MOST_AT_ONCE.events;
    if (isMuch && taken.size > 0) break;
    taken.set(one.id, next);
    place += 1;
  }
  waiting.splice(0, place);
  return [...taken.values()];
}

/** The arguments for one event, in the order of keep-events in events.lua. */
function argsOf({
  id,
  event: { body, isToBeRead },
  others,
  headers,
  ids,
  more,
}: Together): (string | number | Buffer)[] {
  const text = ids.join(' ');
  const takes = body.length + headers.length + text.length + EVENT_BYTES + ids.length * ID_BYTES;
  const digests = Buffer.concat(ids.map(packedDigest));
  return [id, 1 + others.length, body.length, takes, more, body, headers, text, digests, isToBeRead ? 1 : 0];
}

/** A digest packed as in index-entries.lua. */
export function packedDigest(id: string): Buffer {
  return Buffer.from(idDigest(id), 'hex');
}
