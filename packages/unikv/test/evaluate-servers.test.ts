import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ResultOf } from '@unikv/bench/studies'
import { keyValue } from '@unikv/core'
import { open } from '@unikv/stores/lazy'
import { ownServer } from '@unikv/test-kit'
import { describeWith, describeWithOwn } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { inProcess, install, root } from './command-line.ts'

const lineOf = (text: string): string => text.replace(/\s+/g, ' ')

async function evaluated(out: string): Promise<ResultOf<'evaluate'>> {
  return JSON.parse(await readFile(join(root, out, 'result.json'), 'utf8')) as ResultOf<'evaluate'>
}

describeWithOwn('redis', () => {
  let server: Awaited<ReturnType<typeof ownServer>>
  beforeAll(async () => {
    server = await ownServer('redis', { args: ['--maxclients', '40'] })
  })
  afterAll(() => server.stop())

  test('with a connection for each caller, what the server refuses is a missing point and a missed scenario', async () => {
    const scenario = (callers: number) => ({ measure: 'errors <= 0%', load: 'both', callers })
    const document = {
      name: 'Thick clients',
      candidates: { redis: server.url },
      workload: { preset: 'b', records: 20, valueSize: 100 },
      loads: { both: 'read=80,update=20' },
      sweep: { callers: [1, 20, 60], runs: 1, operations: 300, warmup: '0s', connections: 'each' },
      scenarios: { few: scenario(20), many: scenario(60) },
      timeout: '2s',
    }
    await writeFile(join(root, 'thick.yaml'), stringify(document))
    const { code, out, err } = await inProcess(['evaluate', 'thick.yaml', '--out', 'thick', '--quiet'])
    expect([code, err]).toEqual([3, 'unikv: No candidate meets every scenario.\n'])
    const { curves, scenarios } = await evaluated('thick')
    const points = curves[0]?.points ?? []
    expect(points.map(({ rate, refused }) => [rate.mean > 0, refused !== undefined])).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ])
    expect(points.map(({ runs }) => runs?.[0]?.connections?.[0]?.count)).toEqual([1, 20, undefined])
    expect(scenarios.map(({ found, holds }) => [found, holds])).toEqual([
      [0, true],
      [null, false],
    ])
    expect(lineOf(out)).toMatch(/It misses “many”: .*no connection for each of 60 callers/)
    expect(lineOf(out)).toContain('✗ missing')
  })
})

describeWith('redis', (near) =>
  describeWith('postgres', (central) => {
    const places = { SITE: near, CENTRAL: central, PATIENTS: '30', APPOINTMENTS: '4' }
    beforeAll(() => void Object.assign(process.env, places))
    const sources = fileURLToPath(new URL('../../../examples/evaluations/', import.meta.url))
    /** What is left in the center. */
    const left = async (): Promise<number> => {
      const store = await open(central, { dataset: 'unikv_ehr_center', needs: ['scan'] })
      try {
        return await keyValue(store).count()
      } finally {
        await store.close()
      }
    }

    test('a site is loaded from its center and flushed back: times, and conflicts with another site', async () => {
      await install('@unikv/bench')
      await copyFile(join(sources, 'site.mjs'), join(root, 'site.mjs'))
      const document = parse(await readFile(join(sources, 'site.yaml'), 'utf8')) as {
        loads: Record<string, string>
        scenarios: Record<string, { measure: string }>
      }
      // Few operations have no percentile, and this machine has other work.
      for (const one of Object.values(document.scenarios))
        one.measure = one.measure.replace(/p\d+ < \d+m?s/, 'mean < 60s')
      Object.assign(document, {
        candidates: { redis: '${SITE}' },
        loads: { ...document.loads, day: 'recent=30,chart=10,observe=20,move=5,load=5,flush=5' },
        sweep: { callers: [10], runs: 1, operations: 200, warmup: '0s' },
      })
      await writeFile(join(root, 'site.yaml'), stringify(document))
      const run = await inProcess(['evaluate', 'site.yaml', '--out', 'site', '--quiet'])
      expect([run.code, run.err], run.out).toEqual([0, ''])
      const { curves, scenarios } = await evaluated('site')
      expect(
        scenarios.filter(({ holds }) => !holds),
        run.out,
      ).toEqual([])
      for (const { load, points } of curves) {
        const [point] = points
        const of = (name: string, outcome: string | null) =>
          point?.operations.find((one) => one.name === name && one.outcome === outcome)
        expect(point?.errors).toBe(0)
        if (load === 'day') expect(of('load', null)?.service.meanMs.mean).toBeGreaterThan(0)
        expect(of('flush', load === 'day' ? null : 'conflict')?.count).toBeGreaterThan(0)
      }
      expect(await left()).toBe(0)
    })

    test('a day of a site: one load in the morning, and one flush in the evening', async () => {
      const run = ['bench', 'run', '--workload', 'site.mjs', '--store', near, '--runs', '1', '--warmup', '0']
      const { code, err } = await inProcess([...run, '--operations', '200', '--out', 'site-day', '--quiet'])
      expect([code, err]).toEqual([0, ''])
      const text = await readFile(join(root, 'site-day', 'result.json'), 'utf8')
      const { targets } = JSON.parse(text) as ResultOf<'run'>
      const counts = targets.map(({ phase, operations }) => [
        phase,
        ...operations.filter(({ count }) => count > 0).map(({ name, outcome }) => [name, outcome]),
      ])
      expect(counts).toEqual([
        ['morning', ['load', null]],
        ['day', ...['recent', 'chart', 'observe', 'move'].map((name) => [name, null])],
        ['evening', ['flush', null]],
      ])
    })
  }),
)
