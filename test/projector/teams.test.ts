import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../services/adapters/config.ts';
import { teamsEnvironment, type NamespaceTeams } from '../../services/projector/teams.ts';

function readTeams(text: string): NamespaceTeams[] {
  return readConfig(teamsEnvironment, { JOBLEDGER_TEAMS: text }).JOBLEDGER_TEAMS;
}

describe('the setting JOBLEDGER_TEAMS', () => {
  it('gives each namespace its teams, of which the first is the default', () => {
    expect(readTeams('{"*/payments": checkout, east/shared: [search, growth]}')).toEqual([
      { cluster: '*', namespace: 'payments', teams: ['checkout'] },
      { cluster: 'east', namespace: 'shared', teams: ['search', 'growth'] },
    ]);
  });

  it('is empty by default', () => {
    expect(readTeams('')).toEqual([]);
  });

  it('may name a cluster with slashes, such as the ARN of an EKS cluster', () => {
    const [found] = readTeams('{"arn:aws:eks:eu-west-1:1:cluster/east/payments": checkout}');
    expect(found).toMatchObject({ cluster: 'arn:aws:eks:eu-west-1:1:cluster/east', namespace: 'payments' });
  });

  it.each([
    ['{payments: checkout}', 'payments: write CLUSTER/NAMESPACE, or */NAMESPACE'],
    ['{east/Payments: checkout}', 'east/Payments: write CLUSTER/NAMESPACE'],
    ['{east/payments: []}', 'east/payments: '],
    ['{east/payments: 7}', 'east/payments: '],
    ['{east/payments: "a team"}', 'east/payments: '],
    ['{east/payments: [a, a]}', 'east/payments names the team a twice'],
    ['[checkout]', 'expected record'],
    [
      '{"*/payments": checkout, east/payments: growth}',
      'east/payments belongs to growth, and by */payments to checkout',
    ],
    ['{east/payments: a, east/payments: b}', 'unique'],
  ])('refuses %s', (text, message) => {
    expect(() => readTeams(text)).toThrow(message);
  });
});

describe('the setting JOBLEDGER_TEAM_LABEL', () => {
  it('is the key of a label, by default team', () => {
    const read = (label?: string) =>
      readConfig(teamsEnvironment, { JOBLEDGER_TEAM_LABEL: label }).JOBLEDGER_TEAM_LABEL;
    expect(read()).toBe('team');
    expect(read('example.com/team')).toBe('example.com/team');
    expect(() => read('my team')).toThrow('the key of a label');
  });
});
