import type { Bytes } from '@unikv/core'
import { any, needed, type OptionsOf, StoreError } from '@unikv/core/adapter'
import { isBytes } from '@unikv/core/platform'
import { type KindOf, kinds, type RecordKind } from './kinds.ts'

export const sharedTable = {
  /** The logical dataset, independent of the store that holds it. 1 to 255 bytes. */
  dataset: needed<string>(),
  /** @default 'value' */
  kind: any<RecordKind>(),
  /** Name and version of the codec above, such as `json`. @default '' */
  codec: any<string>(),
  /** Anything else that must agree, such as the name of a tenant. @default '' */
  context: any<string | Bytes>(),
}

const keyTable = {
  /** The canonical key of the record; for bytes that are not in a store, any name. */
  key: needed<string>(),
}

export const contextTable = { ...sharedTable, ...keyTable }

/** Data that an envelope is bound to without holding it. The same data is needed to open it. */
export interface RecordContext extends OptionsOf<typeof sharedTable>, OptionsOf<typeof keyTable> {}

/** The parts of a context that a stack shares; the key comes with each record. */
export type SharedContext = Omit<RecordContext, 'key'>

/**
 * The shared part of the associated data, encoded once: dataset, kind, codec, context.
 *
 * @throws {StoreError} `INVALID_CONFIG` for what cannot be a dataset, kind, codec or context
 */
export function sharedContext({ dataset, kind = 'value', codec = '', context = '' }: SharedContext): Buffer {
  if (!isText(dataset) || dataset === '' || Buffer.byteLength(dataset) > 255)
    throw new StoreError('INVALID_CONFIG', 'dataset must be a well-formed string of 1 to 255 bytes.')
  if (!kinds.includes(kind))
    throw new StoreError('INVALID_CONFIG', `kind must be one of: ${kinds.join(', ')}.`)
  if (!isText(codec)) throw new StoreError('INVALID_CONFIG', 'codec must be a well-formed string.')
  if (!isText(context) && !isBytes(context))
    throw new StoreError('INVALID_CONFIG', 'context must be a well-formed string or bytes.')
  return Buffer.concat([dataset, kind, codec, context].flatMap(lengthPrefixed))
}

/** Gives the shared part of the associated data of the record under a canonical key. */
export type ContextOf = (key: string) => Buffer

/**
 * The same context for all keys, but for the kind where that depends on the key.
 *
 * @throws {StoreError} `INVALID_CONFIG`
 */
export function contextOf(context: SharedContext, kindOf?: KindOf): ContextOf {
  const own = sharedContext(context)
  if (kindOf === undefined) return () => own
  const { kind: ownKind = 'value' } = context
  const others = new Map<RecordKind, Buffer>()
  return (key) => {
    const kind = kindOf(key)
    if (kind === ownKind) return own
    const other = others.get(kind) ?? sharedContext({ ...context, kind })
    others.set(kind, other)
    return other
  }
}

/**
 * The associated data of one record: header, shared context and canonical key. Every field is led by its length
 * in 4 bytes, so that two different contexts never give the same bytes.
 */
export function associatedData(header: Bytes, shared: Bytes, key: string): Buffer {
  const keyBytes = Buffer.byteLength(key)
  const data = Buffer.allocUnsafe(8 + header.length + shared.length + keyBytes)
  data.writeUInt32BE(header.length, 0)
  data.set(header, 4)
  data.set(shared, 4 + header.length)
  const keyAt = 4 + header.length + shared.length
  data.writeUInt32BE(keyBytes, keyAt)
  data.write(key, keyAt + 4)
  return data
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.isWellFormed()
}

function lengthPrefixed(field: string | Bytes): [Buffer, Bytes] {
  const bytes = typeof field === 'string' ? Buffer.from(field) : field
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return [length, bytes]
}
