import { encode } from 'uqr';
import { type Html, html } from '../html/html.ts';

/** Quiet squares around the code, by which readers find it (ISO/IEC 18004, section 9.1). */
const QUIET = 4;

/**
 * A text as a QR code, drawn as one path: inline, so that neither another site nor a request of its own ever sees what is in it.
 *
 * @param label read out in its place
 */
export function qrCode(text: string, { label }: { label: string }): Html {
  const { data, size } = encode(text, { ecc: 'M', border: QUIET });
  const path = data.flatMap((row, y) => runsOf(row).map(({ x, length }) => `M${x} ${y}h${length}v1h-${length}z`));
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect class="qr-ground" width="${size}" height="${size}"/><path class="qr-squares" d="${path.join('')}"/></svg>`;
}

/** Where dark squares stand side by side. */
function runsOf(row: readonly boolean[]): { x: number; length: number }[] {
  const runs: { x: number; length: number }[] = [];
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1);
    if (!isDark) continue;
    if (last && last.x + last.length === x) last.length += 1;
    else runs.push({ x, length: 1 });
  }
  return runs;
}
