import { Agent, request } from 'undici';
import { z } from 'zod';
import { InputError, UnavailableError } from '../errors.ts';

/** An OAuth 2.0 client that gets tokens by the client credentials grant (RFC 6749, section 4.4). */
export interface OAuthClient {
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope?: string | undefined;
}

const TIMEOUT_MS = 5000;
/** The client does not use HTTP/2, for the same reason as the client for API servers. */
const dispatcher = new Agent({ allowH2: false });
/** A token that expires within this time, in milliseconds, is not used any more. */
const MARGIN_MS = 30_000;
const answerSchema = z.object({ access_token: z.string().min(1), expires_in: z.number().optional() });

/**
 * Returns a source of tokens for kafkajs, which requests a token when the last one is about to expire. @throws
 * InputError when the server refuses the client, UnavailableError when it does not answer; no message contains the secret.
 */
export function oauthTokens(
  client: OAuthClient,
  now: () => number = Date.now,
): () => Promise<{ value: string }> {
  let last: { value: string; until: number } | undefined;
  return async () => {
    if (last === undefined || last.until <= now()) {
      const { access_token: value, expires_in: seconds = 0 } = await askForToken(client);
      last = { value, until: now() + seconds * 1000 - MARGIN_MS };
    }
    return { value: last.value };
  };
}

async function askForToken({
  tokenUrl,
  clientId,
  clientSecret,
  scope,
}: OAuthClient): Promise<z.infer<typeof answerSchema>> {
  const basic = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString(
    'base64',
  );
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    ...(scope !== undefined && { scope }),
  });
  const answer = await request(tokenUrl, {
    dispatcher,
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  }).catch((cause: unknown) => {
    throw new UnavailableError(`the token endpoint ${tokenUrl} does not answer`, { cause });
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 500)
    throw new UnavailableError(`the token endpoint ${tokenUrl} answers ${answer.statusCode}`);
  if (answer.statusCode !== 200)
    throw new InputError(
      `the token endpoint ${tokenUrl} refuses the client "${clientId}" with status ${answer.statusCode}; check KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD and KAFKA_OAUTH_SCOPE`,
    );
  const parsed = answerSchema.safeParse(tryParseJson(text));
  if (!parsed.success) throw new InputError(`the token endpoint ${tokenUrl} does not answer with a token`);
  return parsed.data;
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
