import {
  type AnyLayer,
  type AnyStore,
  type Bytes,
  compose,
  type Entry,
  keyValue,
  type Mutation,
  type Read,
  type ReadResult,
  type Store,
  type WriteResult,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import type { ControlledStore } from './controlled-store.ts'

/** How a schedule reaches the stack. */
export interface Client {
  /** Whether it takes one key a call. */
  readonly single: boolean
  read(
    reads: readonly Read[],
    signal: AbortSignal | undefined,
    consistency: string | undefined,
  ): Promise<readonly (ReadResult<Bytes> | Error)[]>
  write(mutations: readonly Mutation<Bytes>[], signal: AbortSignal): Promise<readonly (WriteResult | Error)[]>
  /** The mark that an acknowledged mutation left in the history of the store. */
  tokenOf(mutation: Mutation<Bytes>, result: WriteResult): string | undefined
}

/** Straight to the stack. */
export function storeClient(source: ControlledStore, layers: readonly AnyLayer[]): Client {
  const store = compose(source as AnyStore, layers) as Store<Bytes>
  return {
    single: false,
    read: async (reads, _signal, consistency) => store.read(reads, callOptions({ consistency })),
    write: async (mutations) => store.write(mutations, callOptions()),
    tokenOf: ({ version }) => version,
  }
}

/** KeyValue makes its own versions; a touch leaves one that its caller does not learn, so it touches nothing here. */
export function keyValueClient(
  source: ControlledStore,
  layers: readonly AnyLayer[],
  clock: () => number,
): Client {
  const kv = keyValue(source as AnyStore, layers, { clock }) as unknown as {
    getEntry(key: string, options: object): Promise<Entry<Bytes> | undefined>
    revalidate(key: string, version: string, options: object): Promise<ReadResult<Bytes>>
    set(key: string, value: Bytes, options: object): Promise<WriteResult>
    delete(key: string, options: object): Promise<WriteResult>
  }
  return {
    single: true,
    read: async ([{ key, ifNotVersion } = { key: '' }], signal, consistency) => [
      ifNotVersion === undefined
        ? await kv.getEntry(key, { signal, consistency })
        : await kv.revalidate(key, ifNotVersion, { signal, consistency }),
    ],
    write: async ([mutation], signal) => {
      if (mutation?.type !== 'set') return [await kv.delete(mutation?.key ?? '', { signal })]
      const ttlMs = typeof mutation.expiresAt === 'number' ? mutation.expiresAt - clock() : undefined
      return [await kv.set(mutation.key, mutation.value, { signal, ttlMs })]
    },
    tokenOf: (_mutation, result) => ('version' in result ? result.version : undefined),
  }
}
