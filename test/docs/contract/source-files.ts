import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** The parsed sources in these folders, without types: reading them takes a second, and names do not need more. */
export function sourcesIn(...folders: string[]): ts.SourceFile[] {
  const files = folders.flatMap((folder) => globSync(`${folder}/**/*.{ts,mjs}`)).toSorted();
  return files.map((file) =>
    ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true),
  );
}

/** Every node of a tree that `choose` chooses. */
export function nodesIn<N extends ts.Node>(root: ts.Node, choose: (node: ts.Node) => node is N): N[] {
  const below: N[] = [];
  root.forEachChild((child) => void below.push(...nodesIn(child, choose)));
  return choose(root) ? [root, ...below] : below;
}

/** The initializer of a property of an object literal; of `{ name }` the name itself. */
export function findProperty(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const property of object.properties) {
    if (property.name?.getText() !== name) continue;
    if (ts.isPropertyAssignment(property)) return property.initializer;
    if (ts.isShorthandPropertyAssignment(property)) return property.name;
  }
  return undefined;
}
