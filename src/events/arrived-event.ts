/** One event as it arrived, whatever it is: neither its shape nor a signature is shown (docs/service.md, "Events"). */
export type ArrivedEvent = {
  /** The body as bytes, as it came: nothing was decoded, unpacked or looked at. May be empty. */
  body: Buffer;
  /** What came with it, by names in lower case, without what proves who somebody is (`authorization`, cookies). */
  headers: Record<string, string | string[]>;
  /** When it arrived, in ms. */
  atMs: number;
};

/**
 * What became of an event: `kept`, and it is in Redis; `known`, since the same content was kept before, and was counted; or
 * `full`, and nothing was kept, since all that may be kept is.
 */
export type KeptAs = 'kept' | 'known' | 'full';

/** Keeps an event. Whoever sent it is told that it has arrived once this has resolved, and not before. Rejects where Redis fails. */
export type KeepEvent = (event: ArrivedEvent) => Promise<KeptAs>;
