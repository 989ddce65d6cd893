import {
  type Bytes,
  type CallOptions,
  compose,
  type KeyValue,
  keyValue,
  newVersion,
  type Store,
} from '@unikv/core'
import { callOptions, internalKey } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { encryption, type Keyring, type KmsKeys, type NameKey, nameKey } from '../../src/index.ts'
import { Naming } from '../../src/names/naming.ts'
import { keys, root2, root3 } from '../records.ts'

/** The name keys of the tests. */
export const names: NameKey = nameKey(root2)
export const otherNames: NameKey = nameKey(root3)

/** The names of the dataset `users`, as the tests look at them. */
export const naming: Naming = new Naming(names, 'users')

/** Where the marker lies. */
export const marker: string = internalKey('marker', '', 'names')

/** A stack of that dataset. */
export function stackOf(
  store: Store<Bytes>,
  { by = names, ring = keys }: { by?: NameKey; ring?: Keyring | KmsKeys } = {},
): Store<Bytes> {
  const layer = encryption({ dataset: 'users', keys: ring as Keyring, names: by })
  return compose(store, [layer])
}

/** The same for an application. */
export function usersOf(
  store: Store<Bytes>,
  settings: { by?: NameKey; ring?: Keyring | KmsKeys } = {},
): KeyValue<string, Bytes, MemoryStore['capabilities']> {
  return keyValue(stackOf(store, settings)) as unknown as KeyValue<string, Bytes, MemoryStore['capabilities']>
}

/** Copy, in the store, what lies under one key to another. */
export async function moveTo(store: MemoryStore, from: string, to: string): Promise<void> {
  const value = store.native.get(from)?.value as Bytes
  await store.write([{ type: 'set', key: to, value, version: newVersion() }], callOptions())
}

/** Remove, in the store, what lies under a key. */
export async function erase(store: MemoryStore, key: string): Promise<void> {
  await store.write([{ type: 'delete', key, version: newVersion() }], callOptions())
}

/** Every text and every byte in something, however deep. */
export function everything(what: unknown): string {
  if (typeof what === 'string') return what
  if (what instanceof Uint8Array) return Buffer.from(what).toString('latin1')
  if (what instanceof Map) return everything([...what])
  if (typeof what !== 'object' || what === null) return String(what)
  return Object.entries(what)
    .map(([name, one]) => `${name} ${everything(one)}`)
    .join('\n')
}

/** A memory store that notes what it receives and what it answers with. */
export function watched(): {
  readonly store: Store<Bytes>
  readonly seen: unknown[]
  readonly below: MemoryStore
} {
  const below = memory()
  const seen: unknown[] = []
  const note = <T>(what: T): T => {
    seen.push(what)
    return what
  }
  const store: Store<Bytes> = {
    ...below,
    name: below.name,
    native: below.native,
    capabilities: below.capabilities,
    read: (reads, call) => note(below.read(note(reads), call)),
    write: (mutations, call) => note(below.write(note(mutations), call)),
    scan: (range, call: CallOptions) => {
      note(range)
      const pages = below.scan(range, call) as Iterable<unknown>
      return {
        *[Symbol.iterator]() {
          for (const page of pages) yield note(page) as never
        },
      }
    },
    close: () => below.close(),
  }
  return { store, seen, below }
}

/** All items. */
export async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
