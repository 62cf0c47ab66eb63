import { SERVICE_PATHS } from '../../../src/service/paths.ts';

/** A limiter that others wrote, in front of the stand-in: it passes on what it lets through, and refuses the rest itself. */
export type RunningLimiter = AsyncDisposable & {
  url: string;
  /** Calls that the limiter refused so far, by whatever status. */
  refused(): number | Promise<number>;
};

export type StartLimiter = (upstream: string) => Promise<RunningLimiter>;

/** Calls a second that every limiter of the bench lets through. */
export const LIMITED_PER_S = 40;

/** Statuses by which limiters refuse; the stand-in itself answers neither. */
export const REFUSALS: readonly number[] = [429, 503];

/** Whether a call counts for the limit: all but the calls for a token, which is asked for once and costs the service nothing. */
export function isLimited(url: string): boolean {
  return url.split('?', 1)[0] !== SERVICE_PATHS.token;
}
