import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { synthetic } from '../src/data/open-data.ts'
import { LiveRun } from '../src/page/live-run.ts'
import { reportPage } from '../src/page/page.ts'
import { run } from '../src/studies/run/run.ts'
import { runStudy } from '../src/study/run-study.ts'
import type { AnyResult, AnyStudy } from '../src/study/study.ts'
import { studyConfig } from '../src/study/study-config.ts'

const study = run as unknown as AnyStudy

/** A second of a run, as its loop reports it. */
function second(target: string, of: number, atMs: number, operations: number) {
  const all = { operations, errors: 0, p50Ms: 1, p99Ms: 5, maxMs: 9 }
  const interval = { atMs, lengthMs: 1_000, all, kinds: [all] }
  return { type: 'interval', target, run: of, interval } as const
}

test('seconds of all runs stand one after the other, without the warm-up', () => {
  const live = new LiveRun()
  expect(live.sentence()).toBe('The stores are being opened.')
  live.saw({ type: 'started', cells: 5, leastMs: 0 })
  for (const at of [0, 1_000]) live.saw(second('a', 0, at, 1))
  for (const [of, target] of [
    [1, 'a'],
    [1, 'b'],
    [2, 'a'],
  ] as const)
    for (const at of [0, 1_000]) live.saw(second(target, of, at, of * 100))
  const [drawing = ''] = live.section().split('on-phone')
  const points = [...drawing.matchAll(/<title>(\w), (\d) s: (\d+)/g)].map(([, name, at, rate]) => [
    name,
    at,
    rate,
  ])
  expect(points).toEqual([
    ['a', '0', '100'],
    ['a', '1', '100'],
    ['a', '2', '200'],
    ['a', '3', '200'],
    ['b', '0', '100'],
    ['b', '1', '100'],
  ])
  expect(live.sentence()).toBe('0 of 5 measurements are done. a, run 2: 200 operations/s, p99 5.00 ms.')
})

test('names of stores are text, and not tags', () => {
  const live = new LiveRun()
  live.saw({ type: 'started', cells: 1, leastMs: 0 })
  live.saw(second('<img src=x>', 1, 0, 1))
  expect(live.section()).not.toContain('<img')
  expect(live.page(study, { stores: ['<b>'], result: undefined })).not.toContain('<b>')
})

test('the result so far is shown as the report shows it, after each measured cell', async () => {
  const pages: { readonly soFar: string; readonly report: string }[] = []
  const result = await runStudy(run, {
    config: studyConfig(run, {
      workload: { name: 'c', records: 20, mix: { read: 1 }, keys: { kind: 'uniform' } },
      operations: 50,
      runs: 3,
      warmupMs: 0,
    }),
    stores: [{ name: 'memory', url: 'memory:', store: memory() }],
    data: synthetic({ seed: 1 }),
    betweenCells: async (resultSoFar) => {
      const soFar = resultSoFar() as AnyResult
      const live = new LiveRun().page(study, { stores: ['memory'], result: soFar })
      pages.push({ soFar: live, report: reportPage(study, soFar) })
      if (pages.length === 2) throw new Error('A disk that is full changes nothing.')
    },
  })
  expect([result.status, pages.length]).toEqual(['complete', 3])
  for (const { soFar, report } of pages) {
    const main = /<main>\n(.*)\n<\/main>/s.exec(report)?.[1] ?? 'nothing'
    expect(soFar).toContain(main)
  }
})
