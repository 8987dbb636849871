/** An entry of `metadata.managedFields` as the API server writes it. */
export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  subresource?: string;
  time?: string;
  fieldsV1?: unknown;
}

/**
 * The changes of fields, with their authors and times. `fields` contains names such as `spec.suspend`, two levels deep,
 * and no values.
 */
export interface RecordedManager {
  manager?: string;
  operation?: string;
  subresource?: string;
  time?: string;
  fields: string[];
}

export function toRecordedManager(entry: ManagedFieldsEntry): RecordedManager {
  const { manager, operation, subresource, time, fieldsV1 } = entry;
  return {
    ...(manager !== undefined && { manager }),
    ...(operation !== undefined && { operation }),
    ...(subresource !== undefined && { subresource }),
    ...(time !== undefined && { time }),
    fields: fieldNames(fieldsV1).flatMap(([name, parts]) => {
      const below = fieldNames(parts).map(([part]) => `${name}.${part}`);
      return below.length === 0 ? [name] : below;
    }),
  };
}

/**
 * The entries `f:name` of a field set, without the entries for elements of lists (`k:`, `v:`, `i:`), which contain
 * values.
 */
function fieldNames(fields: unknown): [string, unknown][] {
  if (typeof fields !== 'object' || fields === null) return [];
  return Object.entries(fields).flatMap(([key, parts]): [string, unknown][] =>
    key.startsWith('f:') ? [[key.slice(2), parts]] : [],
  );
}
