/**
 * The epoch of the known version of an object, as the field of a command; the field is absent for epoch 0. `version`
 * is the version of the newest observation in `epoch`. A fact about another object may begin an epoch; until the
 * object itself is observed in this epoch, `version` is empty, and the known version belongs to an earlier epoch.
 */
export function versionEpoch({ epoch, version }: { epoch: number; version: string }): { epoch?: number } {
  const ofVersion = version === '' ? epoch - 1 : epoch;
  return ofVersion > 0 ? { epoch: ofVersion } : {};
}
