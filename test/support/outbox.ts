import { makeKeys } from '../../src/ledger/schema/keys.ts';
import type { Notice, NoticeState } from '../../src/notices/notice.ts';
import { makeOutbox } from '../../src/notices/outbox.ts';
import { NOTICE_LIMITS } from '../../src/notices/outbox-store.ts';
import { WAYS, type WayName } from '../../src/notices/way.ts';
import { connectRedis, freshPrefix } from './ledger.ts';

/** An outbox of the test's own, which takes notices for both ways unless it is told otherwise. */
export function openOutbox({
  ways = WAYS,
  ...options
}: Omit<Partial<Parameters<typeof makeOutbox>[0]>, 'connection' | 'keys'> = {}) {
  const connection = connectRedis();
  const keys = makeKeys(freshPrefix(), 'https://test.example');
  const open = (with_: Partial<typeof options> & { ways?: readonly WayName[] } = {}) =>
    makeOutbox({ connection, keys, ways, limits: NOTICE_LIMITS, ...options, ...with_ });
  return { connection, keys, outbox: open(), /** The same outbox, as another process has it. */ open };
}

/** A notice with as little as one can have. */
export function makeNotice(changes: Partial<Notice> = {}): Notice {
  return {
    kind: 'settled',
    title: 'Portfolio q4 is settled',
    facts: [{ term: 'Rows', what: '3 done, 1 refused' }],
    path: '/portfolios/q4',
    atMs: 1_763_802_000_000,
    ...changes,
  };
}

/** That something is in this state now, which is told. */
export function makeState(state: string, changes: Partial<Notice> = {}, subject = 'portfolio q4'): NoticeState {
  return { subject, state, notice: makeNotice(changes) };
}
