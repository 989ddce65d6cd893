import { isStoreError, json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, it } from 'vitest'
import {
  type HandlerCall,
  type OutboxMessage,
  once,
  outbox,
  transactional,
  transactions,
} from '../src/index.ts'
import { change, shop, until } from './outbox-world.ts'
import { Process, sharedMemory } from './world.ts'

type Message = OutboxMessage<{ changed: number; other: unknown }>

const codeOf = (work: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      (error: unknown) => (isStoreError(error) ? error.code : error),
    )

describe('a relay', () => {
  it('hands on what was committed, by each key in the order of the commits, whoever publishes', async () => {
    const shared = sharedMemory()
    const shops = [shop(shared), shop(shared), shop(shared)]
    const seen: Message[] = []
    const relays = shops
      .slice(0, 2)
      .map(({ events }) => events.relay((message) => void seen.push(message), { pollMs: 5 }))
    const keys = ['a', 'b', 'c', '', 'ключ 1', '\ud800']
    await Promise.all(
      shops.map(async (one) => {
        for (let i = 0; i < 40; i++) await change(one, keys[i % keys.length] as string)
      }),
    )
    const thrown = shops[0]?.db.run(async (tx) => {
      await tx.events.publish('changed', 0, { key: 'a' })
      throw new Error('no')
    })
    await expect(thrown).rejects.toThrow('no')
    await until(() => seen.length >= 120)
    await Promise.all(relays.map((relay) => relay.stop()))
    for (const key of keys) {
      const own = seen.filter((message) => message.key === key)
      expect(own.map(({ value }) => value)).toEqual(own.map((_, i) => i + 1))
      expect(own.map(({ number }) => number)).toEqual(
        own.map(({ number }) => number).toSorted((a, b) => a - b),
      )
    }
    expect([seen.length, new Set(seen.map(({ id }) => id)).size]).toEqual([120, 120])
    // Nothing is left of what was handed on, and no relay has a lane.
    const left: string[] = []
    for await (const [key, { value }] of shops[0]?.kv.entries() ?? []) {
      if (key.startsWith('message')) left.push(key)
      expect(value).not.toHaveProperty('by')
    }
    expect(left).toEqual([])
  })

  it('keeps a key waiting after a failure, and no other one', async () => {
    const one = shop(sharedMemory(), undefined, 1)
    const seen: string[] = []
    let isBroken = true
    const errors: unknown[] = []
    const relay = one.events.relay(
      ({ key, value, failed }) => {
        if (key === 'bad' && isBroken) throw new Error(`failed ${failed}`)
        seen.push(`${key} ${String(value)}`)
      },
      { pollMs: 5, retryMs: () => 5, onError: (error) => errors.push((error as Error).message) },
    )
    for (let i = 0; i < 3; i++) for (const key of ['bad', 'good']) await change(one, key)
    await until(() => seen.length === 3 && errors.length > 3)
    expect(seen).toEqual(['good 1', 'good 2', 'good 3'])
    expect(errors.slice(0, 3)).toEqual(['failed 0', 'failed 1', 'failed 2'])
    isBroken = false
    await until(() => seen.length === 6)
    await relay.stop()
    expect(seen.slice(3)).toEqual(['bad 1', 'bad 2', 'bad 3'])
    expect(relay.statistics()).toMatchObject({ sent: 6, dead: 0, lanes: 0 })
  })

  it('goes on after a `retryMs` that throws, or is no time', async () => {
    const one = shop(sharedMemory(), undefined, 1)
    const waits: unknown[] = [1, Number.NaN, -1, 'x']
    const told: string[] = []
    const relay = one.events.relay(
      ({ failed }) => {
        if (failed < 1) throw new Error('no')
      },
      {
        pollMs: 5,
        retryMs: () => {
          if (waits.length === 1) throw new Error('own')
          return waits.pop() as number
        },
        onError: (error) => told.push((error as Error).message),
      },
    )
    for (let i = 0; i < 4; i++) await change(one, `key ${i}`)
    await until(() => relay.statistics().sent === 4)
    await relay.stop()
    expect(
      told.filter((text) => text.startsWith('retryMs of relay() must return milliseconds')),
    ).toHaveLength(3)
    expect(told).toContain('own')
  })

  it('gives a message that fails again and again to the dead letters, also after another one has begun', async () => {
    const shared = sharedMemory()
    const dead: unknown[] = []
    const options = {
      pollMs: 5,
      retryMs: () => 1,
      deadLetters: {
        afterFailed: 5,
        handler: ({ value, failed }: Message) => void dead.push([value, failed]),
      },
    }
    const one = shop(shared)
    const seen: unknown[] = []
    let attempts = 0
    const work = ({ value }: Message): void => {
      attempts++
      if (value === 1) throw new Error('no')
      seen.push(value)
    }
    const first = one.events.relay(work, { ...options, retryMs: () => (attempts < 3 ? 1 : 60_000) })
    await change(one, 'a')
    await change(one, 'a')
    await until(() => attempts === 3)
    await first.stop()
    const second = shop(shared).events.relay(work, options)
    await until(() => seen.length === 1)
    await second.stop()
    expect([attempts, dead, seen]).toEqual([6, [[1, 5]], [2]])
  })

  it('tells of a topic without a handler, and of a handler that does not end', async () => {
    const one = shop(sharedMemory())
    const told: unknown[] = []
    const signals: AbortSignal[] = []
    const relay = one.events.relay(
      {
        changed: (_: unknown, { signal }: HandlerCall) => {
          signals.push(signal)
          return new Promise(() => {})
        },
      } as never,
      {
        handlerMs: 20,
        pollMs: 5,
        onError: (error, message) => told.push([isStoreError(error) && error.code, message?.topic]),
      },
    )
    await change(one, 'a')
    await one.db.run((tx) => tx.events.publish('other', null))
    await until(() => told.length >= 2)
    await relay.stop()
    expect(told).toContainEqual(['TIMEOUT', 'changed'])
    expect(told).toContainEqual(['INVALID_CONFIG', 'other'])
    expect(signals[0]?.aborted).toBe(true)
  })

  it('finds hundreds of messages behind a key that waits, and looks with one request when there is none', async () => {
    const shared = sharedMemory()
    const one = shop(shared, undefined, 2)
    const publish = (key: string, value: number) =>
      one.db.run(async (tx) => {
        for (let i = 0; i < 150; i++) await tx.events.publish('changed', value + i, { key })
      })
    for (let i = 0; i < 3; i++) await publish('slow', 150 * i)
    await publish('fast', 0)
    const process = new Process()
    const seen: number[] = []
    let isBroken = true
    const relay = shop(shared, process).events.relay(
      ({ key, value }) => {
        if (key === 'slow' && isBroken) throw new Error('no')
        seen.push(value as number)
      },
      { pollMs: 20, retryMs: () => 5, concurrency: 100 },
    )
    await until(() => seen.length === 150)
    isBroken = false
    await until(() => seen.length === 600)
    const numbers = Array.from({ length: 450 }, (_, i) => i)
    expect(seen).toEqual([...numbers.slice(0, 150), ...numbers])
    await until(() => relay.statistics().lanes === 0)
    const before = process.steps
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(process.steps - before).toBeGreaterThan(0)
    expect(process.steps - before).toBeLessThanOrEqual(11)
    await relay.stop()
  })

  it('that was stopped for longer than its lease does not go on with what another one has taken', async () => {
    const shared = sharedMemory()
    const one = shop(shared, undefined, 1)
    for (let i = 0; i < 5; i++) await change(one, 'a')
    const process = new Process()
    const seen: string[] = []
    const settings = { pollMs: 5, leaseMs: 50, retryMs: () => 300 }
    const old = shop(shared, process).events.relay(({ value }) => {
      seen.push(`old ${String(value)}`)
      throw new Error('It would be handed on again.')
    }, settings)
    await until(() => seen.length === 1)
    const goOn = process.stop()
    const young = shop(shared).events.relay(({ value }) => void seen.push(`young ${String(value)}`), settings)
    await until(() => seen.length === 6)
    await new Promise((resolve) => setTimeout(resolve, 400))
    goOn()
    await Promise.all([old.stop(), young.stop()])
    expect(seen).toEqual(['old 1', 'young 1', 'young 2', 'young 3', 'young 4', 'young 5'])
  })
})

it('an effect takes place once with its mark, however often the message is handed on', async () => {
  const shared = sharedMemory()
  const one = shop(shared)
  const log = keyValue(memory(), [json()])
  const open = () => keyValue(memory(), [json<unknown>(), transactional({ log })])
  const [sums, handled] = [open(), open()]
  const consumer = transactions({ sums, handled, log })
  let failures = 0
  const relay = one.events.relay(
    async ({ id, value }) => {
      await consumer.run(async (tx) => {
        if (await once(tx.handled, id))
          await tx.sums.update('sum', (sum = 0) => (sum as number) + (value as number))
      })
      if (failures++ % 3 < 2) throw new Error('after the effect')
    },
    { pollMs: 5, retryMs: () => 1 },
  )
  await Promise.all(['a', 'b', 'c', 'd'].map((key) => change(one, key)))
  await until(() => relay.statistics().sent === 4)
  await relay.stop()
  expect(await sums.get('sum')).toBe(4)
})

it('messages of one transaction have ids of their own, and the order of their calls, in whatever outbox', async () => {
  const log = keyValue(memory(), [json()])
  const open = () => keyValue(memory(), [json<unknown>(), transactional({ log })])
  const [left, right, handled] = [outbox(open()), outbox(open()), open()]
  const db = transactions({ left, right, handled, log })
  const ids = await db.run((tx) =>
    Promise.all([
      ...[0, 1, 2].map((value) => tx.left.publish('t', value, { key: 'k' })),
      tx.right.publish('t', 3, { key: 'k' }),
    ]),
  )
  const seen: unknown[] = []
  const relays = [left, right].map((one) =>
    one.relay(async ({ id, value }) => {
      if (await db.run((tx) => once(tx.handled, id))) seen.push(value)
    }),
  )
  await until(() => relays.reduce((sum, relay) => sum + relay.statistics().sent, 0) === 4)
  await Promise.all(relays.map((relay) => relay.stop()))
  expect(new Set(ids).size).toBe(4)
  expect(seen.filter((value) => value !== 3)).toEqual([0, 1, 2])
  expect(seen).toContain(3)
  // Of two calls that are under way together one is the first.
  const both = await db.run((tx) => Promise.all([once(tx.handled, 'x'), once(tx.handled, 'x')]))
  expect(both).toEqual([true, false])
})

it('what cannot be handed on is refused where it is said', async () => {
  const one = shop(sharedMemory(), undefined, 4)
  const published = (topic: unknown, message: unknown, key?: unknown) =>
    codeOf(() => one.db.run((tx) => tx.events.publish(topic as 'other', message, { key: key as string })))
  expect(await published('other', undefined)).toBe('INVALID_VALUE')
  expect(await published('other', { at: new Date() })).toBe('INVALID_VALUE')
  expect(await published('other', 1n)).toBe('INVALID_VALUE')
  expect(await published(7, 1)).toBe('INVALID_ARGUMENT')
  expect(await published('other', 1, 7)).toBe('INVALID_ARGUMENT')
  expect(await published('', null, '')).toBeUndefined()
  for (const work of [
    () => one.db.run((tx) => tx.events.publish('other', 1, { keys: 'a' } as never)),
    () => one.db.run((tx) => tx.events.publish('other', 1, null as never)),
    () => one.db.run((tx) => once(tx.orders, 'a', { ttl: 1 } as never)),
    () => one.db.run(() => once(undefined as never, 'a')),
    () => one.db.run(undefined as never),
  ])
    expect(await codeOf(work)).toBe('INVALID_ARGUMENT')
  for (const work of [
    () => one.events.relay(undefined as never),
    () => one.events.relay({} as never),
    () => one.events.relay({ changed: 1 } as never),
    () => one.events.relay(() => {}, { pollMs: 0 }),
    () => one.events.relay(() => {}, { deadLetters: { afterFailed: 0, handler: () => {} } }),
    () => outbox(one.kv, { lanes: 0 }),
    () => outbox(undefined as never),
    () => transactions(undefined as never),
    () => transactions({ other: undefined, log: one.log }),
    () => outbox(keyValue(memory(), [json()])),
    () => transactions({ events: outbox(one.kv), log: keyValue(memory(), [json()]) }),
  ])
    expect(await codeOf(work)).toBe('INVALID_CONFIG')
  const other = transactions({ events: outbox(one.kv, { lanes: 5 }), log: one.log })
  expect(await codeOf(() => other.run((tx) => tx.events.publish('other', 1)))).toBe('INVALID_CONFIG')
})
