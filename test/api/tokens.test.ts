import { isWithin } from '../../services/adapters/places.ts';
import { callerOf, tokenLine, tokensIn } from '../../services/adapters/http/tokens.ts';

const FILE = [
  '# who may ask',
  '',
  tokenLine({ name: 'grafana', scopes: ['read'] }, 'secret-of-grafana').trim(),
  `  ${tokenLine({ name: 'ops', scopes: ['read', 'operate'] }, 'secret-of-ops')}`,
].join('\n');

describe('a file of tokens', () => {
  const tokens = tokensIn(FILE, '/etc/tokens');

  it('contains digests, not tokens', () => {
    expect(FILE).not.toContain('secret');
  });

  it.each([
    ['secret-of-grafana', { name: 'grafana', scopes: ['read'] }],
    // From before `submit` was a scope of its own.
    ['secret-of-ops', { name: 'ops', scopes: ['read', 'operate', 'submit'], places: null }],
  ])('names the caller of %s', (token, caller) => {
    expect(callerOf(tokens, token)).toMatchObject(caller);
  });

  it.each(['', 'secret', 'secret-of-grafana ', 'SECRET-OF-OPS'])('rejects %j', (token) => {
    expect(callerOf(tokens, token)).toBeUndefined();
  });

  it.each([
    ['plain read my-secret', '/etc/tokens:1 is not a token: each line must be NAME'],
    [
      `a write ${'0'.repeat(64)}`,
      '/etc/tokens:1: "write" is not a scope; valid scopes: read, submit, operate',
    ],
    ['# nothing\n', '/etc/tokens contains no token'],
    [`a read ${'0'.repeat(63)}`, '/etc/tokens:1 is not a token'],
  ])('is refused with %j, which the error does not quote', (text, message) => {
    expect(() => tokensIn(text, '/etc/tokens')).toThrow(message);
    expect(() => tokensIn(text, '/etc/tokens')).not.toThrow('my-secret');
  });

  it.each([
    'expires=2027-04-01',
    'in=east',
    'in=',
    'expires=2027-04-01T00:00:00Z expires=2028-04-01T00:00:00Z',
    'until=x',
  ])('is refused with a line that ends in %j', (more) => {
    expect(() => tokensIn(`a read ${'0'.repeat(64)} ${more}`, '/etc/tokens')).toThrow('/etc/tokens:1');
  });
});

describe('a token with places and an expiry', () => {
  const expiresAt = Date.parse('2027-04-01T00:00:00Z');
  const places = [
    { cluster: 'arn:aws/east', namespace: 'team-a' },
    { cluster: '*', namespace: 'batch' },
  ];
  const [token] = tokensIn(
    tokenLine({ name: 'ops', scopes: ['operate'], places, expiresAt }, 'secret'),
    'tokens',
  );
  const tokens = token === undefined ? [] : [token];

  it('has its rights only there, and only those that it names', () => {
    expect(callerOf(tokens, 'secret', expiresAt - 1)).toEqual({ name: 'ops', scopes: ['operate'], places });
  });

  it('is unknown from the instant of its expiry', () => {
    expect(callerOf(tokens, 'secret', expiresAt)).toBeUndefined();
  });

  it.each([
    ['arn:aws/east', 'team-a', true],
    ['arn:aws/east', 'team-b', false],
    ['west', 'team-a', false],
    ['west', 'batch', true],
    ['west', '*', false],
    ['*', 'team-a', false],
  ])('in %s/%s: %j', (cluster, namespace, expected) => {
    expect(isWithin(places, cluster, namespace)).toBe(expected);
  });
});
