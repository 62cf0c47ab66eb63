import { type Cron, readCron } from './read-cron.ts';
import { momentsAt, wallClock } from './zone.ts';

type When = { pattern: string; tz: string };

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** 29 February may be eight years away (1896 to 1904, 2096 to 2104), and what is further never comes. */
const FARTHEST_DAYS = 9 * 366;

/** Clocks were never put on or back by more than a day, and of late by two hours at the most. */
const SHIFT_MS = 3 * HOUR_MS;

/** The next moment of an entry after this one, in ms. @throws Error for a pattern that {@link readCron} would not take */
export function nextMoment(when: When, afterMs: number): number {
  return seek(when, afterMs + 1, 1);
}

/** The last moment of an entry up to this one, in ms. */
export function latestMoment(when: When, atMs: number): number {
  return seek(when, atMs, -1);
}

/**
 * The clock on the wall counts, also on the two nights a year in which it is put on or back. A time that such a night has twice
 * is its first one alone, and one that it leaves out is there all the same, as late as the clock is put on: so what runs once a night
 * runs once in each. What runs each hour, or several times in each, goes by the hours that really are.
 */
function seek({ pattern, tz }: When, fromMs: number, direction: 1 | -1): number {
  const cron = readCron(pattern);
  if ('fault' in cron) throw new Error(`The pattern ${JSON.stringify(pattern)} ${cron.fault}.`);
  const wall = wallClock(Math.floor(fromMs / 1_000) * 1_000, tz);
  // A day too many, since the moment that is looked for may be of another date by a clock that was put on or back since.
  let date = Math.floor(wall / DAY_MS) * DAY_MS - direction * DAY_MS;
  for (let days = 0; days < FARTHEST_DAYS; days += 1, date += direction * DAY_MS) {
    if (!isDay(cron, date)) continue;
    const found = nearest(cron, { date, tz, fromMs, wall, direction });
    if (found !== undefined) return found;
  }
  throw new Error(`The pattern ${JSON.stringify(pattern)} never comes.`);
}

/** Of the moments of one date that which is next to `fromMs` in this direction, or it itself; none where all of them lie behind it. */
function nearest(
  cron: Cron,
  { date, tz, fromMs, wall, direction }: { date: number; tz: string; fromMs: number; wall: number; direction: 1 | -1 },
): number | undefined {
  let best: number | undefined;
  const steps = cron.hours.flatMap((hour) => cron.minutes.map((minute) => hour * HOUR_MS + minute * MINUTE_MS));
  for (const step of direction > 0 ? steps : steps.reverse()) {
    const shown = date + step;
    // What the clock showed long before cannot be meant, and behind a moment that was found only what a change of the clock moved.
    if (direction * (shown - wall) < -SHIFT_MS) continue;
    if (best !== undefined && direction * (shown - wallClock(best, tz)) > SHIFT_MS) break;
    for (const moment of momentsOf(cron, shown, tz)) {
      if (direction * (moment - fromMs) < 0) continue;
      if (best === undefined || direction * (moment - best) < 0) best = moment;
    }
  }
  return best;
}

const HOURS = 24;

function momentsOf(cron: Cron, shown: number, tz: string): readonly number[] {
  const { moments, shifted } = momentsAt(shown, tz);
  if (cron.hours.length === HOURS) return moments;
  return [moments[0] ?? shifted];
}

function isDay({ days, months, weekdays, anyDay, anyWeekday }: Cron, date: number): boolean {
  const day = new Date(date);
  if (!months.has(day.getUTCMonth() + 1)) return false;
  const [byDay, byWeekday] = [days.has(day.getUTCDate()), weekdays.has(day.getUTCDay())];
  return anyDay || anyWeekday ? byDay && byWeekday : byDay || byWeekday;
}
