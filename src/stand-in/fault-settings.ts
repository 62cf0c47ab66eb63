import { z } from 'zod';
import { CALL_KINDS, type CallKind } from '../call-kind.ts';
import { LimitlineError } from '../errors.ts';

/** The stand-in's faults, including defaults. */
export type FaultSettings = z.output<typeof faultSettingsSchema>;

/** A change of faults by a caller: each member that it names is replaced as a whole. */
export type FaultChange = z.input<typeof faultSettingsSchema>;

export type FaultRule = FaultSettings['rules'][number];
export type TokenSettings = FaultSettings['tokens'];
export type RateLimitSettings = NonNullable<FaultSettings['rateLimit']>;

/** The families of headers with which a service may describe its rate limit. */
export const LIMIT_HEADERS = [
  'none',
  'retry-after-seconds',
  'retry-after-date',
  'ratelimit',
  'ratelimit-older',
  'x-ratelimit-seconds',
  'x-ratelimit-epoch-s',
  'x-ratelimit-epoch-ms',
  'x-ratelimit-iso',
] as const;

/**
 * Applies a change to settings.
 *
 * @throws LimitlineError `USAGE`, naming every fault at once
 */
export function readFaults(settings: FaultChange, change: unknown): FaultSettings {
  const parsed = faultSettingsSchema.safeParse({ ...settings, ...Object(change) });
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the whole'}: ${issue.message}`);
  throw new LimitlineError('USAGE', `The stand-in cannot play these faults: ${faults.join('; ')}.`);
}

const milliseconds = z.number().min(0);

/** Which requests a rule applies to. All given conditions must hold. The first matching rule of the list counts. */
const ruleSchema = z.strictObject({
  on: z.enum(['token', ...CALL_KINDS, 'session', 'any']),
  /** A text that must occur in the request's body, taken as compact JSON without the base64 content of a document. */
  match: z.string().optional(),
  /** The rule applies to every nth of the requests that fulfil `on` and `match`. */
  every: z.int().min(1).optional(),
  /** The probability with which the rule applies; the random numbers come from the seed. */
  chance: z.number().min(0).max(1).optional(),
  /** How often the rule applies at the most. */
  times: z.int().min(1).optional(),
});

/** Whether the object is made before the fault; the client cannot see whether it was. */
const made = z.boolean().default(false);

const headers = z.record(z.string(), z.string()).default({});

/** Kinds of fault. Rules apply only to requests that would otherwise succeed, so `made: true` always makes. */
const faultRuleSchema = z.discriminatedUnion('fault', [
  /** The answer has another status, and by default an error body: 500, 429, 503, 302, 418, ... */
  ruleSchema.extend({
    fault: z.literal('status'),
    status: z.int().min(200).max(599),
    body: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
    headers,
    made,
  }),
  /** The connection ends without an answer: by RST (ECONNRESET) or by FIN (the other side closed). */
  ruleSchema.extend({ fault: z.literal('reset'), by: z.enum(['rst', 'fin']).default('rst'), made }),
  /** The request never gets an answer. */
  ruleSchema.extend({ fault: z.literal('silence'), made }),
  /** The headers come at once, the body at this rate; at 0, only half of it comes. The object is made. */
  ruleSchema.extend({ fault: z.literal('slow'), bytesPerS: z.number().min(0) }),
  /** 200 with an unreadable body; `cut` ends the connection in the middle of the body. The object is made. */
  ruleSchema.extend({ fault: z.literal('broken'), body: z.enum(['not-json', 'half-json', 'empty', 'cut']) }),
  /** The usual answer with another status, or with fields set or dropped (such as a wrong id). The object is made. */
  ruleSchema.extend({
    fault: z.literal('answer'),
    status: z.int().min(200).max(599).optional(),
    set: z.record(z.string(), z.unknown()).default({}),
    drop: z.array(z.string()).default([]),
  }),
  /** A limit with another decision: its status, and the granted share of the request, in whole cents. The limit is made. */
  ruleSchema.extend({
    on: z.literal('limit'),
    fault: z.literal('decision'),
    status: z.string(),
    share: z.number().min(0).max(1),
  }),
  /** The answer consists of bytes that are not HTTP. */
  ruleSchema.extend({ fault: z.literal('not-http'), made }),
]);

const rateLimitSchema = z.strictObject({
  /** The long-term rate in requests a second, for all three resource endpoints together. */
  perS: z.number().positive(),
  /** How many requests may come at once after a pause; default: those of one second. */
  burst: z.int().min(1).optional(),
  /** The headers that describe the limit; see `gate.ts`. */
  headers: z.enum(LIMIT_HEADERS).default('none'),
});

const tokenSettingsSchema = z.strictObject({
  /** The name of the answer's field that has the token. */
  field: z.string().min(1).default('access_token'),
  /** The `expires_in` of the answer; null omits it. */
  lifetimeS: z.int().min(1).nullable().default(3_600),
  /** When the token really expires; default: as stated in the answer. */
  diesAfterS: z.number().min(0).optional(),
  diesAfterCalls: z.int().min(0).optional(),
});

/** `503` answers every request with 503. `refuse` closes the port until `forMs` has passed or the settings change. */
const outageSchema = z.strictObject({ how: z.enum(['503', 'refuse']), forMs: milliseconds.optional() });

const faultSettingsSchema = z.strictObject({
  /** The seed of all random decisions and delays. */
  seed: z.int().default(1),
  /** The delay before the object is made, even if the client is gone by then: fixed, or random between two bounds. */
  latencyMs: z.union([milliseconds, z.tuple([milliseconds, milliseconds])]).default(0),
  rateLimit: rateLimitSchema.nullable().default(null),
  tokens: tokenSettingsSchema.default(tokenSettingsSchema.parse({})),
  outage: outageSchema.nullable().default(null),
  rules: z.array(faultRuleSchema).default([]),
});

export type Faults = ReturnType<typeof makeFaults>;

/**
 * The active faults, and the choice of the requests that they apply to.
 *
 * @throws LimitlineError `USAGE` for unsupported faults
 */
export function makeFaults(given: FaultChange) {
  let settings: FaultSettings;
  let rules: CountedRule[];
  let random: () => number;

  const begin = (next: FaultSettings) => {
    settings = next;
    rules = next.rules.map((rule) => ({ rule, matched: 0, hits: 0 }));
    random = makeRandom(next.seed);
  };
  const restore = () => begin(readFaults({}, given));
  restore();

  return {
    settings: () => settings,
    /** How often each rule has applied since the rules were set. */
    hits: () => rules.map(({ hits }) => hits),
    /** Restores the initial faults, and resets the counts. */
    restore,

    /**
     * Replaces the members named in `change`. A change of rules or seed resets the counts of the rules.
     *
     * @throws LimitlineError `USAGE` for unsupported faults; the active settings then stay
     */
    set(change: unknown): void {
      const names = (member: keyof FaultSettings) => Object.hasOwn(Object(change), member);
      const next = readFaults(settings, change);
      // An unchanged outage must keep its identity: a new object starts a new outage with its full duration.
      if (!names('outage')) next.outage = settings.outage;
      if (names('rules') || names('seed')) begin(next);
      else settings = next;
    },

    /** The rule that applies to this request, if any. `bodyText` is called only for rules that search the body. */
    pick(kind: CallKind | 'session' | 'token', bodyText: () => string): FaultRule | undefined {
      return rules.find((counted) => hit(counted, kind, bodyText, random))?.rule;
    },

    /** The delay of the next answer, in ms. */
    latencyMs(): number {
      const { latencyMs } = settings;
      if (typeof latencyMs === 'number') return latencyMs;
      const [min, max] = latencyMs;
      return min + random() * (max - min);
    },
  };
}

/** Random numbers between 0 and 1 (Mulberry32). The same seed gives the same ones, so faults are repeatable. */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type CountedRule = { rule: FaultRule; matched: number; hits: number };

function hit(counted: CountedRule, kind: string, bodyText: () => string, random: () => number): boolean {
  const { on, match, every, chance, times } = counted.rule;
  if (on !== 'any' && on !== kind) return false;
  if (match !== undefined && !bodyText().includes(match)) return false;
  counted.matched += 1;
  if (times !== undefined && counted.hits >= times) return false;
  if (every !== undefined && counted.matched % every !== 0) return false;
  if (chance !== undefined && random() >= chance) return false;
  counted.hits += 1;
  return true;
}
