/** What one event holds of the room: it takes more while more of it comes, and gives all back at its end. */
export type Stay = { take: (bytes: number) => boolean; leave: () => void };

/** A number of bytes for all events that are here at once, read or waiting for Redis: however many come, memory does not grow beyond. */
export function makeRoom(sizeBytes: number): { enter: () => Stay } {
  let used = 0;
  return {
    enter() {
      let own = 0;
      return {
        /** Answers whether there was room for it. */
        take(bytes) {
          if (used + bytes > sizeBytes) return false;
          used += bytes;
          own += bytes;
          return true;
        },
        leave() {
          used -= own;
          own = 0;
        },
      };
    },
  };
}
