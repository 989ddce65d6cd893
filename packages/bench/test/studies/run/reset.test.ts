import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { textReport } from '../../../src/page/text-report.ts'
import type { RunResult } from '../../../src/studies/run/config.ts'
import { run } from '../../../src/studies/run/run.ts'
import { drive, runConfig } from './drive.ts'

const folder = mkdtempSync(join(tmpdir(), 'unikv-reset-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Half of the operations read, half delete. */
const consuming = { mix: { read: 50, delete: 50 }, keys: { kind: 'uniform' }, operations: 400, runs: 3 }

/** How many reads of each run found nothing. */
function missesOf({ targets }: RunResult): number[] {
  const runs = targets[0]?.runs ?? []
  return runs.map(
    ({ kinds }) =>
      kinds.find(({ name, outcome }) => name === 'read' && outcome === 'miss')?.service.count ?? 0,
  )
}

test('each run finds the records as they were loaded, and both times are told', async () => {
  const kept = await drive({ ...consuming, reset: 'snapshot' })
  const used = await drive(consuming)
  const [first = 0, ...others] = missesOf(kept)
  expect(others.every((misses) => Math.abs(misses - first) < 40)).toBe(true)
  expect(missesOf(used).at(-1)).toBeGreaterThan(first + 60)
  expect(kept.targets[0]?.reset).toMatchObject({ way: 'snapshot', restoreMs: { runs: { length: 3 } } })
  expect(kept.targets[0]?.reset?.saveMs).toBeGreaterThan(0)
  expect(used.targets[0]?.reset).toBeNull()
  expect(textReport(run, kept)).toContain('bringing them back before each run')
})

test('commands of the user get the place of the records', async () => {
  const log = join(folder, 'log')
  const save = `cat >> ${log}; echo " saved" >> ${log}`
  const result = await drive({
    records: 20,
    operations: 10,
    runs: 2,
    save,
    restore: `echo "restored" >> ${log}`,
  })
  const [saved = '', ...rest] = readFileSync(log, 'utf8').trim().split('\n')
  expect(JSON.parse(saved.replace(' saved', ''))).toMatchObject({
    store: 'here',
    records: 20,
    namespace: ['unikv.bench', result.runId],
  })
  expect(rest).toEqual(['restored', 'restored'])
  expect(result.targets[0]?.reset?.way).toBe('commands')
})

test('a command that fails ends the run with its output', async () => {
  const driven = drive({ records: 5, operations: 10, save: 'echo no space left; exit 3', restore: 'true' })
  await expect(driven).rejects.toThrow('exit code 3: echo no space left; exit 3. It printed: no space left')
})

test.each([
  [{ save: 'true' }, '--save needs --restore'],
  [{ restore: 'true' }, '--restore needs --save'],
  [{ save: 'true', restore: 'true', reset: 'snapshot' }, '--reset says nothing beside'],
])('%j is refused', async (fields, message) => {
  await expect(runConfig(fields)).rejects.toThrow(message)
})
