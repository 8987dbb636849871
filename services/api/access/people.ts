import { ANY, type Place, type Places } from '../../adapters/places.ts';
import type { AccessScope, Caller, Grant, Person } from './caller.ts';
import type { AccessEntry, PersonGrant } from './tokens.ts';

/** Identifies the bearer of a token that is not in the file of tokens. */
export interface PersonSource {
  /** True when this source can know the token; only the first source that can know the token sees it. */
  accepts(token: string): boolean;
  /**
   * Returns the bearer of a token; undefined when the token is not valid.
   * @throws UnavailableError if the source cannot determine this now.
   */
  identify(token: string): Promise<Person | undefined>;
}

/** The person as the caller of a route that needs a scope, with all grants to the user's name and groups. */
export function callerOfPerson(
  person: Person,
  entries: readonly AccessEntry[],
  scope: AccessScope | 'any',
): Caller {
  const grants = entries.filter((entry): entry is PersonGrant => 'of' in entry && isGrantedTo(person, entry));
  return {
    name: person.name,
    person,
    scopes: [...new Set(grants.flatMap(({ scopes }) => scopes))],
    places: grantedPlaces(
      grants.filter(({ scopes }) => scope === 'any' || scopes.includes(scope)),
      person.cluster,
    ),
    ...(scope === 'any' && {
      grants: grants.map((grant) => ({
        scopes: grant.scopes,
        places: grantedPlaces([grant], person.cluster),
      })),
    }),
  };
}

function isGrantedTo({ name, groups }: Person, grant: PersonGrant): boolean {
  return grant.of === 'user' ? grant.name === name : groups.includes(grant.name);
}

/** The places of all grants together; if the person belongs to a cluster, only the places in this cluster. */
function grantedPlaces(grants: readonly Grant[], cluster: string | null): Places {
  const everywhere: Place = { cluster: ANY, namespace: ANY };
  const places = grants.flatMap((grant) => grant.places ?? [everywhere]);
  if (cluster === null) return places.includes(everywhere) ? null : places;
  return places
    .filter((place) => place.cluster === ANY || place.cluster === cluster)
    .map(({ namespace }) => ({ cluster, namespace }));
}
