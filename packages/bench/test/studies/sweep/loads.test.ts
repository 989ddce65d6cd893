import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bytes, Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, onTestFinished, test } from 'vitest'
import { synthetic } from '../../../src/data/open-data.ts'
import { resultFiles } from '../../../src/page/result-files.ts'
import { textReport } from '../../../src/page/text-report.ts'
import { parseAxis } from '../../../src/studies/sweep/axis.ts'
import type { SweepResult } from '../../../src/studies/sweep/config.ts'
import { parseLoad } from '../../../src/studies/sweep/loads.ts'
import { sweep } from '../../../src/studies/sweep/sweep.ts'
import { parseResult } from '../../../src/study/result-file.ts'
import { runStudy } from '../../../src/study/run-study.ts'
import { configOf } from '../config-of.ts'

const over = parseAxis('concurrency=1,2,4')

async function swept(fields: object, store: Store<Bytes>): Promise<SweepResult> {
  const short = { over, records: 20, operations: 50, duration: 3_600_000, warmup: 0, runs: 1 }
  const config = await configOf(sweep, { ...short, ...fields })
  return runStudy(sweep, {
    config,
    stores: [{ name: 'here', url: 'memory:', store }],
    data: synthetic({ seed: 1 }),
  })
}

/** A module that notes in a file when its hooks are called. */
async function moduleFile(): Promise<{ readonly file: string; readonly notes: () => Promise<string> }> {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-sweep-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const notes = join(folder, 'notes')
  await writeFile(notes, '')
  const text = `import { appendFileSync } from 'node:fs'
const note = (text) => appendFileSync(${JSON.stringify(notes)}, text + ' ')
export default {
  name: 'notes',
  operations: {
    look: { weight: 80, run: async ({ kv, keyOf, draw, miss }) => (await kv.get('note of ' + keyOf(draw()))) ?? miss },
    write: { weight: 20, run: ({ kv, keyOf, draw }) => kv.set('note of ' + keyOf(draw()), new Uint8Array(3)) },
  },
  setup: async ({ kv, keyOf }) => { note('setup'); await kv.set('note of ' + keyOf(0), new Uint8Array(1)) },
  teardown: () => note('teardown'),
}
`
  await writeFile(join(folder, 'notes.mjs'), text)
  return { file: join(folder, 'notes.mjs'), notes: () => readFile(notes, 'utf8') }
}

test('loads of a module have a curve each, with the figures of every operation, over records set up once', async () => {
  const { file, notes } = await moduleFile()
  const load = ['look at:look=100', 'both:look=80,write=20'].map(parseLoad)
  const result = await swept({ workload: file, load }, memory())
  expect([result.status, result.error]).toEqual(['complete', null])
  expect(result.curves.map(({ load: name }) => name)).toEqual(['look at', 'both'])
  const [look, both] = result.curves.map(({ points }) => points[2]!.operations)
  const count = (of: typeof look, name: string): number =>
    of!.filter((one) => one.name === name).reduce((sum, one) => sum + one.count, 0)
  expect([count(look, 'look'), count(look, 'write')]).toEqual([50, 0])
  expect(count(both, 'look') + count(both, 'write')).toBe(50)
  expect(count(both, 'write')).toBeGreaterThan(0)
  expect(await notes()).toBe('setup teardown ')
  expect(parseResult(sweep, String(resultFiles(sweep, result).get('result.json')))).toEqual(result)
})

test('without loads, a module is measured as it is', async () => {
  const { file } = await moduleFile()
  const { curves } = await swept({ workload: file }, memory())
  expect(curves.map(({ load }) => load)).toEqual(['notes'])
})

test('callers of whom none succeeds are missing in the curve, not zero', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'unikv-sweep-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const workload = join(folder, 'crowd.mjs')
  const source = `let most = 0
export default {
  name: 'crowd',
  state: ({ index }) => void (most = Math.max(most, index)),
  operations: { look: { weight: 1, run: () => { if (most >= 3) throw new Error('no socket is left') } } },
}`
  await writeFile(workload, source)
  const result = await swept({ workload, operations: 40 }, memory())
  const [curve] = result.curves
  expect(curve!.points.map(({ errors }) => errors)).toEqual([0, 0, 40])
  expect(curve!.fit).toBeNull()
  const [rates] = sweep.report.tables(result)
  expect(rates!.rows.map(([, rate]) => rate === null)).toEqual([false, false, true])
  const text = textReport(sweep, result).replace(/\s+/g, ' ')
  expect(text).toContain('nothing succeeded at 4 callers, so the curve has no value there')
  expect(text).toMatch(/here 4 missing/)
})

test.each([
  [{ load: [parseLoad('a:read=1'), parseLoad('a:update=1')] }, "two loads have the name 'a'"],
  [{ load: [parseLoad('a:read=1')], mix: { read: 1 } }, 'choose --load or --mix, not both'],
  [{ load: [parseLoad('a:look=1')] }, "there is no operation 'look'"],
  [{ load: [parseLoad('a:read=1')], over: parseAxis('read-share=0,50') }, 'nothing beside --over read-share'],
])('wrong loads are refused: %j', async (fields, message) => {
  await expect(swept(fields, memory())).rejects.toThrow(message)
})

test('a load without a name is refused', () => {
  expect(() => parseLoad('read=95')).toThrow(
    "--load: 'read=95' has no name. Write it like browse:read=95,update=5.",
  )
})
