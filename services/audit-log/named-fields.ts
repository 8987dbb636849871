/** The maximum number of fields that are recorded for one request. */
const MOST = 20;
/** Matches names of the API. Keys of maps, which tenants choose, may have other characters and are then left out. */
const NAME = /^[A-Za-z][A-Za-z0-9]{0,62}$/;
/** Fields that identify the object of a patch. */
const IDENTITY = new Set([
  'apiVersion',
  'kind',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.resourceVersion',
]);

/**
 * The fields that a patch names, at most two levels deep, such as `spec.suspend`; never their values. A patch is an
 * object, or a list of operations (JSON Patch).
 */
export function namedFields(patch: unknown): string[] {
  const paths = Array.isArray(patch) ? patch.flatMap(operationPaths) : pathsIn(patch);
  const fields = paths
    .map((path) => path.slice(0, 2))
    .filter((path) => path.length > 0 && path.every((name) => NAME.test(name)))
    .map((path) => path.join('.'))
    .filter((field) => !IDENTITY.has(field));
  return [...new Set(fields)].toSorted().slice(0, MOST);
}

/** The paths of the fields of an object, at most two levels deep. */
function pathsIn(value: unknown): string[][] {
  return objectEntries(value).flatMap(([name, below]) => {
    const parts = objectEntries(below).map(([part]) => [name, part]);
    return parts.length === 0 ? [[name]] : parts;
  });
}

function objectEntries(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** The path of an operation of a JSON Patch; empty for any other value. */
function operationPaths(operation: unknown): string[][] {
  if (typeof operation !== 'object' || operation === null || !('path' in operation)) return [];
  const { path } = operation;
  return typeof path === 'string' && path.startsWith('/') ? [path.slice(1).split('/')] : [];
}
