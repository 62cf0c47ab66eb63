import type { IncomingMessage } from 'node:http';
import type { Stay } from './room.ts';

/** Why there is no body: it is larger than it may be, there is no room for it now, or its sender has gone in the middle of it. */
type NoBody = 'too large' | 'busy' | 'broken off';

/**
 * Reads a request's body as the bytes that came, whatever their type says. Stops at the first byte too many: what follows is thrown
 * away as it comes. Never rejects.
 */
export function readBody(
  request: IncomingMessage,
  { maxBytes, stay }: { maxBytes: number; stay: Stay },
): Promise<Buffer | NoBody> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let sizeBytes = 0;
    const stop = (found: Buffer | NoBody): void => {
      request.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      pieces.length = 0;
      resolve(found);
    };
    const refuse = (why: NoBody): void => {
      stop(why);
      request.resume();
    };
    const onData = (piece: Buffer): void => {
      sizeBytes += piece.length;
      if (sizeBytes > maxBytes) refuse('too large');
      else if (stay.take(piece.length)) pieces.push(piece);
      else refuse('busy');
    };
    const onEnd = (): void => stop(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, sizeBytes));
    const onClose = (): void => stop('broken off');
    request.on('data', onData).once('end', onEnd).once('close', onClose).once('error', onClose);
  });
}

/** The size that a body says it will have (RFC 9112, section 6.2); 0 where it says none. Node has checked that it is a number. */
export function declaredBytes({ headers }: Pick<IncomingMessage, 'headers'>): number {
  return Number(headers['content-length'] ?? 0);
}
