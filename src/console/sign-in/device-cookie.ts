import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** As long as a place is known after a sign-in, and some more: a browser that signs in has a new one each time. */
const KNOWN_S = 90 * 24 * 3_600;

export type Devices = ReturnType<typeof makeDevices>;

/**
 * The cookie of a browser in which somebody signed in. It is no session and opens nothing: it says that tries from there are no
 * stranger's, so that strangers who try in great number keep nobody out who has it, from whatever network. It is signed: with what is
 * made up, of another installation or too old, one is a stranger. What it is good for is one person's alone.
 *
 * @param name of the cookie
 */
export function makeDevices(key: Buffer, name: string) {
  const sign = (words: string) =>
    createHmac('sha256', key).update(`device\n${words}`).digest('base64url').slice(0, SIGN_LENGTH);
  const inHeader = new RegExp(`(?:^|;) *${name}=([\\w-]{22})\\.(\\d{1,12})\\.([\\w-]{22})\\.([\\w-]{22})(?:;|$)`);

  /** What stands in the cookie of a request, if it was signed here and is not too old. */
  function read({ headers }: Pick<FastifyRequest, 'headers'>): { id: string; since: string; own: string } | undefined {
    const [, id = '', since = '', any = '', own = ''] = inHeader.exec(headers.cookie ?? '') ?? [];
    const ageS = Date.now() / 1_000 - Number(since);
    if (id === '' || ageS > KNOWN_S || !isSame(any, sign(`${id} ${since}`))) return undefined;
    return { id, since, own };
  }

  return {
    /** A browser in which anybody signed in, by its id. */
    known: (request: Pick<FastifyRequest, 'headers'>): string | undefined => read(request)?.id,

    /** The same where it was this person. */
    of(request: Pick<FastifyRequest, 'headers'>, person: string): string | undefined {
      const found = read(request);
      return found && isSame(found.own, sign(`${found.id} ${found.since} ${person}`)) ? found.id : undefined;
    },

    /** This person signed in. */
    give(reply: FastifyReply, person: string): void {
      const [id, since] = [randomBytes(16).toString('base64url'), Math.floor(Date.now() / 1_000)];
      const value = `${id}.${since}.${sign(`${id} ${since}`)}.${sign(`${id} ${since} ${person}`)}`;
      reply.setCookie(name, value, { path: '/', secure: true, httpOnly: true, sameSite: 'strict', maxAge: KNOWN_S });
    },
  };
}

/** 128 bits as base64url. */
const SIGN_LENGTH = 22;

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
