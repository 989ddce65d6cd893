import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isStoreError, json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { mulberry32, noteCounts } from '@unikv/test-kit'
import { describe, expect, it } from 'vitest'
import { type SagaStep, saga } from '../src/index.ts'
import { endingAt, leaseMs, Process } from './world.ts'

const codeOf = (work: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .then(
      () => undefined,
      (error: unknown) => (isStoreError(error) ? error.code : error),
    )

const options = { leaseMs: 2 * leaseMs, retryMs: () => 1 }

describe('a saga', () => {
  it('does its steps in order, each with the results before, and is not done twice', async () => {
    const calls: unknown[] = []
    const step = (name: string): SagaStep<number> => ({
      name,
      run: ({ input, results, key }) => {
        calls.push([key, input, { ...results }])
        return `${name} of ${input}`
      },
    })
    const sums = saga(keyValue(memory(), [json()]), [step('a'), step('b')], options)
    const end = { state: 'done', results: { a: 'a of 7', b: 'b of 7' } }
    expect(await Promise.all([sums.run('s', 7), sums.run('s', 7)])).toEqual([end, end])
    expect(await sums.run('s', 8)).toEqual(end)
    expect(calls).toEqual([
      ['s a', 7, {}],
      ['s b', 7, { a: 'a of 7' }],
    ])
    expect([await sums.state('s'), await sums.state('t')]).toEqual(['done', undefined])
  })

  it('undoes the step that failed and those before it, the last one first, until that is done', async () => {
    const calls: string[] = []
    let failures = 0
    const step = (name: string, fails: boolean): SagaStep<null> => ({
      name,
      run: () => {
        calls.push(`do ${name}`)
        if (fails) throw new Error('full')
        return name === 'b' ? new Date() : undefined // A result that the codec cannot hold fails, too.
      },
      undo: () => {
        if (failures++ < 5) throw new Error('away')
        calls.push(`undo ${name}`)
      },
    })
    const store = keyValue(memory(), [json()])
    const full = saga(store, [step('a', false), step('c', true), step('d', false)], {
      ...options,
      attempts: 2,
    })
    expect(await full.run('s', null)).toEqual({ state: 'undone', failedAt: 'c', why: 'full' })
    expect(calls).toEqual(['do a', 'do c', 'do c', 'undo c', 'undo a'])
    const odd = saga(keyValue(memory(), [json()]), [step('a', false), step('b', false)], options)
    expect(await odd.run('s', null)).toMatchObject({ state: 'undone', failedAt: 'b' })
    // Another definition does not go on with it.
    expect(await codeOf(() => odd.run('s', null))).toBeUndefined()
  })

  it('ends in time for its caller, and goes on when it is resumed', async () => {
    let isOpen = false
    const store = keyValue(memory(), [json()])
    const step = { name: 'a', run: () => (isOpen ? 1 : Promise.reject(new Error('closed'))) }
    const slow = saga(store, [step], { ...options, attempts: 1_000_000 })
    expect(await codeOf(() => slow.run('s', null, { timeoutMs: 50 }))).toBe('TIMEOUT')
    expect(await codeOf(() => slow.run('t', null, { signal: AbortSignal.abort() }))).toBe('ABORTED')
    // Also where memory is collected while nothing else holds the time of the call.
    setFlagsFromString('--expose-gc')
    const collecting = setInterval(runInNewContext('gc') as () => void, 10)
    const resting = saga(store, [step], { ...options, attempts: 2, retryMs: () => Number.POSITIVE_INFINITY })
    const { signal } = new AbortController()
    expect(await codeOf(() => resting.run('v', null, { timeoutMs: 100, signal }))).toBe('TIMEOUT')
    clearInterval(collecting)
    // A step that is under way is not waited for, and is written down when it ends.
    let end = (_: string): void => {}
    const long = saga(
      store,
      [{ name: 'long', run: () => new Promise((resolve) => (end = resolve)) }],
      options,
    )
    expect(await codeOf(() => long.run('u', null, { timeoutMs: 50 }))).toBe('TIMEOUT')
    end('over')
    expect(await long.run('u', null)).toEqual({ state: 'done', results: { long: 'over' } })
    const other = saga(store, [{ ...step, name: 'b' }], options)
    expect(await codeOf(() => other.run('s', null))).toBe('INVALID_CONFIG')
    isOpen = true
    expect(await slow.resume()).toEqual({ done: 3, undone: 0, left: [] })
    expect(await slow.resume()).toEqual({ done: 0, undone: 0, left: [] })
  })

  it('refuses what it cannot do', async () => {
    const store = keyValue(memory(), [json()])
    const step = { name: 'a', run: () => 1 }
    for (const work of [
      () => saga(store, []),
      () => saga(store, [step, step]),
      () => saga(store, [{ name: 'a' } as never]),
      () => saga(store, [{ ...step, undo: 'x' } as never]),
      () => saga(store, [{ ...step, compensate: () => {} } as never]),
      () => saga(undefined as never, [step]),
      () => saga(keyValue(memory()) as never, [step]),
      () =>
        saga(store, [{ name: 'a', run: () => Promise.reject(new Error('no')) }], {
          retryMs: () => Number.NaN,
        }).run('n', 1),
      () => saga(store, [step], { attempts: 0 }),
      () => saga(store, [step], { lease: 1 } as never),
    ])
      expect(await codeOf(work)).toBe('INVALID_CONFIG')
    for (const other of [null, 'text', { hello: 1 }]) {
      await store.set('other', other)
      expect(await codeOf(() => saga(store, [step]).run('other', null))).toBe('CORRUPT')
    }
  })
})

const kills = Number(process.env['UNIKV_KILLS'] ?? 60)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const worlds = 10
const never = new Promise<never>(() => {})
const names = ['flight', 'hotel', 'car']

/** Sagas of one process. The effects of steps are seen by all; a step fails now and then, so two processes that had one saga would not agree. */
function tripsOf(store: ReturnType<typeof memory>, process: Process, random: () => number, effects: Effects) {
  const steps = names.map(
    (name): SagaStep<null> => ({
      name,
      run: ({ id }) => {
        if (process.isGone) return never
        effects.set(id, (effects.get(id) ?? new Set()).add(name))
        if (random() < 0.15) throw new Error('no room')
        return name
      },
      undo: ({ id }) => (process.isGone ? never : void effects.get(id)?.delete(name)),
    }),
  )
  return saga(keyValue(process.through(store), [json()]), steps, { ...options, attempts: 1 })
}

/** Steps that have taken effect, by the ids of their sagas. */
type Effects = Map<string, Set<string>>

async function killedIn(world: number): Promise<number> {
  const random = mulberry32(seed * 1000 + world)
  const store = memory()
  const effects = new Map() as Effects
  const rounds = Math.ceil(kills / worlds / 2)
  let count = 0
  const chain = async (): Promise<void> => {
    for (let i = 0; i < rounds; i++) {
      const process = new Process(endingAt(1 + Math.floor(random() * 30), random))
      const trips = tripsOf(store, process, random, effects)
      const work = async (): Promise<void> => {
        while (!process.isGone) {
          await trips.run(`trip ${Math.floor(count++ / 2)}`, null).catch(() => {})
          await trips.resume({ timeoutMs: 5000 }).catch(() => {})
        }
      }
      await Promise.race([work(), process.gone])
      for (const arrive of process.late) void arrive()
    }
  }
  await Promise.all([chain(), chain()])
  const last = tripsOf(store, new Process(), random, effects)
  expect((await last.resume({ timeoutMs: 20_000 })).left).toEqual([])
  for (const [id, left] of effects) {
    const end = await last.state(id)
    const isWhole = end === 'done' ? [...left].toSorted().join() === names.toSorted().join() : left.size === 0
    expect([end, isWhole], `${id} of world ${world}, seed ${seed}`).toEqual([
      expect.stringMatching(/^(un)?done$/),
      true,
    ])
  }
  return effects.size
}

it('each saga ends done or undone, never both, at each step of its processes', {
  timeout: 3_600_000,
}, async () => {
  const sagas = await Promise.all(Array.from({ length: worlds }, (_, world) => killedIn(world)))
  noteCounts({ kills, seed, sagas: sagas.reduce((sum, one) => sum + one, 0) })
  expect(sagas.every((one) => one > 0)).toBe(true)
})
