import { describe, expect, test } from 'vitest';
import { judge, type Observation } from '../../../jobs/notices/condition.ts';

const MINUTE = 60_000;
const RULES = { afterMs: 10 * MINUTE, mendMs: 2 * MINUTE };

/** Observes a condition at these minutes. Returns each notice with its minute, its kind and its duration in minutes. */
function tellOf(looks: readonly [minute: number, observed: Observation, mark?: string][], rules = RULES): string[] {
  let remembered: string | undefined;
  const told: string[] = [];
  for (const [minute, observed, mark] of looks) {
    const nowMs = 1_763_802_000_000 + minute * MINUTE;
    const { state, tells } = judge(remembered, mark === undefined ? { observed } : { observed, mark }, nowMs, rules);
    if (tells) told.push(`${minute}: ${tells.is} ${tells.forMs / MINUTE}`);
    expect(state, 'what is remembered already').not.toBe(remembered ?? null);
    remembered = state ?? remembered;
  }
  return told;
}

/** One observation in each minute, from one minute up to another. */
function each(from: number, to: number, observed: Observation): [number, Observation][] {
  return Array.from({ length: to - from }, (_, place) => [from + place, observed]);
}

const at = (minute: number, observed: Observation): [number, Observation] => [minute, observed];

describe('a condition', () => {
  test.each<[string, [number, Observation, string?][], string[]]>([
    ['that is always well sends no notice', each(0, 30, 'well'), []],
    ['that is always unknown sends no notice', each(0, 30, undefined), []],
    ['that is bad for less than the limit sends no notice', [...each(0, 10, 'bad'), ...each(10, 20, 'well')], []],
    ['that is bad for the whole limit sends one notice', each(0, 60, 'bad'), ['10: bad 10']],
    [
      'that is well again sends a second notice',
      [...each(0, 15, 'bad'), ...each(15, 20, 'well')],
      ['10: bad 10', '17: well 15'],
    ],
    [
      // Promise: ups-and-downs-one-notice
      'that changes within minutes counts as one',
      [...each(0, 15, 'bad'), [15, 'well'], [16, 'bad'], [17, 'well'], [18, 'bad'], ...each(19, 25, 'well')],
      ['10: bad 10', '21: well 19'],
    ],
    [
      'that returns after its end sends a notice again',
      [...each(0, 12, 'bad'), ...each(12, 15, 'well'), ...each(15, 30, 'bad')],
      ['10: bad 10', '14: well 12', '25: bad 10'],
    ],
    [
      'keeps its duration over unknown observations',
      [[0, 'bad'], ...each(1, 9, undefined), ...each(9, 12, 'bad')],
      ['10: bad 10'],
    ],
    ['starts anew after one good observation', [...each(0, 9, 'bad'), [9, 'well'], ...each(10, 19, 'bad')], []],
    [
      'observed every quarter of an hour still sends its notices',
      [at(0, 'bad'), at(15, 'bad'), at(30, 'well'), at(45, 'well')],
      ['15: bad 15', '45: well 30'],
    ],
    ['starts anew after a long time without observations', [at(0, 'bad'), at(600, 'bad'), at(605, 'bad')], []],
    [
      'starts anew after a long time of unknown observations',
      [at(0, 'bad'), at(40, undefined), at(41, 'bad'), at(45, 'bad')],
      [],
    ],
    ['keeps its state while it is unknown', [...each(0, 11, 'bad'), ...each(11, 500, undefined)], ['10: bad 10']],
    [
      'starts anew if the clock is set back',
      [at(0, 'bad'), at(-100, 'bad'), at(-95, 'bad'), at(-90, 'bad')],
      ['-90: bad 10'],
    ],
  ])('%s', (_what, looks, told) => {
    expect(tellOf(looks)).toEqual(told);
  });

  test('without a limit sends its notices at once', () => {
    const atOnce = { afterMs: 0, mendMs: 0 };
    expect(tellOf([at(0, 'bad'), at(1, 'bad'), at(2, 'well'), at(3, 'bad')], atOnce)).toEqual([
      '0: bad 0',
      '2: well 2',
      '3: bad 0',
    ]);
  });

  test('stores the mark of its last bad observation, which changes nothing else', () => {
    expect(judge(undefined, { observed: 'bad', mark: '7' }, 1_000, RULES)).toEqual({ state: 'doubtful 1000 1000 7' });
    const bad = 'bad 1000 700000 7';
    expect(judge(bad, { observed: 'bad', mark: '7' }, 800_000, RULES)).toEqual({ state: undefined });
    expect(judge(bad, { observed: 'bad', mark: '9' }, 800_000, RULES)).toEqual({ state: 'bad 1000 700000 9' });
    expect(judge(bad, { observed: 'well', mark: '9' }, 800_000, RULES)).toEqual({ state: 'mending 1000 800000 9' });
    const mending = 'mending 1000 800000 9';
    expect(judge(mending, { observed: 'well', mark: '9' }, 810_000, RULES)).toEqual({ state: undefined });
    expect(judge(mending, { observed: 'well', mark: '12' }, 810_000, RULES)).toEqual({
      state: 'mending 1000 800000 12',
    });
  });

  test('with an unreadable stored state starts anew', () => {
    expect(judge('away since Monday', { observed: 'bad' }, 5_000, RULES)).toEqual({ state: 'doubtful 5000 5000' });
    expect(judge('away since Monday', { observed: 'well' }, 5_000, RULES)).toEqual({ state: undefined });
  });
});
