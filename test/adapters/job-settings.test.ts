import { readConfig, settingsEnvironment, toSettings } from '../../services/adapters/config.ts';

function gangScheduling(environment: NodeJS.ProcessEnv): string | undefined {
  return toSettings(readConfig(settingsEnvironment, environment)).gangScheduling;
}

describe('gang scheduling in the settings of decisions (J-8.1)', () => {
  it.each<[string, NodeJS.ProcessEnv, string | undefined]>([
    ['is off by default, as the gate of the built-in controller', {}, undefined],
    ['depends on what each cluster serves', { JOBLEDGER_GANG_SCHEDULING: 'true' }, 'where-served'],
  ])(
    'is set by the variable JOBLEDGER_GANG_SCHEDULING: gang scheduling %s',
    (_sentence, environment, expected) => {
      expect(gangScheduling(environment)).toBe(expected);
    },
  );

  it('is absent from the settings when the feature is off', () => {
    expect(toSettings(readConfig(settingsEnvironment, {}))).not.toHaveProperty('gangScheduling');
  });
});
