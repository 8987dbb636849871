import { Webhook } from 'standardwebhooks';
import { InputError } from '../../adapters/errors.ts';

const PREFIX = 'whsec_';

/** The fewest and the most bytes of a secret according to Standard Webhooks. */
const [FEWEST, MOST] = [24, 64];

/**
 * The secrets in a text, which are separated by white space. With a second secret, the receiver can replace the first
 * secret. @throws InputError that does not contain the text.
 */
export function parseSecrets(text: string): string[] {
  const secrets = text.split(/\s+/).filter((secret) => secret !== '');
  if (secrets.length > 0 && secrets.every(isSecret)) return secrets;
  throw new InputError(
    `a secret is "${PREFIX}" and ${FEWEST} to ${MOST} random bytes in base64: printf ${PREFIX}; openssl rand -base64 32`,
  );
}

function isSecret(secret: string): boolean {
  const key = secret.slice(PREFIX.length);
  const bytes = Buffer.from(key, 'base64');
  const isBase64 = secret.startsWith(PREFIX) && bytes.toString('base64') === key;
  return isBase64 && bytes.length >= FEWEST && bytes.length <= MOST;
}

/** The headers of Standard Webhooks 1.0.0 for an attempt to deliver. `id` is the same in every attempt. */
export function signatureHeaders(
  secrets: readonly string[],
  { id, body }: { id: string; body: string },
  at: Date,
): Record<string, string> {
  // The signed content joins id, time and body with full stops, so the id must not contain a full stop; a header may
  // contain only ASCII.
  const webhookId = encodeURI(id).replaceAll('.', '%2E');
  return {
    'webhook-id': webhookId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(webhookId, at, body)).join(' '),
  };
}
