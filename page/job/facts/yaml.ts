/** Formats a JSON value as readable YAML. */
export function toYaml(value: unknown): string {
  return toLines(value).join('\n');
}

/** The lines of a value in YAML. */
function toLines(value: unknown): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return ['[]'];
    return value.flatMap((item) => toLines(item).map((line, at) => `${at === 0 ? '- ' : '  '}${line}`));
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value);
    if (entries.length === 0) return ['{}'];
    return entries.flatMap(([key, inner]) => {
      const lines = toLines(inner);
      const isInline = typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0;
      return isInline
        ? [`${scalarText(key)}: ${lines[0] ?? ''}`]
        : [`${scalarText(key)}:`, ...lines.map((line) => `  ${line}`)];
    });
  }
  return [typeof value === 'string' ? scalarText(value) : JSON.stringify(value)];
}

/** The texts that need no quotes in YAML. */
const PLAIN = /^[A-Za-z_./][\w./@:-]*$/;
const OTHER_TYPES = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** A text in YAML, with quotes if it needs them. */
function scalarText(text: string): string {
  return PLAIN.test(text) && !text.endsWith(':') && !OTHER_TYPES.test(text) ? text : JSON.stringify(text);
}
