import { access } from 'node:fs/promises'
import { cache } from '@unikv/cache'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { nextTurn } from '@unikv/core/platform'
import { fallback, mirror } from '@unikv/mirror'
import { resilience } from '@unikv/resilience'
import { block } from '@unikv/test-kit'
import { expect, test } from 'vitest'

const value = Buffer.from('value')
/** The wait of the layers. */
const waitMs = 100
/** Longer than that. */
const blockedMs = 300

/** A store whose answers lie unread in the operating system while the event loop is blocked, after each of its calls. */
function blocking(): Store<Bytes> {
  const inner = memory()
  return {
    ...inner,
    capabilities: { ...inner.capabilities, sync: 'none' },
    read: (reads, call) => afterBlock(() => inner.read(reads, call)),
    write: (mutations, call) => afterBlock(() => inner.write(mutations, call)),
  }
}

async function afterBlock<T>(answer: () => T): Promise<Awaited<T>> {
  // From here the timers of who asks are the next thing to run.
  await nextTurn()
  const arrived = access('.')
  block(blockedMs)
  await arrived
  return await answer()
}

test('a blocked event loop is no failure of a cache store', async () => {
  const layer = cache({ store: blocking(), timeoutMs: waitMs })
  const kv = keyValue(memory(), [layer])
  await kv.get('key')
  expect(layer.stats()).toMatchObject({ storeErrors: 0 })
  await kv.close()
})

test('a blocked event loop makes nobody take a stale value', async () => {
  let now = Date.now()
  const layer = cache({ freshForMs: 10, staleIfErrorMs: 10_000, softTimeoutMs: waitMs, clock: () => now })
  const kv = keyValue(blocking(), [layer])
  await kv.set('key', value)
  await kv.get('key')
  now += 100
  expect((await kv.getEntry('key'))?.meta?.stale).toBeUndefined()
  await kv.close()
})

test('a blocked event loop makes a fallback ask nobody else', async () => {
  const store = fallback(blocking(), memory(), { afterMs: waitMs })
  const kv = keyValue(store)
  await kv.get('key')
  expect(store.stats()).toMatchObject({ waits: 0, staleAnswers: 0 })
  await kv.close()
})

test('a blocked event loop is no failure of the secondary of a mirror', async () => {
  const store = mirror(memory(), blocking(), { timeoutMs: waitMs })
  const kv = keyValue(store)
  await kv.set('key', value)
  expect(store.stats()).toMatchObject({ mirrored: 1, secondaryFailures: 0, dirty: 0 })
  await kv.close()
})

test('a blocked event loop makes nobody read a second time', async () => {
  const layer = resilience({ hedge: { afterMs: waitMs } })
  const kv = keyValue(blocking(), [layer])
  await kv.get('key')
  expect(layer.stats()[0]).toMatchObject({ hedges: 0 })
  await kv.close()
})
