import { expect, test, vi } from 'vitest';
import { judgeWords } from '../../scripts/bench/judge-words.ts';
import { makeBucket, rateLimitHeaders } from '../../src/stand-in/rate-limit.ts';
import { FOREIGN_WORDS, type ForeignLimiter, makeForeignWindow, makeLimitReq } from '../support/foreign-limiters.ts';
import { heardWords } from '../support/heard-words.ts';

// All simulations at a time: each has a clock of its own, and the trips to Redis of all of them are made together.
vi.setConfig({ maxConcurrency: 80 });

type Case = { name: string; limiter: () => ForeignLimiter; calls: number; processes?: number };
const cases: Case[] = [];
for (const [family, words] of Object.entries(FOREIGN_WORDS))
  for (const windowS of [1, 5, 60])
    cases.push({ name: `${family} ${windowS}s`, limiter: () => makeForeignWindow({ quota: 40 * windowS, windowS }, words as never), calls: windowS === 60 ? 4000 : 2000 });
for (const burst of [5, 20]) for (const nodelay of [true, false]) cases.push({ name: `nginx ${burst} ${nodelay}`, limiter: () => makeLimitReq({ perS: 40, burst, nodelay }), calls: 2000 });
const bucket = (perS: number, burst: number, headers: never): (() => ForeignLimiter) => () => { const b = makeBucket(); return (now) => { const s = { perS, burst, headers }; const p = b.pass(s, now); return { allowed: p.allowed, headers: { date: new Date(now).toUTCString(), ...rateLimitHeaders(s, p, now) } }; }; };
for (const h of ['none', 'retry-after-seconds', 'ratelimit', 'x-ratelimit-seconds'])
  cases.push({ name: `bucket 100 ${h} 8p`, limiter: bucket(100, 20, h as never), calls: 3000, processes: 8 }, { name: `bucket 20 ${h}`, limiter: bucket(20, 4, h as never), calls: 1000 });

test.concurrent.each(cases.filter(({ name }) => !process.env.ONLY || new RegExp(process.env.ONLY).test(name)))('$name', async ({ name, limiter, calls, processes = 1 }) => {
  const heard = await heardWords(limiter(), { calls, processes });
  const f = judgeWords(heard.said, heard);
  console.log(name.padEnd(34), ((heard.finishedMs - heard.startedMs) / 1000).toFixed(1).padStart(6), heard.refused, 'worst', f.worst.toFixed(2), 'outside', f.outside.toFixed(2), 'silent', f.silent.toFixed(2), f.worst > 1.25 || f.silent > 0 ? '<----' : '');
});
