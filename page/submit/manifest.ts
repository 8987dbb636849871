import { isMap, isScalar, isSeq, parseDocument, type Document, type Node } from 'yaml';

/** An invalid part of the text. Offsets in characters. */
export interface ManifestFinding {
  from: number;
  to: number;
  message: string;
}

/** The object that a YAML text describes, or the reason why it describes no object. */
export type ReadManifest = { object: object; findings: [] } | { object: null; findings: ManifestFinding[] };

/** The largest number of aliases, because aliases could make a short text very large. */
const MOST_ALIASES = 100;

/** Reads the object in a YAML text, or the findings about an invalid text. */
export function readManifest(text: string): ReadManifest {
  const parsed = parseDocument(text, { prettyErrors: false });
  const findings = parsed.errors.map(({ pos: [from, to], message }) => ({ from, to, message }));
  if (findings.length > 0) return { object: null, findings };
  // A result with one finding, about the whole text.
  const findingForWholeText = (message: string): ReadManifest => ({
    object: null,
    findings: [{ from: 0, to: text.length, message }],
  });
  try {
    const object: unknown = parsed.toJS({ maxAliasCount: MOST_ALIASES });
    const isObject = typeof object === 'object' && object !== null && !Array.isArray(object);
    return isObject
      ? { object, findings: [] }
      : findingForWholeText('the text is not a manifest: expected an object with apiVersion and kind');
  } catch (error) {
    return findingForWholeText(error instanceof Error ? error.message : 'the text cannot be read');
  }
}

/** The places of the fields that a message of the API or of a cluster names; empty if the message names no known field. */
export function findProblems(text: string, message: string): ManifestFinding[] {
  const parsed = parseDocument(text, { prettyErrors: false });
  return pathsIn(message).flatMap((path) => {
    const place = findPlace(parsed, path);
    return place === null ? [] : [{ ...place, message }];
  });
}

/**
 * Matches the field in a message: the API writes `body/spec/template`, and a cluster writes `spec.template.spec.containers[0].image`, or an unknown
 * field in quotes.
 */
const NAMED = /\bbody((?:\/[\w-]+)+)|((?:metadata|spec)(?:\.[\w-]+|\[[^\]]*\])*)(?=["':])/g;

/** The paths of the fields that a message names. */
function pathsIn(message: string): string[][] {
  return [...message.matchAll(NAMED)].map(([, ofBody, ofCluster = '']) =>
    ofBody === undefined
      ? [...ofCluster.matchAll(/\[([^[\]]*)\]|[^.[]+/g)].map(([whole, index]) => index ?? whole)
      : ofBody.slice(1).split('/'),
  );
}

/** The range of the last existing part of a path, which is the name of a field or an item of a list. */
function findPlace(parsed: Document, path: readonly string[]): { from: number; to: number } | null {
  let place: { from: number; to: number } | null = null;
  let node: unknown = parsed.contents;
  for (const part of path) {
    const [named, value] = childNode(node, part);
    if (named?.range == null) return place;
    place = { from: named.range[0], to: named.range[1] };
    node = value;
  }
  return place;
}

/** The node that names a part of a parent node, with the value of the part. */
function childNode(node: unknown, part: string): [Node | undefined, unknown] {
  if (isSeq<Node>(node)) {
    const item = node.items[Number(part)];
    return [item, item];
  }
  const pair = isMap<Node>(node)
    ? node.items.find(({ key }) => isScalar(key) && String(key.value) === part)
    : undefined;
  return [pair?.key, pair?.value];
}
