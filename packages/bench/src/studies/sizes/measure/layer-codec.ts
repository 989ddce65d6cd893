import { randomBytes } from 'node:crypto'
import { compression } from '@unikv/compression'
import {
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
import type { ByteCodec } from './measure-codec.ts'

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
