/** An event as it arrived. Neither its format nor a signature is known (docs/service.md, "Events"). */
export type ArrivedEvent = {
  /** The exact bytes of the body, not decoded or unpacked; may be empty. */
  body: Buffer;
  /** Its headers, names in lower case, without credentials (`authorization`, cookies). */
  headers: Record<string, string | string[]>;
  /** When it arrived, in ms. */
  atMs: number;
};

/** The outcome of keeping an event: `kept`, it is in Redis; `known`, the same content was there and was counted; `full`, nothing was kept. */
export type KeptAs = 'kept' | 'known' | 'full';

/** Keeps an event. The sender gets its response only after this has resolved. Rejects if Redis fails. */
export type KeepEvent = (event: ArrivedEvent) => Promise<KeptAs>;
