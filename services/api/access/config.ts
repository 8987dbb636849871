import { z } from 'zod';
import { parseHostPort, isLoopback, isNetwork } from '../../adapters/network/address.ts';
import { problemOfLogUrl } from '../page-settings.ts';
import { isIssuer } from './oidc.ts';

/** The address, the callers and the limits of the API. */
export const httpEnvironment = z.object({
  JOBLEDGER_API_ADDRESS: z
    .string()
    .default('127.0.0.1:0')
    .transform((text, context) => {
      const address = parseHostPort(text);
      if (address !== null) return address;
      context.addIssue({ code: 'custom', message: 'give host:port' });
      return z.NEVER;
    }),
  JOBLEDGER_API_TLS_CERT: z.string().min(1).optional(),
  JOBLEDGER_API_TLS_KEY: z.string().min(1).optional(),
  JOBLEDGER_API_TOKENS_FILE: z.string().optional(),
  JOBLEDGER_API_WITHOUT_TOKENS: z.enum(['true', 'false']).default('false'),
  JOBLEDGER_API_TIMEOUT_MS: z.coerce.number().int().min(100).default(10_000),
  JOBLEDGER_API_RATE_PER_MINUTE: z.coerce.number().int().min(0).default(6000),
  JOBLEDGER_API_TRUSTED_PROXIES: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((each) => each.trim() || []))
    .refine(
      (all) => all.every(isNetwork),
      'give addresses or networks, such as 10.1.0.0/16, separated by commas',
    ),
  JOBLEDGER_API_FOLD_MS: z.coerce.number().int().min(100).default(20_000),
  JOBLEDGER_API_FOLD_SECONDS_PER_MINUTE: z.coerce.number().int().min(0).default(30),
  JOBLEDGER_API_OIDC_ISSUER: z
    .string()
    .refine(isIssuer, 'give an https:// URL, or an http:// URL on a loopback address')
    .optional(),
  JOBLEDGER_API_OIDC_AUDIENCE: z.string().min(1).optional(),
  JOBLEDGER_API_OIDC_CLIENT_ID: z.string().min(1).optional(),
  JOBLEDGER_API_OIDC_SCOPE: z.string().min(1).default('openid'),
  JOBLEDGER_API_OIDC_NAME_CLAIM: z.string().min(1).default('sub'),
  JOBLEDGER_API_OIDC_GROUPS_CLAIM: z.string().min(1).default('groups'),
  JOBLEDGER_API_OIDC_PREFIX: z.string().default('oidc:'),
  JOBLEDGER_API_KUBERNETES_TOKENS: z.string().min(1).optional(),
  JOBLEDGER_API_KUBERNETES_AUDIENCE: z.string().min(1).optional(),
  JOBLEDGER_LOG_URL: z
    .string()
    .superRefine((text, context) => {
      const message = problemOfLogUrl(text);
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .optional(),
  JOBLEDGER_API_MAX_STREAMS: z.coerce.number().int().min(0).default(100),
  JOBLEDGER_API_MAX_STREAMS_OF_CALLER: z.coerce.number().int().min(0).default(50),
});
export type HttpConfig = z.infer<typeof httpEnvironment>;

/**
 * Checks the access settings of schemas that include `httpEnvironment`: tokens are required unless the API listens on
 * loopback only.
 */
export function requireAccess(config: HttpConfig, context: z.RefinementCtx): void {
  const { JOBLEDGER_API_TOKENS_FILE: file, JOBLEDGER_API_ADDRESS: address } = config;
  const without = config.JOBLEDGER_API_WITHOUT_TOKENS === 'true';
  const addProblem = (setting: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [setting], message });
  if (without && file !== undefined)
    addProblem('JOBLEDGER_API_WITHOUT_TOKENS', 'JOBLEDGER_API_TOKENS_FILE is set too; set only one of them');
  if (without && !isLoopback(address.host))
    addProblem(
      'JOBLEDGER_API_WITHOUT_TOKENS',
      `is for loopback addresses only, not ${address.host}; set JOBLEDGER_API_TOKENS_FILE`,
    );
  if (!without && file === undefined)
    addProblem(
      'JOBLEDGER_API_TOKENS_FILE',
      'set the path of the file of tokens, or JOBLEDGER_API_WITHOUT_TOKENS=true on a loopback address',
    );
  if ((config.JOBLEDGER_API_TLS_CERT === undefined) !== (config.JOBLEDGER_API_TLS_KEY === undefined))
    addProblem('JOBLEDGER_API_TLS_KEY', 'set both this variable and JOBLEDGER_API_TLS_CERT, or neither');
  const { JOBLEDGER_API_OIDC_ISSUER: issuer, JOBLEDGER_API_OIDC_AUDIENCE: audience } = config;
  if ((issuer === undefined) !== (audience === undefined))
    addProblem(
      'JOBLEDGER_API_OIDC_AUDIENCE',
      'set both this variable and JOBLEDGER_API_OIDC_ISSUER, or neither',
    );
  if (issuer === undefined && config.JOBLEDGER_API_OIDC_CLIENT_ID !== undefined)
    addProblem('JOBLEDGER_API_OIDC_CLIENT_ID', 'set JOBLEDGER_API_OIDC_ISSUER too');
  const cluster = config.JOBLEDGER_API_KUBERNETES_TOKENS;
  if (cluster === undefined && config.JOBLEDGER_API_KUBERNETES_AUDIENCE !== undefined)
    addProblem('JOBLEDGER_API_KUBERNETES_AUDIENCE', 'set JOBLEDGER_API_KUBERNETES_TOKENS too');
  if (without && (issuer !== undefined || cluster !== undefined))
    addProblem(
      'JOBLEDGER_API_WITHOUT_TOKENS',
      'people sign in with tokens; set either this variable or the variables of an identity provider',
    );
}
