import { describe, expect, test } from 'vitest';
import type { PortfolioChange, RememberedPortfolio } from '../../../jobs/notices/portfolio-changes.ts';
import { portfolioChanges } from '../../../jobs/notices/portfolio-changes.ts';
import type { Glance } from '../../../src/ledger/counts/glances.ts';

const MINUTE = 60_000;
/** The time of the first look. */
const SINCE = 1_763_802_000_000;

const GOES_ON: Glance = {
  name: 'q4',
  finishedMs: undefined,
  isPaused: false,
  pausedItself: undefined,
  done: 0,
  refused: 0,
  held: 0,
  isBegun: false,
};
const ITSELF: Partial<Glance> = { isPaused: true, pausedItself: { is: 'first rows' } };
const REFUSED_ALIKE: Partial<Glance> = {
  isPaused: true,
  pausedItself: { is: 'refused alike', step: 'company', status: 403 },
};
const answered = (done: number, refused: number, held = 0): Partial<Glance> => ({ done, refused, held });

/** Looks at these minutes after the first look, and returns each notice with its minute. */
function tellOf(
  looks: readonly (readonly [minute: number | string, glance: Partial<Glance>])[],
  failuresAbove = 10,
): string[] {
  const remembered: Record<string, string> = {};
  const told: string[] = [];
  for (const [key, seen] of looks) {
    const minute = Number(key);
    const known = {
      settled: remembered['settled q4'],
      paused: remembered['paused q4'],
      failures: remembered['failures q4'],
    };
    const sinceMs = minute === 0 ? undefined : SINCE;
    const rules = { nowMs: SINCE + minute * MINUTE, sinceMs, failuresAbove };
    for (const { subject, state, was, tells } of portfolioChanges({ ...GOES_ON, ...seen }, known, rules)) {
      expect(was).toBe(remembered[subject] ?? '');
      expect(state).not.toBe(was);
      remembered[subject] = state;
      if (tells) told.push(`${minute}: ${tells.is}`);
    }
  }
  return told;
}

const at = (minute: number): Partial<Glance> => ({ finishedMs: SINCE + minute * MINUTE });

describe('a portfolio', () => {
  /** The observed state at each minute. */
  type Looks = Record<number, Partial<Glance>>;
  test.each<[string, Looks, string[]]>([
    ['at work sends no notice', { 0: {}, 1: {} }, []],
    ['that settled sends one notice', { 0: {}, 5: at(4), 6: at(4), 600: at(4) }, ['5: settled']],
    ['settled before the first look sends no notice', { 0: at(-5), 1: at(-5), 600: at(-5) }, []],
    ['settled at the moment of the first look sends no notice', { 0: at(0), 1: at(0) }, []],
    ['settled between two late looks sends a notice', { 0: {}, 3000: at(1_000) }, ['3000: settled']],
    ['settled before the first look and settling again sends a notice', { 0: at(-5), 1: {}, 9: at(8) }, ['9: settled']],
    ['that settles twice sends two notices', { 5: at(4), 6: {}, 20: at(19) }, ['5: settled', '20: settled']],
    [
      'that settles every minute sends few notices',
      { 5: at(4), 6: at(5), 7: at(6), 8: at(7), 9: at(8.5), 10: at(8.5), 14: at(13) },
      ['5: settled', '9: settled', '14: settled'],
    ],
    ['without rows that settled sends a notice', { 5: { ...at(4), done: 0 } }, ['5: settled']],
    ['that pauses itself sends one notice', { 0: {}, 1: ITSELF, 2: ITSELF }, ['1: paused']],
    ['paused before the first look sends no notice', { 0: ITSELF, 1: ITSELF }, []],
    ['paused by a person sends no notice', { 0: {}, 1: { isPaused: true }, 2: { isPaused: true } }, []],
    ['that pauses itself twice sends two notices', { 1: ITSELF, 2: {}, 3: ITSELF }, ['1: paused', '3: paused']],
    [
      'paused by a person in between sends a notice for each own pause',
      { 1: ITSELF, 2: { isPaused: true }, 3: ITSELF },
      ['1: paused', '3: paused'],
    ],
    [
      'that pauses itself for another reason sends another notice',
      { 1: ITSELF, 2: REFUSED_ALIKE },
      ['1: paused', '2: paused'],
    ],
    ['with failures above the limit sends one notice', { 1: answered(89, 11), 2: answered(80, 20) }, ['1: failures']],
    ['with failures at the limit sends no notice', { 1: answered(90, 10) }, []],
    ['counts held rows as failed', { 1: answered(89, 0, 11) }, ['1: failures']],
    ['with too few answered rows sends no notice yet', { 1: answered(0, 19), 2: answered(0, 20) }, ['2: failures']],
    [
      'whose failures fall below the limit for long sends a notice again',
      { 1: answered(89, 11), 2: answered(93, 7), 8: answered(93, 7), 9: answered(89, 11) },
      ['1: failures', '9: failures'],
    ],
    [
      'whose failures fall below the limit for a moment sends one notice',
      { 1: answered(89, 11), 2: answered(93, 7), 3: answered(89, 11), 4: answered(93, 7), 8: answered(89, 11) },
      ['1: failures'],
    ],
    [
      'whose failures stay near the limit sends one notice',
      { 1: answered(89, 11), 2: answered(91, 9), 60: answered(91, 9), 61: answered(89, 11) },
      ['1: failures'],
    ],
    [
      'whose failed rows are retried and fail again sends one notice',
      { 1: answered(80, 20), 2: answered(80, 0), 3: answered(80, 20) },
      ['1: failures'],
    ],
    ['with failures before the first look sends no notice', { 0: answered(0, 100), 1: answered(0, 100) }, []],
    [
      'that settled with failures sends two notices',
      { 5: { ...at(4), ...answered(50, 50) } },
      ['5: failures', '5: settled'],
    ],
  ])('%s', (_what, looks, told) => {
    expect(tellOf(Object.entries(looks))).toEqual(told);
  });

  test('settled with a clock two days ahead sends a notice again when the clock is right', () => {
    const looks = [
      [2_881, at(2_880)],
      [10, {}],
      [20, at(19)],
    ] as const;
    expect(tellOf(looks)).toEqual(['2881: settled', '20: settled']);
  });

  test.each([
    [0, answered(999, 1), ['1: failures']],
    [0, answered(999, 0), []],
    [50, answered(49, 51), ['1: failures']],
    [50, answered(51, 49), []],
    [100, answered(0, 1_000), []],
  ] as const)('NOTIFY_FAILURES_ABOVE=%i sets the limit of failures', (failuresAbove, glance, told) => {
    expect(tellOf([[1, glance]], failuresAbove)).toEqual(told);
  });

  test('without a change worth a notice stores no state', () => {
    const changes = (glance: Partial<Glance>, remembered: RememberedPortfolio = {}): PortfolioChange[] =>
      portfolioChanges({ ...GOES_ON, ...glance }, remembered, {
        nowMs: SINCE + MINUTE,
        sinceMs: SINCE,
        failuresAbove: 10,
      });
    expect(changes({})).toEqual([]);
    expect(changes({ ...at(-1), ...answered(100, 0) })).toEqual([]);
    expect(changes({ isPaused: true })).toEqual([]);
    expect(changes(at(0.5))).toHaveLength(1);
  });

  test('with the name of a subject has subjects of its own', () => {
    const subjects = ['q4', 'paused q4', 'settled q4'].flatMap((name) => {
      const glance = { ...GOES_ON, ...ITSELF, ...at(0.5), ...answered(0, 50), name };
      return portfolioChanges(glance, {}, { nowMs: SINCE + MINUTE, sinceMs: SINCE, failuresAbove: 10 }).map(
        ({ subject }) => subject,
      );
    });
    expect(new Set(subjects).size).toBe(9);
  });
});
