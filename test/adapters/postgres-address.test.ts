import { describe, expect, it } from '@jest/globals';
import { withoutPassword } from '../../infra/local/state/addresses.ts';
import { parseUncheckedAddress, parseAddress } from '../../services/adapters/postgres/address.ts';

const SEVERAL = 'postgres://ann:s3cr%40t@db-1:5432,db-2:5433,db-3/jobs?target_session_attrs=read-write';

describe('an address of Postgres', () => {
  it('gives one server for each of its hosts, in order', () => {
    expect(parseUncheckedAddress(SEVERAL)).toEqual({
      servers: [
        'postgres://ann:s3cr%40t@db-1:5432/jobs?target_session_attrs=read-write',
        'postgres://ann:s3cr%40t@db-2:5433/jobs?target_session_attrs=read-write',
        'postgres://ann:s3cr%40t@db-3/jobs?target_session_attrs=read-write',
      ],
      isWritable: true,
      where: 'db-1:5432,db-2:5433,db-3:5432/jobs as "ann"',
    });
    expect(withoutPassword(SEVERAL)).toBe('postgres://ann@db-1:5432,db-2:5433,db-3/jobs');
  });

  it.each([
    ['postgres://ann@db/jobs', false, 'db:5432/jobs as "ann"'],
    ['postgresql://ann@db/jobs?target_session_attrs=primary', true, 'db:5432/jobs as "ann"'],
    [
      'postgres:///jobs?host=/run/postgresql&target_session_attrs=any',
      false,
      '/run/postgresql:5432/jobs as ""',
    ],
    ['postgres://ann@[::1]:5433/jobs', false, '[::1]:5433/jobs as "ann"'],
  ])('gives one server for %s', (address, isWritable, where) => {
    expect(parseUncheckedAddress(address)).toEqual({ servers: [address], isWritable, where });
  });

  it.each([
    '',
    'http://db/jobs',
    'postgres://ann:s3cret@db-1:port,db-2/jobs',
    'postgres://ann:s3cret@db 1/jobs',
  ])('is refused without printing its password: "%s"', (address) => {
    expect(() => parseUncheckedAddress(address)).toThrow(
      /^DATABASE_URL is not an address of the form postgres:\/\/user@host:port\/database; several hosts are separated by commas$/,
    );
  });

  it.each([
    'postgres://ann:50%@db-1,db-2/jobs',
    'postgres://ann@db%1/jobs',
    'postgres://ann@db/jo%bs',
    'postgres:///jobs?host=/run/%25',
  ])('is refused for its percent sign without printing its password: "%s"', (address) => {
    expect(() => parseUncheckedAddress(address)).toThrow(
      /^DATABASE_URL has a % that begins no character: write a percent sign as %25, also in the password$/,
    );
  });

  it('is refused when it asks for a standby', () => {
    expect(() => parseUncheckedAddress('postgres://db/jobs?target_session_attrs=prefer-standby')).toThrow(
      'DATABASE_URL: target_session_attrs=prefer-standby is not supported; available: any, primary, read-write',
    );
  });

  it('needs TLS for each host on another machine', () => {
    const parse = (DATABASE_URL: string): unknown => parseAddress({ DATABASE_URL });
    expect(() => parse('postgres://127.0.0.1,db-2/jobs')).toThrow('all rows to db-2 in plain text');
    expect(() => parse('postgres://127.0.0.1,db-2/jobs?sslmode=verify-full')).not.toThrow();
  });
});
