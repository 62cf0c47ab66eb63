/**
 * The circles in which files import each other: all files that can be reached from each other are one circle, sorted by
 * name. A file that imports itself is one as well. `importsOf` maps every file to those that it imports.
 */
export function circlesOf(importsOf: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  /** Tarjan's: by the order in which files are met, and the earliest file of the path that each leads back to. */
  const met = new Map<string, number>();
  const earliest = new Map<string, number>();
  const path: string[] = [];
  for (const file of importsOf.keys()) if (!met.has(file)) visit(file);
  return circles.sort(([a = ''], [b = '']) => (a < b ? -1 : 1));

  function visit(file: string): number {
    let lowest = met.size;
    met.set(file, lowest);
    earliest.set(file, lowest);
    const place = path.push(file) - 1;
    const imports = importsOf.get(file) ?? [];
    for (const next of imports) {
      if (!met.has(next)) lowest = Math.min(lowest, visit(next));
      else if (path.includes(next)) lowest = Math.min(lowest, earliest.get(next) ?? lowest);
      earliest.set(file, lowest);
    }
    if (lowest === met.get(file)) {
      const circle = path.splice(place).sort();
      if (circle.length > 1 || imports.includes(file)) circles.push(circle);
    }
    return lowest;
  }
}
