/** The entries that the trail writes about itself. */

/** Actor and origin of entries that nobody causes: the trail itself. */
export const NOBODY = 'limitline';
export const THE_TRAIL = 'the trail itself';

/** The entry before older entries are deleted, with {@link CheckpointFacts}. */
export const CHECKPOINT = 'audit trail cut';

/** Number and link of the last deleted entry, and how many are deleted. */
export type CheckpointFacts = { upTo: number; link: string; count: number };

/** The entry after a trail was found shorter than, or different from, what a host remembers. */
export const SET_BACK = 'audit trail found set back';

/** The entry after a change of the key: earlier entries cannot be checked with the new one. */
export const OTHER_KEY = 'audit trail goes on with another key';
