import { z } from 'zod';
import { CALL_KINDS } from '../call-kind.ts';
import { LimitlineError } from '../errors.ts';

/** How the stand-in misbehaves, with all defaults filled in. */
export type FaultSettings = z.output<typeof faultSettingsSchema>;

/** What a caller gives: the members to change; each replaces the whole member of that name. */
export type FaultChange = z.input<typeof faultSettingsSchema>;

export type FaultRule = FaultSettings['rules'][number];
export type TokenSettings = FaultSettings['tokens'];
export type RateLimitSettings = NonNullable<FaultSettings['rateLimit']>;

/** The ways in which a service may speak of its limit: the families of headers that there are. */
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
 * Puts a change on top of settings.
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

/** Which requests a rule hits. All that is given must apply, and the first rule of the list that hits is the one. */
const ruleSchema = z.strictObject({
  on: z.enum(['token', ...CALL_KINDS, 'any']),
  /** Text that the body must contain as compact JSON; the base64 content of a document is not searched. */
  match: z.string().optional(),
  /** Each nth of the requests that `on` and `match` choose. */
  every: z.int().min(1).optional(),
  /** Hits with this probability, drawn from the seed. */
  chance: z.number().min(0).max(1).optional(),
  /** At most so many hits. */
  times: z.int().min(1).optional(),
});

/** Whether the thing is made before the fault shows: the difference that a client cannot see. */
const made = z.boolean().default(false);

const headers = z.record(z.string(), z.string()).default({});

/** Kinds of fault. A rule is hit only by a request that would otherwise succeed, so `made: true` always makes. */
const faultRuleSchema = z.discriminatedUnion('fault', [
  /** Another status, by default with an error body: 500, 429, 503, 302, 418, ... */
  ruleSchema.extend({
    fault: z.literal('status'),
    status: z.int().min(200).max(599),
    body: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
    headers,
    made,
  }),
  /** The connection ends without an answer: by RST (ECONNRESET), or by FIN (the other side closed). */
  ruleSchema.extend({ fault: z.literal('reset'), by: z.enum(['rst', 'fin']).default('rst'), made }),
  /** The request is kept waiting, and never answered. */
  ruleSchema.extend({ fault: z.literal('silence'), made }),
  /** The head at once, then the body so many bytes a second; at 0, half of the body and no more. Made. */
  ruleSchema.extend({ fault: z.literal('slow'), bytesPerS: z.number().min(0) }),
  /** 200 with a body of which nothing can be read; `cut` ends the connection in the middle of it. Made. */
  ruleSchema.extend({ fault: z.literal('broken'), body: z.enum(['not-json', 'half-json', 'empty', 'cut']) }),
  /** The usual answer with another status, or with fields set or left out (an id without or with a wrong prefix). Made. */
  ruleSchema.extend({
    fault: z.literal('answer'),
    status: z.int().min(200).max(599).optional(),
    set: z.record(z.string(), z.unknown()).default({}),
    drop: z.array(z.string()).default([]),
  }),
  /** A limit that is decided otherwise: another status word, and a share of the requested limit, in whole cents. Made. */
  ruleSchema.extend({
    on: z.literal('limit'),
    fault: z.literal('decision'),
    status: z.string(),
    share: z.number().min(0).max(1),
  }),
  /** Bytes that are not HTTP. */
  ruleSchema.extend({ fault: z.literal('not-http'), made }),
]);

const rateLimitSchema = z.strictObject({
  /** Requests a second in the long run, all three resource endpoints together. */
  perS: z.number().positive(),
  /** Requests that may come at once after a rest; by default a second's worth. */
  burst: z.int().min(1).optional(),
  /** How the service speaks of it; see `rate-limit.ts`. */
  headers: z.enum(LIMIT_HEADERS).default('none'),
});

const tokenSettingsSchema = z.strictObject({
  /** Where the token stands in the answer. */
  field: z.string().min(1).default('access_token'),
  /** `expires_in` as answered; null leaves it out. */
  lifetimeS: z.int().min(1).nullable().default(3_600),
  /** When the token really dies; by default as answered. */
  diesAfterS: z.number().min(0).optional(),
  diesAfterCalls: z.int().min(0).optional(),
});

/** `503` answers every request with it; `refuse` stops listening, until the time is over or the settings say otherwise. */
const outageSchema = z.strictObject({ how: z.enum(['503', 'refuse']), forMs: milliseconds.optional() });

const faultSettingsSchema = z.strictObject({
  /** Of all chance and all latency. */
  seed: z.int().default(1),
  /** Waited before anything is made, also if the client has gone by then: fixed, or between two bounds. */
  latencyMs: z.union([milliseconds, z.tuple([milliseconds, milliseconds])]).default(0),
  rateLimit: rateLimitSchema.nullable().default(null),
  tokens: tokenSettingsSchema.default(tokenSettingsSchema.parse({})),
  outage: outageSchema.nullable().default(null),
  rules: z.array(faultRuleSchema).default([]),
});
