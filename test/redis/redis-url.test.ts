import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeRedis, parseRedisUrl } from '../../src/redis/redis-url.ts';

const local = { host: 'localhost', port: 6379 };

describe('parseRedisUrl', () => {
  test.each([
    ['redis://localhost', { kind: 'single', endpoint: local, tls: false, db: 0 }],
    [' redis://localhost:6379/ ', { kind: 'single', endpoint: local, tls: false, db: 0 }],
    ['REDIS://localhost/3', { kind: 'single', endpoint: local, tls: false, db: 3 }],
    [
      'rediss://cache.example:6380',
      { kind: 'single', endpoint: { host: 'cache.example', port: 6380 }, tls: true, db: 0 },
    ],
    ['redis://[::1]:7000/1', { kind: 'single', endpoint: { host: '::1', port: 7000 }, tls: false, db: 1 }],
    ['redis://:secret@localhost', { kind: 'single', endpoint: local, tls: false, db: 0, password: 'secret' }],
    [
      'redis://me:secret@localhost',
      { kind: 'single', endpoint: local, tls: false, db: 0, username: 'me', password: 'secret' },
    ],
    [
      'redis://me:p%40%2Fs%25@localhost',
      { kind: 'single', endpoint: local, tls: false, db: 0, username: 'me', password: 'p@/s%' },
    ],
    ['redis://:p@ss:w#rd?@localhost', { kind: 'single', endpoint: local, tls: false, db: 0, password: 'p@ss:w#rd?' }],
    [
      'redis://a:1,redis://b:2',
      {
        kind: 'cluster',
        endpoints: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
        ],
        tls: false,
      },
    ],
    [
      'rediss://:x@a,b:2/0',
      {
        kind: 'cluster',
        endpoints: [
          { host: 'a', port: 6379 },
          { host: 'b', port: 2 },
        ],
        tls: true,
        password: 'x',
      },
    ],
    ['redis+sentinel://s1/main', { kind: 'sentinel', endpoints: [{ host: 's1', port: 26379 }], master: 'main', db: 0 }],
    [
      'redis+sentinel://me:x@s1:1,s2:2,s3/main/4',
      {
        kind: 'sentinel',
        endpoints: [
          { host: 's1', port: 1 },
          { host: 's2', port: 2 },
          { host: 's3', port: 26379 },
        ],
        master: 'main',
        db: 4,
        username: 'me',
        password: 'x',
      },
    ],
  ])('reads %s', (text, address) => {
    expect(parseRedisUrl(text)).toEqual(address);
  });

  test.each([
    ['', 'REDIS_URL must have the form'],
    ['localhost:6379', 'REDIS_URL must begin with redis://, rediss:// or redis+sentinel://.'],
    ['http://localhost', 'REDIS_URL must begin with'],
    ['redis://', 'REDIS_URL must have the form'],
    ['redis://localhost:0', 'REDIS_URL has the port 0; use 1 to 65535.'],
    ['redis://localhost:65536', 'REDIS_URL has the port 65536; use 1 to 65535.'],
    ['redis://localhost/main', 'REDIS_URL must have nothing but the number of a database after the host.'],
    ['redis://localhost?db=1', 'REDIS_URL must have the form'],
    [
      'redis://me@localhost',
      'REDIS_URL has only one of user and password before the @; write user:password@ or :password@.',
    ],
    ['redis://:50%@localhost', 'REDIS_URL has a % that encodes nothing; write %25 for a percent sign.'],
    ['redis://a,rediss://b', 'REDIS_URL mixes redis:// with other schemes; use the same one for all addresses.'],
    ['redis://a,redis://b/1', 'REDIS_URL names a database, but a cluster has only database 0; leave it out.'],
    ['redis://a,', 'REDIS_URL must have the form'],
    ['redis+sentinel://s1', 'REDIS_URL must end with /masterName or /masterName/db'],
    ['redis+sentinel://s1/main,s2', 'REDIS_URL must end with /masterName or /masterName/db'],
    ['redis+sentinel://s1/main/1/2', 'REDIS_URL must end with /masterName or /masterName/db'],
  ])('refuses %s', (text, message) => {
    expect(() => parseRedisUrl(text)).toThrow(
      expect.objectContaining({ code: 'SETTINGS', message: expect.stringContaining(message) }),
    );
  });

  test('shows in an error the right form without a user and password that would be masked', () => {
    expect(() => parseRedisUrl('redis://a,')).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/:\/\/\S*@/) }),
    );
  });

  const text = fc.string({ minLength: 1 });
  const hosts = fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6());
  const endpoint = fc.record({ host: hosts, port: fc.integer({ min: 1, max: 65_535 }) });
  const written = ({ host, port }: { host: string; port: number }) =>
    `${host.includes(':') ? `[${host}]` : host}:${port}`;

  test('reads back any percent-encoded user, password, host, port and database', () => {
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(endpoint, { minLength: 1 }),
        text,
        fc.nat(15),
        (username, password, endpoints, master, db) => {
          const user = `${encodeURIComponent(username)}:${encodeURIComponent(password)}@`;
          const list = endpoints.map(written).join(',');
          expect(parseRedisUrl(`redis+sentinel://${user}${list}/${encodeURIComponent(master)}/${db}`)).toEqual({
            kind: 'sentinel',
            endpoints,
            master,
            db,
            username,
            password,
          });
        },
      ),
    );
  });

  test('accepts or refuses any text without repeating a password', () => {
    const secret = 'Sx9-secret';
    const noise = fc.array(
      fc.constantFrom('redis://', 'rediss', '://', ':', '@', '/', ',', '?', '#', '%', '[', ']', 'a', '1', secret),
    );
    fc.assert(
      fc.property(noise, (parts) => {
        try {
          parseRedisUrl(parts.join(''));
        } catch (error) {
          expect(error).toMatchObject({ code: 'SETTINGS', message: expect.not.stringContaining(secret) });
        }
      }),
    );
  });
});

test.each([
  ['redis://me:secret@localhost/2', 'redis://localhost:6379/2'],
  ['rediss://:secret@[::1]:7000', 'rediss://[::1]:7000/0'],
  ['redis://:secret@a:1,b:2', 'redis://a:1,b:2'],
  ['redis+sentinel://me:secret@s1:1,s2/main', 'redis+sentinel://s1:1,s2:26379/main/0'],
])('%s is described without its credentials', (text, described) => {
  expect(describeRedis(parseRedisUrl(text))).toBe(described);
});
