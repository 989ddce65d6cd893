import { setTimeout as sleep } from 'node:timers/promises'
import {
  isStoreError,
  keyValue,
  type Mutation,
  newVersion,
  StoreError,
  text,
  type WriteResult,
} from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { AllTold } from '../src/all-told.ts'
import { type WriteBehindOptions, writeBehind } from '../src/index.ts'
import { Queue } from '../src/queue.ts'
import { Room } from '../src/room.ts'
import { newCounters } from '../src/stats.ts'
import { behind, started, textOf } from './setting.ts'

/** A queue over a store that answers by promise as `write` says, of one mutation alone if it is undefined. */
function over(
  write: (mutation: Mutation<Uint8Array>) => StoreError | 'hang' | undefined,
  options: WriteBehindOptions = {},
  takesMs = 0,
) {
  const inner = memory()
  const batches: (readonly Mutation<Uint8Array>[])[] = []
  const store = {
    ...inner,
    capabilities: { ...inner.capabilities, sync: 'none' as const },
    write: async (mutations: readonly Mutation<Uint8Array>[], call: Parameters<typeof inner.write>[1]) => {
      batches.push(mutations)
      call.sent = true
      const answers = mutations.map(write)
      if (answers.includes('hang')) await new Promise(() => {})
      if (takesMs > 0) await sleep(takesMs)
      const results = mutations.filter((_, i) => !isStoreError(answers[i]))
      const written = Array.from(await inner.write(results, call))
      return answers.map((answer) => (isStoreError(answer) ? answer : (written.shift() as WriteResult)))
    },
  }
  const lost: string[] = []
  const layer = writeBehind({
    background: () => {},
    delayMs: 0,
    retryMs: 1,
    retryCapMs: 1,
    onLost: ({ key }) => lost.push(key),
    ...options,
  })
  return { inner, batches, lost, layer, kv: keyValue(store as never as typeof inner, [text(), layer]) }
}

type Queued = ReturnType<typeof over>['kv']

const refuses = ({ type, value }: Mutation<Uint8Array> & { readonly value?: Uint8Array }) =>
  type === 'set' && value?.[0] === 120 ? new StoreError('INVALID_VALUE', 'Refused.') : undefined

describe('a write that the store refuses', () => {
  test.each([
    ['one good write', ['good'], 'good'],
    ['a refused one before it', ['good', 'x1'], 'good'],
    ['two good ones', ['good', 'better'], 'better'],
    ['as many as are kept', ['good', 'x1', 'x2', 'x3', 'x4', 'x5', 'x6'], 'good'],
    ['a delete', ['good', undefined], undefined],
  ])('takes no acknowledged write with it: %s', async (_, before, expected) => {
    const { kv, layer, lost, inner } = over(refuses)
    await kv.set('k', 'v0')
    await layer.flush()
    for (const value of [...before, 'x-refused'])
      await (value === undefined ? kv.delete('k') : kv.set('k', value))
    while (layer.stats().queued > 0) await layer.flush().catch(() => {})
    expect(await kv.get('k')).toBe(expected)
    await kv.close()
    expect(textOf(inner.native.get('k')?.value)).toBe(expected)
    expect(lost).toHaveLength(1 + before.filter((value) => value?.startsWith('x')).length)
    expect(layer.stats()).toMatchObject({ queued: 0, queuedBytes: 0, lost: lost.length })
  })

  test.each([
    ['a strong read', (kv: Queued) => kv.get('k', { consistency: 'strong' }), 'good'],
    [
      'a listing',
      async (kv: Queued) => {
        for await (const [, { value }] of kv.entries()) return value
        return 'nothing'
      },
      'good',
    ],
    ['clear', (kv: Queued) => kv.clear({ all: true }).then(() => kv.get('k')), undefined],
  ])('is waited for with what goes in its place: %s', async (_, look, expected) => {
    const { kv, layer, inner } = over(refuses, {}, 5)
    await kv.set('k', 'v0')
    await layer.flush()
    await kv.set('k', 'good')
    await kv.set('k', 'x-refused')
    expect(await look(kv)).toBe(expected)
    await layer.flush()
    expect(textOf((await keyValue(inner, []).get('k')) as never)).toBe(expected)
    await kv.close()
  })

  test('fails nobody else who waits for the key', async () => {
    const { kv, inner } = over(refuses, { background: undefined, delayMs: 5 })
    const outcomes = await Promise.allSettled(['good', 'x-refused'].map((value) => kv.set('k', value)))
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected'])
    expect(textOf(inner.native.get('k')?.value)).toBe('good')
  })

  test('leaves the one before it in the journal', async () => {
    const [journal, source] = [memory(), memory()]
    let isAway = true
    const store = {
      ...source,
      write: (mutations: readonly Mutation<Uint8Array>[], call: Parameters<typeof source.write>[1]) =>
        mutations.map((one) => {
          const refused = refuses(one)
          if (refused !== undefined) return refused
          return isAway
            ? new StoreError('UNAVAILABLE', 'Away.')
            : ((source.write([one], call) as readonly WriteResult[])[0] as WriteResult)
        }),
    }
    const open = () => {
      const layer = writeBehind({ background: () => {}, journal, delayMs: 0, retryMs: 1, onLost: () => {} })
      return { layer, kv: keyValue(store, [text(), layer]) }
    }
    const first = open()
    await first.kv.set('k', 'good')
    await first.kv.set('k', 'x-refused')
    await first.layer.flush().catch(() => {})
    // As if the process were killed now: what is in the journal is all that is left.
    isAway = false
    const second = open()
    expect(await second.kv.get('k')).toBe('good')
    await Promise.all([first.kv.close(), second.kv.close()])
  })
})

describe('a write that the store never answers', () => {
  test('keeps no other from the store', async () => {
    const { kv, inner, layer } = over(({ key }) => (key === 'big' ? 'hang' : undefined), {
      timeoutMs: 30,
      graceMs: 1,
      onLost: () => {},
    })
    await kv.set('big', 'v')
    const keys = ['a', 'b', 'c', 'd', 'e']
    for (const key of keys) await kv.set(key, 'v')
    const isThere = (key: string) => inner.native.has(key)
    while (!keys.every(isThere)) await new Promise((resolve) => setTimeout(resolve, 5))
    for (const key of ['f', 'g', 'h']) {
      await kv.set(key, 'v')
      while (!isThere(key)) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    expect(layer.stats()).toMatchObject({ written: 8, queued: 1 })
    await expect(kv.close()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })
})

test('a clock that runs ahead while the queue is written deletes nothing', async () => {
  let now = 1_000_000
  const inner = memory({ clock: () => 1_000_000 })
  const layer = writeBehind({ background: () => {}, delayMs: 0, clock: () => now })
  const kv = keyValue(inner, [text(), layer], { clock: () => now })
  const set = kv.set('k', 'v', { ttlMs: 3_600_000 })
  now += 7_200_000
  await set
  await layer.flush()
  now -= 7_200_000
  expect(await kv.get('k')).toBe('v')
})

test('who waits for the queue no more leaves nothing in it', () => {
  const counters = newCounters()
  const queue = new Queue(new Room(10, 10_000), counters, 10_000)
  const put = (key: string) => queue.put({ type: 'delete', key, version: newVersion() }, true)
  const first = put('a')
  put('b')
  const told = new AllTold(queue.all(), false)
  expect(first.told.size).toBe(1)
  // More than are kept: whoever waited for the first waits for one that followed it.
  const followers = Array.from({ length: 20 }, () => put('a'))
  const waiting = () => [first, ...followers, ...queue.all()].reduce((sum, one) => sum + one.told.size, 0)
  expect(waiting()).toBeGreaterThan(1)
  told.leave()
  expect(waiting()).toBe(0)
})

test('two datasets with one journal keep their writes', async () => {
  const journal = memory()
  const sources = [memory(), memory()]
  const open = (delayMs: number) =>
    sources.map((source) =>
      keyValue(source, [text(), writeBehind({ background: () => {}, journal, delayMs })]),
    )
  const [users, orders] = open(600_000)
  await users?.set('1', 'ada')
  await users?.set('2', 'bob')
  await orders?.set('1', 'shoes')
  const [usersAgain, ordersAgain] = open(1)
  expect(await usersAgain?.getMany(['1', '2'])).toEqual(['ada', 'bob'])
  expect(await ordersAgain?.getMany(['1', '2'])).toEqual(['shoes', undefined])
})

describe('a call of several writes that ends early', () => {
  /** Keys that the call was told of as certainly not written. */
  const untouched = (error: unknown, keys: readonly string[]) => {
    const { code, results } = error as StoreError & { readonly results?: readonly unknown[] }
    const codeOf = (i: number) => ((results?.[i] ?? { code }) as { code?: string }).code
    return keys.filter((_, i) => ['TIMEOUT', 'ABORTED'].includes(codeOf(i) as string))
  }
  const keys = ['a', 'b', 'c']

  test.each([1, 2, 3])(
    'tells no write that is under way that it was not sent: room for %i',
    async (maxQueued) => {
      for (let groups = 1; groups <= Math.ceil(3 / maxQueued); groups++) {
        const { kv, writes, answer, open, inner } = behind({ background: undefined, maxQueued })
        const controller = new AbortController()
        const entries = keys.map((key) => [key, Buffer.from('1')] as const)
        const ended = kv.setMany(entries, { signal: controller.signal }).catch((error: unknown) => error)
        await started(writes)
        for (let group = 1; group < groups; group++) {
          await answer()
          await started(writes, group + 1)
        }
        controller.abort()
        const told = untouched(await ended, keys)
        await open()
        await kv.close()
        expect(
          told.filter((key) => Array.from(inner.native.keys()).some((one) => one.endsWith(key))),
        ).toEqual([])
      }
    },
  )

  test('nor one that the journal is being told of', async () => {
    const journal = behind({ background: undefined, maxQueued: 10 })
    const { inner, kv } = over(() => undefined, { journal: journal.queue, maxQueued: 2 })
    const controller = new AbortController()
    const entries = keys.map((key) => [key, '1'] as const)
    const ended = kv.setMany(entries, { signal: controller.signal }).catch((error: unknown) => error)
    const sets = () => journal.writes.flat().filter(({ type }) => type === 'set').length
    // The last group is on its way to the journal.
    while (sets() < keys.length) await journal.answer()
    controller.abort()
    const told = untouched(await ended, keys)
    await journal.open()
    await kv.close()
    expect(told.filter((key) => Array.from(inner.native.keys()).some((one) => one.endsWith(key)))).toEqual([])
  })
})
