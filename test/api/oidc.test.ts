import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { isIssuer, oidcSource, type OidcProvider } from '../../services/api/access/oidc.ts';
import type { Person } from '../../services/api/access/caller.ts';
import type { PersonSource } from '../../services/api/access/people.ts';
import { startTokenEndpoint, type TokenEndpoint } from '../support/token-endpoint.ts';

let provider: TokenEndpoint;
let other: TokenEndpoint;

beforeAll(async () => {
  [provider, other] = await Promise.all([aProvider(), aProvider()]);
});
afterAll(() => {
  provider?.close();
  other?.close();
});

function aProvider(): Promise<TokenEndpoint> {
  return startTokenEndpoint({ id: 'a', secret: 'b' });
}

function source(settings: Partial<OidcProvider> = {}): PersonSource {
  return oidcSource({
    issuer: provider.issuer,
    audience: 'jobledger',
    nameClaim: 'sub',
    groupsClaim: 'groups',
    prefix: 'oidc:',
    ...settings,
  });
}

const CLAIMS = { sub: 'alice', aud: 'jobledger', groups: ['ops', 7, 'system:masters'] };
const HOUR_S = 3600;

function claimed(claims: object = {}, settings?: Partial<OidcProvider>): Promise<Person | undefined> {
  return source(settings).identify(provider.signed({ ...CLAIMS, ...claims }));
}

describe('a token of an identity provider', () => {
  it('names a user and groups with the configured prefix, and the group of all known users', async () => {
    expect(await claimed()).toEqual({
      name: 'oidc:alice',
      groups: ['oidc:ops', 'oidc:system:masters', 'system:authenticated'],
      cluster: null,
    });
  });

  it('never names a user or a group of the cluster itself', async () => {
    expect(await claimed({}, { prefix: '' })).toMatchObject({ groups: ['ops', 'system:authenticated'] });
    expect(await claimed({ sub: 'system:admin' }, { prefix: '' })).toBeUndefined();
    expect(await claimed({ sub: 'admin' }, { prefix: 'system:' })).toBeUndefined();
  });

  it('names its user by other claims when these are configured; an unverified e-mail address names no user', async () => {
    const settings = { nameClaim: 'email', groupsClaim: 'roles' };
    const claims = { email: 'a@b.c', roles: 'one', email_verified: true };
    expect(await claimed(claims, settings)).toMatchObject({
      name: 'oidc:a@b.c',
      groups: ['oidc:one', expect.anything()],
    });
    for (const verified of [false, 'true', null, undefined])
      expect(await claimed({ ...claims, email_verified: verified }, settings)).toBeUndefined();
  });

  it.each([
    ['for another audience', { aud: 'kafka' }],
    ['for no audience', { aud: undefined }],
    ['that has expired', { exp: Math.floor(Date.now() / 1000) - HOUR_S }],
    ['without an expiry', { exp: undefined }],
    ['that is not valid yet', { nbf: Math.floor(Date.now() / 1000) + HOUR_S }],
    ['of another issuer', { iss: 'https://elsewhere.example' }],
    ['without a name', { sub: undefined }],
    ['with an empty name', { sub: '' }],
    ['whose name is no text', { sub: 7 }],
  ])('names no user when it is a token %s', async (_which, claims) => {
    expect(await claimed(claims)).toBeUndefined();
  });

  it('names no user when another key signed it', async () => {
    expect(await source().identify(other.signed({ ...CLAIMS, iss: provider.issuer }))).toBeUndefined();
  });

  it('names no user without a signature, or with a key that the provider does not have', async () => {
    const [, claims] = provider.signed(CLAIMS).split('.');
    const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
    expect(await source().identify(`${none}.${claims}.`)).toBeUndefined();
    expect(await source().identify(provider.signed(CLAIMS, { kid: 'two' }))).toBeUndefined();
    expect(await source().identify(provider.signed(CLAIMS, { alg: 'HS256' }))).toBeUndefined();
  });

  it.each<object>([
    { alg: 5 },
    { alg: undefined },
    { alg: 'ES256' },
    { kid: 5 },
    { kid: undefined },
    { crit: ['x'] },
    { crit: 'x' },
    { b64: false, crit: ['b64'] },
    { typ: 5 },
    { enc: 'A256GCM' },
  ])('names no user, or no other user than its own, with the invalid header %j', async (header) => {
    expect([undefined, 'oidc:alice']).toContain(
      (await source().identify(provider.signed(CLAIMS, header)))?.name,
    );
  });

  it.each([
    '',
    '!',
    'e30',
    Buffer.from('[]').toString('base64url'),
    Buffer.from('null').toString('base64url'),
  ])('names no user when its first part is %j', async (first) => {
    const [, claims, signature] = provider.signed(CLAIMS).split('.');
    expect(await source().identify(`${first}.${claims}.${signature}`)).toBeUndefined();
  });

  it('makes the API fetch the keys of the provider only once', async () => {
    const [one, before] = [source(), provider.keysAsked()];
    for (const sub of ['a', 'b', 'c']) await one.identify(provider.signed({ ...CLAIMS, sub }));
    expect(provider.keysAsked()).toBe(before + 1);
  });
});

describe('the configured source of tokens', () => {
  it.each([
    ['a token of its own provider', () => provider.signed({}), true],
    ['a token of another issuer', () => other.signed({}), false],
    ['another kind of token', () => 'a.b.c', false],
    ['a random word', () => 'secret', false],
  ])('accepts only a token of its own provider: %s', (_which, token, accepted) => {
    expect(source().accepts(token())).toBe(accepted);
  });
});

describe('the identity provider of a token', () => {
  it('makes the API unavailable for its tokens, which do not count as invalid, while it does not answer', async () => {
    const late = await aProvider();
    const down = source({ issuer: 'http://127.0.0.1:1' });
    await expect(down.identify(late.signed(CLAIMS))).rejects.toThrow(UnavailableError);
    await expect(down.identify(late.signed(CLAIMS))).rejects.toThrow(UnavailableError);
    late.close();
  });

  it('is not needed for tokens whose keys are known', async () => {
    const brief = await aProvider();
    const one = source({ issuer: brief.issuer });
    expect(await one.identify(brief.signed(CLAIMS))).toBeDefined();
    const [good, bad] = [brief.signed(CLAIMS), brief.signed(CLAIMS, { kid: 'new' })];
    brief.close();
    expect(await one.identify(good)).toBeDefined();
    await expect(one.identify(bad).then((person) => person ?? 'nobody')).resolves.toBe('nobody');
  });

  it('is not trusted when its document names another issuer', async () => {
    const lying = source({ issuer: `${provider.issuer}/` });
    const token = provider.signed({ ...CLAIMS, iss: `${provider.issuer}/` });
    await expect(lying.identify(token)).rejects.toThrow(UnavailableError);
  });
});

it.each([
  ['https://id.example/realms/one', true],
  ['http://127.0.0.1:8080', true],
  ['http://id.example', false],
  ['id.example', false],
])('the API validates the address of an issuer, %s: %j', (text, allowed) => {
  expect(isIssuer(text)).toBe(allowed);
});
