import { createHash } from 'node:crypto';
import { isWithin } from '../../services/adapters/places.ts';
import { readAccess, tokenLine, findToken } from '../../services/api/access/tokens.ts';
import { accessEntriesIn } from '../support/access-entries.ts';

const FILE = [
  '# who may ask',
  '',
  tokenLine({ name: 'grafana', scopes: ['read'] }, 'secret-of-grafana').trim(),
  `  ${tokenLine({ name: 'ops', scopes: ['read', 'operate'] }, 'secret-of-ops')}`,
].join('\n');

const DIGEST_OF_EMPTY = createHash('sha256').update('').digest('hex');

describe('a file of tokens', () => {
  const tokens = accessEntriesIn(FILE, '/etc/tokens');

  it('contains digests of tokens, not tokens', () => {
    expect(FILE).not.toContain('secret');
  });

  it.each([
    ['secret-of-grafana', { name: 'grafana', scopes: ['read'] }],
    ['secret-of-ops', { name: 'ops', scopes: ['read', 'operate'], places: null }],
  ])('names the caller with the token %s', (token, caller) => {
    expect(findToken(tokens, token)).toMatchObject(caller);
  });

  it.each(['', 'secret', 'secret-of-grafana ', 'SECRET-OF-OPS'])(
    'names no caller with the token %j',
    (token) => {
      expect(findToken(tokens, token)).toBeUndefined();
    },
  );

  it.each([
    ['plain read my-secret', '/etc/tokens:1 is not a token: each line must be NAME'],
    [
      `a write ${'0'.repeat(64)}`,
      '/etc/tokens:1: "write" is not a scope; valid scopes: read, submit, operate',
    ],
    [`a read ${DIGEST_OF_EMPTY}`, '/etc/tokens:1: this is the SHA-256 of an empty token'],
    [`a read ${'0'.repeat(63)}`, '/etc/tokens:1 is not a token'],
  ])('is refused with the line %j, and the error does not quote the line', (text, message) => {
    expect(() => accessEntriesIn(text, '/etc/tokens')).toThrow(message);
    expect(() => accessEntriesIn(text, '/etc/tokens')).not.toThrow('my-secret');
  });

  it.each([
    'expires=2027-04-01',
    'in=east',
    'in=',
    'expires=2027-04-01T00:00:00Z expires=2028-04-01T00:00:00Z',
    'until=x',
  ])('is refused with a line that ends in %j', (more) => {
    expect(() => accessEntriesIn(`a read ${'0'.repeat(64)} ${more}`, '/etc/tokens')).toThrow('/etc/tokens:1');
  });
});

describe('a token file with one wrong line', () => {
  it('applies its valid lines, and describes the error of the wrong line', () => {
    const text = `plain read my-secret\n${FILE}\nuser:a write\n`;
    const { entries, refused } = readAccess(text, '/etc/tokens');
    expect(entries.map(({ name }) => name)).toEqual(['grafana', 'ops']);
    expect(refused.map((each) => each.slice(0, 14))).toEqual(['/etc/tokens:1 ', '/etc/tokens:7:']);
    expect(refused.join()).not.toContain('my-secret');
  });
});

describe('a token with a list of places and an expiry', () => {
  const expiresAt = Date.parse('2027-04-01T00:00:00Z');
  const places = [
    { cluster: 'arn:aws/east', namespace: 'team-a' },
    { cluster: '*', namespace: 'batch' },
  ];
  const [token] = accessEntriesIn(
    tokenLine({ name: 'ops', scopes: ['operate'], places, expiresAt }, 'secret'),
    'tokens',
  );
  const tokens = token === undefined ? [] : [token];

  it('has its rights only in these places, and only the rights that its line names', () => {
    expect(findToken(tokens, 'secret', expiresAt - 1)).toMatchObject({
      name: 'ops',
      scopes: ['operate'],
      places,
    });
  });

  it('is unknown from the instant of its expiry', () => {
    expect(findToken(tokens, 'secret', expiresAt)).toBeUndefined();
  });

  it.each([
    ['arn:aws/east', 'team-a', true],
    ['arn:aws/east', 'team-b', false],
    ['west', 'team-a', false],
    ['west', 'batch', true],
    ['west', '*', false],
    ['*', 'team-a', false],
  ])('has rights in the namespace %s/%s: %j', (cluster, namespace, expected) => {
    expect(isWithin(places, cluster, namespace)).toBe(expected);
  });
});

describe('a line of the token file for people', () => {
  it('names a user or a group as clusters do, with scopes and places', () => {
    const text = 'user:oidc:a@b.c read\ngroup:system:serviceaccounts:ci  read,submit  in=east/ci';
    expect(accessEntriesIn(text, 'tokens')).toEqual([
      { of: 'user', name: 'oidc:a@b.c', scopes: ['read'], places: null },
      {
        of: 'group',
        name: 'system:serviceaccounts:ci',
        scopes: ['read', 'submit'],
        places: [{ cluster: 'east', namespace: 'ci' }],
      },
    ]);
  });

  it('gives the scope `operate` without the newer scope `submit`', () => {
    expect(accessEntriesIn('user:a operate', 'tokens')).toMatchObject([{ scopes: ['operate'] }]);
  });

  it.each([
    ['user:a', 'tokens:1 is not a token'],
    ['robot:a read', 'tokens:1 is not a token'],
    [`user:a read ${'0'.repeat(64)}`, 'tokens:1 is not a token'],
    ['user:a write', '"write" is not a scope'],
    ['user:a read in=east', 'tokens:1: in= must be'],
    ['group:a read expires=2027-04-01T00:00:00Z', 'tokens:1: expires= is for tokens'],
  ])('is refused when it reads %j', (text, message) => {
    expect(() => accessEntriesIn(text, 'tokens')).toThrow(message);
  });
});
