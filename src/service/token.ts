import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLimitlineError } from '../errors.ts';
import { makeLuaScript, type RedisConnection } from '../lua-script.ts';

/** A bearer token, and a version that may be shown. The version identifies the token that met a 401. */
export type Token = { value: string; version: string };

/** A token as granted by the service (RFC 6749, section 5.1). */
export type Granted = { value: string; lifetimeMs: number };

/** A token is renewed with a fifth of its life left, but at most a minute: early enough that no call meets its end. */
const RENEW_SHARE = 0.2;
const RENEW_MAX_MS = 60_000;

/**
 * How long a process has the lock for fetching a token, in ms. The lock is extended during a token call, so two processes never fetch at
 * once (except when one is suspended, which costs one token call). The lock is short, so that others do not wait long for a killed process.
 */
const LOCK_MS = 6_000;
const PROLONG_EVERY_MS = 2_000;
const POLL_MS = 40;
/** Interval in ms at which waiting calls retry after the credentials were refused: some services lock out frequent attempts. */
const REFUSED_REST_MS = 2_000;

/** Time in ms for which Redis remembers that there was a token: 30 days, as it keeps the pace. An account unused for longer counts as new. */
const REMEMBERED_MS = 2_592_000_000;

/**
 * One token for all processes, in Redis. At first, one process fetches it and the others wait. Before its end, one
 * process renews it while the others use the old one. After a 401 it is renewed once, however many calls met the 401.
 *
 * In Redis it is encrypted with AES-256-GCM under a key derived from the client secret (HKDF, RFC 5869), so that a
 * reader of Redis cannot call the service.
 *
 * @param fetchToken one token call; the argument says whether there ever was a token. Its errors reach the caller of
 * `get`
 */
export function makeTokenCache(given: {
  connection: RedisConnection;
  key: string;
  secret: string;
  fetchToken: (hadToken: boolean) => Promise<Granted>;
}) {
  const { connection, key, secret, fetchToken } = given;
  const seal = makeSeal(secret, key);
  const lockKey = `${key}:lock`;
  const hadKey = `${key}:had`;
  const prolong = makeLuaScript(connection, new URL('./lua/token.lua#token-prolong', import.meta.url));
  const release = makeLuaScript(connection, new URL('./lua/token.lua#token-release', import.meta.url));
  let local: (Token & { renewAtMs: number; endsAtMs: number }) | undefined;
  let pending: Promise<Token> | undefined;

  const remember = (value: string, leftMs: number, lifetimeMs: number): Token => {
    const now = performance.now();
    const earlyMs = Math.min(lifetimeMs * RENEW_SHARE, RENEW_MAX_MS);
    local = { value, version: versionOf(value), renewAtMs: now + leftMs - earlyMs, endsAtMs: now + leftMs };
    return local;
  };

  const readShared = async (): Promise<{ token: Token; leftMs: number; lifetimeMs: number } | undefined> => {
    // The lifetime is read before the token. So a token that is written in between gets too short a lifetime, never too long a one.
    const [leftMs, sealed] = await Promise.all([connection.pttl(key), connection.get(key)]);
    const opened = sealed ? seal.open(sealed) : undefined;
    if (opened === undefined || leftMs <= 0) return undefined;
    const { value, lifetimeMs } = JSON.parse(opened) as Granted;
    return { token: { value, version: versionOf(value) }, leftMs, lifetimeMs };
  };

  /** Whether this owner holds the lock. The reply to SET may have been lost, so GET decides. */
  const lock = async (owner: string): Promise<boolean> =>
    (await connection.set(lockKey, owner, 'PX', LOCK_MS, 'NX')) === 'OK' || (await connection.get(lockKey)) === owner;

  /** Makes the token call, and stores the token in Redis for all processes. */
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

  /** Makes the token call and stores the token, while it extends the lock of `owner`, so that no other process makes the call too. */
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
        // The token call is made only if the shared token is still unusable after the lock was taken: another process may have fetched one
        // before.
        if (mayFetch) return await fetchByRight(owner, onCall);
        mayFetch = await lock(owner);
        if (mayFetch) continue;
        if (known) return remember(known.token.value, known.leftMs, known.lifetimeMs);
        await sleep(POLL_MS);
      }
    } finally {
      // After a long suspension of this process the lock may be another one's; this release leaves such a lock alone.
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
    /** A valid token. `onCall` is called before a token call that this caller itself makes. */
    async get(onCall: () => void): Promise<Token> {
      const now = performance.now();
      if (!local || now >= local.endsAtMs) return renewOnce(undefined, onCall);
      if (now >= local.renewAtMs) {
        const old = local;
        // The renewal runs in the background: the old token still works, and if the renewal fails, the next call retries it.
        local = { ...old, renewAtMs: Math.min(old.endsAtMs, now + RENEW_MAX_MS / 60) };
        renewOnce(undefined, onCall).catch(() => {});
      }
      return local;
    },

    /** Whether `get` returns without waiting. */
    isAtHand: (): boolean => local !== undefined && performance.now() < local.endsAtMs,

    /** A token other than the one that met a 401: a newer one of another process, or a new one. */
    async replace(version: string, onCall: () => void): Promise<Token> {
      if (local && local.version !== version && performance.now() < local.endsAtMs) return local;
      local = undefined;
      return renewOnce(version, onCall);
    },

    /**
     * Fetches a token even if a valid one exists, to test whether the service answers. On failure the existing one
     * stays in use. It takes no lock: the caller ensures that only one process tries.
     */
    fetchAnew: fetchAndShare,
  };
}

const versionOf = (value: string): string => createHash('sha256').update(value).digest('base64url').slice(0, 12);

/**
 * Encrypts texts under a secret: AES-256-GCM with a new 96-bit nonce each time (NIST SP 800-38D), stored as nonce, tag,
 * ciphertext. `context` separates different uses of one secret.
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
    /** Decrypts a text; undefined if it was encrypted under another secret, or changed. */
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
