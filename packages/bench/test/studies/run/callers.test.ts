import { memory } from '@unikv/core/memory'
import { redis } from '@unikv/redis'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import { textReport } from '../../../src/page/text-report.ts'
import type { StoreTarget } from '../../../src/run/target.ts'
import { run } from '../../../src/studies/run/run.ts'
import { sweep } from '../../../src/studies/sweep/sweep.ts'
import { runStudy } from '../../../src/study/run-study.ts'
import { studyConfig } from '../../../src/study/study-config.ts'

const given = { concurrency: 64, durationMs: 60_000, operations: 2_000, runs: 2, warmupMs: 0 }
const workload = { name: 'c', records: 100, mix: { read: 1 }, keys: { kind: 'zipfian' } }

function driven(target: StoreTarget, fields: object = {}) {
  const config = studyConfig(run, { workload, ...given, ...fields })
  return runStudy(run, { config, stores: [target], data: synthetic({ seed: 1 }) })
}

const lineOf = (text: string): string => text.replace(/\s+/g, ' ')

describeWithOwn('redis', () => {
  test('calls and connections of a run and of a sweep stand in result, rows and setup', async () => {
    await using server = await ownServer('redis')
    const module = import.meta.resolve('@unikv/stores/lazy')
    const options = { dataset: 'callers' }
    const store = redis({ url: server.url, ...options })
    const target = {
      name: 'r',
      url: 'redis://r',
      store,
      opener: () => ({ module, url: server.url, options }),
    }
    try {
      const apart = await driven(target)
      expect(apart.targets[0]?.runs.map(({ calls }) => calls)).toEqual([2_000, 2_000])
      const rows = run.report.rows(apart).filter(({ measure }) => measure === 'calls')
      expect(rows.map((row) => [row.run, row.value])).toEqual([
        [1, 2_000],
        [2, 2_000],
      ])
      expect(lineOf(textReport(run, apart))).toContain(
        'calls: not merged: each caller has its own client; over the connections of one open store; r got 4,000 for 4,000 operations',
      )
      const merged = await driven(target, { merge: 'on', connections: 2 })
      expect(merged.targets[0]?.runs[0]?.calls).toBeLessThan(1_000)
      expect(lineOf(textReport(run, merged))).toContain(
        'calls: merged, as those of one application; the store is opened 2 times; r got',
      )
      const each = await driven(target, { connections: 'each' })
      expect(lineOf(textReport(run, each))).toContain('the store is opened once for each caller; r got 4,000')
      const over = { field: 'concurrency', values: [1, 8] }
      const loads = [{ name: 'read', mix: { read: 1 } }]
      const config = studyConfig(sweep, { ...given, workload, over, loads, operations: 200 })
      const swept = await runStudy(sweep, { config, stores: [target], data: synthetic({ seed: 1 }) })
      expect(swept.curves[0]?.points.flatMap(({ runs = [] }) => runs.map(({ calls }) => calls))).toEqual([
        200, 200, 200, 200,
      ])
      expect(lineOf(textReport(sweep, swept))).toContain('r got 800 for 800 operations')
    } finally {
      await store.close()
    }
  })
})

test('options of callers that say nothing are refused', async () => {
  const target = { name: 'm', url: 'memory:', store: memory() }
  await expect(driven(target, { connections: 2 })).rejects.toThrow('m is an open store without a URL')
  await expect(driven(target, { connections: 'each', rate: 100 })).rejects.toThrow(
    '--connections each is for',
  )
  await expect(driven(target, { allowMisses: true })).rejects.toThrow('m does not, so its reads must find')
})
