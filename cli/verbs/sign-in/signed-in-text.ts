import type { Whoami } from '../../../services/api/schemas/whoami.ts';

/** Who the API takes the caller for, with the groups and scopes. */
export function signedInText(url: string, { name, groups, scopes }: Whoami): string {
  const of = groups.length === 0 ? '' : ` (groups: ${groups.join(', ')})`;
  const may =
    scopes.length === 0 ? 'no scopes, so the API refuses every request' : `the scopes ${scopes.join(', ')}`;
  return `signed in at ${url} as ${name}${of} with ${may}`;
}

/** A line for each scope, with the places where the caller has it. */
export function rightsText({ rights }: Whoami): string {
  return rights.map(({ scope, places }) => `  ${scope}: ${placesText(places)}`).join('\n');
}

function placesText(places: Whoami['rights'][number]['places']): string {
  if (places === null) return 'every namespace of every cluster';
  if (places.length === 0) return 'nowhere';
  return places.map(({ cluster, namespace }) => `${cluster}/${namespace}`).join(', ');
}
