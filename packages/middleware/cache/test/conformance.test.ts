import { conformance, testClock, topicsOfServers, topicsOfValues } from '@unikv/conformance'
import { type AnyStore, compose, json, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { isWhole, smallMemory } from '@unikv/test-kit/vitest'
import { describe, test } from 'vitest'
import { cache, type Share } from '../src/index.ts'

const clock = testClock()
const cached = () => smallMemory({ clock })
/** Topics in which it matters what a cache keeps, and for how long. */
const topicsOfEntries =
  /^(read and write|batches$|conditions|races|take|expiry$|touch|increment|versions|errors|cancellation)/
const topics = isWhole ? undefined : topicsOfEntries
const person = (n: number): unknown => ({ name: `person ${n}`, tags: [n, { at: null }] })

describe('bytes in this process', async () => {
  const open = () => compose(cached(), [cache({ clock })]) as unknown as Store<Uint8Array>
  await conformance({ test, describe, clock, open })
})

const objects = (share: Share) => ({
  test,
  clock,
  value: person,
  open: () => compose(cached(), [cache({ clock, share }), json()]) as unknown as Store<unknown>,
})

describe.each<Share>(['freeze', 'copy', structuredClone])(
  'objects in this process, share: %s',
  async (share) => {
    await conformance<unknown>({
      ...objects(share),
      describe,
      topics: isWhole || share === 'freeze' ? topicsOfValues : /^(mutation|whose)/,
    })
  },
)

describe('objects in this process, share: reference, which readers must not change', async () => {
  await conformance<unknown>({
    ...objects('reference'),
    topics: isWhole ? topicsOfValues : /^read and/,
    describe: (title, body) => void (title === 'mutation safety' || describe(title, body)),
  })
})

describe('entries that go stale at once and are revalidated', async () => {
  const open = () => compose(cached(), [cache({ clock, freshForMs: 0 })]) as unknown as Store<Uint8Array>
  await conformance({ topics, test, describe, clock, open })
})

describe('objects that are saved all the time, and loaded back into other stacks', async () => {
  const files = memory()
  const open = () => {
    const near = cache({ clock, warm: { store: files, everyMs: 1 } })
    return compose(cached(), [near, json()]) as unknown as Store<unknown>
  }
  await conformance<unknown>({ topics, test, describe, clock, value: person, open })
})

describe('bytes in another store', async () => {
  const open = () =>
    compose(cached(), [cache({ clock, store: memory({ clock }) })]) as unknown as Store<Uint8Array>
  await conformance({ topics: isWhole ? undefined : topicsOfServers, test, describe, clock, open })
})

describe('two tiers, with tags', async () => {
  const tags = (key: string): readonly string[] => [key.slice(0, 3) || 'none', 'all']
  const open = () => {
    const remote: AnyStore = memory({ clock, name: 'remote' })
    const tiers = [cache({ clock, tags }), json(), cache({ clock, store: remote, tags })] as const
    return compose(cached(), tiers) as unknown as Store<unknown>
  }
  await conformance<unknown>({ topics, test, describe, clock, value: person, open })
})

describe('two tiers, with absent keys', async () => {
  const tiers = (): Store<unknown> => {
    const remote: AnyStore = memory({ clock, name: 'remote' })
    const near = cache({ clock, absentForMs: 60_000 })
    return compose(cached(), [
      near,
      json(),
      cache({ clock, store: remote, absentForMs: 60_000 }),
    ]) as unknown as Store<unknown>
  }
  await conformance<unknown>({ topics, test, describe, clock, value: person, open: tiers })
})
