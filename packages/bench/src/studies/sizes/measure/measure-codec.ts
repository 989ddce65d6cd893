import { randomBytes } from 'node:crypto'
import { compression } from '@unikv/compression'
import {
  type Awaitable,
  type Bytes,
  compose,
  type Entry,
  isEntry,
  isStoreError,
  type Layer,
  newVersion,
  type Store,
  StoreError,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { encryption, keyring } from '@unikv/encryption'
import { maxObjectBytes } from '../../../data/size-list.ts'
import type { CodecCell } from '../plan.ts'
import { type PhaseSample, phase } from './phase.ts'

/** Something that turns bytes into other bytes and back: an encryption or a compression. */
export interface ByteCodec {
  encode(bytes: Bytes): Awaitable<Bytes>
  decode(bytes: Bytes): Awaitable<Bytes>
}

/** The input of one codec cell. */
export interface CodecCellInput {
  readonly codec: ByteCodec
  readonly objects: readonly Bytes[]
  readonly maxMs: number
  readonly signal: AbortSignal
}

/** The measurements of one codec cell. */
export interface CodecSample {
  readonly encode: PhaseSample
  readonly decode: PhaseSample
  /** Bytes of all objects together. */
  readonly originalBytes: number
  readonly encodedBytes: number
}

/** One pause of the machine must not outweigh the rest of a cell. */
export const leastCodecMs = 200
const LEAST_OPERATIONS = 50

/** Encode and decode every object, without any store. */
export async function measureCodec({ codec, objects, maxMs, signal }: CodecCellInput): Promise<CodecSample> {
  const encoded: Bytes[] = []
  for (const object of objects) encoded.push(await codec.encode(object))
  await verify(codec, objects, encoded)
  const limits = {
    operations: objects.length,
    maxMs,
    atLeastMs: leastCodecMs,
    atLeastOperations: LEAST_OPERATIONS,
    signal,
  }
  const encode = await phase(async (index) => codec.encode(objects[index] as Bytes), limits)
  const decode = await phase(async (index) => codec.decode(encoded[index] as Bytes), limits)
  return { encode, decode, originalBytes: total(objects), encodedBytes: total(encoded) }
}

async function verify(codec: ByteCodec, objects: readonly Bytes[], encoded: readonly Bytes[]): Promise<void> {
  for (const [index, object] of objects.entries()) {
    if (Buffer.compare(await codec.decode(encoded[index] as Bytes), object) === 0) continue
    throw new StoreError('CORRUPT', 'The codec does not return the bytes that it encoded.')
  }
}

function total(all: readonly Bytes[]): number {
  return all.reduce((sum, bytes) => sum + bytes.length, 0)
}

/** The library's own encryption or compression layer as applications use it, over a store that costs nothing. */
export function layerCodec(cell: CodecCell): ByteCodec {
  if (cell.kind === 'compression')
    return codecOf(compression({ algorithm: cell.algorithm, minBytes: 0, maxOutputBytes: maxObjectBytes }))
  const keys = keyring({ primary: 'bench', keys: { bench: randomBytes(32) } })
  return codecOf(encryption({ dataset: 'bench', keys, algorithm: cell.algorithm }))
}

const key = 'bench'

function codecOf(layer: Layer<Bytes, Bytes>): ByteCodec {
  const slot = new Slot()
  const store = compose(slot.store, [layer])
  return {
    encode: async (value) => {
      const [result] = await store.write([{ type: 'set', key, value, version: newVersion() }], callOptions())
      if (result !== undefined && isStoreError(result)) throw result
      return slot.value
    },
    decode: async (value) => {
      slot.value = value
      const [result] = await store.read([{ key }], callOptions())
      if (result !== undefined && isEntry(result)) return result.value
      throw isStoreError(result) ? result : new StoreError('CORRUPT', 'The layer lost its value.')
    },
  }
}

/** A store of one value. */
class Slot {
  value: Bytes = Buffer.alloc(0)
  readonly store: Store<Bytes> = {
    ...memory({ name: 'slot' }),
    read: (reads) =>
      reads.map((): Entry<Bytes> => ({ value: this.value, version: undefined, expiresAt: undefined })),
    write: (mutations) =>
      mutations.map((mutation) => {
        if (mutation.type === 'set') this.value = mutation.value
        return { version: mutation.version }
      }),
  }
}
