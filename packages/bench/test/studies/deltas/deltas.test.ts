import { type Bytes, keyValue, type Store, supports } from '@unikv/core'
import { callOptions, valueDelta } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { Cell } from '../../../src/cube/cell.ts'
import { synthetic } from '../../../src/data/open-data.ts'
import type { Crew } from '../../../src/drive/crew.ts'
import { throughStore } from '../../../src/run/through-store.ts'
import { steadyMean } from '../../../src/studies/deltas/aggregate.ts'
import { type DeltasConfig, keysAt, parseShares } from '../../../src/studies/deltas/config.ts'
import type { DeltaCell, DeltaPoint, DeltasResult } from '../../../src/studies/deltas/plan.ts'
import { Traffic } from '../../../src/studies/deltas/ways.ts'
import type { StudyInput } from '../../../src/study/run-study.ts'
import { benchDeltas, deltasConfig } from './run.ts'

function input(store: Store<Bytes>, config: object = {}): StudyInput<DeltasConfig, DeltaCell> {
  return {
    config: deltasConfig({ sizes: [4_000], updates: 8, keys: 2, runs: 2, ...config }),
    stores: [{ name: 'here', url: 'memory:', store }],
    data: synthetic({ seed: 1 }),
  }
}

const pointOf = (points: readonly DeltaPoint[], edit: string): DeltaPoint =>
  points.find((point) => point.edit === edit) as DeltaPoint

function cellOf({ rows }: DeltasResult, { size, edit, share }: DeltaPoint): Cell {
  return new Cell(rows, {}).at({ size, edit, share })
}

function mean(cell: Cell, way: string, operation: string, measure: string): number {
  return cell.at({ way, operation }).figure(measure, 'mean') ?? Number.NaN
}

/** The share of updates that were sent as a delta. */
function shareOf(cell: Cell): number | null {
  return cell.at({ way: 'delta', operation: 'update' }).figure('sent as a delta')
}

async function keysIn(store: Store<Bytes>): Promise<string[]> {
  const keys: string[] = []
  for await (const page of store.scan({ prefix: '', pageSize: 100, values: false }, callOptions()))
    keys.push(...page.entries.map(({ key }) => key))
  return keys
}

describe('benchDeltas', () => {
  test('measures every edit at every size both ways, and leaves nothing in the store', async () => {
    const store = memory()
    const result = await benchDeltas(input(store, { sizes: [2_000, 4_000] }))
    expect([result.status, result.points.length]).toEqual(['complete', 14])
    for (const point of result.points) {
      const cell = cellOf(result, point)
      const valueBytes = cell.figure('value', 'mean')
      const moved = ['update', 'read'].map((operation) => mean(cell, 'plain', operation, 'moved'))
      expect([cell.figure('updates'), ...moved]).toEqual([32, valueBytes, valueBytes])
      const trips = ['update', 'read'].map((operation) => mean(cell, 'plain', operation, 'round trips'))
      expect([...trips, mean(cell, 'delta', 'read', 'round trips') >= 1]).toEqual([1, 1, true])
      for (const [way, operation] of [
        ['plain', 'update'],
        ['delta', 'update'],
        ['delta', 'known read'],
      ] as const) {
        const runs = cell.at({ way, operation }).runs('service', 'mean')
        expect([runs.length, Math.min(...runs) > 0]).toEqual([2, true])
      }
      const { low, high } = point.recommendation.ratio
      expect(low).toBeLessThan(high as number)
    }
    expect(await keysIn(store)).toEqual([])
  })

  test('sends less for small edits, and says not to use deltas where nothing is in common', async () => {
    const result = await benchDeltas(input(memory()))
    const [scattered, random] = ['scattered', 'random'].map((edit) => pointOf(result.points, edit))
    const cell = cellOf(result, scattered!)
    expect(shareOf(cell)).toBeGreaterThan(0.8)
    const moved = (way: string, operation: string): number => mean(cell, way, operation, 'moved')
    expect(moved('delta', 'update')).toBeLessThan(0.5 * moved('plain', 'update'))
    expect(moved('delta', 'known read')).toBeLessThan(0.5 * moved('delta', 'read'))
    expect([shareOf(cellOf(result, random!)), random!.share, random!.recommendation]).toMatchObject([
      0,
      1,
      { verdict: 'do-not-use', reason: 'written-whole' },
    ])
  })

  test('counts the same bytes and round trips in every run', async () => {
    const counted = async () =>
      (await benchDeltas(input(memory()))).rows.filter(({ measure }) =>
        ['sent as a delta', 'moved', 'stored', 'round trips'].includes(measure),
      )
    expect(await counted()).toEqual(await counted())
  })

  test('says not to use deltas for values that the layer writes whole', async () => {
    const { points } = await benchDeltas(input(memory(), { sizes: [1_000], edits: ['scattered'] }))
    expect(points.map(({ recommendation }) => recommendation.reason)).toEqual([
      'written-whole',
      'written-whole',
    ])
  })

  test('writes longer chains of more, shorter deltas if it is allowed to', async () => {
    const sentAt = async (maxDeltas: number): Promise<number> => {
      const edits = { edits: ['scattered'], shares: [0.01] }
      const result = await benchDeltas(input(memory(), { maxDeltas, ...edits }))
      return mean(cellOf(result, result.points[0]!), 'delta', 'update', 'moved')
    }
    expect(await sentAt(8)).toBeLessThan(await sentAt(2))
  })

  test.each([
    [{ conditionalWrite: false }, 'UNSUPPORTED', 'no conditional writes'],
    [{ evicts: true }, 'INVALID_CONFIG', 'may evict records'],
    [{ maxValueBytes: 7_000 }, 'INVALID_ARGUMENT', 'which grow to 8 KB by append, are too large for here'],
  ])('refuses a store with %o before anything is sent', async (capabilities, code, says) => {
    let calls = 0
    const inner = memory()
    const store = {
      ...inner,
      capabilities: { ...inner.capabilities, ...capabilities },
      scan: (...args: Parameters<typeof inner.scan>) => {
        calls++
        return inner.scan(...args)
      },
    } as unknown as Store<Bytes>
    await expect(benchDeltas(input(store))).rejects.toMatchObject({
      code,
      message: expect.stringContaining(says),
    })
    expect(calls).toBe(0)
  })

  test('fails if a read gives another value than was written', async () => {
    const inner = memory()
    const store: Store<Bytes> = {
      ...inner,
      read: async (reads, options) =>
        (await inner.read(reads, options)).map((result) =>
          result !== undefined && 'value' in result && result.value.length === 4_000
            ? { ...result, value: Buffer.concat([result.value.subarray(1), Buffer.from('x')]) }
            : result,
        ),
    }
    await expect(benchDeltas(input(store, { edits: ['random'] }))).rejects.toMatchObject({ code: 'CORRUPT' })
  })

  test('interrupted, keeps what was measured and removes what was written', async () => {
    const store = memory()
    const abort = new AbortController()
    const { status, points } = await benchDeltas({
      ...input(store, { runs: 50, edits: ['append', 'moves'], shares: [0.1] }),
      signal: abort.signal,
      onEvent: (event) => {
        if (event.type === 'cell' && event.cell.run === 1 && event.cell.edit === 'append') abort.abort()
      },
    })
    expect([status, points.map(({ edit }) => edit)]).toEqual(['interrupted', ['append']])
    expect(points[0]?.recommendation).toMatchObject({ verdict: 'no-clear-difference', reason: 'one-run' })
    expect(await keysIn(store)).toEqual([])
  })

  test('leaves records of others alone, and refuses to share unless told', async () => {
    const store = memory()
    const mine = keyValue(store)
    await mine.set('mine', Buffer.from('kept'))
    await expect(benchDeltas(input(store))).rejects.toMatchObject({ code: 'INVALID_CONFIG' })
    await benchDeltas(input(store, { allowNonEmpty: true, edits: ['append'], runs: 1 }))
    expect(supports(mine, 'scan') ? await mine.count() : 0).toBe(1)
  })
})

test('steadyMean keeps what every key bears at the same update, and drops what one of them met', () => {
  const keys = [
    [1, 1, 9, 1],
    [1, 50, 9, 1],
    [1, 1, 9, 70],
  ]
  expect(steadyMean(keys.flat(), 4)).toBe(3)
  expect(steadyMean([2, 4, 4, 8], 2)).toBe(4.5)
})

test('Traffic counts a delta that the server applies as what is sent, and the value as what is stored', async () => {
  const inner = memory()
  const applying = { ...inner, capabilities: { ...inner.capabilities, deltas: true } }
  const value = Buffer.alloc(1_000)
  const set = (of: Bytes) => ({
    type: 'set' as const,
    key: 'k',
    version: '1',
    value,
    facts: valueDelta.with({ of, bytes: Buffer.alloc(30), inPlace: true }),
  })
  const sent = async (store: unknown, of: Bytes): Promise<readonly number[]> => {
    const traffic = new Traffic(store as Store<Bytes>)
    await traffic.store.write([set(of)], callOptions())
    return [traffic.sentBytes, traffic.storedBytes]
  }
  expect(await sent(applying, value)).toEqual([30, 1_000])
  expect(await sent(applying, Buffer.alloc(1_000))).toEqual([1_000, 1_000])
  expect(await sent(inner, value)).toEqual([1_000, 1_000])
})

describe('the configuration', () => {
  test('takes shares in per cent, sorted and once each', () => {
    expect(parseShares('10, 1%,0.5,10')).toEqual([0.005, 0.01, 0.1])
  })

  test.each(['0', '-1', '101', '', 'x', '1,,2', 'NaN', 'Infinity'])('refuses the share %o', (text) => {
    expect(() => parseShares(text)).toThrow('percentage above 0 and at most 100')
  })

  test('names what is wrong', () => {
    expect(() => deltasConfig({ sizes: [1], edits: ['swap'] })).toThrow('wrong at edits.0')
    expect(() => deltasConfig({ sizes: [1], shares: [] })).toThrow('wrong at shares')
    expect(() => deltasConfig({ sizes: [1], use: { mbits: 0 } })).toThrow('wrong at use.mbits')
  })

  test('updates fewer keys of large values', () => {
    const keys = (size: number): number => keysAt(size, { keys: 'auto', updates: 66 })
    expect([keys(1_000), keys(60_000), keys(100_000), keys(10_000_000)]).toEqual([5, 5, 3, 1])
    expect(keysAt(1_000, { keys: 9, updates: 66 })).toBe(9)
  })
})

test('caches are refused, not ignored', async () => {
  const caches = [{ kind: 'in-process', name: 'c', share: 'freeze' }] as const
  const run = benchDeltas({ ...input(memory()), caches })
  await expect(run).rejects.toThrow('The study deltas does not measure caches. Leave them out.')
})

test('workers elsewhere are refused where a store cannot list its keys', async () => {
  const store = memory()
  const blind = throughStore(store, { capabilities: { ...store.capabilities, scan: false } } as object)
  const run = benchDeltas({ ...input(blind), crew: {} as Crew, keysFolder: 'nowhere' })
  await expect(run).rejects.toThrow('A store that cannot list its keys takes no --workers')
})
