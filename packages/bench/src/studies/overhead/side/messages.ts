import type { StoreOpener } from '../../../run/target.ts'
import type { Peer } from '../peers.ts'

/** A side of a comparison: the native client, unikv on bytes, unikv with the layers of `--layers`, another library. */
export type SideName = 'native' | 'unikv' | 'layers' | Peer

/** The operations on keys and values that are compared, and queries for documents by a field. */
export type Operation = 'insert' | 'read' | 'update' | 'delete' | 'search'

/** The start of a side. */
export interface SideStart {
  readonly side: SideName
  /** How the store is opened; the URL has its password, and goes to a process of our own alone. */
  readonly opener: StoreOpener
  /** The layers of that side, from the outermost on, as in a configuration of @unikv/manager. */
  readonly layers: readonly unknown[]
  /** Where unikv keeps its records, from the outermost namespace on. */
  readonly namespace: readonly string[]
  /** Name of the native client's table, collection or prefix. */
  readonly name: string
  readonly valueSize: number
  readonly callers: number
  readonly timeoutMs: number
  readonly seed: number
}

/** The orders to a side, one after the other. */
export type Order =
  | { readonly type: 'start'; readonly start: SideStart }
  /** Records from one number up to another. */
  | { readonly type: 'load'; readonly from: number; readonly to: number }
  | { readonly type: 'run'; readonly operation: Operation; readonly durationMs: number }
  | { readonly type: 'end' }

/** How long calls of one operation took. */
export interface SideSample {
  readonly calls: number
  readonly meanMs: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The answer to an order. */
export type Answer =
  | { readonly sample?: SideSample | undefined }
  | { readonly error: { readonly code: string | undefined; readonly message: string } }

/** The form of the values that a side takes. */
export type ValueForm = 'bytes' | 'text' | 'object'

const fields = 10

/** Values of a size, each different from the one before: a server may skip an update that changes nothing. */
export class Values {
  readonly #make: (i: number) => unknown
  #made = 0

  /** @param size - bytes of a value, as it is stored without a layer that makes it smaller */
  constructor(form: ValueForm, size: number) {
    this.#make = makers[form](size)
  }

  next(): unknown {
    return this.#make(this.#made++)
  }
}

const makers: Readonly<Record<ValueForm, (size: number) => (i: number) => unknown>> = {
  bytes: (size) => {
    const values = Array.from({ length: 64 }, (_, i) => Buffer.alloc(size, `value ${i} `))
    return (i) => {
      const value = values[i % values.length] as Buffer
      if (size >= 4) value.writeUInt32LE(i % 2 ** 32)
      return value
    }
  },
  text: (size) => (i) => textOf(size, i),
  // As long as JSON, with the names of its fields.
  object: (size) => {
    const each = Math.max(1, Math.floor((size - 1) / fields) - '"field0":"",'.length)
    return (i) =>
      Object.fromEntries(
        Array.from({ length: fields }, (_, field) => [`field${field}`, textOf(each, i + field)]),
      )
  },
}

function textOf(size: number, i: number): string {
  return `${i} `.padEnd(size, `value ${i % 64} `).slice(0, size)
}
