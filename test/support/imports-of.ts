import { dirname, join } from 'node:path';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';

/** One import of a file or a package. */
export interface Import {
  how: 'import' | 'export' | 'import()' | 'require' | 'new URL' | 'import.meta' | '@include';
  /** The specifier as written; for a computed one, only the part before its first computed part. */
  specifier: string;
  /** The import is absent at run time: `import type`, `export type`, `import('…')` as a type. */
  isTypeOnly: boolean;
  /**
   * The specifier is only known at run time: a variable, a template with a value, or an unknown use of `import.meta`.
   */
  isComputed: boolean;
}

/** The extensions of files that can be read here. */
export const READABLE = /\.(?:ts|mjs|cjs|js|lua|css|svg)$/;

/**
 * All imports of a file, in the order of the text: imports and exports of any kind, `require` under any name from
 * `createRequire`, URLs with `import.meta.url`, `import.meta.resolve`; for a Lua file, its `-- @include` lines (as
 * `src/lua-script.ts` reads them). Throws for a text that Node cannot parse.
 */
export function importsOf(path: string, text: string): Import[] {
  if (path.endsWith('.lua')) return includesOf(text);
  // Styles and images of the console import nothing: its content policy forbids it, and there is no build step for
  // them.
  return /\.(?:css|svg)$/.test(path) ? [] : sourceImportsOf(path, text);
}

/**
 * The file that an import of the file at `path` means, relative to the same root, or undefined for a package. A
 * computed import gives the folder with which it begins. The root is `.`, and paths outside of it begin with `..`.
 */
export function targetOf(path: string, { how, specifier }: Import): string | undefined {
  if (how === '@include') return specifier === '' ? undefined : join(dirname(path), `${specifier}.lua`);
  if (how === 'new URL' || specifier === '.' || specifier === '..' || /^\.{0,2}\//.test(specifier)) {
    const file = specifier.replace(/#.*/, '');
    return file.startsWith('/') ? `..${file}` : join(dirname(path), file).replace(/(?<=.)\/$/, '');
  }
  return undefined;
}

/** The package of an import, without the path in it: `csv-parse/sync` is `csv-parse`. */
export function packageOf({ specifier }: Import): string {
  return /^(?:@[^/]+\/)?[^/]*/.exec(specifier)?.[0] ?? specifier;
}

function includesOf(text: string): Import[] {
  const names = [...text.matchAll(/^-- @include ([^\s#]*)(?:#\S+)?$/gm)].map((match) => match[1] ?? '');
  return names.map((specifier) => ({ how: '@include', specifier, isTypeOnly: false, isComputed: false }));
}

function sourceImportsOf(path: string, text: string): Import[] {
  const { program, errors } = parseSync(path, text, path.endsWith('.cjs') ? { sourceType: 'commonjs' } : {});
  if (errors[0] !== undefined) throw new Error(`${path} cannot be read: ${errors[0].message}`);
  const found: Import[] = [];
  const add = (how: Import['how'], source: ESTree.Node | undefined, isTypeOnly = false) =>
    found.push({ how, isTypeOnly, ...specifierOf(source) });
  /** The local names of `createRequire`, and the names of its results: a call of these is a `require`. */
  const makers = new Set<string>();
  const requires = new Set(['require']);
  /** Every `import.meta` that a known form has handled. */
  const explained = new Set<ESTree.Node>();
  const isMaker = (node: ESTree.Node | null) =>
    node?.type === 'CallExpression' &&
    ((node.callee.type === 'Identifier' && makers.has(node.callee.name)) ||
      propertyOf(node.callee) === 'createRequire');

  new Visitor({
    ImportDeclaration(node) {
      add('import', node.source, node.importKind === 'type');
      for (const specifier of node.specifiers) {
        if (specifier.type === 'ImportSpecifier' && nameOf(specifier.imported) === 'createRequire') {
          makers.add(specifier.local.name);
        }
      }
    },
    ExportNamedDeclaration(node) {
      if (node.source !== null) add('export', node.source, node.exportKind === 'type');
    },
    ExportAllDeclaration: (node) => add('export', node.source, node.exportKind === 'type'),
    ImportExpression: (node) => add('import()', node.source),
    TSImportType: (node) => add('import()', node.source, true),
    TSExternalModuleReference: (node) => add('require', node.expression),
    VariableDeclarator(node) {
      if (isMaker(node.init) && node.id.type === 'Identifier') requires.add(node.id.name);
    },
    CallExpression(node) {
      const { callee } = node;
      const owner = callee.type === 'MemberExpression' ? callee.object : undefined;
      const asked = propertyOf(callee) === 'resolve' && owner !== undefined ? owner : callee;
      if ((asked.type === 'Identifier' && requires.has(asked.name)) || isMaker(asked))
        add('require', node.arguments[0]);
      if (isMaker(node)) explainPlace(node.arguments[0]);
      if (asked === owner && asked.type === 'MetaProperty') {
        explained.add(asked);
        add('import.meta', node.arguments[0]);
      }
    },
    NewExpression(node) {
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'URL') return;
      if (explainPlace(node.arguments[1])) add('new URL', node.arguments[0]);
    },
    MetaProperty(node) {
      if (node.meta.name === 'import' && !explained.has(node)) add('import.meta', undefined);
    },
  }).visit(program);
  return found;

  /** Whether the node is `import.meta.url`, which is then handled. */
  function explainPlace(node: ESTree.Node | undefined): boolean {
    if (node?.type !== 'MemberExpression' || node.object.type !== 'MetaProperty' || propertyOf(node) !== 'url')
      return false;
    explained.add(node.object);
    return true;
  }
}

function specifierOf(source: ESTree.Node | undefined): { specifier: string; isComputed: boolean } {
  if (source?.type === 'Literal' && typeof source.value === 'string')
    return { specifier: source.value, isComputed: false };
  if (source?.type !== 'TemplateLiteral') return { specifier: '', isComputed: true };
  return { specifier: source.quasis[0]?.value.cooked ?? '', isComputed: source.expressions.length > 0 };
}

/** The name after the dot. */
function propertyOf(node: ESTree.Node): string | undefined {
  return node.type === 'MemberExpression' && node.property.type === 'Identifier' ? node.property.name : undefined;
}

const nameOf = (node: ESTree.ModuleExportName): string => (node.type === 'Literal' ? node.value : node.name);

/**
 * The cycles of imports: files that can all reach each other are one cycle, sorted by name. A file that imports itself
 * is one, too. `importsOf` maps every file to the files that it imports.
 */
export function circlesOf(importsOf: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  /**
   * Tarjan's algorithm: the order in which files are met, and the earliest file of the path to which each leads back.
   */
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
