import { randomBytes } from 'node:crypto';
import { boundedNotice } from './bounded-notice.ts';
import { makeDeliveries } from './deliveries.ts';
import { NOTICE_LIMITS } from './limits.ts';
import type { NoticeKind, NoticeState, Outbox } from './notice.ts';
import { makeNoticeList } from './notice-list.ts';
import { noticeScript } from './notice-script.ts';
import type { OutboxStore } from './outbox-store.ts';
import type { WayName } from './way.ts';

export type NoticeOutbox = ReturnType<typeof makeOutbox>;

/** So many states are compared in one command: most are as they were. */
const COMPARED_AT_ONCE = 500;

/** 96 bits. */
const ID_BYTES = 12;

type OutboxDeps = Omit<OutboxStore, 'limits'> & {
  limits?: OutboxStore['limits'];
  /** The ways that this process knows. */
  ways: readonly WayName[];
  /** The kinds that are sent; all of them where none is named. */
  about?: readonly NoticeKind[];
};

/** Notices from the moment at which something changed until each is delivered, or given up and said so. */
export function makeOutbox({ connection, keys, ways, about = [], limits = NOTICE_LIMITS }: OutboxDeps) {
  const script = noticeScript(connection, 'tell-notice');

  /** The states that are not the remembered ones, in their order; of two of one subject the second is compared with the first. */
  async function changedOf(states: readonly NoticeState[]): Promise<NoticeState[]> {
    const subjects = states.map(({ subject }) => subject);
    const known = await connection.hmget(keys.noticeStates, ...subjects);
    const remembered = new Map(subjects.map((subject, place) => [subject, known[place]]));
    return states.filter(({ subject, state }) => {
      const isChanged = remembered.get(subject) !== state;
      remembered.set(subject, state);
      return isChanged;
    });
  }

  async function tellOne({ subject, state, was, notice }: NoticeState): Promise<number> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const takenBy = notice && (about.length === 0 || about.includes(notice.kind)) ? ways : [];
    const basis = was === undefined ? '' : `was ${was}`;
    const text = notice ? JSON.stringify(boundedNotice(notice)) : '';
    const arose = await script(
      [keys.noticeStates, keys.notice(id), keys.noticesLately, keys.account, ...takenBy.map(keys.outbox)],
      [subject, state, basis, text, id, limits.keepMs, limits.listed, limits.waiting, TOO_MANY, ...takenBy],
    );
    return Number(arose);
  }

  return {
    async tell(states) {
      let arose = 0;
      for (let from = 0; from < states.length; from += COMPARED_AT_ONCE) {
        const changed = await changedOf(states.slice(from, from + COMPARED_AT_ONCE));
        for (const count of await Promise.all(changed.map(tellOne))) arose += count;
      }
      return arose;
    },
    ...makeDeliveries({ connection, keys, limits }),
    ...makeNoticeList({ connection, keys, limits }),
  } satisfies Outbox & Record<string, unknown>;
}

const TOO_MANY = 'so many notices wait on this way already that no more are taken';
