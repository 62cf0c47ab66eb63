import type { LineWish } from '../../../portfolio/draft-desk.ts';

const CELL = /^cell-(\d{1,10})-(\d{1,5})$/;
const TEXT = /^text-(\d{1,10})$/;

/** The lines that a form of the grid says, with all of their cells that it has; what is as it was, is no change. */
export function readWishes(fields: Readonly<Record<string, string>>): LineWish[] {
  const cells = new Map<number, Map<number, string>>();
  const wishes: LineWish[] = [];
  for (const [name, text] of Object.entries(fields)) {
    const [, line, at] = CELL.exec(name) ?? [];
    const [, whole] = TEXT.exec(name) ?? [];
    if (whole !== undefined) wishes.push({ line: Number(whole), text });
    if (line === undefined) continue;
    const ofLine = cells.get(Number(line)) ?? new Map<number, string>();
    cells.set(Number(line), ofLine.set(Number(at), text));
  }
  for (const [line, ofLine] of cells) wishes.push({ line, cells: ofLine });
  return wishes;
}
