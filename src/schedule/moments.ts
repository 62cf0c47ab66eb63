import { DAY_MS, HOUR_MS } from '../time-units.ts';
import { type Cron, readCron } from './read-cron.ts';
import { momentsAt, wallClock } from './schedule.ts';

type When = { pattern: string; tz: string };

const MINUTE_MS = 60_000;
/**
 * Days within which a pattern's next date is sought. 29 February may be eight years away (2096 to 2104); a date that is farther never
 * comes.
 */
const FARTHEST_DAYS = 9 * 366;

/** An upper bound for a change of local clocks, which in recent times was at most two hours. */
const SHIFT_MS = 3 * HOUR_MS;

/** The next due time of an entry after this moment, in ms. @throws Error for a pattern that {@link readCron} rejects */
export function nextMoment(when: When, afterMs: number): number {
  return seek(when, afterMs + 1, 1);
}

/** The last due time of an entry up to this moment, in ms. */
export function latestMoment(when: When, atMs: number): number {
  return seek(when, atMs, -1);
}

/**
 * The nearest due time from `fromMs` on in a direction, in ms. Due times follow local clocks, also when these change. A time that occurs
 * twice in a night counts only the first time. A time that is skipped counts all the same, later by the change. So a task that is due once
 * a night runs once. A task that is due each hour follows the real hours.
 */
function seek({ pattern, tz }: When, fromMs: number, direction: 1 | -1): number {
  const cron = readCron(pattern);
  if ('fault' in cron) throw new Error(`The pattern ${JSON.stringify(pattern)} ${cron.fault}.`);
  const wall = wallClock(Math.floor(fromMs / 1_000) * 1_000, tz);
  // The search begins one day before the day of `fromMs`; a search backwards, one day after it. A changed clock may move a due time to another date.
  let date = Math.floor(wall / DAY_MS) * DAY_MS - direction * DAY_MS;
  for (let days = 0; days < FARTHEST_DAYS; days += 1, date += direction * DAY_MS) {
    if (!isDay(cron, date)) continue;
    const found = nearest(cron, { date, tz, fromMs, wall, direction });
    if (found !== undefined) return found;
  }
  throw new Error(`The pattern ${JSON.stringify(pattern)} never comes.`);
}

/** The due time of one date that is nearest to `fromMs` in this direction, `fromMs` included; undefined if there is none. */
function nearest(
  cron: Cron,
  { date, tz, fromMs, wall, direction }: { date: number; tz: string; fromMs: number; wall: number; direction: 1 | -1 },
): number | undefined {
  let best: number | undefined;
  const steps = cron.hours.flatMap((hour) => cron.minutes.map((minute) => hour * HOUR_MS + minute * MINUTE_MS));
  for (const step of direction > 0 ? steps : steps.reverse()) {
    const shown = date + step;
    // Times far on the wrong side of `wall` are skipped. After a match, only times that a change of clocks may have moved are compared.
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
