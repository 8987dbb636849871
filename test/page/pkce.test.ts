import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  authorizationUrl,
  createChallenge,
  randomText,
  parseProviderAnswer,
  tokenRequest,
} from '../../page/sign-in/pkce.ts';

const PROVIDER = {
  issuer: 'https://id.example',
  client_id: 'jobledger',
  scope: 'openid email',
  authorization_endpoint: 'https://id.example/authorize?tenant=a',
  token_endpoint: 'https://id.example/token',
};
const ATTEMPT = { verifier: 'v'.repeat(43), state: 's', search: '?view=clusters' };
const REDIRECT = 'https://jobs.example/ui/';

describe('a PKCE challenge', () => {
  it('equals the example in RFC 7636, appendix B', async () => {
    expect(await createChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
      'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    );
  });

  it('is the SHA-256 of the verifier, which is another random text each time', async () => {
    const verifier = randomText();
    expect(verifier).toMatch(/^[\w-]{43}$/);
    expect(await createChallenge(verifier)).toBe(createHash('sha256').update(verifier).digest('base64url'));
    expect(randomText()).not.toBe(verifier);
  });
});

describe('the requests to the identity provider', () => {
  it('have the challenge in the address that asks for a code, and retain the query of the configured address', () => {
    const url = new URL(authorizationUrl(PROVIDER, ATTEMPT, { challenge: 'c', redirect: REDIRECT }));
    expect(url.origin + url.pathname).toBe('https://id.example/authorize');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tenant: 'a',
      response_type: 'code',
      client_id: 'jobledger',
      scope: 'openid email',
      redirect_uri: REDIRECT,
      state: 's',
      code_challenge: 'c',
      code_challenge_method: 'S256',
    });
  });

  it('have the verifier beside the code in the request for a token', () => {
    expect(Object.fromEntries(tokenRequest(PROVIDER, ATTEMPT, { code: 'x', redirect: REDIRECT }))).toEqual({
      grant_type: 'authorization_code',
      code: 'x',
      redirect_uri: REDIRECT,
      client_id: 'jobledger',
      code_verifier: ATTEMPT.verifier,
    });
  });
});

describe('the address after the return from the identity provider', () => {
  it.each([
    ['?code=x&state=s', { code: 'x', state: 's' }],
    ['?error=access_denied&error_description=no&state=s', { refused: 'no' }],
    ['?error=access_denied&state=s', { refused: 'access_denied' }],
    ['?state=Failed', null],
    ['?code=x', null],
    ['', null],
  ])('is read as a code, a refusal or neither: "%s" is %j', (search, returned) => {
    expect(parseProviderAnswer(search)).toEqual(returned);
  });
});
