import type { StartLimiter } from './limiter.ts';
import { nginxLimit } from './nginx.ts';
import { expressRateLimit, fastifyLimit, flexibleLimit } from './packages.ts';

/** A limiter as its users set it. */
export type LimiterCase = {
  /** The package, then what is particular of it. */
  name: string;
  start: StartLimiter;
  /** Settings without which its refusals cannot be understood. */
  env?: Record<string, string>;
  /** So many times the rows, where the usual number has room in one window. */
  rowsTimes?: number;
  /** Whether it needs an nginx on this machine. */
  needsNginx?: true;
};

/** Twice the calls of a bench: one window of 2,400, and the better part of another. */
const ROWS_OF_A_MINUTE = 2;

const WINDOWS_S = [1, 5, 60];

/** express-rate-limit calls its older headers `legacyHeaders`, and the others by the draft that they follow. */
const EXPRESS_HEADERS = [
  ['draft-6', { standardHeaders: 'draft-6', legacyHeaders: false }],
  ['draft-7', { standardHeaders: 'draft-7', legacyHeaders: false }],
  ['draft-8', { standardHeaders: 'draft-8', legacyHeaders: false }],
  ['legacy', { standardHeaders: false, legacyHeaders: true }],
] as const;

/** As in nginx's own examples, with a burst of half a second. */
const NGINX = [
  ['nginx 429', 'limit_req zone=api burst=20 nodelay; limit_req_status 429;'],
  ['nginx 429 delaying', 'limit_req zone=api burst=20; limit_req_status 429;'],
  ['nginx 503', 'limit_req zone=api burst=20 nodelay;'],
] as const;

/** Limiters in front of which many services stand. */
export const LIMITER_CASES: readonly LimiterCase[] = [
  ...EXPRESS_HEADERS.flatMap(([words, headers]) =>
    WINDOWS_S.map((windowS) => ({
      name: `express-rate-limit ${words} ${windowS}s`,
      start: expressRateLimit(windowS, headers),
      ...(windowS === 60 && { rowsTimes: ROWS_OF_A_MINUTE }),
    })),
  ),
  { name: 'fastify-rate-limit 1s', start: fastifyLimit(1, { enableDraftSpec: false }) },
  { name: 'fastify-rate-limit draft 5s', start: fastifyLimit(5, { enableDraftSpec: true }) },
  { name: 'rate-limiter-flexible 1s', start: flexibleLimit({ saysAlways: true }) },
  { name: 'rate-limiter-flexible 1s refusals', start: flexibleLimit({ saysAlways: false }) },
  ...NGINX.map(([name, limit]) => ({
    name,
    start: nginxLimit(limit),
    needsNginx: true as const,
    // Its default status says nothing of a limit, so it has to be told.
    ...(name === 'nginx 503' && { env: { SERVICE_NOT_MADE: '503' } }),
  })),
];
