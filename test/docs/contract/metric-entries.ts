import ts from 'typescript';
import type { Entry } from './entry.ts';
import { nodesIn, findProperty } from './source-files.ts';

const TYPES = ['counter', 'gauge', 'histogram'] as const;

/** What is known in a function: the arguments of its parameters. */
type Scope = ReadonlyMap<string, readonly ts.Expression[]>;

/**
 * The metrics that the sources make, with type and labels: each call of `counter`, `gauge` or `histogram`. Where name or labels are
 * parameters, those of each call of the function around it.
 */
export function metricEntries(sources: readonly ts.SourceFile[]): Entry[] {
  const calls = sources.flatMap((source) => nodesIn(source, ts.isCallExpression));
  return calls.flatMap((call) => {
    const { expression } = call;
    const [about] = call.arguments;
    const type = TYPES.find(
      (each) => ts.isPropertyAccessExpression(expression) && expression.name.text === each,
    );
    if (type === undefined || about === undefined || !ts.isObjectLiteralExpression(about)) return [];
    const name = findProperty(about, 'name');
    const [labels, help] = [findProperty(about, 'labels'), findProperty(about, 'help')];
    if (name === undefined || labels === undefined || help === undefined) return [];
    return scopesAround(call, calls).map((scope) =>
      metricEntry(type, textIn(name, scope), textsIn(labels, scope), textIn(help, scope)),
    );
  });
}

function metricEntry(type: string, name: string, labels: readonly string[], meaning: string): Entry {
  return {
    place: 'metrics',
    line: `${type} ${name}${labels.length === 0 ? '' : `{${labels.toSorted().join(', ')}}`}`,
    names: [name, ...labels],
    meaning,
  };
}

/** One without parameters, when nothing of the metric is one; otherwise one for each call of the function around it. */
function scopesAround(call: ts.CallExpression, calls: readonly ts.CallExpression[]): Scope[] {
  const about = call.arguments[0];
  const identifiers = about === undefined ? [] : nodesIn(about, ts.isIdentifier).map(({ text }) => text);
  const around = ts.findAncestor(call, isFunction);
  const name = around === undefined ? undefined : functionName(around);
  const parameters = around?.parameters.flatMap(({ name: each }) => namesIn(each)) ?? [];
  const uses = ['name', 'labels'].some((each) => identifiers.includes(each) && parameters.includes(each));
  if (!uses || around === undefined) return [new Map()];
  return calls
    .filter((each) => each.expression.getText() === name)
    .filter((each) => isExported(around) || each.getSourceFile() === around.getSourceFile())
    .map(
      ({ arguments: given }) =>
        new Map(around.parameters.flatMap((each, at) => bound(each, given.slice(at)))),
    );
}

function isFunction(node: ts.Node): node is ts.FunctionDeclaration | ts.ArrowFunction {
  return ts.isFunctionDeclaration(node) || ts.isArrowFunction(node);
}

function isExported(node: ts.FunctionDeclaration | ts.ArrowFunction): boolean {
  return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

function functionName(node: ts.FunctionDeclaration | ts.ArrowFunction): string | undefined {
  const named = ts.isVariableDeclaration(node.parent) ? node.parent : node;
  return 'name' in named ? named.name?.getText() : undefined;
}

function namesIn(name: ts.BindingName): string[] {
  return ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? namesIn(element.name) : []));
}

/** The arguments of the names in a parameter; `{ name }` takes the property of that name. */
function bound(
  { name, dotDotDotToken }: ts.ParameterDeclaration,
  given: readonly ts.Expression[],
): [string, readonly ts.Expression[]][] {
  if (ts.isIdentifier(name)) return [[name.text, dotDotDotToken === undefined ? given.slice(0, 1) : given]];
  const [object] = given;
  if (object === undefined || !ts.isObjectLiteralExpression(object)) return [];
  return namesIn(name).map((each) => [
    each,
    [findProperty(object, each)].filter((value) => value !== undefined),
  ]);
}

function textIn(node: ts.Expression, scope: Scope): string {
  const [text, ...others] = textsIn(node, scope);
  if (text === undefined || others.length > 0)
    throw new Error(`${node.getText()} in ${node.getSourceFile().fileName} is not one text`);
  return text;
}

/** The texts of an expression: a text, a list of texts, or the name of one in the scope or the file. */
function textsIn(node: ts.Expression, scope: Scope): string[] {
  if (ts.isStringLiteral(node)) return [node.text];
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap((element) => textsIn(element, scope));
  if (ts.isSpreadElement(node)) return textsIn(node.expression, scope);
  if (!ts.isIdentifier(node)) throw new Error(`${node.getText()} is no list of texts`);
  const argument = scope.get(node.text);
  if (argument !== undefined) return argument.flatMap((each) => textsIn(each, scope));
  const declared = nodesIn(node.getSourceFile(), ts.isVariableDeclaration).find(
    ({ name }) => name.getText() === node.text,
  );
  if (declared?.initializer === undefined) throw new Error(`${node.text} is not known`);
  return textsIn(declared.initializer, scope);
}
