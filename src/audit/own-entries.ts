/** What the trail writes of itself, and how a reader of it knows these entries. */

/** Who writes where nobody can be named: the trail itself, from nowhere else. */
export const NOBODY = 'limitline';
export const THE_TRAIL = 'the trail itself';

/** Before older entries are cut off, with {@link CheckpointFacts}. */
export const CHECKPOINT = 'audit trail cut';

/** The last number that is cut off, its link, and how many are. */
export type CheckpointFacts = { upTo: number; link: string; count: number };

/** Where a trail is found shorter, or other, than a host remembers it. */
export const SET_BACK = 'audit trail found set back';

/** Where the entry before was made with another key: those before it cannot be checked with this one. */
export const OTHER_KEY = 'audit trail goes on with another key';
