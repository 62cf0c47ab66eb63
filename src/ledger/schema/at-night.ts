/** How a row goes at night: by which rule, in which night, which night of its own that is, of how many; and when a rule last named its portfolio, or 0. */
export type AtNight = { rule: string; nightMs: number; night: number; of: number; namedMs: number };

/**
 * Two runs that are closer than this are one night, however often the schedule says so and whoever asks for a run besides: a row goes
 * once in them. The moments of two nights are 23 hours apart at least, where the clock is put on. Lua knows it too (rare-moves.lua).
 */
export const ONE_NIGHT_MS = 12 * 3_600_000;

/** What the scripts are told of a row that goes at night, as rare-moves.lua reads it; '' of one that somebody sends. */
export function nightArg(night: AtNight | undefined): string {
  return night === undefined ? '' : `${night.rule} ${night.nightMs} ${night.of} ${night.namedMs}`;
}

/** What a row's story is told of its night. */
export function nightTold(night: AtNight | undefined): { rule?: string; night?: number; of?: number } {
  return night === undefined ? {} : { rule: night.rule, night: night.night, of: night.of };
}

/** The nights of a row, as rare-moves.lua writes them: none of those that it had with other words. */
export function nightsOf(text: string | undefined, revision = '0'): { nights: number; lastMs: number } | undefined {
  const [nights, lastMs, of] = text?.split(' ') ?? [];
  return of === revision ? { nights: Number(nights), lastMs: Number(lastMs) } : undefined;
}
