type Value = string | number | boolean | null | undefined;

/** The change between two values of a field, as text; null when the values are the same. */
export function fieldChange(name: string, before: Value, now: Value): string | null {
  const [old, young] = [valueText(before), valueText(now)];
  if (old === young) return null;
  if (old === '') return `${name} ${young}`;
  return young === '' ? `${name} no longer ${old}` : `${name} ${old} → ${young}`;
}

export function presentTexts(texts: readonly (string | null)[]): string[] {
  return texts.filter((each) => each !== null);
}

function valueText(value: Value): string {
  return value === undefined || value === null ? '' : String(value);
}
