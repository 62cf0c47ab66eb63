import { describe, expect, test } from 'vitest';
import { serviceChanges } from '../../../jobs/notices/service-changes.ts';
import type { CallsHeld } from '../../../src/pace/calls-held.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const BEGIN = 1_763_802_000_000;

type Seen = Omit<CallsHeld, 'nowMs'>;

const WELL: Seen = { accepted: 50, blocked: undefined, tripped: [], probeMs: 0, isTried: false, resetMs: 0 };
type By = NonNullable<CallsHeld['blocked']>['by'];
type Look = readonly [minute: number, seen: (nowMs: number) => Partial<Seen>];

const blocked =
  (by: By, accepted = 50, untilMs = SECOND) =>
  (nowMs: number) => ({ blocked: { by, untilMs: nowMs + untilMs }, accepted });
const tripped =
  (accepted = 50, probeMs = SECOND) =>
  (nowMs: number): Partial<Seen> => ({ tripped: ['limit'], probeMs: nowMs + probeMs, accepted });
const open =
  (accepted = 50) =>
  (): Partial<Seen> => ({ accepted });

/** Looks at these minutes, and returns each notice with its minute and title. */
function tellOf(looks: readonly Look[], awayAfterMin = 10): string[] {
  const remembered: Record<string, string> = {};
  const told: string[] = [];
  for (const [minute, seen] of looks) {
    const nowMs = BEGIN + minute * MINUTE;
    const held: CallsHeld = { nowMs, ...WELL, ...seen(nowMs) };
    for (const { subject, was, state, notice } of serviceChanges(held, remembered, awayAfterMin * MINUTE)) {
      expect(was).toBe(remembered[subject] ?? '');
      remembered[subject] = state;
      if (notice) told.push(`${minute}: ${notice.kind}, ${notice.title}`);
    }
  }
  return told;
}

/** One look in each minute, from one minute up to another. */
function each(from: number, to: number, seen: Look[1]): Look[] {
  return Array.from({ length: to - from }, (_, place) => [from + place, seen]);
}

const AWAY_TRIPPED = '10: away, The service is away: no limit requests have got through for 10 minutes';
const AWAY = '10: away, The service is away: no calls have got through for 10 minutes';

describe('the service', () => {
  test.each<[string, readonly Look[], readonly string[]]>([
    ['that answers sends no notice', [...each(0, 20, open(1)), ...each(20, 40, open(500))], []],
    ['without any call sends no notice', each(0, 20, open(0)), []],
    [
      'that throttles and accepts calls is not away',
      Array.from({ length: 30 }, (_, n): Look => [n, blocked('limit', 100 * n)]),
      [],
    ],
    ['that does not answer is away', each(0, 30, blocked('outage')), [AWAY]],
    ['that rejects every call as too fast is away', each(0, 30, blocked('limit')), [AWAY]],
    ['that asks to wait for an hour is away', each(0, 30, blocked('asked')), [AWAY]],
    ['with a tripped breaker for limits is away', each(0, 30, tripped()), [AWAY_TRIPPED]],
    [
      'with a tripped breaker is away even if other calls get through',
      Array.from({ length: 30 }, (_, n): Look => [n, tripped(100 * n)]),
      [AWAY_TRIPPED],
    ],
    [
      'with a tripped breaker and no call to probe is not away',
      [[0, tripped(50, SECOND)], ...each(1, 30, () => ({ tripped: ['limit'], probeMs: BEGIN }))],
      [],
    ],
    [
      'observed between two tries is still away',
      [...each(0, 9, blocked('outage', 50, -5 * SECOND)), ...each(9, 12, blocked('outage'))],
      [AWAY],
    ],
    ['whose last wait ended long ago is not away', each(0, 30, blocked('outage', 50, -MINUTE)), []],
    [
      'that refuses the credentials sends a notice of its own',
      each(0, 30, blocked('credentials')),
      ['1: credentials, For 60 seconds now, the service has refused the credentials'],
    ],
    [
      'is back as soon as one call gets through',
      [...each(0, 15, blocked('outage')), ...each(15, 20, open(51))],
      [AWAY, '17: back, The service is back: calls get through again after 15 minutes'],
    ],
    [
      'is back only after the next call gets through',
      [...each(0, 15, blocked('outage')), ...each(15, 200, open(50)), ...each(200, 205, open(51))],
      [AWAY, '202: back, The service is back: calls get through again after 3.3 hours'],
    ],
    [
      'is back when its breaker is reset',
      [...each(0, 15, tripped(50)), ...each(15, 20, open(52))],
      [AWAY_TRIPPED, '17: back, The service is back: calls get through again after 15 minutes'],
    ],
    [
      'is back when the last call resets its breaker',
      [...each(0, 15, tripped(50)), [15, tripped(51)], ...each(16, 20, () => ({ accepted: 51, resetMs: BEGIN }))],
      [AWAY_TRIPPED, '18: back, The service is back: calls get through again after 16 minutes'],
    ],
    [
      'that fails on and off is away once',
      [
        ...each(0, 12, blocked('outage', 50)),
        [12, open(51)],
        [13, blocked('outage', 51)],
        [14, open(52)],
        [15, blocked('outage', 52)],
        ...each(16, 20, open(53)),
      ],
      [AWAY, '18: back, The service is back: calls get through again after 16 minutes'],
    ],
    [
      'that accepted one call and then none is still away',
      [...each(0, 12, blocked('outage', 50)), [12, open(51)], ...each(13, 40, blocked('outage', 51))],
      [AWAY],
    ],
    [
      'that accepted calls until none was left is back',
      [...each(0, 12, blocked('outage', 50)), [12, open(51)], ...each(13, 20, open(51))],
      [AWAY, '14: back, The service is back: calls get through again after 12 minutes'],
    ],
    [
      'that accepts the credentials again sends a notice',
      [...each(0, 3, blocked('credentials', 0)), ...each(3, 6, open(4))],
      [
        '1: credentials, For 60 seconds now, the service has refused the credentials',
        '4: back, The service takes the credentials again, after 3 minutes',
      ],
    ],
    [
      'that refuses the credentials for a moment sends no notice',
      [
        [0, blocked('credentials', 0)],
        [0.5, open(3)],
        [1, open(9)],
        [2, open(9)],
      ],
      [],
    ],
  ])('%s', (_what, looks, told) => {
    expect(tellOf(looks)).toEqual(told);
  });

  test.each([
    [1, '1: away, The service is away: no calls have got through for 60 seconds'],
    [45, '45: away, The service is away: no calls have got through for 45 minutes'],
  ])('that is away sends its notice after NOTIFY_AWAY_AFTER_MIN=%i', (minutes, told) => {
    expect(tellOf(each(0, 60, blocked('outage')), minutes)).toEqual([told]);
  });

  test.each<[By | 'tripped', string]>([
    ['outage', 'the service does not answer'],
    ['asked', 'the service asks to wait'],
    ['limit', 'the service says that calls come too fast, and takes none'],
    ['replicas', 'no replica of Redis confirms what is written down before a call'],
    ['tripped', 'nobody knows what became of the last limit requests'],
  ])('that is away sends a notice with the reason: %s', (by, words) => {
    const nowMs = BEGIN;
    const held = { nowMs, ...WELL, ...(by === 'tripped' ? tripped() : blocked(by))(nowMs) };
    const since = BEGIN - 20 * MINUTE;
    const [change] = serviceChanges(held, { service: `doubtful ${since} ${nowMs - MINUTE} 50:0` }, 10 * MINUTE);
    expect(change?.notice?.facts[0]).toEqual({ term: 'Why', what: words });
  });

  test('that refuses the credentials sends a notice that names the new start, since settings are read at the start alone', () => {
    const nowMs = BEGIN;
    const held = { nowMs, ...WELL, ...blocked('credentials')(nowMs) };
    const changes = serviceChanges(
      held,
      { credentials: `doubtful ${nowMs - 2 * MINUTE} ${nowMs - MINUTE} 50:0` },
      MINUTE,
    );
    const [notice] = changes.flatMap((change) => change.notice ?? []);
    expect(notice?.kind).toBe('credentials');
    expect(JSON.stringify(notice?.facts)).toContain('after a change, stop each process and start it again');
  });
});
