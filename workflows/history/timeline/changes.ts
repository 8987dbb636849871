type Value = string | number | boolean | null | undefined;

/** The change between two values of a field, as text; null when the values are the same. */
export function fieldChange(name: string, before: Value, now: Value): string | null {
  const [old, young] = [valueText(before), valueText(now)];
  if (old === young) return null;
  if (old === '') return `${name} ${young}`;
  return young === '' ? `${name} no longer ${old}` : `${name} ${old} → ${young}`;
}

/** The texts that are not null. */
export function presentTexts(texts: readonly (string | null)[]): string[] {
  return texts.filter((each) => each !== null);
}

/** A value as text; empty for an absent value. */
function valueText(value: Value): string {
  return value === undefined || value === null ? '' : String(value);
}
