import type { z } from 'zod';
import type { HttpConfig } from './config.ts';
import { oidcSource } from './oidc.ts';
import type { PersonSource } from './people.ts';
import { InputError } from '../../adapters/errors.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { createTokenReviewSource } from './token-review.ts';

/**
 * Refuses the sign-in of people together with given namespaces: an account with rights in these namespaces only cannot
 * ask the cluster for the identity (TokenReview) or the rights (SubjectAccessReview) of a user.
 */
export function refusePeopleWithNamespaces(
  config: HttpConfig & { JOBLEDGER_NAMESPACES: readonly string[] },
  context: z.RefinementCtx,
): void {
  if (config.JOBLEDGER_NAMESPACES.length === 0) return;
  for (const setting of ['JOBLEDGER_API_OIDC_ISSUER', 'JOBLEDGER_API_KUBERNETES_TOKENS'] as const)
    if (config[setting] !== undefined)
      context.addIssue({
        code: 'custom',
        path: [setting],
        message:
          'the sign-in of people needs rights in the whole cluster (TokenReview, SubjectAccessReview); with JOBLEDGER_NAMESPACES, leave this variable out and use the tokens of JOBLEDGER_API_TOKENS_FILE',
      });
}

/**
 * The configured sources that identify people; the first source that can know a token is asked. @throws InputError.
 */
export function personSources(config: HttpConfig, clusters: readonly KubernetesClient[]): PersonSource[] {
  const { JOBLEDGER_API_OIDC_ISSUER: issuer, JOBLEDGER_API_OIDC_AUDIENCE: audience } = config;
  const cluster = config.JOBLEDGER_API_KUBERNETES_TOKENS;
  const sources: PersonSource[] = [];
  if (issuer !== undefined && audience !== undefined)
    sources.push(
      oidcSource({
        issuer,
        audience,
        nameClaim: config.JOBLEDGER_API_OIDC_NAME_CLAIM,
        groupsClaim: config.JOBLEDGER_API_OIDC_GROUPS_CLAIM,
        prefix: config.JOBLEDGER_API_OIDC_PREFIX,
      }),
    );
  if (cluster !== undefined) {
    const client = clusters.find((each) => each.cluster === cluster);
    if (client === undefined)
      throw new InputError(
        `JOBLEDGER_API_KUBERNETES_TOKENS: "${cluster}" is not a configured cluster; configured: ${clusters.map((each) => each.cluster).join(', ')}`,
      );
    sources.push(createTokenReviewSource(client, config.JOBLEDGER_API_KUBERNETES_AUDIENCE));
  }
  return sources;
}
