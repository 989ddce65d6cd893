import { type Bytes, compose, type Mutation, passThrough, type Store } from '@unikv/core'
import { describe, expect, test } from 'vitest'
import type { WarmOptions } from '../src/index.ts'
import { gatedStore, turn } from './gated-store.ts'
import { narrow, pass, readAll, run, type World, world } from './warm-setting.ts'

const keys = Array.from({ length: 30 }, (_, i) => `k${i}`)

/** A store whose calls of a verb can be made to fail or to hang. */
function weak(
  inner: Store<Bytes>,
  isWeak: (verb: 'read' | 'write' | 'close') => 'fails' | 'hangs' | 'works',
) {
  const weakly = <T>(verb: 'read' | 'write' | 'close', work: () => T): T | Promise<never> => {
    const how = isWeak(verb)
    if (how === 'works') return work()
    return how === 'fails' ? Promise.reject(new Error('broken')) : new Promise<never>(() => {})
  }
  const layer = passThrough('weak', {
    wrap: (store) => ({
      read: (reads, call) => weakly('read', () => store.read(reads, call)),
      write: (mutations, call) => weakly('write', () => store.write(mutations, call)),
      close: () => weakly('close', () => store.close()),
    }),
  })
  return compose(inner, [layer])
}

/** A world whose source holds two generations of values, of which the first is saved in several chunks. */
async function saved() {
  const here = world()
  const small = narrow(here.files, 1_024)
  const first = run(here, { freshForMs: 1e9 }, { store: small })
  for (const key of keys) await first.kv.set(key, `1 ${'x'.repeat(100)}`)
  await readAll(first.kv, keys)
  await first.kv.close()
  return { here, small }
}

interface Generations {
  readonly found: readonly string[]
  readonly refusals: number | undefined
  readonly loaded: number | undefined
}

/** The first characters of the values that a later run has without asking. */
async function generationsIn(here: World): Promise<Generations> {
  const { near, kv, asked } = run(here, { freshForMs: 1e9 }, { resume: 'fresh' })
  await near.loaded()
  const found: string[] = []
  for (const key of keys) {
    const value = await kv.get(key)
    if (!asked.includes(key)) found.push(JSON.stringify(value).slice(1, 2))
  }
  return { found, refusals: near.stats().warm?.refusals, loaded: near.stats().warm?.loaded }
}

describe('a save that fails', () => {
  test.each(['fails', 'hangs'] as const)(
    'at any call leaves what was saved before, or is whole: a store that %s',
    async (how) => {
      const ends = new Set<string>()
      for (let step = 0; step < 20 && !ends.has('done'); step++) {
        const { here } = await saved()
        let calls = -1
        const store = weak(narrow(here.files, 1_024), (verb) =>
          verb === 'close' || calls < 0 || calls++ < step ? 'works' : how,
        )
        const second = run(
          here,
          { freshForMs: 1e9 },
          {
            store,
            timeoutMs: how === 'hangs' ? 800 : 60_000,
          },
        )
        for (const key of keys) await second.kv.set(key, `2 ${'y'.repeat(100)}`)
        await second.near.loaded()
        await readAll(second.kv, keys)
        calls = 0
        const result = await second.near.save().then(
          () => 'done',
          (error: { code: string }) => error.code,
        )
        const { found, refusals, loaded } = await generationsIn(here)
        expect(refusals, `step ${step}`).toBe(0)
        expect(new Set(found).size, `step ${step}`).toBe(1)
        expect(loaded, `step ${step}: ${result}, ${found.length} found`).toBe(keys.length)
        expect(found).toHaveLength(keys.length)
        expect(found[0], `step ${step}: ${result}`).toBe(result === 'done' ? '2' : '1')
        ends.add(result)
      }
      // What hangs here has not been sent yet.
      const failures = how === 'fails' ? ['UNAVAILABLE', 'OUTCOME_UNKNOWN'] : ['TIMEOUT']
      expect(ends).toEqual(new Set([...failures, 'done']))
    },
  )

  test('rejects save, is counted, and the next one is whole', async () => {
    const { here, small } = await saved()
    let isBroken = false
    const store = weak(small, () => (isBroken ? 'fails' : 'works'))
    const second = run(here, { freshForMs: 1e9 }, { store })
    await second.near.loaded()
    isBroken = true
    await expect(second.near.save()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(second.near.stats().warm).toMatchObject({ saves: 0, errors: 1 })
    isBroken = false
    expect((await second.near.save()).entries).toBe(keys.length)
  })
})

describe('close', () => {
  test.each(['read', 'write', 'close'])('ends in time and well where %s hangs', async (verb) => {
    const { here, small } = await saved()
    let isHanging = false
    const store = weak(small, (one) => (isHanging && one === verb ? 'hangs' : 'works'))
    const second = run(here, { freshForMs: 1e9 }, { store, timeoutMs: 500 })
    await second.near.loaded()
    isHanging = true
    const startedAt = performance.now()
    await second.kv.close()
    expect(performance.now() - startedAt).toBeLessThan(3_000)
    expect(await generationsIn(here)).toMatchObject({ loaded: keys.length, refusals: 0 })
  })

  test.each(['read', 'write', 'close'])('ends well where %s fails', async (verb) => {
    const { here, small } = await saved()
    let isBroken = false
    const store = weak(small, (one) => (isBroken && one === verb ? 'fails' : 'works'))
    const second = run(here, { freshForMs: 1e9 }, { store })
    await second.near.loaded()
    isBroken = true
    await second.kv.close()
    expect(second.near.stats().warm).toMatchObject({ errors: verb === 'write' ? expect.any(Number) : 1 })
    expect(second.near.stats().warm?.errors).toBeGreaterThan(0)
    expect(await generationsIn(here)).toMatchObject({ loaded: keys.length, refusals: 0 })
  })

  test('during a load that hangs leaves what was saved before', async () => {
    const { here, small } = await saved()
    let reads = 0
    const store = weak(small, (verb) => (verb === 'read' && ++reads > 3 ? 'hangs' : 'works'))
    const second = run(here, { freshForMs: 1e9 }, { store, timeoutMs: 500 })
    await second.kv.get('k0')
    await second.kv.close()
    expect(second.near.stats()).toMatchObject({ entries: 0, warm: { saves: 0 } })
    expect(await generationsIn(here)).toMatchObject({ loaded: keys.length, refusals: 0 })
  })

  test('during a load waits for it, and saves all', async () => {
    const { here, small } = await saved()
    const second = run(here, { freshForMs: 1e9 }, { store: small })
    await second.kv.close()
    expect(second.near.stats().warm).toMatchObject({ loaded: 30, saved: 30 })
  })

  test('comes after a save that is under way', async () => {
    const { here, small } = await saved()
    const second = run(here, { freshForMs: 1e9 }, { store: small })
    await second.near.loaded()
    const saving = second.near.save()
    expect(second.near.save()).toBe(saving)
    await second.kv.close()
    expect(await saving).toMatchObject({ entries: 30 })
    expect(second.near.stats().warm).toMatchObject({ saves: 2, errors: 0 })
  })
})

describe('a load', () => {
  test('that hangs holds up no reader, and ends in time', async () => {
    const { here, small } = await saved()
    const store = weak(small, (verb) => (verb === 'read' ? 'hangs' : 'works'))
    const second = run(here, { freshForMs: 1e9 }, { store, timeoutMs: 500 })
    expect(await second.kv.get('k1')).toMatch(/^1/)
    await second.near.loaded()
    expect(second.near.stats()).toMatchObject({ entries: 1, warm: { loaded: 0, errors: 1 } })
  })

  test('that fails half way keeps what it has', async () => {
    const { here, small } = await saved()
    let reads = 0
    const store = weak(small, (verb) => (verb === 'read' && ++reads > 3 ? 'fails' : 'works'))
    const second = run(here, { freshForMs: 1e9 }, { store })
    await second.near.loaded()
    const { loaded = 0, errors } = second.near.stats().warm ?? {}
    expect(errors).toBe(1)
    expect(loaded).toBeGreaterThan(5)
    expect(loaded).toBeLessThan(30)
  })

  test('restores nothing after clear', async () => {
    const here = world()
    const first = run(here)
    await first.kv.set('a', 1)
    await first.kv.get('a')
    await first.kv.close()
    const files = gatedStore()
    await files.inner.write(
      Array.from(
        here.files.native,
        ([key, { value, version = '' }]): Mutation<Bytes> => ({ type: 'set', key, value, version }),
      ),
      { deadlineAt: Number.POSITIVE_INFINITY },
    )
    const second = run(here, { freshForMs: 1e9 }, { store: files })
    for (const reads of [1, 2]) {
      await expect.poll(() => files.reads.length, { interval: 1 }).toBe(reads)
      if (reads === 1) await files.open()
    }
    second.near.clear()
    await files.open()
    await second.near.loaded()
    expect(files.reads).toHaveLength(2)
    expect(second.near.stats()).toMatchObject({ entries: 0, warm: { loaded: 0, refusals: 0, errors: 0 } })
  })

  test('takes nothing that is older than maxAgeMs, as a whole or entry by entry', async () => {
    const here = world()
    const warm: Partial<WarmOptions> = { maxAgeMs: 1_000 }
    const first = run(here, {}, warm)
    for (const key of ['a', 'b']) await first.kv.set(key, key)
    await readAll(first.kv, ['a', 'b'])
    await first.kv.close()
    pass(here, 600)
    // Nobody asks for `a` in this run.
    const second = run(here, {}, warm)
    await second.near.loaded()
    await second.kv.get('b')
    await second.kv.close()
    pass(here, 600)
    const third = run(here, {}, warm)
    await third.near.loaded()
    expect(third.near.stats().warm).toMatchObject({ loaded: 1, refusals: 1 })
    // Somebody set the clock back meanwhile.
    here.uptime += 1_001
    const fourth = run(here, {}, warm)
    await fourth.near.loaded()
    expect(fourth.near.stats()).toMatchObject({ entries: 0, warm: { loaded: 0, refusals: 1 } })
  })
})

test('everyMs saves again and again, and stops when the stack is closed', async () => {
  const here = world()
  const first = run(here, {}, { everyMs: 2 })
  await first.kv.set('a', 1)
  await first.kv.get('a')
  await expect.poll(() => first.near.stats().warm?.saves, { interval: 2 }).toBeGreaterThan(2)
  expect(first.near.stats().warm?.saved).toBe(1)
  await first.kv.close()
  const saves = first.near.stats().warm?.saves
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(first.near.stats().warm?.saves).toBe(saves)
})

test('a long save and a long load let others have the event loop', async () => {
  const here = world()
  const many = Array.from({ length: 2_000 }, (_, i) => `k${i}`)
  const first = run(here, {}, { timeoutMs: 60_000 })
  await first.kv.setMany(many.map((key) => [key, { key, list: [1, 2, 3], text: 'x'.repeat(100) }] as const))
  await first.kv.getMany(many)
  const saving = await turnsDuring(first.near.save())
  const second = run(here, {}, { timeoutMs: 60_000 })
  const loading = await turnsDuring(second.near.loaded())
  expect(second.near.stats().warm?.loaded).toBe(many.length)
  expect(saving).toBeGreaterThan(5)
  expect(loading).toBeGreaterThan(5)
})

/** How often the event loop came round while something went on. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let isOver = false
  void work.finally(() => {
    isOver = true
  })
  let turns = 0
  while (!isOver) {
    await turn()
    turns++
  }
  return turns
}
