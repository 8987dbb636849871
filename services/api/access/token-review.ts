import { createHash } from 'node:crypto';
import type { Person } from './caller.ts';
import type { PersonSource } from './people.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { dropOldest } from '../../adapters/drop-oldest.ts';

interface TokenReview {
  status?: {
    authenticated?: boolean;
    audiences?: string[];
    user?: { username?: string; uid?: string; groups?: string[]; extra?: Record<string, string[]> };
  };
}

/** The time that an answer is used, in milliseconds; a revoked token stays valid for this time at most. */
const KEEP_MS = 10_000;
const MOST_KEPT = 1000;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Identifies the bearers of a cluster's tokens, such as ServiceAccounts, by a request to its API server
 * (`authentication.k8s.io/v1` TokenReview). `audience` is the required audience of the tokens; undefined for the API
 * server itself.
 */
export function createTokenReviewSource(
  client: KubernetesClient,
  audience: string | undefined,
  now: () => number = Date.now,
): PersonSource {
  const kept = new Map<string, { at: number; person: Promise<Person | undefined> }>();
  return {
    accepts: (token) => JWT.test(token),
    identify(token) {
      const key = createHash('sha256').update(token).digest('hex');
      const known = kept.get(key);
      if (known !== undefined && now() - known.at < KEEP_MS) return known.person;
      const person = review(client, token, audience);
      kept.delete(key);
      kept.set(key, { at: now(), person });
      person.catch(() => kept.delete(key));
      dropOldest(kept, MOST_KEPT);
      return person;
    },
  };
}

async function review(
  client: KubernetesClient,
  token: string,
  audience: string | undefined,
): Promise<Person | undefined> {
  const { status } = await client.request<TokenReview>({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenReview',
      spec: { token, ...(audience !== undefined && { audiences: [audience] }) },
    },
  });
  const { username: name, uid, groups = [], extra } = status?.user ?? {};
  if (status?.authenticated !== true || name === undefined || name === '') return undefined;
  // An authenticator that does not support audiences does not return any.
  if (audience !== undefined && status.audiences?.includes(audience) !== true) return undefined;
  return {
    name,
    groups,
    cluster: client.cluster,
    ...(uid !== undefined && { uid }),
    ...(extra !== undefined && { extra }),
  };
}
