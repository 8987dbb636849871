import { z } from 'zod';

const TIMEOUT_MS = 5000;

const discoverySchema = z.looseObject({ issuer: z.string(), jwks_uri: z.url() });

/**
 * Reads the discovery document of an issuer (OpenID Connect Discovery 1.0, section 4). The other
 * fields of the document are kept for the caller. @throws when the document cannot be read, or is about another issuer.
 */
export async function readDiscovery(issuer: string): Promise<z.infer<typeof discoverySchema>> {
  const answer = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const document = discoverySchema.parse(await answer.json());
  if (document.issuer !== issuer) throw new Error(`the document is about the issuer ${document.issuer}`);
  return document;
}
