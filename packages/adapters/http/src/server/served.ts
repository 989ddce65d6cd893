import { type KeyValueBase, StoreError } from '@unikv/core'
import {
  checkedKey,
  invalidConfig,
  isNamespace,
  jsonCodec,
  namespacePrefix,
  type RecordStreams,
  type Records,
  recordsOf,
  streamsOf,
} from '@unikv/core/adapter'
import { bytesIn, type WireValue } from '../protocol/wire.ts'
import { refuseOthers } from './refused.ts'
import type { Room } from './room.ts'

/** Any KeyValue: with any keys, values and store. */
export type AnyKeyValue = Pick<KeyValueBase<never, never>, 'name' | 'capabilities'>

/** A KeyValue as it is served: its records by canonical key, and its values as bytes. */
export interface Served {
  readonly records: Records
  /** Its values as streams, where it keeps them in parts and as the bytes that they are. */
  readonly streams: RecordStreams | undefined
  /** The type of the bodies of its values. */
  readonly contentType: string
  /** The canonical key of a text key of these namespaces. */
  canonical(key: unknown, namespaces: readonly string[]): string
  /** A value as the body of an answer. */
  bodyOf(this: void, value: unknown): Promise<Uint8Array>
  /** The value of a body. @throws {StoreError} `INVALID_VALUE` */
  valueOf(body: Uint8Array): Promise<unknown>
  /** A value in JSON: text and JSON as they are, unless bytes are asked for. It takes its room. */
  toWire(value: unknown, asBytes: boolean, room: Room): Promise<WireValue>
  /** The value of such JSON. @throws {StoreError} `INVALID_VALUE` @throws {Refused} for another property */
  fromWire(wire: Readonly<Record<string, unknown>>): Promise<unknown>
}

/** How values of this KeyValue travel: as the bytes that its own codec makes of them, so each codec serves as it is. */
export function served(kv: AnyKeyValue): Served {
  if (isNamespace(kv))
    throw invalidConfig('http() serves whole KeyValues. Limit callers to a namespace by their tokens.')
  const records = recordsOf(kv)
  const form = formOf(records)
  const bodyOf = async (value: unknown): Promise<Uint8Array> => bytesOf(await form.encode(value))
  const valueOf = async (body: Uint8Array): Promise<unknown> => {
    try {
      return await form.decode(body)
    } catch (cause) {
      throw new StoreError('INVALID_VALUE', `The body is not a value of this store: ${form.says}.`, { cause })
    }
  }
  return {
    records,
    streams: streamsOf(kv).streams,
    contentType: form.contentType,
    canonical: (key, namespaces) => checkedKey(records.store, namespacePrefix(namespaces), key),
    bodyOf,
    valueOf,
    async toWire(value, asBytes, room) {
      if (room.isFull) throw room.tooMuch()
      const body = Buffer.from(await bodyOf(value))
      room.take(body.length)
      if (asBytes || form.kind === 'bytes') return { base64: body.toString('base64') }
      return { value: form.kind === 'json' ? JSON.parse(body.toString()) : body.toString() }
    },
    async fromWire({ base64, value, ...others }) {
      refuseOthers(others)
      const bytes = base64 === undefined ? plainBytes(form, value) : bytesIn(base64)
      if (bytes !== undefined && (base64 === undefined || value === undefined)) return valueOf(bytes)
      const name = form.kind === 'bytes' || base64 !== undefined ? 'base64' : 'value'
      throw new StoreError('INVALID_VALUE', `Give one \`${name}\`: ${form.says}.`)
    },
  }
}

/** The bytes of a value in JSON; `undefined`: it is none of this form, or is nested too deeply to be written. */
function plainBytes({ kind }: Form, value: unknown): Uint8Array | undefined {
  if (kind === 'text') return typeof value === 'string' ? Buffer.from(value) : undefined
  if (kind === 'bytes' || value === undefined) return undefined
  try {
    return Buffer.from(JSON.stringify(value))
  } catch {
    return undefined
  }
}

/** The bytes of the values of a stack. */
interface Form {
  readonly kind: 'bytes' | 'json' | 'text'
  readonly contentType: string
  /** For messages. */
  readonly says: string
  encode(value: unknown): unknown
  decode(body: Uint8Array): unknown
}

function formOf({ codec, store }: Records): Form {
  if (codec?.name === 'document' || (codec === undefined && store.capabilities.documents))
    return documents(codec)
  if (codec === undefined) return { ...forms.bytes, encode: (value) => value, decode: (body) => body }
  const form = codec.name === 'json' || codec.name === 'text' ? forms[codec.name] : forms.bytes
  return { ...form, encode: (value) => codec.encode(value), decode: (body) => codec.decode(body) }
}

const forms = {
  json: { kind: 'json', contentType: 'application/json', says: 'it must be JSON' },
  text: { kind: 'text', contentType: 'text/plain; charset=utf-8', says: 'it must be text in UTF-8' },
  bytes: {
    kind: 'bytes',
    contentType: 'application/octet-stream',
    says: 'it must be bytes as the codec of the store makes them',
  },
} as const satisfies Readonly<Record<string, Pick<Form, 'kind' | 'contentType' | 'says'>>>

/** The store holds data, and not bytes. */
function documents(codec: Records['codec']): Form {
  const plain = jsonCodec()
  return {
    ...forms.json,
    encode: async (value) => plain.encode(codec === undefined ? value : await codec.encode(value)),
    decode: async (body) => {
      const data = await plain.decode(body)
      return codec === undefined ? data : codec.decode(data)
    },
  }
}

function bytesOf(value: unknown): Uint8Array {
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  throw new StoreError('INVALID_VALUE', 'The codec of this store makes something else than bytes.')
}
