import { randomBytes } from 'node:crypto'
import { readOne } from '@unikv/test-kit'
import { afterEach } from 'vitest'
import { type MemcachedOptions, type MemcachedStore, memcached } from '../src/index.ts'

export {
  codeOf,
  readOne as read,
  readText as text,
  setText as set,
  writeAll,
  writeOne as write,
} from '@unikv/test-kit'

const open: MemcachedStore[] = []

afterEach(async () => {
  await Promise.all(open.splice(0).map((store) => store.close()))
})

/** A dataset that nobody else uses. */
export function freshDataset(): string {
  return `t${randomBytes(6).toString('hex')}`
}

/** A store over a dataset of its own, closed after the test. */
export function fresh(options: MemcachedOptions): MemcachedStore {
  const store = memcached({ dataset: freshDataset(), ...options })
  open.push(store)
  return store
}

/** The bytes of a key that is there. */
export async function bytes(store: MemcachedStore, key: string): Promise<Uint8Array> {
  const found = await readOne(store, key)
  if (found === undefined || !('value' in found)) throw new Error('There is no value.')
  return found.value
}
