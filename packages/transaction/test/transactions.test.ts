import { cache } from '@unikv/cache'
import { type Bytes, compose, json, keyValue, passThrough, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { parts } from '@unikv/parts'
import { describe, expect, it } from 'vitest'
import { transactional, transactions } from '../src/index.ts'
import { opened, Process, sharedMemory } from './world.ts'

const errorOf = (work: () => unknown) =>
  Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      (error: unknown) => error,
    )

describe('a transaction', () => {
  it('sees its own changes, and nobody else does before the commit', async () => {
    const { red, blue, db } = opened(sharedMemory())
    await red.set('a', 1)
    const found = await db.run(async (tx) => {
      await tx.red.set('a', 2)
      await tx.blue.update('b', (value) => (value ?? 0) + 5)
      await tx.red.delete('c')
      return [await tx.red.get('a'), await red.get('a'), await tx.blue.getMany(['b', 'c'])]
    })
    expect(found).toEqual([2, 1, [5, undefined]])
    expect([await red.get('a'), await blue.get('b')]).toEqual([2, 5])
  })

  it('changes nothing when its function throws', async () => {
    const { red, db } = opened(sharedMemory())
    const error = new Error('no')
    const work = db.run(async (tx) => {
      await tx.red.set('a', 1)
      throw error
    })
    await expect(work).rejects.toBe(error)
    expect(await red.get('a')).toBeUndefined()
  })

  it('takes a value as it is when it is set', async () => {
    const shared = sharedMemory()
    const { db } = opened(shared)
    await db.run(async (tx) => {
      const value = { list: [1] }
      await tx.red.set('a', value as never)
      value.list.push(2)
      await tx.blue.set('b', 0)
    })
    expect(await opened(shared).red.get('a')).toEqual({ list: [1] })
  })

  it('refuses calls that come after its function', async () => {
    const { db } = opened(sharedMemory())
    const tx = await db.run(async (inner) => inner)
    expect(await errorOf(() => tx.red.get('a'))).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('whose function does not wait for its calls changes nothing', async () => {
    const { red, blue, db } = opened(sharedMemory())
    const work = db.run(async (tx) => {
      await tx.blue.set('b', 1)
      void tx.red
        .get('a')
        .then(() => tx.red.set('a', 1))
        .catch(() => {})
    })
    await expect(work).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect([await red.get('a'), await blue.get('b')]).toEqual([undefined, undefined])
  })

  it('refuses an async function in update', async () => {
    const { db } = opened(sharedMemory())
    const work = db.run((tx) => tx.red.update('a', (async () => 1) as never))
    await expect(work).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  })

  it('never waits for another one while it holds records itself', async () => {
    const log = keyValue(memory(), [json()])
    const open = () => keyValue(memory(), [json<number>(), transactional({ log, leaseMs: 600_000 })])
    const [red, blue] = [open(), open()]
    const db = transactions({ red, blue, log }, { timeoutMs: 20_000, retry: 'optimistic' })
    const both = async (first: 'red' | 'blue', second: 'red' | 'blue', value: number) =>
      db.run(async (tx) => {
        await tx[first].set('a', value)
        await tx[second].set('a', value)
      })
    for (let i = 0; i < 30; i++)
      await Promise.all([both('red', 'blue', 2 * i), both('blue', 'red', 2 * i + 1)])
    expect(await red.get('a')).toBe(await blue.get('a'))
  })

  it('stays in the log until each record is written', async () => {
    const shared = sharedMemory()
    const process = new Process()
    let fails = false
    const write = shared.red.write.bind(shared.red)
    shared.red.write = async (mutations, call) => {
      if (fails && mutations.some(({ ifVersion }) => ifVersion?.startsWith('f') === true))
        throw new StoreError('UNAVAILABLE', 'The store is away.')
      return write(mutations, call)
    }
    const { db, log } = opened(shared, process)
    fails = true
    await db.run(async (tx) => {
      await tx.red.set('a', 1)
      await tx.blue.set('b', 1)
    })
    await new Promise((resolve) => setTimeout(resolve, 100))
    const kept = async () => {
      const found: unknown[] = []
      for await (const [, entry] of log.entries()) found.push(entry.expiresAt)
      return found
    }
    expect(await kept()).toEqual([undefined])
    fails = false
    expect(await db.recover({ leaseMs: 1 })).toMatchObject({ committed: 1, left: [] })
    expect(await kept()).toEqual([expect.any(Number)])
    expect(await opened(shared).red.get('a')).toBe(1)
  })

  it('runs again when somebody comes between, and counts that', async () => {
    const { red, db } = opened(sharedMemory())
    let runs = 0
    await db.run(async (tx) => {
      const value = (await tx.red.get('a')) ?? 0
      if (runs++ === 0) await red.set('a', 10)
      await tx.red.set('a', value + 1)
      await tx.blue.set('b', value)
    })
    expect([runs, await red.get('a')]).toEqual([2, 11])
    expect(db.statistics()).toMatchObject({ committed: 1, conflicts: 1 })
  })

  it('gives up when its policy does, and has changed nothing', async () => {
    const { red, blue, db } = opened(sharedMemory())
    const work = db.run(
      async (tx) => {
        await tx.red.get('a')
        await red.set('a', Math.random())
        await tx.red.set('a', 1)
        await tx.blue.set('b', 1)
      },
      { retry: ({ count }) => (count < 3 ? 0 : undefined) },
    )
    await expect(work).rejects.toMatchObject({ code: 'OVERLOADED' })
    expect(await blue.get('b')).toBeUndefined()
  })

  it('of 64 callers of one record each commits after few attempts', async () => {
    const late = async <T>(work: () => T): Promise<T> => {
      await new Promise((resolve) => setTimeout(resolve, 1))
      return work()
    }
    const store = memory()
    const slow = {
      ...store,
      read: (...args: Parameters<typeof store.read>) => late(() => store.read(...args)),
      write: (...args: Parameters<typeof store.write>) => late(() => store.write(...args)),
    } as unknown as typeof store
    const { red, db } = opened({ ...sharedMemory(), red: slow })
    const attempts = await Promise.all(
      Array.from({ length: 64 }, async () => {
        let count = 0
        await db.run(async (tx) => {
          count++
          await tx.red.update('hot', (value = 0) => value + 1)
        })
        return count
      }),
    )
    expect(await red.get('hot')).toBe(64)
    expect(Math.max(...attempts)).toBeLessThanOrEqual(20)
  })

  it('goes on beside one that does not end in time', async () => {
    const { red, db } = opened(sharedMemory())
    let runs = 0
    let go = (): void => {}
    const stopped = new Promise<void>((resolve) => {
      go = resolve
    })
    const slow = db.run(async (tx) => {
      const value = (await tx.red.get('a')) ?? 0
      if (runs++ === 0) await red.set('a', 10)
      else await stopped
      await tx.red.set('a', value + 1)
    })
    await expect.poll(() => runs).toBe(2)
    await db.run((tx) => tx.red.update('a', (value = 0) => value + 100))
    go()
    await slow
    expect([await red.get('a'), db.statistics().committed]).toEqual([111, 2])
  })

  it('of one record sends as much as an update', async () => {
    const process = new Process()
    const { red, db } = opened(sharedMemory(), process)
    await red.update('a', () => 1)
    const before = process.steps
    await red.update('a', () => 2)
    const update = process.steps - before
    await db.run((tx) => tx.red.update('a', () => 3))
    expect(process.steps - before - update).toBe(update)
  })

  it('of two records in two stores has six requests before its answer', async () => {
    const process = new Process()
    const { db } = opened(sharedMemory(), process)
    let answered = 0
    const background = (rest: Promise<unknown>): void => {
      answered = process.steps
      void rest
    }
    const { red, blue, log } = opened(sharedMemory(), process)
    const own = transactions({ red, blue, log }, { background })
    const before = process.steps
    await own.run(async (tx) => {
      await tx.red.update('a', (value) => (value ?? 0) + 1)
      await tx.blue.update('b', (value) => (value ?? 0) + 1)
    })
    // Its records begin to be written in the same turn.
    expect(answered - before).toBeLessThanOrEqual(6 + 2)
    expect(db.statistics().committed).toBe(0)
  })
})

describe('beside transactions', () => {
  it('a cache in the same process never answers with what was there before', async () => {
    const log = keyValue(memory(), [json()])
    const open = () => keyValue(memory(), [cache(), json<number>(), transactional({ log })])
    const [red, blue] = [open(), open()]
    const db = transactions({ red, blue, log })
    await red.set('a', 1)
    await blue.set('b', 1)
    for (let i = 2; i < 30; i++) {
      await Promise.all([red.get('a'), blue.get('b')])
      const [, readers] = await Promise.all([
        db.run(async (tx) => {
          await tx.red.set('a', i)
          await tx.blue.set('b', i)
        }),
        Promise.all([red.get('a'), blue.get('b')]),
      ])
      expect(readers).toHaveLength(2)
      expect([await red.get('a'), await blue.get('b')]).toEqual([i, i])
    }
  })

  it('a cache hides no change from a transaction that has read the record', async () => {
    const log = keyValue(memory(), [json()])
    const stores = [memory(), memory()] as const
    const open = () => {
      const [red, blue] = stores.map((store) =>
        keyValue(store, [cache(), json<number>(), transactional({ log })]),
      ) as unknown as [ReturnType<typeof opened>['red'], ReturnType<typeof opened>['red']]
      return { red, blue, db: transactions({ red, blue, log }, { retry: 'optimistic' }) }
    }
    const all = [open(), open(), open()]
    const add = ({ db }: ReturnType<typeof open>) =>
      db.run(async (tx) => {
        await tx.red.update('a', (value) => (value ?? 0) + 1)
        await tx.blue.update('b', (value) => (value ?? 0) + 1)
      })
    for (let i = 0; i < 10; i++) await Promise.all(all.map(add))
    const fresh = open()
    expect([await fresh.red.get('a'), await fresh.blue.get('b')]).toEqual([30, 30])
  })

  it('a value that looks like a prepared record is stored and read as it is', async () => {
    const log = keyValue(memory(), [json()])
    const store = memory()
    const kv = keyValue(compose(store, [transactional({ log })]))
    const odd: Bytes = Buffer.from([0xf8, 0x75, 0x74, 0x78, 1, 3, 1, 2, 3])
    await kv.set('odd', odd)
    expect(Buffer.from((await kv.get('odd')) as Bytes)).toEqual(odd)
  })

  it('a foreign writer who goes past the layer before a commit makes it run again', async () => {
    const shared = sharedMemory()
    const { red, db } = opened(shared)
    await red.set('a', 1)
    let runs = 0
    await db.run(async (tx) => {
      const value = (await tx.red.get('a')) as number
      if (runs++ === 0) {
        const own = { type: 'set', key: 'a', version: '0'.repeat(24), value: Buffer.from('7') } as const
        await shared.red.write([own], callOptions())
      }
      await tx.red.set('a', value + 1)
      await tx.blue.set('b', value)
    })
    expect([runs, await red.get('a')]).toEqual([2, 8])
  })
})

describe('what cannot take part is refused before anything is sent', () => {
  const log = keyValue(memory(), [json()])

  it('a store without the layer, or with one that names another log', async () => {
    const plain = keyValue(memory(), [json()])
    const other = keyValue(memory(), [json(), transactional({ log: keyValue(memory(), [json()]) })])
    for (const store of [plain, other])
      expect(await errorOf(() => transactions({ store, log }))).toMatchObject({ code: 'INVALID_CONFIG' })
  })

  it('a store without conditions, and one that drops records', async () => {
    const without = passThrough('without', { capabilities: { conditionalWrite: false }, wrap: () => ({}) })
    const evicting = passThrough('evicting', { capabilities: { evicts: true }, wrap: () => ({}) })
    for (const layer of [without, evicting])
      expect(
        await errorOf(() => keyValue(compose(memory(), [layer]), [transactional({ log }) as never])),
      ).toMatchObject({ code: 'INVALID_CONFIG' })
  })

  it('options that are not known, and a log that is none', async () => {
    for (const work of [
      () => transactional({ log, lease: 5 } as never),
      () => transactional({} as never),
      () => transactions({} as never),
      () => {
        const kv = keyValue(memory(), [json(), transactional({ log })])
        return transactions({ a: kv, b: kv, log })
      },
      () => transactions({ a: keyValue(memory(), [json(), parts(), transactional({ log })]), log }),
      () => transactions({ log }, { isolation: 'dirty' as never }),
    ])
      expect(await errorOf(work)).toMatchObject({ code: 'INVALID_CONFIG' })
  })
})

it('an outcome can be asked for', async () => {
  const { db, log } = opened(sharedMemory())
  await db.run(async (tx) => {
    await tx.red.set('a', 1)
    await tx.blue.set('b', 1)
  })
  const ids: string[] = []
  for await (const id of log.keys()) ids.push(id)
  expect(await Promise.all(ids.map((id) => db.outcome(id)))).toEqual(['committed'])
  expect(await db.outcome('unheard')).toBeUndefined()
})
