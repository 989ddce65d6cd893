import { type Bytes, keyValue, type Store, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { pause } from '@unikv/core/platform'
import { describe, expect, test } from 'vitest'
import { Cell, type Place } from '../../../src/cube/cell.ts'
import { synthetic } from '../../../src/data/open-data.ts'
import { textReport } from '../../../src/page/text-report.ts'
import type { BenchEvent } from '../../../src/run/progress.ts'
import { benchNamespace } from '../../../src/run/run-namespace.ts'
import type { SizesConfig, SizesResult } from '../../../src/studies/sizes/config.ts'
import type { Cell as Measurement } from '../../../src/studies/sizes/plan.ts'
import { objectsAt } from '../../../src/studies/sizes/rows.ts'
import { sizes } from '../../../src/studies/sizes/sizes.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import type { StudyInput } from '../../../src/study/run-study.ts'
import { benchSizes, sizesConfig } from './run.ts'

const quick = { sizes: [100, 1_000], operations: 10, runs: 1 }

function setup(
  config: Partial<SizesConfig> = {},
  change: (store: Store<Bytes>) => Store<Bytes> = (store) => store,
) {
  const inner = memory()
  // Reads are measured for a time: they wait in it, and leave the processor to others.
  const store = change({
    ...inner,
    capabilities: { ...inner.capabilities, sync: 'none' },
    read: async (reads, options) => {
      await pause(1)
      return inner.read(reads, options)
    },
  })
  const events: BenchEvent<Measurement>[] = []
  const input: StudyInput<SizesConfig, Measurement> = {
    config: sizesConfig({ ...quick, ...config }),
    stores: [{ name: 'm', url: 'memory:', store }],
    data: synthetic({ seed: 1 }),
    onEvent: (event) => events.push(event),
  }
  return { store, native: inner.native, events, input }
}

function at({ rows }: SizesResult, place: Place): Cell {
  return new Cell(rows, {}).at(place)
}

const oneByOne = { mode: 'sequential', inFlight: 1, size: 100 }
const readsOf = (result: SizesResult): Cell => at(result, { ...oneByOne, operation: 'read' })

/** A store that does something else at its n-th write. */
function atWrite(n: number, happens: () => void): (store: Store<Bytes>) => Store<Bytes> {
  let writes = 0
  return (store) => ({
    ...store,
    write: (mutations, options) => {
      if (++writes === n) happens()
      return store.write(mutations, options)
    },
  })
}

/** A store that answers "absent" to reads of what the run wrote, once so many records were deleted. */
function losingAfter(count: number): (store: Store<Bytes>) => Store<Bytes> {
  let deletes = 0
  return (store) => ({
    ...store,
    write: (mutations, options) => {
      for (const { type } of mutations) if (type === 'delete') deletes++
      return store.write(mutations, options)
    },
    read: (reads, options) =>
      deletes < count ? store.read(reads, options) : reads.map((): undefined => undefined),
  })
}

describe('benchSizes', () => {
  test('measures every series, in a form that result.json can hold', async () => {
    const { input } = setup({ sizes: [100], runs: 2, encryption: ['aes-256-gcm'], measureHitRates: true })
    const near = memory({ name: 'near' }) as unknown as Store<Bytes>
    const result = await benchSizes({
      ...input,
      caches: [
        { kind: 'in-process', name: 'memory', share: 'reference' },
        { kind: 'remote', name: 'near', url: 'memory:', store: near },
      ],
    })
    expect(parseResult(sizes, JSON.stringify(result))).toEqual(result)
    expect(result.status).toBe('complete')
    for (const mode of ['sequential', 'parallel'])
      for (const operation of ['read', 'write', 'delete']) {
        const cell = at(result, { mode, operation, inFlight: mode === 'parallel' ? 16 : 1, size: 100 })
        expect(cell.runs('service', 'mean')).toHaveLength(2)
        expect(cell.figure('service', 'count')).toBeGreaterThanOrEqual(20)
      }
    const read = at(result, { operation: 'read', size: 100 })
    expect(read.valuesOf('cache')).toEqual(['memory', 'near'])
    const shares = [0, 0.25, 0.5, 0.75, 1].map((hitRate) =>
      read.at({ cache: 'near', hitRate }).figure('hits'),
    )
    for (const [i, share] of shares.entries()) expect(share).toBeCloseTo(i / 4, 1)
    expect(
      at(result, { operation: 'encode', algorithm: 'aes-256-gcm', size: 100 }).figure('ratio'),
    ).toBeLessThan(1)
    expect((near.native as ReadonlyMap<string, unknown>).size).toBe(0)
  })

  test('deletes exactly what it wrote', async () => {
    const { input, native, store } = setup({ allowNonEmpty: true })
    await keyValue(store).set('mine', Buffer.from('kept'))
    await keyValue(store).namespace('other').set('mine', Buffer.from('kept'))
    await benchSizes(input)
    expect([...native.keys()]).toHaveLength(2)
    expect(Buffer.from((await keyValue(store).get('mine'))!).toString()).toBe('kept')
  })

  test('refuses a store that holds other records, and writes nothing into it', async () => {
    const { input, native, store } = setup()
    await keyValue(store).set('mine', Buffer.from('kept'))
    await expect(benchSizes(input)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringMatching(/^memory holds records already/),
    })
    expect([...native.keys()]).toEqual(['mine'])
  })

  test('removes what a killed run left behind, and spares a run that is alive', async () => {
    const { input, native, events, store } = setup()
    const markers = keyValue(store).namespace(benchNamespace)
    const { hostname } = await import('node:os')
    const marker = (pid: number, host = hostname(), seenAt = Date.now()): Bytes =>
      Buffer.from(JSON.stringify({ host, pid, startedAt: Date.now(), seenAt }))
    await markers.set('dead', marker(2 ** 30))
    await markers.set('torn', Buffer.from('{'))
    await markers.set('silent', marker(1, 'elsewhere', Date.now() - 3_600_000))
    await markers.set('alive', marker(process.ppid))
    await markers.set('remote', marker(1, 'elsewhere'))
    for (const run of ['dead', 'torn', 'silent', 'alive', 'remote'])
      await markers.namespace(run).set('x', Buffer.from('x'))
    await benchSizes(input)
    const removed = events.find((event) => event.type === 'leftovers-removed')
    expect(removed).toMatchObject({ target: 'm', runs: expect.arrayContaining(['dead', 'torn', 'silent']) })
    expect(native.size).toBe(4)
    expect(await markers.namespace('alive').get('x')).toBeDefined()
    expect(await markers.namespace('remote').get('x')).toBeDefined()
  })

  test('interrupted, keeps its finished points and removes its namespace', async () => {
    const { input, native, events } = setup()
    const abort = new AbortController()
    const result = await benchSizes({
      ...input,
      signal: abort.signal,
      onEvent: (event) => {
        events.push(event)
        if (event.type === 'cell' && event.done === 3) abort.abort()
      },
    })
    expect(result.status).toBe('interrupted')
    expect(result.error).toBeNull()
    expect(at(result, {}).valuesOf('size')).toEqual([100])
    expect(readsOf(result).runs('service', 'mean')).toHaveLength(1)
    expect(native.size).toBe(0)
    expect(events.at(-1)).toEqual({ type: 'removing', target: 'm' })
    expect(parseResult(sizes, JSON.stringify(result))).toEqual(result)
  })

  test('interrupted in the middle of a phase, ends after the call under way', async () => {
    const abort = new AbortController()
    const { input, native } = setup(
      {},
      atWrite(145, () => abort.abort()),
    )
    const result = await benchSizes({ ...input, signal: abort.signal })
    expect(result.status).toBe('interrupted')
    expect(native.size).toBe(0)
  })

  test('interrupted before anything was measured, rejects and removes its namespace', async () => {
    const abort = new AbortController()
    const { input, native } = setup(
      {},
      atWrite(5, () => abort.abort()),
    )
    await expect(benchSizes({ ...input, signal: abort.signal })).rejects.toThrow()
    expect(native.size).toBe(0)
  })

  describe('tells that a store could not be cleaned up', () => {
    const left = 'The data that this run wrote to m could not be removed. The next run there will remove it.'
    /** A store that goes away for good at its n-th write; `happens` right before. */
    const goneAt = (n: number, happens: () => void = () => {}): ReturnType<typeof setup> => {
      let writes = 0
      return setup({}, (store) => ({
        ...store,
        write: (mutations, options) => {
          if (++writes === n) happens()
          if (writes > n) throw new StoreError('UNAVAILABLE', 'It went away.')
          return store.write(mutations, options)
        },
      }))
    }

    test('when the run was interrupted', async () => {
      const abort = new AbortController()
      const { input } = goneAt(145, () => abort.abort())
      const result = await benchSizes({ ...input, signal: abort.signal })
      expect([result.status, result.error]).toEqual(['interrupted', left])
    })

    test('when it was interrupted before anything was measured', async () => {
      const abort = new AbortController()
      const { input } = goneAt(5, () => abort.abort())
      const failure: unknown = await benchSizes({ ...input, signal: abort.signal }).catch(
        (error: unknown) => error,
      )
      expect(failure).toMatchObject({ message: left })
      expect((failure as Error).cause).toBe(abort.signal.reason)
    })

    test('when it failed', async () => {
      const result = await benchSizes(goneAt(145).input)
      expect([result.status, result.error]).toEqual(['failed', `It went away. ${left}`])
      await expect(benchSizes(goneAt(5).input)).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: `It went away. ${left}`,
      })
    })
  })

  test('interrupted while it cleans up, keeps the status that it has', async () => {
    const cases = [
      [losingAfter(3 * 20), 'invalid'],
      [(store: Store<Bytes>) => store, 'complete'],
    ] as const
    for (const [change, status] of cases) {
      const abort = new AbortController()
      const { input } = setup({ sizes: [100], runs: 3, parallel: 4 }, change)
      const onEvent = ({ type }: BenchEvent<Measurement>): void => {
        if (type === 'removing') abort.abort()
      }
      expect((await benchSizes({ ...input, signal: abort.signal, onEvent })).status).toBe(status)
    }
  })

  test('of a store that fails later, returns what was finished and says why', async () => {
    const fail = (): never => {
      throw new StoreError('UNAVAILABLE', 'It went away.')
    }
    const { input, native } = setup({}, atWrite(145, fail))
    const result = await benchSizes(input)
    expect(result.status).toBe('failed')
    expect(result.error).toBe('It went away.')
    expect(readsOf(result).isEmpty).toBe(false)
    expect(native.size).toBe(0)
  })

  test('of a store that fails at once, rejects with the error of the store', async () => {
    const fail = (): never => {
      throw new StoreError('UNAVAILABLE', 'Nobody there.')
    }
    const { input } = setup({}, atWrite(1, fail))
    await expect(benchSizes(input)).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'Nobody there.' })
  })

  test('of a store that returns other bytes than were written, rejects with CORRUPT', async () => {
    const { input } = setup({}, (store) => ({
      ...store,
      read: async (reads, options) => {
        const results = await store.read(reads, options)
        return results.map((one) =>
          one !== undefined && 'value' in one ? { ...one, value: new Uint8Array(3) } : one,
        )
      },
    }))
    await expect(benchSizes(input)).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test.each(['sequential', 'parallel'] as const)(
    'of a store that loses records, measures no miss as a read: %s reads',
    async (mode) => {
      const deletes = { sequential: 0, parallel: 10 }[mode]
      const { input, native } = setup({ sizes: [100], runs: 3, parallel: 4 }, losingAfter(3 * 20 + deletes))
      const result = await benchSizes(input)
      expect(result.status).toBe('invalid')
      expect(result.error).toMatch(/^memory does not return a record that this run wrote\. A miss is not/)
      for (const operation of ['read', 'write', 'delete'])
        expect(at(result, { ...oneByOne, operation }).runs('service', 'mean')).toHaveLength(2)
      expect(native.size).toBe(0)
      expect(parseResult(sizes, JSON.stringify(result))).toEqual(result)
    },
  )

  test('of a store that loses records from the first measured run on, rejects', async () => {
    const { input } = setup({ sizes: [100], parallel: 4 }, losingAfter(20))
    await expect(benchSizes(input)).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test('of a store that fails while records are deleted, asks no further', async () => {
    let deletes = 0
    const { input } = setup({ sizes: [100], operations: 30, parallel: 1 }, (store) => ({
      ...store,
      write: (mutations, options) => {
        if (mutations[0]?.type !== 'delete') return store.write(mutations, options)
        deletes++
        throw new StoreError('TIMEOUT', 'It fell silent.')
      },
    }))
    await expect(benchSizes(input)).rejects.toMatchObject({ code: 'TIMEOUT' })
    expect(deletes).toBeLessThanOrEqual(2) // one of the phase, and one of the namespace that goes
  })

  test('tells how many objects there were where phases ended early', async () => {
    const { input } = setup({ sizes: [100], operations: 30, runs: 1, parallel: 1, maxPhaseMs: 1e-9 })
    const result = await benchSizes(input)
    expect(result.points[0]?.operations).toBe(10)
    expect(objectsAt(result.rows, 100)).toEqual([10, 10, 10])
  })

  test('tells of no parallel series where there is none', async () => {
    const runsOf = async (parallel: number): Promise<string | undefined> => {
      const result = await benchSizes(setup({ sizes: [100], runs: 1, parallel }).input)
      return /^runs: .*$/m.exec(textReport(sizes, result, 200))?.[0]
    }
    expect(await runsOf(1)).toBe('runs: 1 of each point after a warm-up; no parallel series')
    expect(await runsOf(2)).toContain('; 2 calls in flight in the parallel series')
  })

  test('writes the same objects in the same order for the same seed', async () => {
    const written = async (seed: number): Promise<string[]> => {
      const seen: string[] = []
      const { input } = setup({ sizes: [100] }, (store) => ({
        ...store,
        write: (mutations, options) => {
          for (const one of mutations)
            if (one.type === 'set') seen.push(Buffer.from(one.value).toString('base64'))
          return store.write(mutations, options)
        },
      }))
      await benchSizes({ ...input, data: synthetic({ seed }) })
      return seen.filter((value) => !Buffer.from(value, 'base64').toString().includes('"pid"'))
    }
    expect(await written(3)).toEqual(await written(3))
    expect(await written(3)).not.toEqual(await written(4))
  })
})

describe('benchSizes refuses before anything is sent', () => {
  const refused = async (change: Partial<StudyInput<SizesConfig, Measurement>>): Promise<string> => {
    const { input, native } = setup()
    const error: unknown = await benchSizes({ ...input, ...change }).catch((reason: unknown) => reason)
    expect(native.size).toBe(0)
    return (error as Error).message
  }
  const store = memory() as unknown as Store<Bytes>

  test('objects that a store or a remote cache cannot take', async () => {
    const small: Store<Bytes> = { ...store, capabilities: { ...store.capabilities, maxValueBytes: 500 } }
    const message = 'Objects of 1 KB are too large for small, which allows 500 B.'
    expect(await refused({ stores: [{ name: 'small', url: 'memory:', store: small }] })).toBe(message)
    expect(await refused({ caches: [{ kind: 'remote', name: 'small', url: 'memory:', store: small }] })).toBe(
      message,
    )
  })
})
