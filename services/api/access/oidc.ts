import {
  createRemoteJWKSet,
  decodeJwt,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose';
import { isReadableByOthers } from '../../adapters/network/address.ts';
import { UnavailableError } from '../../adapters/errors.ts';
import type { Person } from './caller.ts';
import { readDiscovery } from './openid-discovery.ts';
import type { PersonSource } from './people.ts';

/** An OpenID Connect provider, and the claims that contain the names of people and groups. */
export interface OidcProvider {
  /** The `iss` of its tokens, and the base of its discovery document. */
  issuer: string;
  /** What `aud` must contain. */
  audience: string;
  nameClaim: string;
  groupsClaim: string;
  /** The prefix of the names of users and groups, like `--oidc-username-prefix` of an API server. */
  prefix: string;
}

const TIMEOUT_MS = 5000;
/** The largest difference between the clocks, in seconds. */
const TOLERANCE_S = 10;
/** Names with this prefix belong to the cluster itself (J-15.7). */
const SYSTEM = 'system:';
/** The group that every authenticated user has in a cluster. */
const AUTHENTICATED = 'system:authenticated';
/** Algorithms with a public key, because a symmetric algorithm would require the provider's secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Identifies people by the ID tokens of a provider (OpenID Connect Core 1.0, section 3.1.3.7). */
export function oidcSource(provider: OidcProvider): PersonSource {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  const keysOfProvider = (): Promise<JWTVerifyGetKey> => {
    keys ??= discover(provider.issuer).catch((error: unknown) => {
      keys = undefined;
      throw error;
    });
    return keys;
  };
  return {
    accepts: (token) => tokenIssuer(token) === provider.issuer,
    async identify(token) {
      try {
        const { payload } = await jwtVerify(token, await keysOfProvider(), {
          issuer: provider.issuer,
          audience: provider.audience,
          algorithms: ALGORITHMS,
          clockTolerance: TOLERANCE_S,
          requiredClaims: ['exp', provider.nameClaim],
        });
        return personIn(payload, provider);
      } catch (error) {
        if (isAboutToken(error)) return undefined;
        throw error instanceof UnavailableError ? error : missingKeysError(provider.issuer, error);
      }
    },
  };
}

/** True when a provider may be at this URL: over TLS, or on this machine. */
export function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  return /^https?:/.test(new URL(text).protocol) && !isReadableByOthers(text);
}

function tokenIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

async function discover(issuer: string): Promise<JWTVerifyGetKey> {
  try {
    const { jwks_uri: uri } = await readDiscovery(issuer);
    if (!isIssuer(uri)) throw new Error(`jwks_uri is not https: ${uri}`);
    return createRemoteJWKSet(new URL(uri), { timeoutDuration: TIMEOUT_MS });
  } catch (error) {
    throw missingKeysError(issuer, error);
  }
}

function missingKeysError(issuer: string, cause: unknown): UnavailableError {
  return new UnavailableError(`the identity provider ${issuer} does not provide its keys`, { cause });
}

function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported
  );
}

/** The person of verified claims; undefined when the claims name no user, or a user of the cluster itself. */
function personIn(claims: JWTPayload, provider: OidcProvider): Person | undefined {
  const { nameClaim, groupsClaim, prefix } = provider;
  const name = claims[nameClaim];
  if (typeof name !== 'string' || name === '') return undefined;
  if (nameClaim === 'email' && claims['email_verified'] !== true) return undefined;
  const person = { name: prefix + name, groups: [claims[groupsClaim] ?? []].flat(), cluster: null };
  if (person.name.startsWith(SYSTEM)) return undefined;
  const groups = person.groups
    .filter((group): group is string => typeof group === 'string')
    .map((group) => prefix + group)
    .filter((group) => !group.startsWith(SYSTEM));
  return { ...person, groups: [...groups, AUTHENTICATED] };
}
