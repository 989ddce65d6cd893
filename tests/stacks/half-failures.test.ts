import { cache } from '@unikv/cache'
import { type HalfFailuresOptions, halfFailures } from '@unikv/conformance'
import { compose, json } from '@unikv/core'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { delta } from '@unikv/delta'
import { encryption, keyring } from '@unikv/encryption'
import { mirror } from '@unikv/mirror'
import { someOf } from '@unikv/test-kit/vitest'
import { writeBehind } from '@unikv/write-behind'
import { describe, test } from 'vitest'

const keys = keyring({ primary: 'k1', keys: { k1: Uint8Array.from({ length: 32 }, (_, i) => i * 7 + 1) } })
const value = (n: number) => ({ n, text: `value ${n} `.repeat(40) })

const stacks: Readonly<Record<string, HalfFailuresOptions['open']>> = {
  memory: (failing) => compose(failing(memory()), [json()]),
  'a store that does not tell what a delete removed': (failing) =>
    compose(failing(silent(memory())), [json()]),
  'a store that answers later': (failing) => compose(failing(later(memory())), [json()]),
  cache: (failing) => compose(failing(memory()), [cache(), json()]),
  'a cache in a store': (failing) =>
    compose(failing(memory()), [json(), cache({ store: memory(), writes: 'consistent' })]),
  encryption: (failing) => compose(failing(memory()), [json(), encryption({ dataset: 'test', keys })]),
  delta: (failing) => compose(failing(memory()), [json(), delta()]),
  mirror: (failing) => compose(mirror(failing(memory()), memory(), { acknowledge: 'both' }), [json()]),
  writeBehind: (failing) =>
    compose(failing(memory()), [json(), writeBehind({ retryMs: 5, retryCapMs: 5, delayMs: 5 })]),
}

// The last one waits for its retries.
for (const [title, open] of someOf(8, Object.entries(stacks)))
  describe(title, () => halfFailures({ test, open, value }))

function silent(store: MemoryStore): MemoryStore {
  const capabilities = { ...store.capabilities, existed: false }
  return {
    ...store,
    capabilities: capabilities as unknown as MemoryStore['capabilities'],
    write: async (mutations, call) =>
      (await store.write(mutations, call)).map((result) =>
        'existed' in result ? { ...result, existed: undefined } : result,
      ),
  }
}

function later(store: MemoryStore): MemoryStore {
  const turn = () => new Promise(setImmediate)
  const capabilities = { ...store.capabilities, sync: 'none' }
  return {
    ...store,
    capabilities: capabilities as unknown as MemoryStore['capabilities'],
    read: async (reads, call) => (await turn(), store.read(reads, call)),
    write: async (mutations, call) => (await turn(), store.write(mutations, call)),
  }
}
