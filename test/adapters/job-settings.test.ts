import { readConfig, settingsEnvironment, settingsOf } from '../../services/adapters/config.ts';

function gangScheduling(environment: NodeJS.ProcessEnv, level: number): string | undefined {
  return settingsOf(readConfig(settingsEnvironment, environment), level).gangScheduling;
}

describe('gang scheduling in the settings of decisions (J-8.1)', () => {
  it.each<[string, NodeJS.ProcessEnv, number, string | undefined]>([
    ['is off by default, as the gate of the built-in controller', {}, 4, undefined],
    ['depends on what each cluster serves', { JOBLEDGER_GANG_SCHEDULING: 'true' }, 4, 'where-served'],
    [
      'waits for the feature level: the version before does not know its commands',
      { JOBLEDGER_GANG_SCHEDULING: 'true' },
      3,
      undefined,
    ],
  ])('%s', (_sentence, environment, level, expected) => {
    expect(gangScheduling(environment, level)).toBe(expected);
  });

  it('leaves no trace in the settings when it is off, so that they are those of the version before', () => {
    expect(settingsOf(readConfig(settingsEnvironment, {}), 4)).not.toHaveProperty('gangScheduling');
  });
});
