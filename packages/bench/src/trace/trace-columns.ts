import type { StoreError } from '@unikv/core'
import type { TraceFields } from './trace-request.ts'

/** The names that fields have in traces, in lower case and without punctuation. */
const fieldNames: Readonly<Record<string, keyof TraceFields>> = {
  time: 'time',
  timestamp: 'time',
  ts: 'time',
  timems: 'timeMs',
  timestampms: 'timeMs',
  operation: 'operation',
  op: 'operation',
  command: 'operation',
  key: 'key',
  id: 'key',
  objectid: 'key',
  objid: 'key',
  size: 'size',
  bytes: 'size',
  valuesize: 'size',
  objectsize: 'size',
  objsize: 'size',
}

/** The field that a name means; `undefined`: none. */
export function fieldNamed(name: string): keyof TraceFields | undefined {
  const plain = plainName(name)
  return Object.hasOwn(fieldNames, plain) ? fieldNames[plain] : undefined
}

/**
 * The fields that the columns of a line mean. If two names mean one field, such as `key` and `id`, the field's own name counts.
 *
 * @param wrong makes the error for two names of which neither is the field's own
 */
export function fieldsOfColumns(
  names: readonly string[],
  wrong: (message: string) => StoreError,
): readonly (keyof TraceFields | undefined)[] {
  const fields = names.map(fieldNamed)
  return fields.map((field, index) => {
    const rivals = names.filter((_, other) => field !== undefined && fields[other] === field)
    if (field === undefined || rivals.length === 1) return field
    const own = rivals.filter((name) => plainName(name) === field.toLowerCase())
    if (own.length !== 1)
      throw wrong(`'${rivals[0]}' and '${rivals[1]}' both mean the ${field}. Name only one of them so`)
    return plainName(names[index] as string) === field.toLowerCase() ? field : undefined
  })
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z\d]/g, '')
}

/** The names of columns that a user may give. */
export const columnNames: readonly string[] = ['time', 'timeMs', 'operation', 'key', 'size', '-']
