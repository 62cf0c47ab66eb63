import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLimitlineError } from '../errors.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/** A bearer token, and a name for it that may be shown: which token a 401 answered. */
export type Token = { value: string; version: string };

/** A token as the service granted it (RFC 6749, section 5.1). */
export type Granted = { value: string; lifetimeMs: number };

/** Renewed when a fifth of its life is left, a minute at most: early enough that no call meets the end. */
const RENEW_SHARE = 0.2;
const RENEW_MAX_MS = 60_000;

/**
 * The right to fetch is prolonged for as long as the token call lasts, so that two processes never fetch at once (unless
 * one stands still for longer, which costs a token call and nothing else); it is short, so that the fleet does not wait
 * long for one that was killed meanwhile.
 */
const LOCK_MS = 6_000;
const PROLONG_EVERY_MS = 2_000;
const POLL_MS = 40;
/** Calls that want a token one after the other ask no oftener where the credentials are refused: some services lock out who does. */
const REFUSED_REST_MS = 2_000;

/** As the pace: an account that was not used for 30 days begins anew. */
const REMEMBERED_MS = 2_592_000_000;

/**
 * One token for the whole fleet, kept in Redis. At a cold start one process fetches it and the others wait for it;
 * before its end one process renews it while the others go on with the old one; on a 401 it is renewed once,
 * however many calls met the 401.
 *
 * In Redis it is sealed with AES-256-GCM under a key derived (HKDF, RFC 5869) from the client secret, so that who reads
 * Redis cannot call the service.
 *
 * @param fetchToken one call of the token endpoint, told whether there has ever been a token; what it throws reaches the
 * caller of `get`
 */
export function makeTokenCache({
  connection,
  key,
  secret,
  fetchToken,
}: {
  connection: RedisConnection;
  key: string;
  secret: string;
  fetchToken: (hadToken: boolean) => Promise<Granted>;
}) {
  const seal = makeSeal(secret, key);
  const lockKey = `${key}:lock`;
  const hadKey = `${key}:had`;
  const prolong = makeLuaScript(connection, new URL('./lua/token-prolong.lua', import.meta.url));
  const release = makeLuaScript(connection, new URL('./lua/token-release.lua', import.meta.url));
  let local: (Token & { renewAtMs: number; endsAtMs: number }) | undefined;
  let pending: Promise<Token> | undefined;

  const remember = (value: string, leftMs: number, lifetimeMs: number): Token => {
    const now = performance.now();
    const earlyMs = Math.min(lifetimeMs * RENEW_SHARE, RENEW_MAX_MS);
    local = { value, version: versionOf(value), renewAtMs: now + leftMs - earlyMs, endsAtMs: now + leftMs };
    return local;
  };

  const readShared = async (): Promise<{ token: Token; leftMs: number; lifetimeMs: number } | undefined> => {
    // In this order: of a token that comes in between, too little time is told and not too much.
    const [leftMs, sealed] = await Promise.all([connection.pttl(key), connection.get(key)]);
    const opened = sealed ? seal.open(sealed) : undefined;
    if (opened === undefined || leftMs <= 0) return undefined;
    const { value, lifetimeMs } = JSON.parse(opened) as Granted;
    return { token: { value, version: versionOf(value) }, leftMs, lifetimeMs };
  };

  /** Whether this owner may fetch. A reply may have been lost after the lock was set, so what is set is asked for. */
  const lock = async (owner: string): Promise<boolean> =>
    (await connection.set(lockKey, owner, 'PX', LOCK_MS, 'NX')) === 'OK' || (await connection.get(lockKey)) === owner;

  /** Makes the token call and shares what it brings. */
  const fetchAndShare = async (onCall: () => void): Promise<Token> => {
    const hadToken = (await connection.exists(hadKey)) === 1;
    onCall();
    const granted = await fetchToken(hadToken);
    await connection
      .multi()
      .set(key, seal.close(JSON.stringify(granted)), 'PX', Math.ceil(granted.lifetimeMs))
      .set(hadKey, '1', 'PX', REMEMBERED_MS)
      .exec();
    return remember(granted.value, granted.lifetimeMs, granted.lifetimeMs);
  };

  /** The same with the right to it, which is kept for as long as it takes. */
  const fetchByRight = async (owner: string, onCall: () => void): Promise<Token> => {
    const prolonging = setInterval(() => {
      prolong([lockKey], [owner, LOCK_MS]).catch(() => {});
    }, PROLONG_EVERY_MS);
    try {
      return await fetchAndShare(onCall);
    } finally {
      clearInterval(prolonging);
    }
  };

  const renew = async (unwanted: string | undefined, onCall: () => void): Promise<Token> => {
    const owner = randomUUID();
    let mayFetch = false;
    try {
      for (;;) {
        const shared = await readShared();
        const known = shared && shared.token.version !== unwanted ? shared : undefined;
        const early = known && known.leftMs < Math.min(known.lifetimeMs * RENEW_SHARE, RENEW_MAX_MS);
        if (known && !early) return remember(known.token.value, known.leftMs, known.lifetimeMs);
        // Only now, for another may have fetched one between our look and our lock.
        if (mayFetch) return await fetchByRight(owner, onCall);
        mayFetch = await lock(owner);
        if (mayFetch) continue;
        if (known) return remember(known.token.value, known.leftMs, known.lifetimeMs);
        await sleep(POLL_MS);
      }
    } finally {
      // A process that stood still for longer than the lock lasts may find another's here, which is not its to take.
      if (mayFetch) await release([lockKey], [owner]).catch(() => {});
    }
  };

  const renewOnce = (unwanted: string | undefined, onCall: () => void): Promise<Token> => {
    pending ??= renew(unwanted, onCall);
    const asked = pending;
    const forget = () => {
      if (pending === asked) pending = undefined;
    };
    asked.then(forget, (error) => {
      if (isLimitlineError(error, 'CREDENTIALS')) setTimeout(forget, REFUSED_REST_MS).unref();
      else forget();
    });
    return asked;
  };

  return {
    /** A token that is good for now. `onCall` hears of a token call made on the way, by this caller and not another. */
    async get(onCall: () => void): Promise<Token> {
      const now = performance.now();
      if (!local || now >= local.endsAtMs) return renewOnce(undefined, onCall);
      if (now >= local.renewAtMs) {
        const old = local;
        // In the background: the old one still works, and if the renewal fails the next call tries again.
        local = { ...old, renewAtMs: Math.min(old.endsAtMs, now + RENEW_MAX_MS / 60) };
        renewOnce(undefined, onCall).catch(() => {});
      }
      return local;
    },

    /** Whether `get` answers without waiting. */
    isAtHand: (): boolean => local !== undefined && performance.now() < local.endsAtMs,

    /** Another token than the one that met a 401: somebody's newer one, or a new one. */
    async replace(version: string, onCall: () => void): Promise<Token> {
      if (local && local.version !== version && performance.now() < local.endsAtMs) return local;
      local = undefined;
      return renewOnce(version, onCall);
    },

    /**
     * Fetches a token, though the one at hand may be good: to see whether the service is there. Where that fails, the one at
     * hand is still used. It asks nobody for leave: the caller sees to it that one process alone tries.
     */
    fetchAnew: fetchAndShare,
  };
}

function versionOf(value: string): string {
  return createHash('sha256').update(value).digest('base64url').slice(0, 12);
}

/**
 * Seals a text so that only who knows the secret can open it: AES-256-GCM with a fresh 96-bit nonce each time
 * (NIST SP 800-38D), laid out as nonce, tag, ciphertext. `context` makes two uses of one secret independent.
 */
export function makeSeal(secret: string, context: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, context, 'limitline token', 32));
  return {
    close(text: string): string {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    /** Nothing when it was sealed under another secret, or changed. */
    open(sealed: string): string | undefined {
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
        decipher.setAuthTag(bytes.subarray(12, 28));
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
