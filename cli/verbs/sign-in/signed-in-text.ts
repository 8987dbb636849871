import type { Whoami } from '../../../services/api/schemas/whoami.ts';

/** The caller as the API knows it, with groups and scopes. */
export function signedText(url: string, { name, groups, scopes }: Whoami): string {
  const of = groups.length === 0 ? '' : ` (groups: ${groups.join(', ')})`;
  const may =
    scopes.length === 0 ? 'no scopes, so the API refuses every request' : `the scopes ${scopes.join(', ')}`;
  return `signed in at ${url} as ${name}${of} with ${may}`;
}

/** A line for each scope, with the places where the caller has it. */
export function rightsText({ rights }: Whoami): string {
  return rights.map(({ scope, places }) => `  ${scope}: ${placesText(places)}`).join('\n');
}

/** The paths of the additional recorded fields, by cluster; null when they are not known. */
export type FurtherFields = Readonly<Record<string, readonly string[] | null>>;

/** The lines about the additional recorded fields, one for each cluster. */
export function recordedText(fields: FurtherFields): string {
  const lines = Object.entries(fields).map(([cluster, paths]) => {
    if (paths === null)
      return `  ${cluster}: unknown, because no ingester leads the cluster or Kafka does not answer`;
    return `  ${cluster}: ${paths.length === 0 ? 'no further fields' : paths.join(', ')}`;
  });
  return lines.length === 0
    ? ''
    : ['fields that are recorded besides the reviewed fields:', ...lines].join('\n');
}

/** The namespaces of clusters as text; null means all. */
function placesText(places: Whoami['rights'][number]['places']): string {
  if (places === null) return 'every namespace of every cluster';
  if (places.length === 0) return 'nowhere';
  return places.map(({ cluster, namespace }) => `${cluster}/${namespace}`).join(', ');
}
