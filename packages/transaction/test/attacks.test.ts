import { cache } from '@unikv/cache'
import { type AnyStore, isStoreError, json, keyValue, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { pause } from '@unikv/core/platform'
import { describe, expect, it } from 'vitest'
import { transactional, transactions } from '../src/index.ts'
import {
  abandon,
  both,
  errorOf,
  opened,
  Process,
  sharedMemory,
  through,
  type Verbs,
  withVerbs,
} from './world.ts'

async function valuesOf(store: AnyStore): Promise<readonly unknown[]> {
  const found: unknown[] = []
  const raw = keyValue(store as ReturnType<typeof memory>, [json()])
  for await (const [, { value }] of raw.entries()) found.push(value)
  return found
}

describe('records that are absent', () => {
  it.each(['only looks', 'writes', 'throws'])(
    'are so at one time for a transaction that %s: a token that moves is always in one place',
    async (kind) => {
      const shared = sharedMemory()
      const other = opened(shared)
      await other.red.set('t', 1)
      const move = (from: 'red' | 'blue', to: 'red' | 'blue') =>
        other.db.run(async (tx) => {
          await tx[from].delete('t')
          await tx[to].set('t', 1)
        })
      let back: Promise<void> | undefined
      const moved = (): Promise<void> => (back ??= move('blue', 'red'))
      const red = withVerbs(shared.red, {
        read: async (go, [read]) => {
          const answer = await go()
          if (read?.head === true && runs === 1) await moved()
          return answer
        },
      })
      const blue = withVerbs(shared.blue, {
        read: async (go, [read]) => {
          if (read?.head === true && runs === 1) await pause(5).then(moved)
          return go()
        },
      })
      let runs = 0
      const found = await opened({ ...shared, red, blue }).db.run(async (tx) => {
        const inBlue = await tx.blue.get('t')
        if (++runs === 1) await move('red', 'blue')
        const inRed = await tx.red.get('t')
        if (kind === 'writes') await tx.red.set('w', 1)
        if (kind === 'throws' && inBlue === inRed) throw new Error('The token is gone.')
        return [inRed, inBlue]
      })
      expect(found).toContain(1)
      expect(found).toContain(undefined)
    },
  )

  it('are looked at before what was found', async () => {
    const shared = sharedMemory()
    const other = opened(shared)
    await other.blue.set('y', 1)
    const change = (x: number | undefined, y: number) =>
      other.db.run(async (tx) => {
        await (x === undefined ? tx.red.delete('x') : tx.red.set('x', x))
        await tx.blue.set('y', y)
      })
    let gone: Promise<void> | undefined
    const blue = withVerbs(shared.blue, {
      read: async (go, [read]) => {
        const answer = await go()
        if (read?.head === true && runs === 1) await (gone ??= change(undefined, 3))
        return answer
      },
    })
    const red = withVerbs(shared.red, {
      read: async (go, [read]) => {
        if (read?.head === true && runs === 1) await pause(20)
        return go()
      },
    })
    let runs = 0
    const found = await opened({ ...shared, red, blue }).db.run(async (tx) => {
      const x = await tx.red.get('x')
      if (++runs === 1) await change(1, 2)
      return [x, await tx.blue.get('y')]
    })
    expect([
      [undefined, 1],
      [1, 2],
      [undefined, 3],
    ]).toContainEqual(found)
  })
})

describe('the own changes of a transaction', () => {
  it('are read as they are committed, and nobody else holds them', async () => {
    const log = keyValue(memory(), [json()])
    const store = memory()
    const red = keyValue(store, [cache(), json<{ n: number }>(), transactional({ log })])
    const found = await transactions({ red, log }).run(async (tx) => {
      const value = { n: 1 }
      await tx.red.set('a', value)
      value.n = 2
      const own = (await tx.red.get('a')) as { n: number }
      own.n += 40
      return [own.n, await tx.red.get('a')]
    })
    expect([found, await red.get('a'), await valuesOf(store)]).toEqual([[41, { n: 1 }], { n: 1 }, [{ n: 1 }]])
  })

  it('give bytes that belong to their reader', async () => {
    const log = keyValue(memory(), [json()])
    const red = keyValue(memory(), [transactional({ log })])
    await transactions({ red, log }).run(async (tx) => {
      await tx.red.set('a', Uint8Array.of(1))
      const own = await tx.red.get('a')
      own?.fill(9)
    })
    expect(await red.get('a')).toEqual(Uint8Array.of(1))
  })

  it('have the expiry that is kept', async () => {
    const { red, db } = opened(sharedMemory())
    await red.set('b', 0)
    await Promise.all(['c', 'd'].map((key) => red.set(key, 0, { ttlMs: 60_000 })))
    await db.run(async (tx) => {
      for (const key of ['a', 'b']) await tx.red.set(key, 1, { ttlMs: 60_000 })
      await tx.red.set('c', 1)
      await tx.red.delete('d')
      for (const key of ['a', 'b', 'c', 'd']) await tx.red.update(key, (value) => (value ?? 0) + 1)
    })
    const entries = await Promise.all(['a', 'b', 'c', 'd'].map((key) => red.getEntry(key)))
    expect(entries.map((entry) => entry?.expiresAt !== undefined)).toEqual([true, true, false, false])
  })

  it('take no unknown options', async () => {
    const { db } = opened(sharedMemory())
    const told = await errorOf(() => db.run((tx) => tx.red.set('a', 1, { ttl: 5 } as never)))
    expect(told).toMatchObject({ code: 'INVALID_ARGUMENT' })
  })
})

describe('what an application hands over', () => {
  it('a background that throws does not change the answer', async () => {
    const { red, blue, log } = opened(sharedMemory())
    const background = () => {
      throw new Error('outside of a request')
    }
    const db = transactions({ red, blue, log }, { background })
    await db.run(async (tx) => {
      await tx.red.set('a', 1)
      await tx.blue.set('a', 1)
    })
    expect(() => transactions({ log }, { background: 'x' as never })).toThrow('must be a function')
  })

  it('an error of its function is thrown as it is, also when the stores are away', async () => {
    let isAway = false
    const read: Verbs['read'] = (go) => {
      if (isAway) throw new StoreError('UNAVAILABLE', 'The store is away.')
      return go()
    }
    const own = new Error('own')
    const work = through('red', { read }).db.run(async (tx) => {
      await tx.red.getMany(['a', 'b'])
      isAway = true
      throw own
    })
    await expect(work).rejects.toBe(own)
  })
})

describe('after conflicts', () => {
  it('nothing is left, neither records nor a log of them', async () => {
    const shared = sharedMemory()
    const { red, db } = opened(shared)
    const loses = (catches: boolean) =>
      errorOf(() =>
        db.run(
          async (tx) => {
            await tx.red.get('a')
            await red.set('a', Math.random())
            if (catches) await tx.red.get('a').catch(() => {})
            await tx.red.set('a', 2)
            await (catches ? tx.blue.get('b') : tx.blue.set('b', 1))
          },
          { retry: ({ count }) => (count < 5 ? 0 : undefined) },
        ),
      )
    expect(await loses(false)).toMatchObject({ code: 'OVERLOADED' })
    expect(await loses(true)).toMatchObject({ code: 'OVERLOADED' })
    expect(await Promise.all([shared.blue, shared.log].map(valuesOf))).toEqual([[], []])
  })

  it('of more keys than the log can hold nothing is left', async () => {
    const shared = sharedMemory()
    const write: Verbs['write'] = (go, [mutation]) => {
      if (JSON.stringify(mutation).length > 2000) throw new StoreError('VALUE_TOO_LARGE', 'too long')
      return go()
    }
    const told = await errorOf(() =>
      through('log', { write }, shared).db.run(async (tx) => {
        for (let i = 0; i < 200; i++) await Promise.all([tx.red, tx.blue].map((one) => one.set(`${i}`, i)))
      }),
    )
    expect(told).toMatchObject({ code: 'VALUE_TOO_LARGE' })
    expect(await valuesOf(shared.red)).toEqual([])
  })
})

it('a transaction that has found two versions of a record never commits', async () => {
  const { red, db } = opened(sharedMemory())
  await red.set('a', 1)
  let runs = 0
  await db.run(async (tx) => {
    const a = (await tx.red.get('a')) as number
    if (++runs === 1) {
      await red.set('a', 5)
      await tx.red.get('a').catch(() => {})
    }
    await tx.red.set('b', a)
    await tx.red.set('c', a)
  })
  expect([runs, await red.get('b')]).toEqual([2, 5])
})

it('a condition that met a record of an aborted transaction holds, also where the store does not tell the version', async () => {
  const shared = sharedMemory()
  const write: Verbs['write'] = async (go) =>
    ((await go()) as readonly object[]).map((result) =>
      'conditionFailed' in result ? { conditionFailed: true } : result,
    )
  const quiet = { ...shared, red: withVerbs(shared.red, { write }) }
  const { red } = opened(quiet)
  await red.set('a', 5)
  const { version } = (await red.getEntry('a')) as { readonly version: string }
  const process = new Process((step) => (step === 6 ? 'crash' : undefined))
  abandon(both(opened(quiet, process)))
  await process.gone
  await red.set('a', 6, { ifVersion: version })
  expect(await red.get('a')).toBe(6)
  const told = await errorOf(() => red.set('a', 7, { ifVersion: version }))
  expect(isStoreError(told) && told.code).toBe('CONDITION_FAILED')
})

it('a recovery aborts only what has been open for the lease while it looks', async () => {
  const shared = sharedMemory()
  const dead = new Process((step) => (step === 6 ? 'crash' : undefined))
  abandon(both(opened(shared, dead)))
  await dead.gone
  // Another one begins while the log is listed, and takes its time for the decision.
  let writes = 0
  const { log } = shared
  const write: Verbs['write'] = (go) => (++writes === 2 ? pause(60).then(go) : go())
  const slow = opened({ ...shared, log: withVerbs(log, { write }) }, undefined, 5000)
  let working: Promise<void> | undefined
  const work = () =>
    slow.db.run(async (tx) => {
      await tx.red.set('z', 1)
      await tx.blue.set('z', 1)
    })
  const scan: typeof log.scan = async function* (...args) {
    yield* log.scan(...args)
    working ??= work()
    await pause(10)
    yield* log.scan(...args)
  }
  const { db } = opened({ ...shared, log: Object.assign(withVerbs(log, {}), { scan }) }, undefined, 5000)
  expect(await db.recover({ leaseMs: 500 })).toMatchObject({ left: [] })
  await working
  expect(slow.db.statistics()).toMatchObject({ committed: 1, conflicts: 0 })
})

it('a walk waits for the leases of all dead transactions at once', async () => {
  const shared = sharedMemory()
  for (let i = 0; i < 40; i++) {
    // It prepares a record, and its log never hears of it.
    const verbs: Verbs = { write: () => new Promise(() => {}) }
    const { db } = through('log', verbs, { ...shared, blue: withVerbs(shared.blue, verbs) })
    const work = db.run(async (tx) => {
      await tx.red.set(`${i}`, 1)
      await tx.blue.set(`${i}`, 1)
    })
    abandon(work)
  }
  await pause(50)
  const { db } = opened(shared, undefined, 1000)
  expect(await db.recover({ walk: true, timeoutMs: 10_000 })).toMatchObject({ left: [] })
  expect(await valuesOf(shared.red)).toEqual([])
})

it('a record that is used through two views of one store is refused', async () => {
  const log = keyValue(memory(), [json()])
  const kv = keyValue(memory(), [json<number>(), transactional({ log })])
  const db = transactions({ a: kv.namespace('n'), b: kv.namespace('n'), log })
  const told = await errorOf(() =>
    db.run(async (tx) => {
      await tx.a.set('k', 1)
      await tx.b.get('k')
    }),
  )
  expect(told).toMatchObject({ code: 'INVALID_ARGUMENT' })
})

it('what was aborted leaves nothing after a recovery and a day', async () => {
  let now = Date.now()
  const fresh = () => memory({ clock: () => now })
  const shared = { red: fresh(), blue: fresh(), log: fresh() }
  const me = opened(shared)
  await both(me)
  await pause(20)
  const before = await Promise.all([shared.red, shared.blue].map(valuesOf))
  for (let i = 0; i < 60; i++) {
    // Each is gone before its decision, at another step.
    const dead = new Process((step) => (step === 3 + (i % 4) ? 'crash' : undefined))
    const work = opened(shared, dead).db.run(async (tx) => {
      const key = i % 5 === 0 ? 'a' : `${i}`
      await Promise.all([tx.red.get(key), tx.blue.get(key)])
      await Promise.all([tx.red.set(key, i), tx.blue.set(key, i)])
    })
    abandon(work)
    await dead.gone
  }
  expect(await me.db.recover({ leaseMs: 1, walk: true })).toMatchObject({ committed: 0, left: [] })
  now += 25 * 3_600_000
  expect(await Promise.all([shared.red, shared.blue].map(valuesOf))).toEqual(before)
  expect(await valuesOf(shared.log)).toEqual([])
})

it('a writer without the layer, at each step of a transaction, loses nothing and blocks nothing', async () => {
  const ends = new Set<unknown>()
  for (let at = 1; ; at++) {
    const shared = sharedMemory()
    const raw = keyValue(shared.red as ReturnType<typeof memory>, [json<number>()])
    let step = 0
    const goesPast = async (): Promise<void> => {
      if (++step === at) await raw.set('a', 500)
    }
    const slow = (store: AnyStore): AnyStore =>
      withVerbs(store, { read: (go) => goesPast().then(go), write: (go) => goesPast().then(go) })
    await both(opened({ ...shared, red: slow(shared.red), log: slow(shared.log) }))
    await pause(10)
    const [red, blue] = await Promise.all([shared.red, shared.blue].map(valuesOf))
    // Before the transaction, or after it.
    if (step < at) break
    expect([at, [[499], [500]]]).toEqual([at, expect.arrayContaining([red])])
    expect(blue).toEqual([1])
    ends.add(red?.[0])
    expect(await opened(shared).db.recover({ leaseMs: 1, walk: true })).toMatchObject({ left: [] })
  }
  expect(ends.size).toBe(2)
})
