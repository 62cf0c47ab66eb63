import type { RedisConnection } from '../../src/lua-script.ts';

/** A key of Redis and its whole content as one text. */
type KeyContent = { key: string; value: string };

/** All keys of a prefix, of any type and including queues, with their whole contents. */
export async function keyContents(given: {
  ledger: RedisConnection;
  settings: { LIMITLINE_PREFIX: string };
}): Promise<KeyContent[]> {
  const { ledger, settings } = given;
  const names = await ledger.keys(`*${settings.LIMITLINE_PREFIX}*`);
  return Promise.all(names.map(async (key) => ({ key, value: await contentOf(key, ledger) })));
}

async function contentOf(key: string, redis: RedisConnection): Promise<string> {
  switch (await redis.type(key)) {
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return (await redis.lrange(key, 0, -1)).join('\n');
    case 'set':
      return (await redis.smembers(key)).join('\n');
    case 'zset':
      return (await redis.zrange(key, '0', '-1')).join('\n');
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return (await redis.get(key)) ?? '';
  }
}

/** The mark in each personal value of marked files. It is long enough that no random token contains it by chance. */
export const MARK = /zqxjv/i;

export const MARKED_HEADER =
  'name,country_code,street,company_registration_number,requested_limit,contact_first_name,contact_last_name,contact_email,Betreuer,Telefon';

/** A line with a marked contact, street and unknown column. */
export function markedLine(n: number): string {
  return `Buyer ${n} GmbH,DE,Zqxjvweg ${n},HRB ${n},${1_000 + n}.50,Zqxjvanna${n},Zqxjvmann${n},zqxjv${n}@zqxjv.example,Herr Zqxjvbert ${n},0171 zqxjv ${n}`;
}

/** An answer of the service that repeats the contact of a row, with a number. */
function echo(n: number, last = `ZQXJVMANN${n}`): string {
  return `{"error":"contact Zqxjvanna${n} ${last} of Zqxjvweg ${n} is not known","contact":{"email":"zqxjv${n}@zqxjv.example","phone":"zqxjv"}}`;
}

/** Answers that repeat contacts: of rows 2, 3 and 5, and of row 2 after its correction. Row 4 gets no answer. */
export const ECHOING_RULES = [
  { on: 'limit' as const, match: 'Zqxjvmann2', fault: 'status' as const, status: 422, body: echo(2) },
  { on: 'limit' as const, match: 'Zqxjvfrau2', fault: 'status' as const, status: 422, body: echo(2, 'Zqxjvfrau2') },
  { on: 'limit' as const, match: 'HRB 3"', fault: 'status' as const, status: 408, body: echo(3), times: 1 },
  { on: 'limit' as const, match: 'HRB 4"', fault: 'reset' as const, made: true, times: 1 },
  { on: 'company' as const, match: 'Buyer 5', fault: 'status' as const, status: 400, body: '{"street":"Zqxjvweg 5"}' },
];
