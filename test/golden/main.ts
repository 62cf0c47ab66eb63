import crypto, { type Argon2Parameters } from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { forgiveHalfReadStreams } from '../simulation/run/half-read-streams.ts';
import { loadWithDoubles } from '../simulation/run/module-hooks.ts';
import { takeOverGlobals } from '../simulation/run/virtual-globals.ts';

process.env.TZ = 'UTC';
takeOverGlobals();
takeOverThreads();
loadWithDoubles();
forgiveHalfReadStreams();
const { goldens } = await import('./goldens.ts');
process.exitCode = await goldens({ isWriting: process.argv.includes('--write') });

/**
 * The scheduler does not see what Node computes in threads of its own, and would let time go on meanwhile. Passwords of nobody need cost
 * no time, and what is packed without being pressed is the same on every machine.
 */
function takeOverThreads(): void {
  const inOnePiece = (change: (whole: Buffer) => Buffer) => () => {
    const pieces: Buffer[] = [];
    return new Transform({
      transform: (piece: Buffer, _encoding, done) => done(void pieces.push(piece)),
      flush: (done) => done(null, change(Buffer.concat(pieces))),
    });
  };
  Object.defineProperties(zlib, {
    createGzip: { value: inOnePiece((whole) => zlib.gzipSync(whole, { level: 0 })) },
    createGunzip: { value: inOnePiece((whole) => zlib.gunzipSync(whole)) },
  });
  Object.assign(crypto, {
    argon2: (kind: 'argon2id', given: Argon2Parameters, done: (error: null, tag: Buffer) => void) =>
      done(null, crypto.argon2Sync(kind, { ...given, memory: 8, passes: 1, parallelism: 1 })),
  });
  syncBuiltinESMExports();
}
