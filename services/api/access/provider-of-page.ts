import { z } from 'zod';
import { UnavailableError } from '../../adapters/errors.ts';
import type { PageSettings, ProviderOfPage } from '../page-settings.ts';
import type { HttpConfig } from './config.ts';
import { readDiscovery } from './openid-discovery.ts';
import { isIssuer } from './oidc.ts';

const endpoints = z.object({ authorization_endpoint: z.url(), token_endpoint: z.url() });

type Settings = Pick<
  HttpConfig,
  'JOBLEDGER_API_OIDC_ISSUER' | 'JOBLEDGER_API_OIDC_CLIENT_ID' | 'JOBLEDGER_API_OIDC_SCOPE'
>;

/** The provider with which users sign in on the page, read on demand; null when no provider is configured. */
export function providerOfPage(config: Settings): PageSettings['provider'] {
  const { JOBLEDGER_API_OIDC_ISSUER: issuer, JOBLEDGER_API_OIDC_CLIENT_ID: client } = config;
  if (issuer === undefined || client === undefined) return null;
  let known: Promise<ProviderOfPage> | undefined;
  const readProvider = async (): Promise<ProviderOfPage> => {
    const found = endpoints.parse(await readDiscovery(issuer));
    for (const url of Object.values(found)) if (!isIssuer(url)) throw new Error(`${url} is not https`);
    return { issuer, client_id: client, scope: config.JOBLEDGER_API_OIDC_SCOPE, ...found };
  };
  return () => {
    known ??= readProvider().catch((cause: unknown) => {
      known = undefined;
      throw new UnavailableError(
        `the identity provider ${issuer} does not publish the addresses for the sign-in`,
        {
          cause,
        },
      );
    });
    return known;
  };
}
